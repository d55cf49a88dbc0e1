//! The set-up: written for the next experiment, read for one that was begun.

use leptos::prelude::*;

use crate::bench::modes::Mode;
use crate::experiment::estimate::calls;
use crate::experiment::retriever::Named;
use crate::experiment::scoring::{about as about_mode, fitting};
use crate::experiment::{By, Setup};
use crate::llm::budget::Limits;
use crate::present::format;
use crate::present::lab::draft::{self, dollars, dollars_field, limit, limit_field};
use crate::ui::actions::experiment;
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::field::{Check, Field};
use crate::ui::components::icon::Icon;
use crate::ui::components::tag::Tag;
use crate::ui::state::State;

/// Most tasks at a time.
const MOST_AT_A_TIME: usize = 32;

fn set(state: State, how: impl FnOnce(&mut Setup)) {
    state.lab.draft.update(how);
}

fn toggle(names: &mut Vec<String>, name: &str, on: bool, order: &[&str]) {
    names.retain(|known| known != name);
    if on {
        names.push(name.to_owned());
    }
    names.sort_by_key(|name| order.iter().position(|known| known == name));
}

/// The form.
#[component]
pub fn SetupForm() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let setup = Memo::new(move |_| experiment::filled(state));
    let asks = Memo::new(move |_| setup.with(Setup::asks));
    let tasks = move || {
        setup.with(|setup| match setup.places.len() {
            0 => "No task file is open".to_owned(),
            n => format!(
                "{}, {}",
                setup.tasks.name.trim_end_matches(".json"),
                format::counted(n, "task", "tasks")
            ),
        })
    };
    let history = move || {
        setup.with(|setup| match setup.history_queries {
            0 => "No history".to_owned(),
            n => format!("{}, {}", setup.database, format::counted(n, "query", "queries")),
        })
    };
    let model = move || {
        setup.with(|setup| {
            setup.model.as_ref().map_or("None is set up".to_owned(), |model| {
                let seed = model.seed.map(|seed| format!(", seed {seed}")).unwrap_or_default();
                format!("{}{seed}", model.name)
            })
        })
    };
    let retrievers = Named::ALL.map(|named| {
        let name = named.name();
        let checked = Signal::derive(move || lab.draft.with(|draft| draft.retrievers.iter().any(|known| known == name)));
        let order = Named::ALL.map(Named::name);
        let on_change = Callback::new(move |on| set(state, |draft| toggle(&mut draft.retrievers, name, on, &order)));
        view! { <div title=named.about()><Check checked on_change><span class="mono">{name}</span></Check></div> }
    });
    let pipelines = By::all().map(|by| {
        let name = by.name();
        let checked = Signal::derive(move || lab.draft.with(|draft| draft.pipelines.iter().any(|known| known == name)));
        let on_change = Callback::new(move |on| {
            let order: Vec<&str> = By::all().map(By::name).collect();
            set(state, |draft| toggle(&mut draft.pipelines, name, on, &order));
        });
        view! {
            <div title=by.about()>
                <Check checked on_change><span class="mono nowrap">{name}</span><span class="push three t11 nowrap">{calls(by)}</span></Check>
            </div>
        }
    });
    let modes = Signal::derive(move || {
        let file = lab.file.get();
        let modes = fitting(file.as_ref().map_or(&[], |file| &file.tasks));
        modes.into_iter().map(|mode| (mode, mode.to_string())).collect::<Vec<_>>()
    });
    let mode = Signal::derive(move || lab.draft.with(|draft| draft.mode));
    // A task file of another kind has other modes.
    Effect::new(move |_| {
        let first = modes.with(|modes| {
            let now = mode.get();
            (!modes.iter().any(|(mode, _)| *mode == now))
                .then(|| modes.first().map(|(mode, _)| *mode))
                .flatten()
        });
        if let Some(first) = first {
            set(state, |draft| draft.mode = first);
        }
    });
    let own = Signal::derive(move || lab.draft.with(|draft| draft.own_left_out));
    let problem = move || setup.with(Setup::problem);
    let cannot = Signal::derive(move || problem().is_some() || lab.live.with(Option::is_some));
    view! {
        <div class="ins-h row"><h2>"Set-up"</h2></div>
        <section class="sect">
            <div class="sect-b stack-3 pad-t">
                <dl class="kv setup-kv">
                    <dt>"Tasks"</dt><dd>{tasks}</dd>
                    <dt>"History"</dt><dd>{history}</dd>
                    <Show when=move || asks.get()>
                        <dt>"Model"</dt>
                        <dd>{model}" "<a href="#/settings/model">"Settings"</a></dd>
                    </Show>
                </dl>
                <div class="grid-2 picks">
                    <fieldset><legend class="label">"Retrievers"</legend>{retrievers.into_iter().collect_view()}</fieldset>
                    <fieldset><legend class="label">"Pipelines, calls a task"</legend>{pipelines.collect_view()}</fieldset>
                </div>
                <div class="grid-3 near">
                    <Number label="Shots" value=Signal::derive(move || lab.draft.with(|d| d.shots)) least=1 most=20
                        on_change=Callback::new(move |n| set(state, |draft| draft.shots = n))/>
                    <Number label="At a time" value=Signal::derive(move || lab.draft.with(|d| d.at_a_time)) least=1 most=MOST_AT_A_TIME
                        on_change=Callback::new(move |n| set(state, |draft| draft.at_a_time = n))/>
                    <div class="labelled" title=move || about_mode(mode.get())>
                        <span class="label">"Scoring"</span>
                        <Choice label="Scoring" choices=modes value=mode on_change=Callback::new(move |mode: Mode| set(state, |draft| draft.mode = mode)) class="mono"/>
                    </div>
                </div>
                <Check checked=own on_change=Callback::new(move |on| set(state, |draft| draft.own_left_out = on))>
                    "Leave the task’s own query out"
                </Check>
                <p class="t11 three">"Where the history holds a task’s reference query, that task is asked as if it did not."</p>
            </div>
        </section>
        <Show when=move || asks.get()>
            <section class="sect">
                <div class="sect-h"><h2>"Budget"</h2><span class="push t11 three">"pauses when one is reached"</span></div>
                <div class="sect-b stack-3">
                    <LimitFields
                        limits=Signal::derive(move || lab.draft.with(|draft| draft.limits))
                        on_change=Callback::new(move |limits| set(state, |draft| draft.limits = limits))
                    />
                    <Prices/>
                </div>
            </section>
        </Show>
        <section class="sect">
            <div class="sect-h"><h2>"What it will use"</h2></div>
            <div class="sect-b stack"><Estimated setup/></div>
        </section>
        <section class="sect">
            <div class="sect-b stack pad-t">
                <Button label="Start" icon=Icon::Play disabled=cannot on_press=move || experiment::start(state)/>
                <p class="t11 three">
                    {move || problem().unwrap_or_else(|| "Closing this tab is safe. The run goes on from its last answer when you are back.".to_owned())}
                </p>
            </div>
        </section>
    }
}

