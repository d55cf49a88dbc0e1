//! Gathering what the diagnostics say, and noting what goes wrong.

use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;

use super::save::{DATABASE, KNOWLEDGE};
use crate::browser::{self, features, gpu, incidents, rpc, storage};
use crate::db::DbError;
use crate::embedding::EncoderSpec;
use crate::history::store;
use crate::incident::Source;
use crate::llm::LlmError;
use crate::pipeline::direct;
use crate::present::diagnostics::facts::{
    Encoder, EncoderState, Facts, Features, Gpu, Last, Machine, Memory, Model, Open, Storage, Versions,
    Workspace,
};
use crate::present::incidents as words;
use crate::ui::settings::Way;
use crate::ui::state::{EncoderStatus, ModelStatus, Open as OpenNow, Run, Stage, State, Trouble};

/// Milliseconds that the workers have to say what they are; one that is at work answers later.
const PATIENCE_MS: u32 = 2_000;

/// Everything about the page, the browser and what is open.
pub async fn gather(state: State) -> Facts {
    let engine = state.engine();
    let workers = Box::pin(async { (engine.database.about().await, engine.embedder.memory().await) });
    let (about, encoders) = match select(workers, TimeoutFuture::new(PATIENCE_MS)).await {
        Either::Left((told, _)) => told,
        Either::Right(_) => (None, Vec::new()),
    };
    let (sqlite, database) = about.map_or((None, None), |about| (Some(about.sqlite), about.memory));
    Facts {
        now_ms: js_sys::Date::now(),
        versions: Versions {
            page: env!("CARGO_PKG_VERSION"),
            workers: rpc::VERSION,
            released: !cfg!(debug_assertions),
            sqlite,
            knowledge: store::VERSION,
        },
        machine: machine(),
        features: features().await,
        encoder: encoder(state),
        memory: Memory { page: browser::memory(), database, encoders },
        storage: kept(state).await,
        open: open(state),
        model: model(state),
        last: state.run.with_untracked(last),
        incidents: incidents::newest_first(),
    }
}

fn machine() -> Machine {
    let size =
        |side: Result<wasm_bindgen::JsValue, _>| side.ok().and_then(|s| s.as_f64()).unwrap_or(0.0) as u32;
    let query = window().match_media("(pointer: coarse)").ok().flatten();
    Machine {
        agent: features::agent(),
        cores: features::cores(),
        window: (size(window().inner_width()), size(window().inner_height())),
        coarse: query.is_some_and(|query| query.matches()),
    }
}

async fn features() -> Features {
    let gpu = match gpu::adapter().await {
        Some(adapter) => Gpu::Adapter {
            name: adapter.name(),
            software: adapter.is_software(),
            vendor: adapter.vendor,
            architecture: adapter.architecture,
        },
        None if features::has(&["navigator", "gpu"]) => Gpu::NoAdapter,
        None => Gpu::Missing,
    };
    Features {
        isolated: features::isolated(),
        shared_memory: features::has(&["SharedArrayBuffer"]),
        files: storage::works().await,
        cache: features::has(&["caches"]),
        simd: features::simd(),
        locks: features::has(&["navigator", "locks"]),
        persisted: features::persisted().await,
        gpu,
    }
}

fn encoder(state: State) -> Encoder {
    let name = state.settings.with_untracked(|s| EncoderSpec::by_name(&s.encoder).map(|spec| spec.name));
    let (now, said) = match state.encoder.get_untracked() {
        EncoderStatus::Resting => (EncoderState::Resting, String::new()),
        EncoderStatus::Loading(work) => (EncoderState::Loading, format!("{} {}", work.title, work.count())),
        EncoderStatus::Failed(why) => (EncoderState::Failed, why),
        EncoderStatus::Ready(device, notice) => {
            let now = if device.starts_with("WebGPU") { EncoderState::Gpu } else { EncoderState::Cpu };
            (now, notice.map_or(device.clone(), |notice| format!("{device}. {notice}")))
        }
    };
    Encoder { name, state: now, said }
}

async fn kept(state: State) -> Storage {
    let list = state.workspaces.with_untracked(|w| w.list().to_vec());
    let mut workspaces = Vec::new();
    for kept in list {
        let size =
            async |name: &str| storage::read(&kept.folder(), name).await.map_or(0, |f| f.size() as u64);
        workspaces.push(Workspace {
            open: state.open.with_untracked(|open| matches!(open, OpenNow::Kept(w) if w.id == kept.id)),
            database: size(DATABASE).await,
            history: size(KNOWLEDGE).await,
            name: kept.name.clone(),
        });
    }
    let answers = state.kept_answers.with_untracked(|kept| (kept.count, kept.bytes));
    Storage { used: storage::estimate().await, workspaces, answers }
}

fn open(state: State) -> Open {
    let tables = state.overview.with_untracked(|overview| {
        let tables = &overview.as_ref()?.schema.tables;
        Some((tables.len(), tables.iter().map(|table| table.columns.len()).sum()))
    });
    state.knowledge.with_untracked(|knowledge| {
        let knowledge = knowledge.as_ref();
        let index = knowledge.and_then(|k| k.index.as_ref()).map(|(_, index)| {
            let dimension = index.entries().dimension().max(index.items().dimension());
            (index.entries().len() + index.items().len(), dimension)
        });
        Open {
            tables,
            history: knowledge.map(|k| (k.base.entries.len(), k.base.items.len())),
            index,
            not_indexed: knowledge.map_or(0, |k| k.not_indexed()),
        }
    })
}

