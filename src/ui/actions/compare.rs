//! The same question in three ways: a model with the history, the model without it, and the history alone.

use std::sync::Arc;

use leptos::prelude::*;

use super::ask::{self, Asking, gold, scored};
use super::{direct, now};
use crate::bench::compare::{self, Mode};
use crate::db::DbError;
use crate::pipeline::Answered;
use crate::ports::Execute as _;
use crate::present::score::Standing;
use crate::ui::state::{Compared, Stage, Trouble};

/// Asks in each way, one after the other; the answer shown in the end is that of the model with the history.
pub(super) async fn ask(asking: &Asking) -> Result<Arc<Answered>, Trouble> {
    let state = asking.state;
    let cancel = state.cancel.get_value();
    let started = now();
    let (retrieved, shots) = direct::retrieve(asking, &cancel).await?;
    asking.update(|r| r.retrieved = Some(Arc::new(retrieved)));
    let with = direct::answer(asking, &shots, &cancel).await?;
    if !asking.current() {
        return Ok(with);
    }
    keep(asking, "Model with history", &with, started).await;
    asking.update(|r| r.stage = Stage::Adapt);
    let started = now();
    if !cancel.is_cancelled()
        && let Ok(adapted) = ask::adapt(asking).await
    {
        keep(asking, "History alone, adapted", &adapted, started).await;
    }
    let started = now();
    if asking.current() && !cancel.is_cancelled() {
        asking.update(|r| {
            r.streamed.clear();
            r.tokens = 0;
        });
        let without = direct::answer(asking, &[], &cancel).await?;
        keep(asking, "Model without history", &without, started).await;
    }
    Ok(with)
}

/// Adds a way that has ended, scored where there is gold.
async fn keep(asking: &Asking, name: &'static str, answered: &Arc<Answered>, started: f64) {
    let took_ms = now() - started;
    let state = asking.state;
    let standing = match gold(state) {
        None => None,
        Some((gold, _)) => {
            let (engine, limits) = (state.engine(), scored(state));
            let gold = engine.database.execute(&gold, limits).await;
            let rows = match answered.answer() {
                Ok((sql, _)) => engine.database.execute(sql, limits).await,
                Err(_) => Err(DbError::NotOpen),
            };
            Some(Standing::of(&compare::judge(Mode::BirdEx, &gold, &rows)))
        }
    };
    asking.update(|r| r.compared.push(Compared { name, answered: answered.clone(), took_ms, standing }));
}
