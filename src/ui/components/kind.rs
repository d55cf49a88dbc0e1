//! The five component types: always icon, name and colour.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::sql::ComponentType;

/// The five types in the order of the page.
pub const KINDS: [ComponentType; 5] = [
    ComponentType::Calculation,
    ComponentType::Condition,
    ComponentType::Relation,
    ComponentType::Dimension,
    ComponentType::Output,
];

/// The class that carries the type's colours.
pub fn kind_class(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Calculation => "calculation",
        ComponentType::Condition => "condition",
        ComponentType::Relation => "relation",
        ComponentType::Dimension => "dimension",
        ComponentType::Output => "output",
    }
}

/// The type's name.
pub fn kind_name(kind: ComponentType) -> &'static str {
    match kind {
        ComponentType::Calculation => "Calculation",
        ComponentType::Condition => "Condition",
        ComponentType::Relation => "Relation",
        ComponentType::Dimension => "Dimension",
        ComponentType::Output => "Output",
    }
}

/// Icon and name of a type.
#[component]
pub fn TypeLabel(
    /// The type.
    kind: ComponentType,
) -> impl IntoView {
    view! { <span class=format!("ty {}", kind_class(kind))><IconView icon=Icon::from(kind)/>{kind_name(kind)}</span> }
}

/// The type's icon on its tint, its name for screen readers only; for places where the name has no room.
#[component]
pub fn TypeIcon(
    /// The type.
    kind: ComponentType,
) -> impl IntoView {
    view! {
        <span class=format!("ty box {}", kind_class(kind)) title=kind_name(kind)>
            <IconView icon=Icon::from(kind)/>
            <span class="sr">{kind_name(kind)}</span>
        </span>
    }
}