/// A small whole number.
#[component]
fn Number(
    label: &'static str,
    value: Signal<usize>,
    least: usize,
    most: usize,
    on_change: Callback<usize>,
) -> impl IntoView {
    let draft = RwSignal::new(None::<String>);
    let shown = Signal::derive(move || draft.get().unwrap_or_else(|| value.get().to_string()));
    let error = Signal::derive(move || {
        let wrong = draft.with(|text| text.as_ref().is_some_and(|text| read(text, least, most).is_none()));
        if wrong { format!("{least} to {most}") } else { String::new() }
    });
    let on_input = Callback::new(move |text: String| {
        if let Some(number) = read(&text, least, most) {
            on_change.run(number);
        }
        draft.set(Some(text));
    });
    view! { <Field label value=shown on_input error show_label=true class="num"/> }
}

fn read(text: &str, least: usize, most: usize) -> Option<usize> {
    text.trim().parse().ok().filter(|number| (least..=most).contains(number))
}

/// Limits of calls, tokens and dollars; empty for none.
#[component]
fn LimitFields(limits: Signal<Limits>, on_change: Callback<Limits>) -> impl IntoView {
    let now = limits.get_untracked();
    let (requests, tokens, cost) = (
        RwSignal::new(limit_field(now.requests)),
        RwSignal::new(limit_field(now.tokens)),
        RwSignal::new(dollars_field(now.cost)),
    );
    let changed = move || {
        let all = (
            limit(&requests.get_untracked()),
            limit(&tokens.get_untracked()),
            dollars(&cost.get_untracked()),
        );
        if let (Ok(requests), Ok(tokens), Ok(cost)) = all {
            on_change.run(Limits { requests, tokens, cost });
        }
    };
    let input = move |field: RwSignal<String>| {
        Callback::new(move |text: String| {
            field.set(text);
            changed();
        })
    };
    let wrong = |field: RwSignal<String>| {
        Signal::derive(move || field.with(|text| limit(text).err().unwrap_or_default()))
    };
    let wrong_cost = Signal::derive(move || cost.with(|text| dollars(text).err().unwrap_or_default()));
    view! {
        <div class="grid-3 near">
            <Field label="Calls" value=requests on_input=input(requests) error=wrong(requests) show_label=true class="num" placeholder="no limit"/>
            <Field label="Tokens" value=tokens on_input=input(tokens) error=wrong(tokens) show_label=true class="num" placeholder="no limit"/>
            <Field label="Cost, USD" value=cost on_input=input(cost) error=wrong_cost show_label=true class="num" placeholder="no limit"/>
        </div>
    }
}

