//! SQL to read: highlighted, numbered, with the knowledge it carries in the gutter.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::kind::{kind_class, kind_name};
use crate::pipeline::adapt::Change;
use crate::present::format;
use crate::present::sql_lines::{Line, Piece, Shown, Span, fold, lines, skeleton};
use crate::sql::tokens::TokenKind;

/// Longer SQL is folded.
const FOLDS_ABOVE: usize = 24;

/// The class that inks a token; None for plain text.
pub fn token_class(kind: TokenKind) -> Option<&'static str> {
    match kind {
        TokenKind::Keyword => Some("k"),
        TokenKind::Function => Some("f"),
        TokenKind::String | TokenKind::Number => Some("s"),
        TokenKind::Comment => Some("c"),
        TokenKind::Identifier | TokenKind::Operator | TokenKind::Space => None,
    }
}

/// SQL with line numbers and gutter. The icon in the gutter selects its component (as the knowledge strip does by
/// keyboard); the lines of the selected one are lit. More than 24 lines fold to those that carry knowledge. The
/// view takes the focus so that arrows scroll it.
#[component]
pub fn SqlView(
    /// The text.
    #[prop(into)]
    sql: Signal<String>,
    /// What it is, for screen readers ("SQL of the answer").
    #[prop(into)]
    label: String,
    /// The lines of each component.
    #[prop(optional, into)]
    spans: Signal<Vec<Span>>,
    /// The selected component.
    #[prop(optional, into)]
    selected: Signal<Option<u32>>,
    /// Selects one.
    #[prop(optional, into)]
    on_select: Option<Callback<u32>>,
    /// What was changed.
    #[prop(optional, into)]
    changes: Signal<Vec<Change>>,
    /// Byte offset that the engine complained about.
    #[prop(optional, into)]
    error: Signal<Option<usize>>,
    /// Whether only lines with a change are shown.
    #[prop(optional, into)]
    changes_only: Signal<bool>,
) -> impl IntoView {
    let all = Memo::new(move |_| {
        sql.with(|sql| spans.with(|spans| changes.with(|changes| lines(sql, spans, changes, error.get()))))
    });
    // Folding starts anew with another text.
    let unfolded = RwSignal::new(false);
    Effect::new(move |_| {
        sql.track();
        unfolded.set(false);
    });
    let count = move || all.with(Vec::len);
    let folds = move || count() > FOLDS_ABOVE && !changes_only.get();
    let shown = move || {
        all.with(|all| {
            if changes_only.get() {
                let changed = |(_, line): &(usize, &Line)| !line.was().is_empty();
                return all.iter().enumerate().filter(changed).map(|(i, _)| Shown::Line(i)).collect();
            }
            fold(all, if unfolded.get() { usize::MAX } else { FOLDS_ABOVE })
        })
    };
    let body = move || {
        shown()
            .into_iter()
            .map(|part| match part {
                Shown::Line(i) => {
                    let line = all.with(|all| all.get(i).cloned()).unwrap_or_default();
                    view! { <SqlLine line selected on_select/> }.into_any()
                }
                Shown::Hidden { count, .. } => {
                    let words = format!("{} hidden", format::counted(count, "line", "lines"));
                    view! {
                        <button type="button" class="fold" on:click=move |_| unfolded.set(true)>
                            <IconView icon=Icon::Dots small=true/>
                            {words}
                        </button>
                    }
                    .into_any()
                }
            })
            .collect_view()
    };
    view! {
        <pre class="sql" tabindex="0" role="region" aria-label=label>
            <span class="lines">{body}</span>
        </pre>
        <Show when=folds>
            <div class="sql-more">
                <button type="button" class="btn quiet" aria-expanded=move || unfolded.get().to_string() on:click=move |_| unfolded.update(|u| *u = !*u)>
                    {move || if unfolded.get() { "Fold".to_owned() } else { format!("Show all {} lines", count()) }}
                </button>
            </div>
        </Show>
    }
}

#[component]
fn SqlLine(line: Line, selected: Signal<Option<u32>>, on_select: Option<Callback<u32>>) -> impl IntoView {
    let keys = line.keys.clone();
    let own = line.gutter.map(|g| kind_class(g.kind));
    // A selected component lights its lines in its own colour, also where another one has the gutter.
    let class = move || {
        let lit = selected
            .get()
            .and_then(|key| keys.iter().find(|(k, _)| *k == key))
            .map(|(_, kind)| kind_class(*kind));
        match (lit, own) {
            (Some(kind), _) => format!("ln on {kind}"),
            (None, Some(kind)) => format!("ln {kind}"),
            (None, None) => "ln".to_owned(),
        }
    };
    let icon = line.gutter.filter(|g| g.starts).map(|g| {
        let icon = view! { <IconView icon=Icon::from(g.kind)/> };
        match on_select {
            None => icon.into_any(),
            Some(on_select) => {
                let words = format!("{} from line {}", kind_name(g.kind), line.number);
                view! {
                    <button type="button" tabindex="-1" aria-label=words.clone() title=words on:click=move |_| on_select.run(g.key)>
                        {icon}
                    </button>
                }
                .into_any()
            }
        }
    });
    // A part that was put in was nothing before.
    let was = line.was().into_iter().filter(|was| !was.is_empty());
    let was = was.map(ToOwned::to_owned).collect::<Vec<_>>();
    view! {
        <span class=class>
            <span class="no" aria-hidden="true">{line.number}</span>
            <span class="g"></span>
            <span class="gi">{icon}</span>
            <span>
                {line.pieces.into_iter().map(piece).collect_view()}
                {(!was.is_empty()).then(|| view! { <span class="was">"was " {join(was)}</span> })}
                "\n"
            </span>
        </span>
    }
}

fn join(values: Vec<String>) -> impl IntoView {
    values
        .into_iter()
        .enumerate()
        .map(|(i, value)| view! { {(i > 0).then_some(", ")} <del>{value}</del> })
        .collect_view()
}

fn piece(piece: Piece) -> AnyView {
    let class = token_class(piece.kind);
    if piece.error {
        return view! { <mark class="err">{piece.text}</mark> }.into_any();
    }
    if piece.text.is_empty() {
        return ().into_any();
    }
    if piece.was.is_some() {
        return view! { <mark class=class.unwrap_or_default()>{piece.text}</mark> }.into_any();
    }
    match class {
        Some(class) => view! { <span class=class>{piece.text}</span> }.into_any(),
        None => piece.text.into_any(),
    }
}

/// A skeleton on one line, its `<val>` as holes.
#[component]
pub fn SkeletonText(
    /// The skeleton.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    skeleton(&text)
        .into_iter()
        .map(|piece| match piece.kind {
            None => view! { <span class="hole">{piece.text}</span> }.into_any(),
            Some(kind) => match token_class(kind) {
                Some(class) => view! { <span class=class>{piece.text}</span> }.into_any(),
                None => piece.text.into_any(),
            },
        })
        .collect_view()
}
