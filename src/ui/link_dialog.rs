//! The dialog that shows what a link would fetch from elsewhere, before anything is.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::actions::link;
use super::components::button::{Button, Weight};
use super::components::dialog::Dialog;
use super::components::icon::{Icon, IconView};
use super::settings::Way;
use super::state::State;
use crate::workspace::link::{Address, Link};

/// Open while a link waits for the user's word.
#[component]
pub fn LinkDialog() -> impl IntoView {
    let state = State::here();
    let go = move || {
        if let Some(link) = state.link.get_untracked() {
            state.link.set(None);
            spawn_local(async move {
                let _ = link::follow(state, link, true).await;
            });
        }
    };
    view! {
        <Dialog
            open=Signal::derive(move || state.link.with(Option::is_some))
            on_close=move || link::decline(state)
            title="Open what this link names?"
            actions=move || view! {
                <Button label="Do not open" on_press=move || link::decline(state)/>
                <Button label="Fetch and open" weight=Weight::Primary on_press=go/>
            }
        >
            {move || state.link.get().map(|link| view! { <Asks link/> })}
        </Dialog>
    }
}

#[component]
fn Asks(link: Link) -> impl IntoView {
    let state = State::here();
    let database = link
        .database
        .clone()
        .map(|file| row(Icon::Database, "Database", file, "It is opened and kept in this browser."));
    let history = link
        .history
        .clone()
        .map(|file| row(Icon::History, "History", file, "It is read and indexed in this page."));
    let asked = link.question.clone().map(|question| {
        let model =
            state.settings.with_untracked(|s| (s.model.way != Way::Adapt).then(|| s.model.address.clone()));
        let then = match model {
            Some(address) => format!("It is asked, and the model at {address} gets it."),
            None => "It is asked where there is a history to answer from. No model is used.".to_owned(),
        };
        view! {
            <li class="link-file">
                <IconView icon=Icon::Ask/>
                <div class="grow">
                    <b class="strong">"Question"</b>
                    <p class="wraps">{question}</p>
                    <p class="three">{then}</p>
                </div>
            </li>
        }
    });
    view! {
        <div class="stack t12">
            <p>"Nothing has been fetched. The link was written by somebody else: go on if you trust it."</p>
            <ul class="stack">{database}{history}{asked}</ul>
            <p class="three">"A server learns that this page asks for its file. Nothing of yours is sent to it."</p>
        </div>
    }
}

fn row(icon: Icon, what: &'static str, file: Address, then: &'static str) -> impl IntoView {
    let host =
        if file.foreign { format!("from {}", file.host) } else { "from this page's own server".to_owned() };
    view! {
        <li class="link-file">
            <IconView icon/>
            <div class="grow">
                <b class="strong">{what}</b>
                " "
                <span class:c-warn=file.foreign>{host}</span>
                <p class="mono wraps">{file.href}</p>
                <p class="three">{then}</p>
            </div>
        </li>
    }
}
