//! The ways that were compared, side by side.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::pipeline::Answered;
use crate::present::format;
use crate::ui::actions::ask;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::score_panel::tone;
use crate::ui::components::tag::Tag;
use crate::ui::state::{Compared, State};

/// A table of the ways; each can be shown below.
#[component]
pub fn ComparedWays() -> impl IntoView {
    let state = State::here();
    let ways = Signal::derive(move || state.run.with(|r| r.compared.clone()));
    view! {
        <Show when=move || ways.with(|w| !w.is_empty())>
            <section aria-label="Ways compared" class="sect">
                <div class="sect-h"><h2>"Ways compared"</h2></div>
                <ul class="ways">{move || ways.get().into_iter().map(|way| view! { <Way way/> }).collect_view()}</ul>
            </section>
        </Show>
    }
}

#[component]
fn Way(way: Compared) -> impl IntoView {
    let state = State::here();
    let (sql, rows) = match way.answered.answer() {
        Ok((sql, result)) => {
            let more = if result.more { " or more" } else { "" };
            let rows = format!("{}{more}", format::counted(result.rows.len(), "row", "rows"));
            let offered = matches!(&*way.answered, Answered::Adapted(Ok(answer)) if !answer.is_near());
            (
                sql.to_owned(),
                if offered { format!("{rows}, but the query is not close enough") } else { rows },
            )
        }
        Err(why) => (String::new(), why.to_string()),
    };
    let verdict = way.standing.map(|standing| view! { <Tag tone=tone(standing) text=standing.to_gold()/> });
    let answered = Arc::clone(&way.answered);
    let show = move || {
        ask::show(state, &answered);
        spawn_local(ask::score(state));
    };
    view! {
        <li class="way">
            <div class="row wrap">
                <b>{way.name}</b>
                <span class="t12 two">{rows}</span>
                <span class="t12 three nowrap">{format::duration(way.took_ms)}</span>
                <span class="push"></span>
                {verdict}
                <Button label="Show" weight=Weight::Quiet on_press=show/>
            </div>
            <pre class="t12 mono way-sql" tabindex="0">{sql}</pre>
        </li>
    }
}
