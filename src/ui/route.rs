//! Which page the address names, after `#/`.

use leptos::prelude::*;

use super::state::Page;

impl Page {
    /// Its address.
    pub fn href(self) -> &'static str {
        match self {
            Self::Ask => "#/ask",
            Self::Knowledge => "#/knowledge",
            Self::Settings => "#/settings",
            Self::Bench => "#/bench",
        }
    }

    /// The page of an address; an unknown one is the start page.
    fn at(hash: &str) -> Self {
        [Self::Knowledge, Self::Settings, Self::Bench]
            .into_iter()
            .find(|p| p.href() == hash)
            .unwrap_or_default()
    }

    /// Goes there.
    pub fn go(self) {
        let _ = window().location().set_hash(self.href());
    }
}

/// Keeps `page` at what the address says, through Back and Forward.
pub fn follow(page: RwSignal<Page>) {
    let read = move || page.set(Page::at(&window().location().hash().unwrap_or_default()));
    read();
    let listener = window_event_listener(leptos::ev::hashchange, move |_| read());
    on_cleanup(move || listener.remove());
}
