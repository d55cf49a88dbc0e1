//! The frame: top bar, three columns, sheets and tab bar on narrow screens.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::button::IconButton;
use super::dom;
use super::icon::{Icon, IconView};
use super::tag::Tone;

/// A place of the page.
#[derive(Debug, Clone, PartialEq)]
pub struct NavItem {
    /// Its name.
    pub label: &'static str,
    /// Its shorter name in the tab bar.
    pub short: &'static str,
    /// Its address ("#/knowledge").
    pub href: &'static str,
    /// Its icon in the tab bar.
    pub icon: Icon,
}

/// A short statement about the machinery ("Encoder on CPU").
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The words.
    pub text: String,
    /// What they mean, as a tooltip.
    pub title: String,
    /// Where it is set.
    pub href: &'static str,
    /// Its icon.
    pub icon: Icon,
    /// Whether it is at work: a spinner takes the icon's place.
    pub busy: bool,
    /// Whether it goes first when room is short.
    pub minor: bool,
}

/// The bar above every page: mark, database menu, places, status, theme.
#[component]
pub fn TopBar(
    /// Address of the start page.
    home: &'static str,
    /// The database menu.
    #[prop(into)]
    database: ViewFn,
    /// The places.
    nav: Vec<NavItem>,
    /// Address of the place in view.
    #[prop(into)]
    current: Signal<String>,
    /// The status chips.
    #[prop(into)]
    status: Signal<Vec<Status>>,
    /// Buttons at the right end (settings, theme).
    #[prop(into)]
    actions: ViewFn,
) -> impl IntoView {
    view! {
        <header class="bar">
            <a class="mark" href=home>
                <svg viewBox="0 0 20 20" aria-hidden="true"><use href=Icon::Mark.href()></use></svg>
                <span>"Querylore"</span>
            </a>
            {database.run()}
            <nav aria-label="Main">
                {nav
                    .into_iter()
                    .map(|item| view! { <a href=item.href aria-current=current_at(current, item.href)>{item.label}</a> })
                    .collect_view()}
            </nav>
            <span class="push"></span>
            {move || {
                status
                    .get()
                    .into_iter()
                    .map(|s| {
                        let class = if s.minor { "status wide-only" } else { "status" };
                        let mark = if s.busy {
                            view! { <span class="spin"></span> }.into_any()
                        } else {
                            view! { <IconView icon=s.icon/> }.into_any()
                        };
                        view! { <a class=class href=s.href title=s.title>{mark}{s.text}</a> }
                    })
                    .collect_view()
            }}
            {actions.run()}
        </header>
    }
}

fn current_at(
    current: Signal<String>,
    href: &'static str,
) -> impl Fn() -> Option<&'static str> + Send + Clone + 'static {
    move || current.with(|c| c == href).then_some("page")
}

