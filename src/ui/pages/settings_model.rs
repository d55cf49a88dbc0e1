//! Settings of the language model, with the test of its server.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::settings::{NumberSetting, SectionHead, Setting};
use crate::llm::diagnosis::{Diagnosis, Step};
use crate::llm::provider::{self, PROVIDERS};
use crate::pipeline::direct::Shots;
use crate::present::format;
use crate::ui::actions::{answers, model};
use crate::ui::components::button::{Button, Weight};
use crate::ui::components::choice::Choice;
use crate::ui::components::field::{Check, Field};
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::settings::{ModelSettings, keep_key};
use crate::ui::state::{ModelStatus, State};

const SHOTS: [(Shots, &str); 3] = [
    (Shots::Queries(5), "Whole queries, 5 at most"),
    (Shots::Fragments(8), "Pieces of up to 8 queries"),
    (Shots::None, "Nothing of the history"),
];

/// A text setting whose change makes the last test worthless.
fn change(state: State, how: impl FnOnce(&mut ModelSettings)) {
    state.set(|s| how(&mut s.model));
    state.model.set(ModelStatus::Untested);
}

/// The section.
#[component]
pub fn ModelSection() -> impl IntoView {
    view! {
        <SectionHead section="model"/>
        <p class="two">"Optional. Without one, answers are adapted from your history."</p>
        <Server/>
        <Key/>
        <Model/>
        <Asking/>
        <History/>
    }
}

#[component]
fn Server() -> impl IntoView {
    let state = State::here();
    let address = Signal::derive(move || state.settings.with(|s| s.model.address.clone()));
    let known = Signal::derive(move || {
        address.with(|a: &String| provider::named(a).map(|p| p.name.to_owned()).unwrap_or_default())
    });
    let choices = std::iter::once((String::new(), "Another server".to_owned()))
        .chain(PROVIDERS.iter().map(|p| (p.name.to_owned(), p.name.to_owned())))
        .collect::<Vec<_>>();
    let on_known = Callback::new(move |name: String| {
        let found = PROVIDERS.iter().find(|p| p.name == name);
        change(state, |m| m.address = found.map(|p| p.base.to_owned()).unwrap_or_default());
        state.offered.set(Vec::new());
    });
    let hint = Signal::derive(move || match address.with(|a: &String| provider::named(a)) {
        Some(provider) => provider.hint.to_owned(),
        None => "Any OpenAI-compatible server, with or without /v1.".to_owned(),
    });
    let testing = Signal::derive(move || state.model.with(|m| *m == ModelStatus::Testing));
    let empty = Signal::derive(move || address.with(|a: &String| a.trim().is_empty()) || testing.get());
    view! {
        <Setting name="Server" help=hint>
            <div class="row wrap">
                <Choice label="Known server" choices=Signal::stored(choices) value=known on_change=on_known/>
                <Field
                    label="Server address"
                    class="mono grow"
                    kind="url"
                    placeholder="http://localhost:11434/v1"
                    value=address
                    on_input=Callback::new(move |text| change(state, |m| m.address = text))
                    on_enter=Callback::new(move |()| spawn_local(model::test(state)))
                />
                <Button
                    label=Signal::derive(move || if testing.get() { "Testing".to_owned() } else { "Test".to_owned() })
                    key="T"
                    disabled=empty
                    on_press=move || spawn_local(model::test(state))
                />
            </div>
            {move || match state.model.get() {
                ModelStatus::Tested(found) => view! { <Found found/> }.into_any(),
                _ => ().into_any(),
            }}
        </Setting>
    }
}

/// What a test found: each step, the cause, and what to do.
#[component]
fn Found(found: Diagnosis) -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let failed = found.failed;
    let steps = Step::ALL.map(|step| {
        let (class, icon, said) = match failed {
            Some(at) if step == at => ("c-bad", Some(Icon::Close), ", failed"),
            Some(at) if step > at => ("three", None, ", not reached"),
            _ => ("c-ok", Some(Icon::Check), ", passed"),
        };
        view! {
            <li class=format!("row {class}")>
                {icon.map(|icon| view! { <IconView icon small=true/> })}
                {step.name()}
                <span class="sr">{said}</span>
            </li>
        }
    });
    let use_nearest = move |name: String| {
        change(state, |m| m.ask.model = name);
        spawn_local(model::test(state));
    };
    view! {
        <div class="found" role="status">
            <ul class="row wrap t12" aria-label="Steps of the test">{steps.into_iter().collect_view()}</ul>
            <p><b class=if failed.is_some() { "c-bad" } else { "c-ok" }>{found.title}</b></p>
            <p class="t12 two">{found.advice}</p>
            {found.again_s.map(|seconds| view! { <p class="t12 two">{format!("The server asks to wait {seconds} s.")}</p> })}
            {found.command.map(|command| {
                let copied = command.clone();
                view! {
                    <p class="row">
                        <code class="grow">{command}</code>
                        <Button label="Copy" weight=Weight::Quiet on_press=move || download::copy(toasts, "command", &copied)/>
                    </p>
                }
            })}
            {found.nearest.map(|name| {
                let label = format!("Use {name}");
                view! { <Button label on_press=move || use_nearest(name.clone())/> }
            })}
        </div>
    }
}

