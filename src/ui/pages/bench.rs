//! Bench (#/bench, linked from nowhere): measures this browser and writes the figures as JSON.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Serialize;

use crate::embedding::protocol::Speed;
use crate::present::palette::{Entry, Index, entries, search};
use crate::retrieval::Vectors;
use crate::sql::split;
use crate::ui::actions::{encoder, now};
use crate::ui::components::shell::Shell;
use crate::ui::settings::Settings;
use crate::ui::state::State;

const ITEMS: usize = 20_000;
const COMPONENTS: usize = 100_000;
const DIMENSION: usize = 384;
const ROUNDS: usize = 21;

#[derive(Serialize)]
struct Figures {
    /// Milliseconds to parse and split one query of the open history: median over the queries of the best of three.
    split_ms: f64,
    /// Milliseconds of one exact search over 100,000 vectors of 384 dimensions.
    search_ms: Spread,
    /// Milliseconds of one search of the palette over 20,000 items like those of the open history.
    palette_ms: Spread,
    /// The encoder in its worker.
    embed: Result<Vec<Speed>, String>,
}

#[derive(Serialize)]
struct Spread {
    fastest: f64,
    median: f64,
    slowest: f64,
}

impl Spread {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let at = |i: usize| times.get(i).copied().unwrap_or_default();
        Self { fastest: at(0), median: at(times.len() / 2), slowest: at(times.len().saturating_sub(1)) }
    }
}

/// The page.
#[component]
pub fn BenchPage() -> impl IntoView {
    let state = State::here();
    let json = RwSignal::new(String::new());
    let started = StoredValue::new(false);
    Effect::new(move |_| {
        if state.knowledge.with(Option::is_some) && !started.get_value() {
            started.set_value(true);
            spawn_local(async move { json.set(measure(state).await) });
        }
    });
    view! {
        <Shell>
            <div class="setpage">
                <h1>"Bench"</h1>
                <p class="two">"Parsing the open history, searching 100,000 vectors, embedding in the worker."</p>
                <pre id="bench" class="mono">{move || json.get()}</pre>
            </div>
        </Shell>
    }
}

async fn measure(state: State) -> String {
    let wish = state.settings.with_untracked(Settings::wish);
    let report = |status| encoder::report(state, status);
    let embed = state.engine().embedder.measure(&wish, &report).await.map_err(|e| e.to_string());
    let figures = Figures {
        split_ms: split_time(state),
        search_ms: search_time(),
        palette_ms: palette_time(state),
        embed,
    };
    serde_json::to_string_pretty(&figures).unwrap_or_default()
}

fn split_time(state: State) -> f64 {
    let schema = state.overview.with_untracked(|o| o.as_ref().map(|o| o.schema.clone())).unwrap_or_default();
    let queries: Vec<String> = state
        .knowledge
        .with_untracked(|k| k.iter().flat_map(|k| &k.base.entries).map(|e| e.sql.clone()).collect());
    let best = |sql: &String| {
        let once = |_| {
            let start = now();
            std::hint::black_box(split(sql, &schema).is_ok());
            now() - start
        };
        (0..3).map(once).fold(f64::INFINITY, f64::min)
    };
    Spread::of(queries.iter().map(best).collect()).median
}

fn palette_time(state: State) -> Spread {
    let items =
        state.knowledge.with_untracked(|k| k.iter().flat_map(|k| entries::of_knowledge(&k.base)).collect());
    let items: Vec<Entry> = items;
    let index = Index::new(items.iter().cycle().take(ITEMS.min(items.len() * ITEMS)).cloned().collect());
    // What a person types, key by key.
    let typed = "on-time share harb";
    let once = |end| {
        let start = now();
        std::hint::black_box(search(&[&index], typed.get(..end).unwrap_or_default(), &[], 12).more);
        now() - start
    };
    Spread::of((0..=typed.len()).map(once).collect())
}

fn search_time() -> Spread {
    // Any unit vectors do: the time does not depend on them.
    let mut seed = 1_u32;
    let mut number = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed) as f32 / u32::MAX as f32 - 0.5
    };
    let mut row = || {
        let row: Vec<f32> = (0..DIMENSION).map(|_| number()).collect();
        let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter().map(|x| x / norm).collect::<Vec<f32>>()
    };
    let query = row();
    let rows: Vec<Vec<f32>> = (0..COMPONENTS).map(|_| row()).collect();
    let Ok(vectors) = Vectors::from_rows(&rows) else { return Spread::of(Vec::new()) };
    let once = |_| {
        let start = now();
        std::hint::black_box(vectors.search(&query, 20, -1.0).len());
        now() - start
    };
    Spread::of((0..ROUNDS).map(once).collect())
}