/// The places at the bottom of narrow screens; at most five.
#[component]
pub fn TabBar(
    /// The places.
    nav: Vec<NavItem>,
    /// Address of the place in view.
    #[prop(into)]
    current: Signal<String>,
) -> impl IntoView {
    view! {
        <nav class="tabbar" aria-label="Main">
            {nav
                .into_iter()
                .map(|item| {
                    view! {
                        <a href=item.href aria-current=current_at(current, item.href)>
                            <IconView icon=item.icon/>
                            {item.short}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
}

/// A side column of the page: its name and its content.
#[derive(Clone)]
pub struct Side {
    /// Its name for screen readers and at the head of its sheet.
    pub label: &'static str,
    /// Its content.
    pub view: ViewFn,
    /// Whether it is shown: as a column on wide screens always when it exists, as a sheet on narrow ones when true.
    pub open: RwSignal<bool>,
}

/// The columns of a page. Up to 960 px, rail and inspector are sheets over the page: Esc, the button in their head
/// and a tap beside them close them, Tab stays inside, and the focus goes back to where it was.
#[component]
pub fn Shell(
    /// The left column.
    #[prop(optional, into)]
    rail: Option<Side>,
    /// The right column; None while nothing is inspected.
    #[prop(optional, into)]
    inspector: Signal<Option<Side>>,
    /// More classes ("narrow-rail").
    #[prop(optional, into)]
    class: &'static str,
    /// The centre.
    children: Children,
) -> impl IntoView {
    let has_rail = rail.is_some();
    let rail_open = rail.as_ref().map(|side| side.open);
    let shut = move || {
        if let Some(open) = rail_open {
            open.set(false);
        }
        if let Some(side) = inspector.get_untracked() {
            side.open.set(false);
        }
    };
    let any_open = move || {
        rail_open.is_some_and(|open| open.get())
            || inspector.with(|side| side.as_ref().is_some_and(|s| s.open.get()))
    };
    view! {
        <div
            class=format!("shell {class}")
            class:no-inspector=move || has_rail && inspector.with(Option::is_none)
            class:no-rail=move || !has_rail && inspector.with(Option::is_some)
            class:only=move || !has_rail && inspector.with(Option::is_none)
        >
            {rail.map(|side| view! { <Column side class="rail"/> })}
            <main id="main" tabindex="-1">{children()}</main>
            {move || inspector.get().map(|side| view! { <Column side class="inspector"/> })}
            <button
                type="button"
                class="sheet-back"
                class:open=any_open
                tabindex="-1"
                aria-hidden="true"
                on:click=move |_| shut()
            ></button>
        </div>
    }
}

#[component]
fn Column(side: Side, class: &'static str) -> impl IntoView {
    let element = NodeRef::<html::Aside>::new();
    let before = StoredValue::new_local(None::<web_sys::HtmlElement>);
    let open = side.open;
    let is_sheet = || {
        let query = window().match_media("(max-width: 960px)").ok().flatten();
        query.is_some_and(|query| query.matches())
    };
    Effect::new(move |was: Option<bool>| {
        let now = open.get();
        let Some(aside) = element.get() else { return now };
        if is_sheet() && now && was != Some(true) {
            let active = document().active_element();
            before.set_value(active.and_then(|e| wasm_bindgen::JsCast::dyn_into(e).ok()));
            if let Some(first) = dom::focusable(&aside).first() {
                dom::focus(first);
            }
        } else if !now
            && was == Some(true)
            && let Some(element) = before.try_update_value(Option::take).flatten()
        {
            dom::focus(&element);
        }
        now
    });
    let on_key = move |event: KeyboardEvent| {
        // A dialog that an item of the sheet opened lies in its element, and its keys are its own.
        if !open.get_untracked() || !is_sheet() || dom::within(&event, "dialog") {
            return;
        }
        if event.key() == "Escape" {
            event.stop_propagation();
            open.set(false);
        } else if let Some(aside) = element.get_untracked() {
            dom::trap_tab(&event, &aside);
        }
    };
    view! {
        <aside class=class class:open=open aria-label=side.label node_ref=element on:keydown=on_key>
            <div class="sheet-h">
                <h2>{side.label}</h2>
                <IconButton icon=Icon::Close label="Close" class="push" on_press=move || open.set(false)/>
            </div>
            {side.view.run()}
        </aside>
    }
}

/// A chip under the bar of narrow screens.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryChip {
    /// The words.
    pub text: String,
    /// Its icon.
    pub icon: Icon,
    /// Its colours.
    pub tone: Tone,
}

/// What a narrow screen shows instead of the columns: the verdict first, then what opens the sheets.
#[component]
pub fn SummaryChips(
    /// The chips.
    #[prop(into)]
    chips: Signal<Vec<SummaryChip>>,
    /// Receives the index pressed.
    on_press: Callback<usize>,
) -> impl IntoView {
    view! {
        <div class="phone-summary">
            {move || {
                chips
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(i, chip)| {
                        view! {
                            <button type="button" class=format!("chip {}", chip.tone.class()) on:click=move |_| on_press.run(i)>
                                <IconView icon=chip.icon/>
                                {chip.text}
                            </button>
                        }
                    })
                    .collect_view()
            }}
        </div>
    }
}

/// A section of a column: a head with a name, a remark and buttons, and a body.
#[component]
pub fn Section(
    /// Its name.
    #[prop(into)]
    title: Signal<String>,
    /// A remark at the right end of the head.
    #[prop(optional, into)]
    note: Signal<String>,
    /// Buttons at the right end of the head.
    #[prop(optional, into)]
    actions: Option<ViewFn>,
    /// Its body.
    children: Children,
) -> impl IntoView {
    view! {
        <section class="sect">
            <div class="sect-h">
                <h2>{title}</h2>
                <span class="t11 three push">{note}</span>
                {actions.map(|actions| actions.run())}
            </div>
            {children()}
        </section>
    }
}
