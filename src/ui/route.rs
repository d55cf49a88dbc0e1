//! Which page the address names, after `#/`, and which of its sections.

use leptos::prelude::*;

use super::components::dom;
use super::state::{Page, State};

/// All pages.
pub const PAGES: [Page; 6] =
    [Page::Ask, Page::Knowledge, Page::Lab, Page::Settings, Page::Diagnostics, Page::Bench];

impl Page {
    /// Its address.
    pub fn href(self) -> &'static str {
        match self {
            Self::Ask => "#/ask",
            Self::Knowledge => "#/knowledge",
            Self::Settings => "#/settings",
            Self::Diagnostics => "#/diagnostics",
            Self::Bench => "#/bench",
            Self::Lab => "#/lab",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "Ask",
            Self::Knowledge => "Knowledge",
            Self::Settings => "Settings",
            Self::Diagnostics => "Diagnostics",
            Self::Bench => "Bench",
            Self::Lab => "Lab",
        }
    }

    /// The page of an address and the section in it; an unknown page is the start page.
    fn at(hash: &str) -> (Self, &str) {
        let found = PAGES.into_iter().find_map(|page| match hash.strip_prefix(page.href())? {
            "" => Some((page, "")),
            rest => Some((page, rest.strip_prefix('/')?)),
        });
        found.unwrap_or_default()
    }

    /// Whether it is linked from anywhere.
    pub fn is_listed(self) -> bool {
        self != Self::Bench
    }

    /// Goes there.
    pub fn go(self) {
        let _ = window().location().set_hash(self.href());
    }
}

/// Id of the head of a section.
pub fn section_id(section: &str) -> String {
    format!("section-{section}")
}

/// Keeps page and section at what the address says, through Back and Forward. The focus goes where the address points:
/// to the section, or to the content of a page that was not in view before.
pub fn follow(state: State) {
    let read = move |first: bool| {
        let hash = window().location().hash().unwrap_or_default();
        let (page, section) = Page::at(&hash);
        let moved = state.page.get_untracked() != page;
        // Setting the same page would draw it anew.
        if moved {
            state.page.set(page);
        }
        state.section.set(section.to_owned());
        document().set_title(&format!("{} · Querylore", page.name()));
        if !section.is_empty() {
            dom::go_later(format!("[id=\"{}\"]", section_id(section).replace(['"', '\\'], "")));
        } else if moved && !first {
            // Where the document scrolls, as on a phone, it would stay where the page before was.
            window().scroll_to_with_x_and_y(0.0, 0.0);
            dom::focus_later("#main".to_owned());
        }
    };
    read(true);
    let listener = window_event_listener(leptos::ev::hashchange, move |_| read(false));
    on_cleanup(move || listener.remove());
}
