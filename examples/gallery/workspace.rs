//! The parts together, as on the page that asks.

use std::sync::Arc;

use leptos::prelude::*;
use querylore::ui::components::button::{Button, IconButton, Weight};
use querylore::ui::components::field::Select;
use querylore::ui::components::icon::{Icon, IconSprite, IconView};
use querylore::ui::components::item_inspector::{ItemInspector, Keep};
use querylore::ui::components::knowledge::KnowledgeStrip;
use querylore::ui::components::menu::{Menu, MenuItem};
use querylore::ui::components::notice::Notice;
use querylore::ui::components::question_box::QuestionBox;
use querylore::ui::components::result_table::ResultTable;
use querylore::ui::components::schema_tree::SchemaTree;
use querylore::ui::components::score_panel::ScorePanel;
use querylore::ui::components::shell::{
    NavItem, Section, Shell, Side, Status, SummaryChip, SummaryChips, TabBar, TopBar,
};
use querylore::ui::components::sql_editor::SqlEditor;
use querylore::ui::components::sql_view::SqlView;
use querylore::ui::components::tabs::{Tab, Tabs};
use querylore::ui::components::tag::Tone;
use querylore::ui::components::theme::{Theme, ThemeButton};
use querylore::ui::components::toasts::{ToastHost, Toasts};
use querylore::ui::components::trace::{Stage, StageState, Trace};

use super::sample;

fn nav() -> Vec<NavItem> {
    let item = |label, short, href, icon| NavItem { label, short, href, icon };
    vec![
        item("Ask", "Ask", "#/ask", Icon::Ask),
        item("Knowledge", "Knowledge", "#/knowledge", Icon::Filter),
        item("Settings", "Settings", "#/settings", Icon::Gear),
    ]
}

#[component]
fn Bar() -> impl IntoView {
    let theme = RwSignal::new(Theme::System);
    let status = |text: &str, icon, minor| Status {
        text: text.into(),
        title: text.into(),
        href: "#/settings",
        icon,
        busy: false,
        minor,
    };
    let databases = vec![
        MenuItem {
            label: "Norhaven Ferries".into(),
            detail: "6.4 MB".into(),
            checked: Some(true),
            ..MenuItem::default()
        },
        MenuItem {
            label: "superhero".into(),
            detail: "0.2 MB".into(),
            checked: Some(false),
            ..MenuItem::default()
        },
        MenuItem {
            label: "Open a database".into(),
            icon: Some(Icon::File),
            ruled: true,
            ..MenuItem::default()
        },
        MenuItem {
            label: "Remove superhero".into(),
            icon: Some(Icon::Close),
            danger: true,
            ..MenuItem::default()
        },
    ];
    let databases = StoredValue::new(databases);
    view! {
        <TopBar
            home="#/ask"
            nav=nav()
            current=Signal::stored("#/ask".to_owned())
            database=move || {
                view! {
                    <Menu
                        class="btn quiet med"
                        items=Signal::stored(databases.get_value())
                        on_pick=Callback::new(|_| ())
                        button=|| view! { <IconView icon=Icon::Database/><span class="cut">"Norhaven Ferries"</span> }
                    />
                }
            }
            status=Signal::stored(vec![status("Encoder on CPU", Icon::Chip, true), status("No model", Icon::Model, false)])
            actions=move || {
                view! {
                    <IconButton icon=Icon::Gear label="Settings" class="not-phone" on_press=|| ()/>
                    <ThemeButton
                        theme
                        on_change=Callback::new(move |new: Theme| {
                            theme.set(new);
                            new.apply();
                        })
                    />
                }
            }
        />
    }
}

