//! The prompt of the answer: its size and parts, what did not fit, where it went, and its text.

use leptos::prelude::*;

use crate::present::format;
use crate::present::model::{parts, prompt_text};
use crate::ui::components::button::IconButton;
use crate::ui::components::icon::{Icon, IconView};
use crate::ui::components::toasts::Toasts;
use crate::ui::download;
use crate::ui::state::State;

/// The panel, in the place of the item inspector.
#[component]
pub fn PromptPanel() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let prompt = Memo::new(move |_| state.run.with(|r| r.prompt.clone()));
    let model = Memo::new(move |_| state.run.with(|r| r.model.clone()));
    move || {
        prompt.get().map(|prompt| {
            let text = prompt_text(&prompt);
            let copied = text.clone();
            let (address, context, temperature) = state.settings.with_untracked(|s| {
                (s.model.address.clone(), s.model.ask.context_tokens, s.model.ask.temperature)
            });
            let rows = parts(&prompt).into_iter().map(|(name, tokens)| {
                view! { <dt>{name}</dt><dd class="num">{format::count(u64::from(tokens))}</dd> }
            });
            let left_out = prompt.left_out.sentence();
            view! {
                <div class="sect-h">
                    <h2>"Prompt"</h2>
                    <span class="push"></span>
                    <IconButton icon=Icon::Copy label="Copy the prompt" on_press=move || download::copy(toasts, "prompt", &copied)/>
                    <IconButton icon=Icon::Close label="Close" on_press=move || state.prompt_open.set(false)/>
                </div>
                <section class="sect-b stack">
                    <p class="row">
                        <b>{format::count(u64::from(prompt.tokens))}</b>
                        <span class="t12 two">{format!("of {} tokens, about", format::count(u64::from(context)))}</span>
                        {left_out.is_some().then(|| view! {
                            <span class="push row t12 c-warn"><IconView icon=Icon::Warn small=true/>"shortened"</span>
                        })}
                    </p>
                    <dl class="kv">{rows.collect_view()}</dl>
                </section>
                {left_out.map(|sentence| view! {
                    <section class="sect-b stack-1 t12">
                        <h3>"Left out to fit"</h3>
                        <p>{sentence}</p>
                        <p class="three">"A longer context in "<a href="#/settings/model">"Settings"</a>" keeps it."</p>
                    </section>
                })}
                <section class="sect-b stack-1 t12">
                    <h3>"Sent to"</h3>
                    <dl class="kv">
                        <dt>"Server"</dt><dd class="mono">{address}</dd>
                        <dt>"Model"</dt><dd class="mono">{model.get()}</dd>
                        <dt>"Temperature"</dt><dd>{format!("{temperature}")}</dd>
                        <dt>"Rows of results"</dt><dd>"none"</dd>
                    </dl>
                </section>
                <section class="sect-b stack-1">
                    <h3 class="t12">"Text"</h3>
                    <pre class="prompt-text" tabindex="0">{text}</pre>
                </section>
            }
        })
    }
}
