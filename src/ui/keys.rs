//! Keys of the whole page, and their list.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;

use super::actions::ask;
use super::components::dialog::Dialog;
use super::components::dom;
use super::components::shortcuts::ShortcutList;
use super::components::toasts::Toasts;
use super::pages::answer::EDITOR;
use super::pages::ask::QUESTION;
use super::pages::what::open_prompt;
use super::palette::PaletteOpen;
use super::state::{Gold, Page, Stage, State};
use crate::present::answer::used;
use crate::present::keys::{Command, Single, next_region};
use crate::present::score::uncompared;

/// Whether the list of keys is open.
#[derive(Clone, Copy)]
pub struct KeysOpen(pub RwSignal<bool>);

/// The parts of the page that F6 goes round.
const REGIONS: [&str; 4] = [".bar", ".rail", "main", ".inspector"];

/// Where a key means a letter, or belongs to a menu.
const TYPING: &str = "input:not([type=checkbox]):not([type=radio]), textarea, select, [role=menu]";

/// Listens for keys until the page goes.
pub fn listen(state: State, toasts: Toasts) {
    let list = KeysOpen(RwSignal::new(false));
    provide_context(list);
    let palette = PaletteOpen(RwSignal::new(false));
    provide_context(palette);
    let single = StoredValue::new(Single::default());
    let listener = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        let key = event.key();
        let within = |selector: &str| dom::within(&event, selector);
        if within("dialog") {
            return;
        }
        if key == "F6" {
            event.prevent_default();
            go_round(event.shift_key());
            return;
        }
        if key == "Escape" {
            escape(state, within(".inspector"));
            return;
        }
        let typing = within(TYPING);
        let command = dom::command_key(&event);
        if command && key == "z" && !typing && toasts.undo() {
            event.prevent_default();
        }
        if command && key.eq_ignore_ascii_case("k") && !event.shift_key() && !event.alt_key() {
            event.prevent_default();
            palette.0.set(true);
            return;
        }
        if typing || command || event.alt_key() || !state.settings.with_untracked(|s| s.single_keys) {
            return;
        }
        // When the key was pressed, not when a busy page came to it.
        let at = event.time_stamp();
        let pressed = single.try_update_value(|single| single.press(&key, at)).flatten();
        if let Some(pressed) = pressed {
            event.prevent_default();
            run(state, toasts, list, pressed);
        }
    });
    on_cleanup(move || listener.remove());
}

fn run(state: State, toasts: Toasts, list: KeysOpen, command: Command) {
    match command {
        Command::Ask => Page::Ask.go(),
        Command::Knowledge => Page::Knowledge.go(),
        Command::Lab => Page::Lab.go(),
        Command::Settings => Page::Settings.go(),
        Command::Keys => list.0.set(true),
        Command::Next => step(state, 1),
        Command::Previous => step(state, -1),
        Command::Question => {
            // At once, so that the question is there to take the focus.
            if state.page.get_untracked() != Page::Ask {
                state.page.set(Page::Ask);
                Page::Ask.go();
            }
            dom::focus_later(QUESTION.to_owned());
        }
        Command::Filter => {
            if let Some(input) = find("[data-filter] input") {
                dom::focus(&input);
            }
        }
        Command::Drop => press(".inspector [data-key='D']"),
        Command::Edit => match find(EDITOR) {
            Some(editor) => dom::focus(&editor),
            None => press("[data-key='E']"),
        },
        Command::Compare => match find("[data-key='c']") {
            Some(button) => button.click(),
            None => toasts.remark(no_comparison(state)),
        },
        Command::Chart => press("[data-key='v']"),
        Command::Prompt => {
            if state.run.with_untracked(|r| r.prompt.is_some()) {
                open_prompt(state);
            }
        }
        Command::Test => press("[data-key='T']"),
    }
}

fn find(selector: &str) -> Option<web_sys::HtmlElement> {
    document().query_selector(selector).ok().flatten().and_then(|e| e.dyn_into().ok())
}

