//! Small things that several components ask of the document.

use std::sync::atomic::{AtomicU32, Ordering};

use leptos::prelude::*;
use wasm_bindgen::JsCast;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// An id no other element of the page has: labels, menus and active cells refer to each other by id.
pub fn unique_id(prefix: &str) -> String {
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Elements in `root` that take the keyboard, in document order.
pub fn focusable(root: &web_sys::Element) -> Vec<web_sys::HtmlElement> {
    const SELECTOR: &str = "a[href], button:not([disabled]):not([tabindex='-1']), input:not([disabled]):not([tabindex='-1']), \
        select:not([disabled]), textarea:not([disabled]), [tabindex='0']";
    matching(root, SELECTOR)
}

/// Elements in `root` that match `selector` and are laid out, in document order.
pub fn matching(root: &web_sys::Element, selector: &str) -> Vec<web_sys::HtmlElement> {
    let Ok(found) = root.query_selector_all(selector) else { return Vec::new() };
    (0..found.length())
        .filter_map(|i| found.item(i))
        .filter_map(|node| node.dyn_into::<web_sys::HtmlElement>().ok())
        .filter(|element| element.offset_width() > 0 || element.offset_height() > 0)
        .collect()
}

/// Moves the focus among `items` for an arrow key: `step` forward or back, round at the ends; `None` goes to an
/// end of the list (`first` says which).
pub fn move_focus(items: &[web_sys::HtmlElement], step: Option<i32>, first: bool) {
    let active = document().active_element();
    let now = items
        .iter()
        .position(|item| active.as_ref().is_some_and(|a| a == item.as_ref() as &web_sys::Element));
    let last = items.len().saturating_sub(1);
    let next = match (step, now) {
        (None, _) | (_, None) => {
            if first {
                0
            } else {
                last
            }
        }
        (Some(1), Some(i)) => {
            if i == last {
                0
            } else {
                i + 1
            }
        }
        (Some(_), Some(0)) => last,
        (Some(_), Some(i)) => i - 1,
    };
    if let Some(item) = items.get(next) {
        focus(item);
    }
}

/// Gives an element the focus; an element that left the document is passed over.
pub fn focus(element: &web_sys::HtmlElement) {
    let _ = element.focus();
}

/// Moves the focus among `items` by `step`, staying at the ends; from outside it goes to the element that Tab comes to.
pub fn step_focus(items: &[web_sys::HtmlElement], step: i32) {
    let active = document().active_element();
    let now = items
        .iter()
        .position(|item| active.as_ref().is_some_and(|a| a == item.as_ref() as &web_sys::Element));
    let next = match now {
        Some(now) => now.saturating_add_signed(step as isize).min(items.len().saturating_sub(1)),
        None => items.iter().position(|item| item.tab_index() == 0).unwrap_or(0),
    };
    if let Some(item) = items.get(next) {
        focus(item);
    }
}

/// Up, Down, Home and End move the focus among the stops of a list, the elements with `data-stop`; whether it was one of
/// these keys.
pub fn step_stops(event: &web_sys::KeyboardEvent, list: &web_sys::Element) -> bool {
    let stops = matching(list, "[data-stop]");
    match event.key().as_str() {
        "ArrowDown" => step_focus(&stops, 1),
        "ArrowUp" => step_focus(&stops, -1),
        "Home" => move_focus(&stops, None, true),
        "End" => move_focus(&stops, None, false),
        _ => return false,
    }
    true
}

/// Takes the focus from the element of an event; Tab goes on from there.
pub fn blur(event: &web_sys::KeyboardEvent) {
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok());
    if let Some(element) = element {
        let _ = element.blur();
    }
}

