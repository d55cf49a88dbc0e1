//! The database menu of the bar: what is open, what is kept, how to open another.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::{link, workspace};
use super::components::file_input::FileInput;
use super::components::icon::{Icon, IconView};
use super::components::menu::{Menu, MenuItem};
use super::components::text_dialog::TextDialog;
use super::components::toasts::Toasts;
use super::state::{Open, State};
use crate::present::format;

/// Endings that the file dialog offers.
pub const DATABASE_FILES: &str = ".sqlite,.sqlite3,.db,.db3,.querylore,application/vnd.sqlite3";

/// What a line of the menu does.
#[derive(Clone, Copy, PartialEq)]
enum Action {
    Demo,
    Kept(u32),
    File,
    Address,
    Export,
    CopyLink,
    Rename,
    Remove,
}

/// Whether the address of a database is asked for.
#[derive(Clone, Copy)]
pub struct OpenAddress(pub RwSignal<bool>);

/// Whether a new name is asked for.
#[derive(Clone, Copy)]
pub struct Renaming(pub RwSignal<bool>);

/// Whether a link can open this workspace.
pub fn has_link(open: &Open) -> bool {
    matches!(open, Open::Demo) || matches!(open, Open::Kept(kept) if kept.source.is_some())
}

/// The button with the open database's name, and its menu.
#[component]
pub fn DatabaseMenu() -> impl IntoView {
    let state = State::here();
    let toasts: Toasts = expect_context();
    let OpenAddress(asking_address) = expect_context();
    let Renaming(asking_name) = expect_context();
    let pick = RwSignal::new(0_u32);
    let lines = Memo::new(move |_| lines(state));
    let items = Signal::derive(move || lines.get().into_iter().map(|(item, _)| item).collect::<Vec<_>>());
    let on_pick = Callback::new(move |index: usize| {
        let Some((_, action)) = lines.with_untracked(|l| l.get(index).cloned()) else { return };
        match action {
            Action::Demo => spawn_local(async move {
                let _ = workspace::open_demo(state).await;
            }),
            Action::Kept(id) => {
                if let Some(kept) = state.workspaces.with_untracked(|w| w.get(id).cloned()) {
                    spawn_local(workspace::open_kept(state, kept));
                }
            }
            Action::File => pick.update(|n| *n += 1),
            Action::Address => asking_address.set(true),
            Action::Export => state.exporting.set(true),
            Action::CopyLink => link::copy(state, toasts),
            Action::Rename => asking_name.set(true),
            Action::Remove => {
                if let Open::Kept(kept) = state.open.get_untracked() {
                    spawn_local(workspace::remove(state, toasts, kept));
                }
            }
        }
    });
    view! {
        <Menu
            label=Signal::derive(move || format!("Database: {}", name(&state.open.get())))
            class="btn quiet"
            button=move || {
                view! {
                    <IconView icon=Icon::Database/>
                    <span class="cut">{move || name(&state.open.get())}</span>
                }
            }
            items
            on_pick
        />
        <FileInput
            ask=pick
            accept=DATABASE_FILES
            on_file=UnsyncCallback::new(move |file| spawn_local(workspace::open_file(state, file)))
        />
        <TextDialog
            open=asking_address
            title="Open a database or a workspace from an address"
            label="Address"
            button="Open"
            kind="url"
            placeholder="https://"
            help="Its server must allow other pages to read it (CORS). The file is kept in this browser."
            on_text=Callback::new(move |address: String| {
                let address = address.trim().to_owned();
                if !address.is_empty() {
                    spawn_local(async move { workspace::open_address(state, &address).await });
                }
            })
        />
        <TextDialog
            open=asking_name
            title="Rename"
            label="Name"
            button="Rename"
            kind="text"
            start=Signal::derive(move || name(&state.open.get()))
            on_text=Callback::new(move |name: String| {
                if let Open::Kept(kept) = state.open.get_untracked() {
                    spawn_local(async move { workspace::rename(state, kept.id, &name).await });
                }
            })
        />
    }
}

/// The name of the open workspace.
pub fn name(open: &Open) -> String {
    match open {
        Open::Demo => "Norhaven Ferries".to_owned(),
        Open::Kept(workspace) => workspace.name.clone(),
        Open::Loose(name) => name.clone(),
    }
}

fn lines(state: State) -> Vec<(MenuItem, Action)> {
    let open = state.open.get();
    let mut lines = vec![(
        MenuItem {
            label: "Norhaven Ferries".to_owned(),
            detail: "demo".to_owned(),
            checked: Some(open == Open::Demo),
            ..MenuItem::default()
        },
        Action::Demo,
    )];
    state.workspaces.with(|workspaces| {
        for kept in workspaces.list() {
            let item = MenuItem {
                label: kept.name.clone(),
                detail: format::bytes(kept.bytes),
                checked: Some(matches!(&open, Open::Kept(w) if w.id == kept.id)),
                ..MenuItem::default()
            };
            lines.push((item, Action::Kept(kept.id)));
        }
    });
    let action = |label: &str, icon, ruled| MenuItem {
        label: label.to_owned(),
        icon: Some(icon),
        ruled,
        ..MenuItem::default()
    };
    lines.push((action("Open a file", Icon::File, true), Action::File));
    lines.push((action("Open an address", Icon::Link, false), Action::Address));
    if state.overview.with(Option::is_some) {
        lines.push((action("Export", Icon::Download, true), Action::Export));
    }
    if has_link(&open) {
        lines.push((action("Copy link", Icon::Share, false), Action::CopyLink));
    }
    if matches!(open, Open::Kept(_)) {
        lines.push((action("Rename", Icon::Gear, true), Action::Rename));
        lines.push((MenuItem { danger: true, ..action("Remove", Icon::Close, false) }, Action::Remove));
    }
    lines
}