#[component]
fn Key() -> impl IntoView {
    let state = State::here();
    let kept = Signal::derive(move || state.settings.with(|s| s.model.keep_key));
    let on_input = Callback::new(move |key: String| {
        if kept.get_untracked() {
            keep_key(Some(&key));
        }
        state.key.set(key);
        state.model.set(ModelStatus::Untested);
    });
    let on_keep = Callback::new(move |keep: bool| {
        state.set(|s| s.model.keep_key = keep);
        keep_key(keep.then(|| state.key.get_untracked()).as_deref());
    });
    view! {
        <Setting name="Key" help="In memory only until you tick the box. Never part of a link, a run file or an export.".to_owned()>
            <div class="row wrap">
                <Field label="Key" class="mono grow" kind="password" placeholder="Not needed by most local servers" value=state.key on_input/>
                <Check checked=kept on_change=on_keep>"Keep in this browser"</Check>
            </div>
        </Setting>
        <Setting name="Headers" help="Extra ones, one a line, as Name: value. Most servers refuse headers they do not know from a page.".to_owned()>
            <textarea
                class="area mono"
                rows="2"
                aria-label="Extra headers"
                prop:value=move || state.settings.with(|s| s.model.headers.clone())
                on:input=move |event| change(state, |m| m.headers = event_target_value(&event))
            ></textarea>
        </Setting>
    }
}

#[component]
fn Model() -> impl IntoView {
    let state = State::here();
    let name = Signal::derive(move || state.settings.with(|s| s.model.ask.model.clone()));
    let on_name = Callback::new(move |name: String| change(state, |m| m.ask.model = name));
    let choices = Signal::derive(move || {
        let offered = state.offered.get();
        let now = name.get();
        let missing = (!offered.contains(&now))
            .then(|| (now.clone(), if now.is_empty() { "Choose a model".to_owned() } else { now }));
        missing.into_iter().chain(offered.into_iter().map(|name| (name.clone(), name))).collect::<Vec<_>>()
    });
    view! {
        <Setting name="Model" help="The list comes from the server, by Test; a name can be typed, too.".to_owned()>
            <div class="row wrap">
                <Show when=move || state.offered.with(|o| !o.is_empty())>
                    <Choice label="Model of the server" choices value=name on_change=on_name class="mono"/>
                </Show>
                <Field label="Model name" class="mono grow" value=name on_input=on_name/>
            </div>
        </Setting>
    }
}

#[component]
fn Asking() -> impl IntoView {
    view! {
        <NumberSetting
            name="Temperature"
            help="0 for the most probable answer."
            read=|s| f64::from(s.model.ask.temperature)
            write=|s, x| s.model.ask.temperature = x as f32
            least=0.0
            most=2.0
        />
        <NumberSetting
            name="Context"
            help="Tokens of prompt and answer together. A longer prompt is shortened, and the answer says so."
            read=|s| f64::from(s.model.ask.context_tokens)
            write=|s, x| s.model.ask.context_tokens = x as u32
            least=512.0
            most=2_000_000.0
        />
        <NumberSetting
            name="Answer"
            help="Tokens of the answer at most; a model that thinks first needs several thousand."
            read=|s| f64::from(s.model.ask.answer_tokens)
            write=|s, x| s.model.ask.answer_tokens = x as u32
            least=32.0
            most=200_000.0
        />
        <NumberSetting
            name="Patience"
            help="Seconds without a sign of life after which an answer is given up."
            read=|s| f64::from(s.model.silence_s)
            write=|s, x| s.model.silence_s = x as u32
            least=5.0
            most=3600.0
        />
    }
}

