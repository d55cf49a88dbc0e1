//! The same question in three ways: a model with the history, the model without it, and the history alone.

use std::sync::Arc;

use leptos::prelude::*;

use super::ask::{self, Asking, gold, scored};
use super::{direct, now};
use crate::bench::compare::Verdict;
use crate::db::{DbError, ResultSet};
use crate::pipeline::Answered;
use crate::ports::Execute as _;
use crate::present::score::Standing;
use crate::ui::state::{Compared, Stage, Trouble};

/// Asks in each way, one after the other; the answer shown in the end is that of the model with the history.
pub(super) async fn ask(asking: &Asking) -> Result<Arc<Answered>, Trouble> {
    let state = asking.state;
    let cancel = state.cancel.get_value();
    // Gold is the same for every way.
    let gold = match gold(state) {
        Some((sql, _)) => Some(state.engine().database.execute(&sql, scored(state)).await),
        None => None,
    };
    let started = now();
    let (retrieved, shots) = direct::retrieve(asking, &cancel).await?;
    asking.update(|r| r.retrieved = Some(Arc::new(retrieved)));
    let with = direct::answer(asking, &shots, &cancel).await?;
    if !asking.current() {
        return Ok(with);
    }
    keep(asking, "Model with history", &with, gold.as_ref(), started).await;
    asking.update(|r| r.stage = Stage::Adapt);
    let started = now();
    if !cancel.is_cancelled()
        && let Ok(adapted) = ask::adapt(asking).await
    {
        keep(asking, "History alone, adapted", &adapted, gold.as_ref(), started).await;
    }
    let started = now();
    if asking.current() && !cancel.is_cancelled() {
        asking.update(|r| {
            r.streamed.clear();
            r.tokens = 0;
        });
        let without = direct::answer(asking, &[], &cancel).await?;
        keep(asking, "Model without history", &without, gold.as_ref(), started).await;
    }
    Ok(with)
}

/// Adds a way that has ended, scored where there is gold.
async fn keep(
    asking: &Asking,
    name: &'static str,
    answered: &Arc<Answered>,
    gold: Option<&Result<ResultSet, DbError>>,
    started: f64,
) {
    let took_ms = now() - started;
    let standing = match gold {
        None => None,
        Some(gold) => {
            let state = asking.state;
            let (sql, rows) = match answered.answer() {
                Ok((sql, rows)) => (sql, ask::whole(state, sql, Some(rows)).await),
                Err(_) => ("", Err(DbError::NotOpen)),
            };
            let mode = state.settings.with_untracked(|settings| settings.mode);
            let Some((gold_sql, task)) = ask::gold(state) else { return };
            Some(match &rows {
                Err(error) => Standing::of(&Verdict::PredictedFailed(error.clone())),
                rows => {
                    let compared = (gold, rows);
                    Standing::of(&ask::verdict(state, mode, (&gold_sql, task.as_ref()), sql, compared).await)
                }
            })
        }
    };
    asking.update(|r| r.compared.push(Compared { name, answered: answered.clone(), took_ms, standing }));
}