/// Puts text in place of what is selected in the focused field, as if it were typed: the browser's own undo takes it
/// back. False where the browser does not do that.
pub fn insert_text(text: &str) -> bool {
    let document = document();
    let done = js_sys::Reflect::get(&document, &"execCommand".into())
        .and_then(|command| command.dyn_into::<js_sys::Function>())
        .and_then(|command| {
            command.call3(&document, &"insertText".into(), &wasm_bindgen::JsValue::FALSE, &text.into())
        });
    done.is_ok_and(|done| done.is_truthy())
}

/// Gives the focus to the first element that matches `selector` once the page is drawn anew.
pub fn focus_later(selector: String) {
    later(selector, |element| focus(&element));
}

/// The same, and brings the element to the top of what scrolls: a focus alone only brings it into view.
pub fn go_later(selector: String) {
    later(selector, |element| {
        focus(&element);
        element.scroll_into_view();
    });
}

fn later(selector: String, then: impl FnOnce(web_sys::HtmlElement) + 'static) {
    request_animation_frame(move || {
        let found = document().query_selector(&selector).ok().flatten();
        if let Some(element) = found.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
            then(element);
        }
    });
}

/// Gives the focus to the first element that matches `selector` once the page is drawn anew, where it is on no other.
/// On a touch screen it goes to the content: a keyboard that opens unasked covers what one came to see.
pub fn focus_if_nowhere(selector: &'static str) {
    let touch = window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|q| q.matches());
    request_animation_frame(move || {
        let nowhere = document().active_element().is_none_or(|e| e.tag_name() == "BODY");
        if nowhere {
            focus_later(if touch { "#main" } else { selector }.to_owned());
        }
    });
}

/// Presses the first button that matches `selector` once the page is drawn anew.
pub fn press_later(selector: &'static str) {
    request_animation_frame(move || {
        let found = document().query_selector(selector).ok().flatten();
        if let Some(button) = found.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
            button.click();
        }
    });
}

/// Sends a key to an element, as if it were pressed there.
pub fn send_key(element: &web_sys::Element, key: &str) {
    let how = js_sys::Object::new();
    for (name, value) in [("key", key.into()), ("bubbles", true.into()), ("cancelable", true.into())] {
        let _ = js_sys::Reflect::set(&how, &name.into(), &value);
    }
    let made = js_sys::Reflect::get(&window(), &"KeyboardEvent".into())
        .and_then(|kind| kind.dyn_into::<js_sys::Function>())
        .and_then(|kind| js_sys::Reflect::construct(&kind, &js_sys::Array::of2(&"keydown".into(), &how)));
    if let Some(event) = made.ok().and_then(|event| event.dyn_into::<web_sys::Event>().ok()) {
        let _ = element.dispatch_event(&event);
    }
}

/// Keeps Tab inside `root`: from the last element to the first and back.
pub fn trap_tab(event: &web_sys::KeyboardEvent, root: &web_sys::Element) {
    if event.key() != "Tab" {
        return;
    }
    let items = focusable(root);
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return };
    let active = document().active_element();
    let is = |item: &web_sys::HtmlElement| {
        active.as_ref().is_some_and(|a| a == item.as_ref() as &web_sys::Element)
    };
    if event.shift_key() && is(first) {
        event.prevent_default();
        focus(last);
    } else if !event.shift_key() && is(last) {
        event.prevent_default();
        focus(first);
    }
}

/// The files of a drop.
pub fn dropped_files(event: &web_sys::DragEvent) -> Vec<web_sys::File> {
    event.data_transfer().and_then(|transfer| transfer.files()).map(|list| files(&list)).unwrap_or_default()
}

/// The files of a list.
pub fn files(list: &web_sys::FileList) -> Vec<web_sys::File> {
    (0..list.length()).filter_map(|i| list.get(i)).collect()
}

/// Whether a key was pressed inside an element that the selector names.
pub fn within(event: &web_sys::KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}

/// Whether Ctrl or, on a Mac, Command is held.
pub fn command_key(event: &web_sys::KeyboardEvent) -> bool {
    event.ctrl_key() || event.meta_key()
}
