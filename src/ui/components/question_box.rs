//! The question: a text area whose phrases are underlined in the colours of the knowledge they led to.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::button::{Button, Weight};
use super::dom;
use super::icon::Icon;
use super::kind::kind_class;
use crate::present::question::{Marked, pieces};

/// The question, its settings and the button that asks. Ctrl Enter asks; while an answer is made the button stops
/// it, and so does Esc.
#[component]
pub fn QuestionBox(
    /// The question.
    question: RwSignal<String>,
    /// Its phrases; those that do not fit the text are left out.
    #[prop(optional, into)]
    marks: Signal<Vec<Marked>>,
    /// Asks.
    #[prop(into)]
    on_ask: Callback<()>,
    /// Stops the answer.
    #[prop(into)]
    on_stop: Callback<()>,
    /// Whether an answer is being made.
    #[prop(into)]
    busy: Signal<bool>,
    /// Why nothing can be asked now; empty when it can.
    #[prop(optional, into)]
    blocked: Signal<String>,
    /// Settings under the question (quiet selects).
    #[prop(optional, into)]
    settings: Option<ViewFn>,
) -> impl IntoView {
    let area = NodeRef::<html::Textarea>::new();
    let cannot =
        Memo::new(move |_| question.with(|q| q.trim().is_empty()) || blocked.with(|b| !b.is_empty()));
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Enter" && dom::command_key(&event) && !event.is_composing() {
            event.prevent_default();
            // While an answer is made this asks anew; a key that is held does so once.
            let held = busy.get_untracked() && event.repeat();
            if !cannot.get_untracked() && !held {
                on_ask.run(());
            }
        } else if event.key() == "Escape" && busy.get_untracked() {
            event.stop_propagation();
            on_stop.run(());
        }
    };
    let under = move || {
        let text = question.get();
        let mut out: Vec<AnyView> = pieces(&text, &marks.get())
            .into_iter()
            .map(|piece| match piece.mark {
                None => piece.text.into_any(),
                Some(kind) => {
                    let class = kind.map_or("value", kind_class);
                    view! { <span class=format!("phrase {class}")>{piece.text}</span> }.into_any()
                }
            })
            .collect();
        // A last line end has a height only when something follows it.
        out.push("\u{200b}".into_any());
        out
    };
    view! {
        <section class="ask" aria-label="Question">
            <div class="askbox">
                <div class="q">
                    <div class="under" aria-hidden="true">{under}</div>
                    <textarea
                        node_ref=area
                        rows="1"
                        aria-label="Question"
                        placeholder="Ask a question about this database"
                        maxlength="20000"
                        data-question=""
                        prop:value=question
                        on:input=move |event| question.set(event_target_value(&event))
                        on:keydown=on_key
                    ></textarea>
                </div>
                <div class="foot">
                    {settings.map(|settings| settings.run())}
                    <div class="go">
                        <span class="t11 three">{blocked}</span>
                        {move || {
                            if busy.get() {
                                view! { <Button label="Stop" icon=Icon::Stop key="Esc" on_press=on_stop/> }.into_any()
                            } else {
                                view! {
                                    <Button label="Ask" key="Ctrl ↵" weight=Weight::Primary disabled=cannot on_press=on_ask/>
                                }
                                    .into_any()
                            }
                        }}
                    </div>
                </div>
            </div>
        </section>
    }
}