fn model(state: State) -> Model {
    let (address, name, headers) = state
        .settings
        .with_untracked(|s| (s.model.address.clone(), s.model.ask.model.clone(), s.model.headers.clone()));
    let (tested, said) = match state.model.get_untracked() {
        ModelStatus::Tested(found) => {
            (Some(found.failed.map_or(Ok(()), |step| Err(step.name()))), found.title)
        }
        ModelStatus::Untested | ModelStatus::Testing => (None, String::new()),
    };
    Model {
        address,
        name,
        key: state.key.with_untracked(|key| !key.trim().is_empty()),
        headers: headers.lines().filter(|line| !line.trim().is_empty()).count(),
        tested,
        said,
    }
}

fn last(run: &Run) -> Option<Last> {
    let ended = match (run.stage, &run.trouble) {
        (Stage::Idle, _) => return None,
        (Stage::Done, Some(trouble)) => what(trouble, run),
        (Stage::Done, None) if run.result.is_some() => "with rows",
        (Stage::Done, None) => "with an offer: the nearest query was not close enough",
        _ => "not yet",
    };
    let mut stages = Vec::new();
    let mut add = |there: bool, name: &'static str, ms: f64| {
        if there {
            stages.push((name, ms));
        }
    };
    add(run.retrieved.is_some(), "Retrieve", run.retrieve_ms);
    add(run.adapt_ms > 0.0, "Adapt", run.adapt_ms);
    add(run.answer_ms > 0.0, "Answer", run.answer_ms);
    add(run.result.is_some(), "Run", run.result.as_ref().map_or(0.0, |result| result.elapsed_ms));
    add(run.score.is_some(), "Score", run.score_ms);
    let way = match run.way {
        Way::Adapt => "adapted from the history",
        Way::Direct => "by a model",
        Way::Compare => "three ways compared",
    };
    Some(Last { way, stages, ended, rows: run.result.as_ref().map(|result| result.rows.len()) })
}

/// What went wrong, in fixed words.
fn what(trouble: &Trouble, run: &Run) -> &'static str {
    match trouble {
        Trouble::Adapt(error) => words::of_adapting(error),
        Trouble::Db(error) => words::of_database(error),
        Trouble::Other(_) => "no answer could be made",
        Trouble::Model => match run.direct.as_ref().map(|direct| &direct.answer) {
            Some(Err(trouble)) => words::of_answer(trouble),
            _ => "the model gave no answer",
        },
    }
}

/// Notes what goes wrong from now on: what the page shows as a warning or an error, and errors of scripts.
pub fn watch(state: State) {
    incidents::recall();
    Effect::new(move |before: Option<Vec<String>>| {
        let now = state.notices.get();
        let before = before.unwrap_or_default();
        for notice in now.iter().filter(|notice| !before.contains(notice)) {
            incidents::record(Source::Notice, "a notice was shown", notice);
        }
        now
    });
    Effect::new(move |_| {
        if let Some(error) = state.open_error.get() {
            incidents::record(Source::File, "a file was not opened", &error);
        }
    });
    let trouble = Memo::new(move |_| {
        state.run.with(|run| {
            let trouble = run.trouble.as_ref()?;
            let said = match (trouble, &run.direct) {
                (Trouble::Model, Some(direct)) => match &direct.answer {
                    Err(direct::Trouble::Model(LlmError::Cancelled)) => return None,
                    Err(trouble) => trouble.to_string(),
                    Ok(_) => String::new(),
                },
                (Trouble::Db(DbError::Cancelled), _) => return None,
                (Trouble::Db(error), _) => error.to_string(),
                (Trouble::Adapt(error), _) => error.to_string(),
                (Trouble::Other(text), _) => text.clone(),
                (Trouble::Model, None) => String::new(),
            };
            Some((run.number, what(trouble, run), said))
        })
    });
    Effect::new(move |_| {
        if let Some((_, what, said)) = trouble.get() {
            incidents::record(Source::Answer, what, &said);
        }
    });
    Effect::new(move |_| match state.encoder.get() {
        EncoderStatus::Failed(why) => {
            incidents::record(Source::Encoder, "the encoder could not be had", &why);
        }
        EncoderStatus::Ready(_, Some(notice)) => {
            incidents::record(Source::Encoder, "the encoder runs elsewhere than it was meant to", &notice);
        }
        _ => {}
    });
    Effect::new(move |_| {
        if let ModelStatus::Tested(found) = state.model.get()
            && found.failed.is_some()
        {
            incidents::record(Source::Model, "the test of the server failed", &found.title);
        }
    });
    let not_kept = Memo::new(move |_| state.kept_answers.with(|kept| kept.trouble.clone()));
    Effect::new(move |_| {
        if let Some(why) = not_kept.get() {
            incidents::record(Source::Storage, "answers of the model are not kept", &why);
        }
    });
    for (event, field) in [("error", "message"), ("unhandledrejection", "reason")] {
        let listener = window_event_listener_untyped(event, move |event| {
            let said = js_sys::Reflect::get(&event, &field.into()).unwrap_or_default();
            incidents::record(Source::Script, "a script failed", &rpc::describe(&said));
        });
        on_cleanup(move || listener.remove());
    }
}
