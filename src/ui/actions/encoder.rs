//! What the encoder workers report, as the page says it.

use leptos::prelude::*;

use crate::browser::embedder::Status;
use crate::ui::components::progress::Work;
use crate::ui::state::{EncoderStatus, State};

/// Writes a report of the workers to the page's state.
pub fn report(state: State, status: Status) {
    state.encoder.set(match status {
        Status::Fetching(so_far, total) => EncoderStatus::Loading(Work {
            title: "Fetching the encoder".to_owned(),
            done: so_far,
            total: (total > 0).then_some(total),
            ..Work::default()
        }),
        Status::Starting => {
            EncoderStatus::Loading(Work { title: "Starting the encoder".to_owned(), ..Work::default() })
        }
        Status::Ready(loaded) => {
            let device = match loaded.adapter {
                Some(adapter) => format!("{}, {adapter}", loaded.backend),
                None => loaded.backend,
            };
            EncoderStatus::Ready(device, loaded.notice)
        }
        Status::Failed(why) => EncoderStatus::Failed(why),
    });
}