#[component]
fn History() -> impl IntoView {
    let state = State::here();
    let shots = Signal::derive(move || state.settings.with(|s| s.model.shots));
    let cost = RwSignal::new(None::<String>);
    let blocked =
        Signal::derive(move || state.knowledge.with(Option::is_none) || state.work.with(Option::is_some));
    view! {
        <Setting name="Examples" help="What the model is shown of the history.".to_owned()>
            <Choice
                label="Examples for the model"
                choices=Signal::stored(SHOTS.map(|(shots, words)| (shots, words.to_owned())).to_vec())
                value=shots
                on_change=Callback::new(move |shots| state.set(|s| s.model.shots = shots))
            />
        </Setting>
        <Setting name="Retrieval" help="Where the model gives no usable answer, the rules take over and the answer says so.".to_owned()>
            <Check
                checked=Signal::derive(move || state.settings.with(|s| s.model.steps.phrases))
                on_change=Callback::new(move |on| state.set(|s| s.model.steps.phrases = on))
            >"The model finds the key phrases of a question"</Check>
            <Check
                checked=Signal::derive(move || state.settings.with(|s| s.model.steps.rerank))
                on_change=Callback::new(move |on| state.set(|s| s.model.steps.rerank = on))
            >"The model chooses among the retrieved queries"</Check>
        </Setting>
        <Setting name="Descriptions" help="The model describes every query and item of the history in words; questions are then compared with these.".to_owned()>
            <div class="row wrap">
                <Button
                    label="Describe the history"
                    disabled=blocked
                    on_press=move || cost.set(Some(model::cost_of_descriptions(state).unwrap_or_else(|| "No model is set up yet.".to_owned())))
                />
                {move || cost.get().map(|said| view! {
                    <span class="t12">{said}</span>
                    <Button
                        label="Start"
                        disabled=blocked
                        on_press=move || {
                            cost.set(None);
                            spawn_local(model::describe_history(state));
                        }
                    />
                    <Button label="Cancel" weight=Weight::Quiet on_press=move || cost.set(None)/>
                })}
            </div>
        </Setting>
    }
}

/// Answers of the model that are remembered.
#[component]
fn KeptAnswers() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let said = move || {
        state.kept_answers.with(|kept| match kept.count {
            0 => "None is kept.".to_owned(),
            n => {
                let size = format::bytes(kept.bytes as u64);
                format!("{}, {size}", format::counted(n, "answer", "answers"))
            }
        })
    };
    let help = Signal::derive(move || match state.kept_answers.with(|kept| kept.trouble.clone()) {
        Some(why) => format!("They last until the tab closes. {why}"),
        None => format!(
            "Descriptions, key phrases and choices of the model, so that nothing is asked twice, also after a reload; {} at \
             most, the oldest go. No key is among them.",
            format::bytes(answers::ROOM as u64)
        ),
    });
    let clear = move || {
        spawn_local(async move {
            answers::clear(state).await;
            toasts.confirm("Cleared the model's answers");
        });
    };
    view! {
        <Setting name="Model's answers" help>
            <div class="row wrap">
                <span class="t12">{said}</span>
                <Show when=move || state.kept_answers.with(|kept| kept.count > 0)>
                    <Button label="Clear answers" weight=Weight::Danger on_press=clear/>
                </Show>
            </div>
        </Setting>
    }
}

/// What goes to the model's server, and what never does.
#[component]
pub fn PrivacySection() -> impl IntoView {
    let state = State::here();
    let shots = Signal::derive(move || state.settings.with(|s| s.model.shots != Shots::None));
    let row = |name: &'static str, sent: Signal<bool>| {
        view! {
            <li class="row">
                <span class="grow">{name}</span>
                {move || if sent.get() {
                    view! { <span class="t12">"sent"</span> }.into_any()
                } else {
                    view! { <span class="t12 three">"never sent"</span> }.into_any()
                }}
            </li>
        }
    };
    view! {
        <SectionHead section="privacy"/>
        <p>"Databases, histories and vectors stay on this machine. Without a model nothing is sent."</p>
        <Setting name="With a model" help="Only when you ask a question with it, test it, or have it describe the history. The full prompt of an answer can be read beside it.".to_owned()>
            <ul class="stack-1">
                {row("The question", Signal::stored(true))}
                {row("Names of tables and columns, column notes, sample values", Signal::stored(true))}
                {row("Queries retrieved from the history", shots)}
                {row("The error of a query that failed", Signal::stored(true))}
                {row("Rows of results", Signal::stored(false))}
                {row("The database file", Signal::stored(false))}
            </ul>
        </Setting>
        <KeptAnswers/>
    }
}
