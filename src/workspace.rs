//! The list of workspaces a browser keeps: each is one database with its history. [`archive`] is a workspace as a file,
//! [`link`] one that an address opens.

pub mod archive;
pub mod link;

use serde::{Deserialize, Serialize};

/// One kept database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workspace {
    /// Never used again after removal; the name of its folder is derived from it.
    pub id: u32,
    /// The name shown, unique in the list.
    pub name: String,
    /// Size of the database file in bytes.
    pub bytes: u64,
    /// Where it was fetched from, when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// The addresses that a workspace was fetched from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Of the database, or of a workspace file.
    pub database: String,
    /// Of the history that was added to it at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
}

impl Workspace {
    /// The folder that holds its files.
    pub fn folder(&self) -> String {
        Self::folder_of(self.id)
    }

    /// The folder of the one with this id.
    pub fn folder_of(id: u32) -> String {
        format!("workspace-{id}")
    }
}

/// All kept workspaces, in the order they were added.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Workspaces {
    next_id: u32,
    list: Vec<Workspace>,
    #[serde(default)]
    removed: Vec<Workspace>,
}

impl Workspaces {
    /// Reads the list; None where it is damaged: the databases themselves are not in it.
    pub fn from_json(json: &str) -> Option<Self> {
        let mut read: Self = serde_json::from_str(json).ok()?;
        // An id must never name two folders, whatever the file says.
        let mut seen = std::collections::HashSet::new();
        read.list.retain(|w| seen.insert(w.id));
        read.removed.retain(|w| seen.insert(w.id));
        read.next_id = read
            .list
            .iter()
            .chain(&read.removed)
            .map(|w| w.id.saturating_add(1))
            .max()
            .unwrap_or(0)
            .max(read.next_id);
        Some(read)
    }

    /// A list of the databases, with their sizes, whose folders were found; their names are lost.
    pub fn found_again(folders: &[(u32, u64)]) -> Self {
        let named = |&(id, bytes): &(u32, u64)| Workspace {
            id,
            name: format!("Database {}", id + 1),
            bytes,
            source: None,
        };
        let next_id = folders.iter().map(|(id, _)| id.saturating_add(1)).max().unwrap_or(0);
        Self { next_id, list: folders.iter().map(named).collect(), removed: Vec::new() }
    }

    /// Writes the list.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// All of them.
    pub fn list(&self) -> &[Workspace] {
        &self.list
    }

    /// The one with this id.
    pub fn get(&self, id: u32) -> Option<&Workspace> {
        self.list.iter().find(|w| w.id == id)
    }

    /// The one that was fetched from there.
    pub fn from_source(&self, source: &Source) -> Option<&Workspace> {
        self.list.iter().find(|w| w.source.as_ref() == Some(source))
    }

    /// Adds one.
    pub fn add(&mut self, name: &str, bytes: u64) -> Workspace {
        let workspace = self.reserve(name, bytes, None);
        self.put_back(&workspace);
        self.get(workspace.id).cloned().unwrap_or(workspace)
    }

    /// Gives a workspace its id and name before its files are written. Until [`Self::put_back`] it is among the
    /// removed ones, so that what a tab that is closed meanwhile leaves behind is deleted.
    pub fn reserve(&mut self, name: &str, bytes: u64, source: Option<Source>) -> Workspace {
        let name = self.free_name(if name.trim().is_empty() { "database" } else { name.trim() }, None);
        let workspace = Workspace { id: self.next_id, name, bytes, source };
        self.next_id = self.next_id.saturating_add(1);
        self.removed.push(workspace.clone());
        workspace
    }

    /// Renames one; an empty name changes nothing, a taken one gets a number.
    pub fn rename(&mut self, id: u32, name: &str) {
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        let name = self.free_name(name, Some(id));
        if let Some(workspace) = self.list.iter_mut().find(|w| w.id == id) {
            workspace.name = name;
        }
    }

    /// The removed workspaces whose files may still be there.
    pub fn removed(&self) -> &[Workspace] {
        &self.removed
    }

    /// Forgets a removed workspace, whose files are deleted: a removal can be undone until then.
    pub fn forget(&mut self, id: u32) {
        self.removed.retain(|w| w.id != id);
    }

    /// Takes back a removal, or lists what was reserved; a name that is taken by now gets a number.
    pub fn put_back(&mut self, workspace: &Workspace) {
        if let Some(position) = self.removed.iter().position(|w| w.id == workspace.id) {
            let mut back = self.removed.remove(position);
            back.name = self.free_name(&back.name, None);
            self.list.push(back);
            self.list.sort_by_key(|w| w.id);
        }
    }

