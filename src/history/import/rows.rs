//! Rows of JSON and CSV files in one shape.

/// One row of a file.
pub(super) struct Row {
    /// Line of the file where it starts, 1-based.
    pub line: u32,
    /// Which row of the file it is, 1-based.
    pub number: u32,
    /// Its cells in the order of the columns asked for, or why it cannot be read.
    pub cells: Result<Vec<Option<String>>, String>,
    /// Its text, as far as known; shown when it cannot be read.
    pub text: String,
}

/// Makes names unique: the second "x" becomes "x (2)".
pub(super) fn unique(names: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    let mut taken: std::collections::HashSet<String> = names.iter().cloned().collect();
    let mut result = Vec::with_capacity(names.len());
    for name in names {
        let count = seen.entry(name.clone()).or_insert(0_usize);
        *count += 1;
        if *count == 1 {
            result.push(name);
            continue;
        }
        let mut renamed = format!("{name} ({count})");
        while !taken.insert(renamed.clone()) {
            *count += 1;
            renamed = format!("{name} ({count})");
        }
        result.push(renamed);
    }
    result
}
