//! A button that opens a list of actions.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dom;
use super::icon::{Icon, IconView};

/// A line of a menu.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MenuItem {
    /// The words.
    pub label: String,
    /// A figure or remark at its end.
    pub detail: String,
    /// Its icon.
    pub icon: Option<Icon>,
    /// Whether it carries a tick; None where ticks make no sense.
    pub checked: Option<bool>,
    /// Whether it cannot be chosen now.
    pub disabled: bool,
    /// Whether it removes something.
    pub danger: bool,
    /// Whether a line stands above it.
    pub ruled: bool,
}

/// A menu button. Enter, Space or Down opens it; Up, Down, Home, End and first letters move in it; Enter chooses;
/// Esc and Tab close it, and the focus is on the button again.
#[component]
pub fn Menu(
    /// Its name, which holds the words that `button` shows.
    #[prop(into)]
    label: Signal<String>,
    /// What the button shows.
    #[prop(into)]
    button: ViewFn,
    /// The lines.
    #[prop(into)]
    items: Signal<Vec<MenuItem>>,
    /// Receives the index chosen.
    on_pick: Callback<usize>,
    /// Classes of the button ("btn quiet").
    #[prop(optional, into)]
    class: Option<&'static str>,
    /// Whether it hangs on the right edge of the button.
    #[prop(optional)]
    end: bool,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let trigger = NodeRef::<html::Button>::new();
    let list = NodeRef::<html::Div>::new();
    let anchor = NodeRef::<html::Span>::new();
    let id = dom::unique_id("menu");
    let close = move |back: bool| {
        open.set(false);
        if back && let Some(trigger) = trigger.get_untracked() {
            dom::focus(&trigger);
        }
    };
    // The first line takes the focus when the list appears.
    Effect::new(move |_| {
        if let Some(list) = list.get() {
            dom::move_focus(&dom::focusable(&list), None, true);
        }
    });
    let outside = window_event_listener(leptos::ev::pointerdown, move |event| {
        let inside = anchor.try_get_untracked().flatten().is_some_and(|anchor| {
            let target = event.target().and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::Node>(t).ok());
            anchor.contains(target.as_ref())
        });
        if open.try_get_untracked().unwrap_or_default() && !inside {
            open.try_set(false);
        }
    });
    on_cleanup(move || outside.remove());
    let on_key = move |event: KeyboardEvent| {
        let Some(element) = list.get_untracked() else { return };
        let lines = dom::focusable(&element);
        let key = event.key();
        match key.as_str() {
            "ArrowDown" => dom::move_focus(&lines, Some(1), true),
            "ArrowUp" => dom::move_focus(&lines, Some(-1), true),
            "Home" => dom::move_focus(&lines, None, true),
            "End" => dom::move_focus(&lines, None, false),
            "Escape" => {
                // Esc closes the menu only, not what the page would close next.
                event.stop_propagation();
                close(true);
            }
            "Tab" => {
                close(false);
                return;
            }
            letter if letter.chars().count() == 1 && letter != " " && !dom::command_key(&event) => {
                let wanted = letter.to_lowercase();
                let starts =
                    |e: &&web_sys::HtmlElement| e.inner_text().trim().to_lowercase().starts_with(&wanted);
                if let Some(line) = lines.iter().find(starts) {
                    dom::focus(line);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let lines = move || {
        items
            .get()
            .into_iter()
            .enumerate()
            .map(|(i, item)| {
                let role = if item.checked.is_some() { "menuitemradio" } else { "menuitem" };
                view! {
                    {item.ruled.then(|| view! { <hr/> })}
                    <button
                        type="button"
                        role=role
                        class:danger=item.danger
                        disabled=item.disabled
                        aria-checked=item.checked.map(|c| c.to_string())
                        on:click=move |_| {
                            close(true);
                            on_pick.run(i);
                        }
                    >
                        {item.checked.map(|on| view! { <span class="tick">{on.then(|| view! { <IconView icon=Icon::Check small=true/> })}</span> })}
                        {item.icon.map(|icon| view! { <IconView icon/> })}
                        <span class="cut">{item.label}</span>
                        <span class="push three t11 nowrap">{item.detail}</span>
                    </button>
                }
            })
            .collect_view()
    };
    let menu_id = id.clone();
    view! {
        <span class="menu-anchor" node_ref=anchor>
            <button
                type="button"
                class=class.unwrap_or("btn quiet")
                node_ref=trigger
                aria-haspopup="menu"
                aria-expanded=move || open.get().to_string()
                aria-controls=id
                aria-label=move || label.get()
                on:click=move |_| open.update(|open| *open = !*open)
                on:keydown=move |event| {
                    if event.key() == "ArrowDown" {
                        event.prevent_default();
                        open.set(true);
                    }
                }
            >
                {button.run()}
                <IconView icon=Icon::Down small=true/>
            </button>
            <Show when=move || open.get()>
                <div class="menu" class:end=end role="menu" id=menu_id.clone() node_ref=list on:keydown=on_key>
                    {lines}
                </div>
            </Show>
        </span>
    }
}