    /// Takes one off the list.
    pub fn remove(&mut self, id: u32) {
        if let Some(position) = self.list.iter().position(|w| w.id == id) {
            self.removed.push(self.list.remove(position));
        }
    }

    fn free_name(&self, wanted: &str, except: Option<u32>) -> String {
        let taken = |name: &str| self.list.iter().any(|w| Some(w.id) != except && w.name == name);
        if !taken(wanted) {
            return wanted.to_owned();
        }
        (2..).map(|n| format!("{wanted} {n}")).find(|name| !taken(name)).unwrap_or_default()
    }
}

/// The name of a workspace whose database is in a file of this name: without the ending.
pub fn stem(file_name: &str) -> &str {
    let ending = [".sqlite", ".sqlite3", ".db", ".db3", archive::ENDING].iter().find_map(|ending| {
        let cut = file_name.len().checked_sub(ending.len())?;
        let tail = file_name.get(cut..)?;
        tail.eq_ignore_ascii_case(ending).then(|| file_name.get(..cut)).flatten()
    });
    ending.unwrap_or(file_name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_files_and_stay_unique() {
        let mut list = Workspaces::default();
        assert_eq!(list.add(stem("superhero.sqlite"), 10).name, "superhero");
        assert_eq!(list.add(stem("superhero.DB"), 10).name, "superhero 2");
        assert_eq!(list.add(stem(".db"), 10).name, "database");
        assert_eq!(list.add(stem("größe.sqlite3"), 10).name, "größe");
        assert_eq!(list.add(stem("team.querylore"), 10).name, "team");
        list.rename(1, "superhero");
        assert_eq!(list.get(1).map(|w| w.name.as_str()), Some("superhero 2"));
        list.rename(1, "  ");
        assert_eq!(list.get(1).map(|w| w.name.as_str()), Some("superhero 2"));
    }

    #[test]
    fn what_is_reserved_is_listed_when_its_files_are_there() {
        let mut list = Workspaces::default();
        let source = Source { database: "https://example.org/a.db".to_owned(), history: None };
        let first = list.reserve("a", 1, Some(source.clone()));
        assert!(list.list().is_empty() && list.from_source(&source).is_none());
        assert_eq!(list.add("a", 1).name, "a");
        // The other took the name meanwhile.
        let mut again = Workspaces::from_json(&list.to_json()).unwrap_or_default();
        again.put_back(&first);
        assert_eq!(again.from_source(&source).map(|w| w.name.as_str()), Some("a 2"));
        // A tab that was closed before leaves it to be deleted.
        assert_eq!(list.removed(), std::slice::from_ref(&first));
        list.forget(first.id);
        list.put_back(&first);
        assert_eq!(list.list().len(), 1);
        assert_ne!(list.add("b", 1).id, first.id);
    }

    #[test]
    fn ids_are_never_used_again() {
        let mut list = Workspaces::default();
        let first = list.add("a", 1);
        list.remove(first.id);
        assert_eq!(Workspaces::from_json(&list.to_json()), Some(list.clone()));
        assert_ne!(list.add("b", 1).id, first.id);
    }

    #[test]
    fn a_removal_can_be_taken_back() {
        let mut list = Workspaces::default();
        let first = list.add("a", 1);
        list.add("b", 1);
        let before = list.clone();
        list.remove(first.id);
        list.put_back(&first);
        list.put_back(&first);
        assert_eq!(list, before);
        list.remove(first.id);
        list.forget(first.id);
        list.put_back(&first);
        assert_eq!(list.list().len(), 1);
    }

    #[test]
    fn a_damaged_list_is_read_as_far_as_it_is_safe() {
        assert_eq!(Workspaces::from_json("{"), None);
        let mut found = Workspaces::found_again(&[(0, 10), (4, 20)]);
        assert_eq!(
            found.list().iter().map(|w| w.name.as_str()).collect::<Vec<_>>(),
            ["Database 1", "Database 5"]
        );
        assert_eq!(found.add("a", 1).id, 5);
        let doubled = r#"{"next_id":0,"list":[{"id":3,"name":"a","bytes":1},{"id":3,"name":"b","bytes":1}]}"#;
        let mut read = Workspaces::from_json(doubled).unwrap_or_default();
        assert_eq!(read.list().len(), 1);
        assert_eq!(read.add("c", 1).id, 4);
    }
}
