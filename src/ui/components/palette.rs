//! The command palette: a field, and below it a list that the arrows go through.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::dom;
use super::icon::{Icon, IconView};
use super::kind::TypeIcon;
use crate::present::keys::next_choice;
use crate::present::palette::{Action, Found, Hit, Kind, Piece, Target, room};

/// A field over a list of everything that can be chosen. Up, Down, Home and End move in the list while the field keeps
/// the focus; Enter chooses, Esc and a click beside it close. The focus goes back to where it was.
#[component]
pub fn Palette(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// What is typed.
    query: RwSignal<String>,
    /// What is found.
    #[prop(into)]
    found: Signal<Found>,
    /// How many entries there is room for.
    most: RwSignal<usize>,
    /// Receives the entry chosen; the palette is closed before.
    on_pick: Callback<Hit>,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    let input = NodeRef::<html::Input>::new();
    let active = RwSignal::new(0_usize);
    let list_id = StoredValue::new(dom::unique_id("palette"));
    let option_id = move |place: usize| format!("{}-{place}", list_id.get_value());
    let measure = move || most.set(room(window_height(), coarse_pointer()));
    Effect::new(move |_| {
        let Some(dialog) = element.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => {
                query.set(String::new());
                active.set(0);
                measure();
                drop(dialog.show_modal());
                if let Some(input) = input.get_untracked() {
                    dom::focus(&input);
                }
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| {
        if open.try_get_untracked().unwrap_or_default() {
            measure();
        }
    });
    on_cleanup(move || resized.remove());
    let close = move || {
        // At once, so that what is chosen finds the focus where it was.
        if let Some(dialog) = element.get_untracked() {
            dialog.close();
        }
        open.set(false);
    };
    let pick = move |place: usize| {
        let Some(hit) = found.with_untracked(|found| found.shown.get(place).cloned()) else { return };
        if hit.blocked.is_none() {
            close();
            on_pick.run(hit);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        if event.is_composing() {
            return;
        }
        let key = event.key();
        let count = found.with_untracked(|found| found.shown.len());
        let arrow = !matches!(key.as_str(), "ArrowLeft" | "ArrowRight");
        if key == "Enter" {
            event.prevent_default();
            pick(active.get_untracked());
        } else if dom::command_key(&event) && key.eq_ignore_ascii_case("k") {
            event.prevent_default();
            close();
        } else if arrow && let Some(next) = next_choice(&key, active.get_untracked(), count, true) {
            event.prevent_default();
            active.set(next);
            into_view(&option_id(next));
        }
    };
    let option = move |(place, hit): (usize, Hit)| {
        let selected = move || active.get() == place;
        let blocked = hit.blocked;
        let detail = match blocked {
            Some(why) => view! { {why} }.into_any(),
            None => marked(hit.detail),
        };
        let mono = matches!(hit.kind, Kind::Table | Kind::Column);
        view! {
            <li
                role="option"
                id=option_id(place)
                aria-selected=move || selected().to_string()
                aria-disabled=blocked.map(|_| "true")
                class:off=blocked.is_some()
                on:pointermove=move |_| {
                    if active.get_untracked() != place {
                        active.set(place);
                    }
                }
                on:click=move |_| pick(place)
            >
                {kind_icon(hit.kind, &hit.target)}
                <span class="what" class:mono=mono>{marked(hit.title)}</span>
                <span class="beside three">{detail}</span>
                {(!hit.key.is_empty()).then(|| view! { <kbd>{hit.key}</kbd> })}
                <span class="kind three">{hit.kind.name()}</span>
            </li>
        }
    };
    view! {
        <dialog
            class="palette"
            node_ref=element
            aria-label="Find anything"
            on:keydown=on_key
            on:close=move |_| {
                if open.get_untracked() {
                    open.set(false);
                }
            }
            on:click=move |event| {
                // A click on the dialog element itself, not its content, is a click on the backdrop.
                let beside = event.target().zip(element.get_untracked()).is_some_and(|(target, dialog)| {
                    let dialog: &web_sys::EventTarget = &dialog;
                    target == *dialog
                });
                if beside {
                    close();
                }
            }
        >
            <div class="palette-h">
                <IconView icon=Icon::Search/>
                <input
                    type="text"
                    role="combobox"
                    aria-label="Find a page, table, item, question or action"
                    aria-autocomplete="list"
                    aria-expanded=move || found.with(|found| !found.shown.is_empty()).to_string()
                    aria-controls=list_id.get_value()
                    aria-activedescendant=move || {
                        let count = found.with(|found| found.shown.len());
                        (active.get() < count).then(|| option_id(active.get()))
                    }
                    placeholder="Find a page, table, item, question or action"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    enterkeyhint="go"
                    node_ref=input
                    prop:value=query
                    on:input=move |event| {
                        active.set(0);
                        // A keyboard on the screen leaves less room.
                        measure();
                        query.set(event_target_value(&event));
                    }
                />
                <button type="button" class="btn quiet small" on:click=move |_| close()>
                    <kbd>"Esc"</kbd><span class="sr not-phone">" closes"</span>
                    <span class="phone-only">"Close"</span>
                </button>
            </div>
            <ul role="listbox" id=list_id.get_value() aria-label="Found" on:pointerdown=move |event| event.prevent_default()>
                {move || found.get().shown.into_iter().enumerate().map(option).collect_view()}
            </ul>
            <p class="palette-f t11 three">{move || found.with(|found| query.with(|query| found.rest(query)))}</p>
            <p class="sr" role="status">{move || if open.get() { found.with(Found::said) } else { String::new() }}</p>
        </dialog>
    }
}

/// A text with its found letters marked.
fn marked(pieces: Vec<Piece>) -> AnyView {
    pieces
        .into_iter()
        .map(
            |piece| {
                if piece.hit { view! { <mark>{piece.text}</mark> }.into_any() } else { piece.text.into_any() }
            },
        )
        .collect_view()
        .into_any()
}

fn kind_icon(kind: Kind, target: &Target) -> AnyView {
    let icon = match (kind, target) {
        (Kind::Item(kind), _) => return view! { <TypeIcon kind/> }.into_any(),
        (_, Target::Act(action)) => action_icon(*action),
        (Kind::Database, _) => Icon::Database,
        (Kind::Question, _) => Icon::Ask,
        (Kind::Table, _) => Icon::Table,
        (Kind::Column, _) => Icon::Key,
        _ => Icon::Right,
    };
    view! { <span class="lead"><IconView icon/></span> }.into_any()
}

fn action_icon(action: Action) -> Icon {
    match action {
        Action::AddHistory => Icon::Upload,
        Action::OpenFile | Action::OpenTasks => Icon::File,
        Action::OpenAddress => Icon::Link,
        Action::Export | Action::ExportWorkspace | Action::SaveRows => Icon::Download,
        Action::RemoveHistory | Action::RemoveWorkspace => Icon::Close,
        Action::CopyLink => Icon::Share,
        Action::Rename => Icon::Gear,
        Action::ChooseGold | Action::WriteGold => Icon::Check,
        Action::CompareWays => Icon::Ask,
        Action::Chart => Icon::Rank,
        Action::Index => Icon::Refresh,
        Action::ImportReport => Icon::History,
        Action::EditSql => Icon::Play,
        Action::ReadPrompt => Icon::Book,
        Action::Stop => Icon::Stop,
        Action::TestModel => Icon::Model,
        Action::Theme => Icon::Theme,
        Action::Keys => Icon::Key,
    }
}

/// Height of the part of the window that is in view, without a keyboard on the screen where the browser tells.
fn window_height() -> f64 {
    let property = |object: &wasm_bindgen::JsValue, name: &str| {
        js_sys::Reflect::get(object, &name.into()).unwrap_or(wasm_bindgen::JsValue::UNDEFINED)
    };
    let viewport = property(&window(), "visualViewport");
    let seen = if viewport.is_object() { property(&viewport, "height").as_f64() } else { None };
    seen.or_else(|| window().inner_height().ok()?.as_f64()).unwrap_or(0.0)
}

fn coarse_pointer() -> bool {
    window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|query| query.matches())
}

/// Where even few entries do not fit, the list scrolls.
fn into_view(id: &str) {
    let Some(option) = document().get_element_by_id(id) else { return };
    let Some(list) = option.parent_element() else { return };
    let (Ok(option), Ok(list)) =
        (option.dyn_into::<web_sys::HtmlElement>(), list.dyn_into::<web_sys::HtmlElement>())
    else {
        return;
    };
    let (top, bottom) = (option.offset_top(), option.offset_top() + option.offset_height());
    if top < list.scroll_top() {
        list.set_scroll_top(top);
    } else if bottom > list.scroll_top() + list.client_height() {
        list.set_scroll_top(bottom - list.client_height());
    }
}