#[component]
fn Centre(selected: RwSignal<Option<u32>>, rail: RwSignal<bool>, toasts: Toasts) -> impl IntoView {
    let question = RwSignal::new(sample::QUESTION.to_owned());
    let busy = RwSignal::new(false);
    let tab = RwSignal::new(0_usize);
    let editing = RwSignal::new(false);
    let text = RwSignal::new(sample::SQL.to_owned());
    let compare = RwSignal::new(true);
    let select = Callback::new(move |key| selected.set(Some(key)));
    let chips = vec![
        SummaryChip { text: "Different from gold".into(), icon: Icon::Close, tone: Tone::Bad },
        SummaryChip { text: "10 tables".into(), icon: Icon::Database, tone: Tone::Neutral },
        SummaryChip { text: "142 queries".into(), icon: Icon::History, tone: Tone::Neutral },
    ];
    let stages = ["Retrieve 34 ms", "Adapt", "Run 12 ms"]
        .map(|text| Stage { text: text.into(), state: StageState::Done });
    let stages = Signal::stored(stages.to_vec());
    view! {
        <h1 class="sr">"Ask"</h1>
        <div class="answer">
            <SummaryChips chips=Signal::stored(chips) on_press=Callback::new(move |_| rail.set(true))/>
            <QuestionBox
                question
                marks=Signal::stored(sample::marks())
                busy
                on_ask=move || busy.set(true)
                on_stop=move || busy.set(false)
                settings=|| {
                    let options = vec![("a".to_owned(), "Adapt from history".to_owned())];
                    let retriever = vec![("b".to_owned(), "Queries + components, 0.60".to_owned())];
                    view! {
                        <Select class="quiet" label="Pipeline" options=Signal::stored(options) value=Signal::stored("a".to_owned()) on_change=Callback::new(|_| ())/>
                        <Select class="quiet not-phone" label="Retriever" options=Signal::stored(retriever) value=Signal::stored("b".to_owned()) on_change=Callback::new(|_| ())/>
                    }
                }
            />
            <Notice icon=Icon::History title="Adapted from query #87. No model was used." aside=move || view! { <span class="not-phone"><Trace stages/></span> }>
                "3 values changed. " <a href="#/settings">"Set up a model"</a>
            </Notice>
            <section aria-label="Knowledge used">
                <div class="sect-h">
                    <h2>"Knowledge used"</h2>
                    <span class="t12 three">"6 items from 5 queries"</span>
                    <span class="push"></span>
                    <Button label="11 more below 0.60" weight=Weight::Quiet on_press=|| ()/>
                </div>
                <KnowledgeStrip cards=Signal::stored(sample::cards()) selected on_select=select/>
            </section>
            <section class="sect" aria-label="SQL">
                <div class="sect-h line">
                    <Tabs
                        label="SQL"
                        tabs=Signal::stored(vec![Tab::new("SQL"), Tab::new("Source #87"), Tab::counted("Changes", 3)])
                        selected=tab
                        on_select=Callback::new(move |i| tab.set(i))
                    />
                    <span class="push"></span>
                    <IconButton icon=Icon::Copy label="Copy SQL" on_press=move || toasts.confirm("Copied SQL")/>
                    <Button label="Edit" key="E" weight=Weight::Quiet class="not-phone" on_press=move || editing.set(true)/>
                    <Button label="Run" icon=Icon::Play on_press=move || toasts.removed("Removed “superhero”", || ())/>
                </div>
                <Show
                    when=move || editing.get()
                    fallback=move || {
                        view! {
                            <SqlView
                                sql=Signal::stored(sample::SQL.to_owned())
                                label="SQL of the answer"
                                spans=Signal::stored(sample::spans())
                                changes=Signal::stored(sample::changes())
                                selected
                                on_select=select
                                changes_only=Signal::derive(move || tab.get() == 2)
                            />
                        }
                    }
                >
                    <SqlEditor text on_run=move || editing.set(false) on_cancel=move || editing.set(false)/>
                </Show>
            </section>
            <div class="split">
                <section aria-label="Rows">
                    <ResultTable
                        result=Signal::stored(sample::result())
                        against=Signal::stored(Some(sample::against()))
                        compare
                        on_csv=Callback::new(|()| ())
                        on_copy=Callback::new(|_| ())
                    />
                </section>
                <section aria-label="Score">
                    <ScorePanel score=Signal::stored(sample::score()) on_gold=Callback::new(|()| ())/>
                </section>
            </div>
        </div>
    }
}

/// The page that asks.
#[component]
pub fn Workspace() -> impl IntoView {
    let selected = RwSignal::new(Some(0_u32));
    let toasts = Toasts::default();
    let keep = RwSignal::new(Keep::Auto);
    let rail_open = RwSignal::new(false);
    let sheet = RwSignal::new(false);
    let rail = Side {
        label: "Database and history",
        open: rail_open,
        view: (move || {
            view! {
                <Section title="Database" note="10 tables · 117,412 rows">
                    <SchemaTree tables=Signal::stored(Arc::new(sample::tables())) used=Signal::stored(sample::used())/>
                </Section>
            }
        })
        .into(),
    };
    let inspector = Signal::derive(move || {
        selected.get().map(|_| Side {
            label: "Item",
            open: sheet,
            view: (move || {
                view! {
                    <ItemInspector
                        item=sample::item()
                        keep
                        on_keep=Callback::new(move |k| keep.set(k))
                        on_close=move || selected.set(None)
                        on_copy=Callback::new(|_| ())
                        on_item=Callback::new(|_| ())
                        on_entry=Callback::new(|_| ())
                    />
                }
            })
            .into(),
        })
    });
    view! {
        <IconSprite/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <Bar/>
        <Shell rail inspector><Centre selected rail=rail_open toasts/></Shell>
        <TabBar nav=nav() current=Signal::stored("#/ask".to_owned())/>
        <ToastHost toasts/>
    }
}