fn press(selector: &str) {
    if let Some(button) = find(selector) {
        button.click();
    }
}

/// Why the rows do not stand beside gold's.
fn no_comparison(state: State) -> &'static str {
    let (rows, stale) = state.run.with_untracked(|r| (r.result.is_some(), r.stale));
    let chosen = state.gold.with_untracked(|gold| *gold != Gold::None);
    uncompared(rows && !stale, chosen)
}

/// Stops the answer; else closes the inspector, and the focus goes back to the item it was opened from.
fn escape(state: State, inside: bool) {
    let stage = state.run.with_untracked(|r| r.stage);
    if !matches!(stage, Stage::Idle | Stage::Done) {
        ask::stop(state);
    } else if state.page.get_untracked() == Page::Lab && state.lab.answer.get_untracked().is_some() {
        let place = state.lab.answer.get_untracked().unwrap_or_default();
        state.lab.answer.set(None);
        if inside && let Some(line) = find(&format!("main [data-answer='{place}']")).or_else(|| find("main"))
        {
            dom::focus(&line);
        }
    } else if state.prompt_open.get_untracked() {
        state.prompt_open.set(false);
    } else if let Some(key) = state.selected.get_untracked() {
        state.selected.set(None);
        if inside {
            let item = find(&format!("main [data-item='{key}']")).or_else(|| find("main"));
            if let Some(item) = item {
                dom::focus(&item);
            }
        }
    }
}

/// Selects the next or previous retrieved item; moves in the table of items where there is one, and in the rows of the
/// result where the focus is in them.
fn step(state: State, by: i32) {
    let grid = document().active_element().filter(|e| e.get_attribute("role").as_deref() == Some("grid"));
    if let Some(grid) = grid {
        // The listener that calls this hears the key, too, and cannot while it runs.
        let key = if by > 0 { "ArrowDown" } else { "ArrowUp" };
        return request_animation_frame(move || dom::send_key(&grid, key));
    }
    if let Some(table) = find("[data-rows]") {
        return dom::step_focus(&dom::matching(&table, "[data-stop]"), by);
    }
    // In the order of the cards.
    let items = state.knowledge.with_untracked(|knowledge| {
        state.run.with_untracked(|run| {
            let entry = run.answer.as_ref().map(|answer| answer.entry);
            Some(used(&knowledge.as_ref()?.base, run.retrieved.as_ref()?, entry))
        })
    });
    let Some(items) = items else { return };
    let at = state.selected.get_untracked().and_then(|s| items.iter().position(|(item, _)| *item == s));
    let last = items.len().saturating_sub(1);
    let next = at.map_or(0, |at| at.saturating_add_signed(by as isize).min(last));
    state.selected.set(items.get(next).map(|(item, _)| *item));
}

/// Gives the focus to the next part of the page, or the one before.
fn go_round(back: bool) {
    let regions =
        REGIONS.map(|region| find(region).filter(|e| e.offset_width() > 0 && e.offset_height() > 0));
    let active = document().active_element();
    let holds = |region: &Option<web_sys::HtmlElement>| {
        region.as_ref().is_some_and(|r| r.contains(active.as_ref().map(|a| a.as_ref() as &web_sys::Node)))
    };
    let at = regions.iter().position(holds);
    let in_view = regions.each_ref().map(Option::is_some);
    let next = next_region(&in_view, at, back).and_then(|next| regions.get(next)?.clone());
    let Some(region) = next else { return };
    // The centre takes the focus as a whole: what to do there is the reader's choice.
    if region.id() == "main" {
        dom::focus(&region);
    } else if let Some(first) = dom::focusable(&region).first() {
        dom::focus(first);
    }
}

/// The dialog that lists the keys.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let KeysOpen(open) = expect_context();
    view! {
        <Dialog open on_close=move || open.set(false) title="Keys">
            <ShortcutList/>
        </Dialog>
    }
}
