//! What tells items of one title apart: the tables they read, else their columns, else their formula.

use std::collections::HashMap;

use crate::history::{Item, KnowledgeBase};
use crate::sql::ComponentType;

/// A remark for each item, parallel to `KnowledgeBase::items`: empty where no other item of its type has its title, else
/// the first of tables, columns and skeleton that none of the others shares.
pub fn remarks(base: &KnowledgeBase) -> Vec<String> {
    let mut groups: HashMap<(ComponentType, String), Vec<usize>> = HashMap::new();
    for (place, item) in base.items.iter().enumerate() {
        groups.entry((item.kind, item.title.to_lowercase())).or_default().push(place);
    }
    let mut remarks = vec![String::new(); base.items.len()];
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let items: Vec<&Item> = group.iter().filter_map(|place| base.items.get(*place)).collect();
        let told = [tables, columns].map(|of| {
            let said: Vec<String> = items.iter().map(|item| of(item)).collect();
            let mut times: HashMap<&str, usize> = HashMap::new();
            for said in &said {
                *times.entry(said).or_default() += 1;
            }
            let own = |said: &String| !said.is_empty() && times.get(said.as_str()) == Some(&1);
            said.iter().map(|said| own(said).then(|| said.clone())).collect::<Vec<_>>()
        });
        for ((at, place), item) in group.iter().enumerate().zip(&items) {
            let own = told.iter().find_map(|said| said.get(at).cloned().flatten());
            if let Some(remark) = remarks.get_mut(*place) {
                *remark = own.unwrap_or_else(|| item.skeleton.clone());
            }
        }
    }
    remarks
}

fn tables(item: &Item) -> String {
    item.tables.join(", ")
}

fn columns(item: &Item) -> String {
    let names: Vec<String> = item.columns.iter().map(|(table, column)| format!("{table}.{column}")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Edit;

    fn item(title: &str, columns: &[(&str, &str)], skeleton: &str) -> Item {
        let columns: Vec<(String, String)> =
            columns.iter().map(|(t, c)| ((*t).to_owned(), (*c).to_owned())).collect();
        let mut tables: Vec<String> = columns.iter().map(|(table, _)| table.clone()).collect();
        tables.dedup();
        Item {
            kind: ComponentType::Calculation,
            skeleton: skeleton.to_owned(),
            title: title.to_owned(),
            description: String::new(),
            occurrences: Vec::new(),
            tables,
            columns,
            edit: Edit::default(),
        }
    }

    #[test]
    fn items_of_one_title_have_different_remarks_and_others_none() {
        let base = KnowledgeBase {
            items: vec![
                item("Month", &[("sailings", "op_day")], "a"),
                item("month", &[("tickets", "day")], "b"),
                item("Percent", &[("sailings", "state")], "c"),
                item("Percent", &[("sailings", "boarded")], "d"),
                item("Percent", &[("sailings", "boarded")], "e"),
                item("Number of rows", &[], "COUNT(*)"),
                item("Day", &[], "f"),
                item("Day", &[], "g"),
            ],
            ..KnowledgeBase::default()
        };
        let remarks = remarks(&base);
        assert_eq!(remarks, ["sailings", "tickets", "sailings.state", "d", "e", "", "f", "g"]);
    }

    #[test]
    fn a_title_of_two_types_is_told_apart_by_its_type() {
        let mut other = item("Month", &[], "b");
        other.kind = ComponentType::Dimension;
        let base = KnowledgeBase { items: vec![item("Month", &[], "a"), other], ..KnowledgeBase::default() };
        assert_eq!(remarks(&base), ["", ""]);
    }
}
