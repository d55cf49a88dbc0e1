//! The list of workspaces a browser keeps: each is one database with its history.

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
}

impl Workspace {
    /// The folder that holds its files.
    pub fn folder(&self) -> String {
        format!("workspace-{}", self.id)
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
    /// Reads the list; a damaged file is an empty list, since the databases themselves are not in it.
    pub fn from_json(json: &str) -> Self {
        let mut read: Self = serde_json::from_str(json).unwrap_or_default();
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
        read
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

    /// Adds one named after its file, without the ending a database file has.
    pub fn add(&mut self, file_name: &str, bytes: u64) -> Workspace {
        let stem = [".sqlite", ".sqlite3", ".db", ".db3"]
            .iter()
            .find_map(|ending| {
                let cut = file_name.len().checked_sub(ending.len())?;
                let tail = file_name.get(cut..)?;
                tail.eq_ignore_ascii_case(ending).then(|| file_name.get(..cut)).flatten()
            })
            .unwrap_or(file_name)
            .trim();
        let name = self.free_name(if stem.is_empty() { "database" } else { stem }, None);
        let workspace = Workspace { id: self.next_id, name, bytes };
        self.next_id = self.next_id.saturating_add(1);
        self.list.push(workspace.clone());
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

    /// Forgets the removed workspaces and names their folders, for deletion: a removal can be undone until then.
    pub fn forget_removed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.removed).iter().map(Workspace::folder).collect()
    }

    /// Takes back a removal.
    pub fn put_back(&mut self, workspace: &Workspace) {
        if let Some(position) = self.removed.iter().position(|w| w.id == workspace.id) {
            self.list.push(self.removed.remove(position));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_files_and_stay_unique() {
        let mut list = Workspaces::default();
        assert_eq!(list.add("superhero.sqlite", 10).name, "superhero");
        assert_eq!(list.add("superhero.DB", 10).name, "superhero 2");
        assert_eq!(list.add(".db", 10).name, "database");
        assert_eq!(list.add("größe.sqlite3", 10).name, "größe");
        list.rename(1, "superhero");
        assert_eq!(list.get(1).map(|w| w.name.as_str()), Some("superhero 2"));
        list.rename(1, "  ");
        assert_eq!(list.get(1).map(|w| w.name.as_str()), Some("superhero 2"));
    }

    #[test]
    fn ids_are_never_used_again() {
        let mut list = Workspaces::default();
        let first = list.add("a.db", 1);
        list.remove(first.id);
        let again = Workspaces::from_json(&list.to_json());
        assert_eq!(again, list);
        assert_ne!(list.add("b.db", 1).id, first.id);
    }

    #[test]
    fn a_removal_can_be_taken_back() {
        let mut list = Workspaces::default();
        let first = list.add("a.db", 1);
        list.add("b.db", 1);
        let before = list.clone();
        list.remove(first.id);
        list.put_back(&first);
        list.put_back(&first);
        assert_eq!(list, before);
        list.remove(first.id);
        assert_eq!(list.forget_removed(), [first.folder()]);
        list.put_back(&first);
        assert_eq!(list.list().len(), 1);
    }

    #[test]
    fn a_damaged_list_is_read_as_far_as_it_is_safe() {
        assert_eq!(Workspaces::from_json("{"), Workspaces::default());
        let doubled = r#"{"next_id":0,"list":[{"id":3,"name":"a","bytes":1},{"id":3,"name":"b","bytes":1}]}"#;
        let mut read = Workspaces::from_json(doubled);
        assert_eq!(read.list().len(), 1);
        assert_eq!(read.add("c.db", 1).id, 4);
    }
}