/// What the server charges.
#[component]
fn Prices() -> impl IntoView {
    let state = State::here();
    let now = state.lab.draft.with_untracked(|draft| draft.price);
    let field = |dollars: f64| if dollars > 0.0 { format!("{dollars}") } else { String::new() };
    let (prompt, answer) = (RwSignal::new(field(now.prompt)), RwSignal::new(field(now.answer)));
    let changed = move || {
        if let (Ok(prompt), Ok(answer)) = (dollars(&prompt.get_untracked()), dollars(&answer.get_untracked()))
        {
            set(state, |draft| {
                draft.price.prompt = prompt.unwrap_or_default();
                draft.price.answer = answer.unwrap_or_default();
            });
        }
    };
    let input = move |field: RwSignal<String>| {
        Callback::new(move |text: String| {
            field.set(text);
            changed();
        })
    };
    let wrong = |field: RwSignal<String>| {
        Signal::derive(move || field.with(|text| dollars(text).err().unwrap_or_default()))
    };
    view! {
        <div class="grid-2 near">
            <Field label="USD a million prompt tokens" value=prompt on_input=input(prompt) error=wrong(prompt) show_label=true class="num" placeholder="0, your own server"/>
            <Field label="USD a million answer tokens" value=answer on_input=input(answer) error=wrong(answer) show_label=true class="num" placeholder="0, your own server"/>
        </div>
    }
}

/// What it will use, line by line.
#[component]
fn Estimated(setup: Memo<Setup>) -> impl IntoView {
    let state = State::here();
    let told = Memo::new(move |_| {
        setup.with(|setup| {
            let estimate = experiment::estimated(state, setup)?;
            let (lines, from) = draft::lines(setup, estimate, None);
            Some((lines, from, draft::warning(setup, estimate)))
        })
    });
    move || {
        told.get().map(|(lines, from, warning)| {
            let lines = lines.into_iter().map(|line| {
                let class = if line.over { "num c-warn" } else { "num" };
                view! { <dt>{line.name}</dt><dd class=class>{line.said}</dd> }
            });
            view! {
                <dl class="kv">{lines.collect_view()}</dl>
                {warning.map(|words| view! { <p class="t11 c-warn">{words}</p> })}
                <p class="t11 three">{from}</p>
            }
        })
    }
}

/// The set-up of an experiment that was begun: to read, but for its limits.
#[component]
pub fn SetupShown() -> impl IntoView {
    let state = State::here();
    let lab = state.lab;
    let kept = Memo::new(move |_| lab.shown_one().unwrap_or_default());
    let setup = Memo::new(move |_| kept.with(|kept| kept.setup.clone()));
    let lines = move || {
        setup.with(|setup| {
            let or_none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
            let model = setup.model.as_ref();
            let mut lines = vec![
                ("Tasks", setup.tasks.name.clone()),
                ("Database", or_none(setup.database.clone())),
                (
                    "History",
                    if setup.history_queries > 0 {
                        format::counted(setup.history_queries, "query", "queries")
                    } else {
                        or_none(setup.history.name.clone())
                    },
                ),
                ("Retrievers", setup.retrievers.join(", ")),
                ("Pipelines", setup.pipelines.join(", ")),
                ("Shots", format!("at most {}", setup.shots)),
                ("Encoder", setup.encoder.clone()),
                ("Scoring", setup.mode.to_string()),
                ("Own query", if setup.own_left_out { "left out" } else { "left in" }.to_owned()),
            ];
            if let Some(model) = model {
                lines.push(("Model", model.name.clone()));
                lines.push(("Temperature", format!("{}", model.temperature)));
                lines.push(("Context", format!("{} tokens", format::count(model.context_tokens.into()))));
                lines.push(("Seed", model.seed.map_or("–".to_owned(), |seed| seed.to_string())));
            }
            lines
                .into_iter()
                .map(|(name, said)| view! { <dt>{name}</dt><dd class="wrap-any">{said}</dd> })
                .collect_view()
        })
    };
    let asks = Memo::new(move |_| {
        setup.with(Setup::asks)
            && kept.with(|kept| kept.standing != crate::experiment::kept::Standing::Opened)
    });
    let id = Memo::new(move |_| kept.with(|kept| kept.id.clone()));
    view! {
        <div class="ins-h row">
            <h2>"Set-up"</h2>
            <Tag text="fixed" icon=Icon::Lock/>
            <Button
                label="Duplicate"
                weight=Weight::Quiet
                class="push"
                on_press=move || experiment::duplicate(state, setup.get_untracked())
            />
        </div>
        <section class="sect">
            <dl class="kv setup-kv sect-b pad-t">{lines}</dl>
        </section>
        <Show when=move || asks.get()>
            <section class="sect">
                <div class="sect-h"><h2>"Budget"</h2><span class="push t11 three">"pauses when one is reached"</span></div>
                <div class="sect-b stack-3">
                    {move || {
                        let id = id.get();
                        view! {
                            <LimitFields
                                limits=Signal::derive(move || setup.with(|setup| setup.limits))
                                on_change=Callback::new(move |limits| experiment::limit(state, id.clone(), limits))
                            />
                        }
                    }}
                    <p class="t11 three">"A limit may be raised while it runs."</p>
                </div>
            </section>
        </Show>
    }
}
