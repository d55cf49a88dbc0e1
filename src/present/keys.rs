//! The keys of the page: what each does, keys that come one after another, and the round of F6.

/// What a single key sets in motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Go to Ask.
    Ask,
    /// Go to Knowledge.
    Knowledge,
    /// Go to Lab.
    Lab,
    /// Go to Settings.
    Settings,
    /// Put the cursor into the question.
    Question,
    /// Put the cursor into the filter of the list in view.
    Filter,
    /// Next item or row.
    Next,
    /// Previous item or row.
    Previous,
    /// Hide the open item, or retrieve it again.
    Drop,
    /// Edit the SQL.
    Edit,
    /// Switch between the rows and the comparison with gold.
    Compare,
    /// Switch between the rows and their chart.
    Chart,
    /// Show the prompt of the answer.
    Prompt,
    /// Test the model's server.
    Test,
    /// Show the list of keys.
    Keys,
}

/// Longest time between `g` and the letter after it, in milliseconds.
pub const AFTER_G_MS: f64 = 1500.0;

/// The list that `?` shows: keys, and what they do.
pub const LIST: [(&str, &str); 21] = [
    ("Ctrl K", "Find a page, table, item, question or action"),
    ("Ctrl ↵", "Ask, run"),
    ("Esc", "Clear the search; stop the answer; close the inspector"),
    ("q", "Write a question"),
    ("/", "Filter the list in view"),
    ("g then a, k, l, s", "Go to Ask, Knowledge, Lab, Settings"),
    ("F6, Shift F6", "Go round bar, left column, centre, inspector"),
    ("j, k", "Next and previous item; in the rows, next and previous row"),
    ("↑ ↓ Home End", "Move in a tree, a table, a list of choices"),
    ("← →", "Fold and unfold; move between tabs and choices"),
    ("↵", "Open in the inspector; open the full value; sort by a column, on its head"),
    ("d", "Hide the open item, or retrieve it again"),
    ("e", "Edit the SQL"),
    ("Alt ↵", "Take the first fix of what is wrong with the SQL"),
    ("c", "Compare with gold"),
    ("v", "Rows or chart"),
    (".", "Read the full prompt"),
    ("t", "Test the model, in Settings"),
    ("Ctrl Z", "Take back a removal or an edit"),
    ("Tab", "Next part of the page"),
    ("?", "This list"),
];

/// Keeps what a key means after the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Single {
    /// When `g` was pressed, where it was the last key.
    g_at: Option<f64>,
}

impl Single {
    /// What `key` does at `now` (milliseconds); `g` alone does nothing until a letter follows in time.
    pub fn press(&mut self, key: &str, now: f64) -> Option<Command> {
        let after_g = self.g_at.take().is_some_and(|at| now - at <= AFTER_G_MS);
        let place = match key {
            "a" => Some(Command::Ask),
            "k" => Some(Command::Knowledge),
            "l" => Some(Command::Lab),
            "s" => Some(Command::Settings),
            _ => None,
        };
        if after_g && place.is_some() {
            return place;
        }
        match key {
            "g" => {
                self.g_at = Some(now);
                None
            }
            "q" => Some(Command::Question),
            "/" => Some(Command::Filter),
            "j" => Some(Command::Next),
            "k" => Some(Command::Previous),
            "d" => Some(Command::Drop),
            "e" => Some(Command::Edit),
            "c" => Some(Command::Compare),
            "v" => Some(Command::Chart),
            "." => Some(Command::Prompt),
            "t" => Some(Command::Test),
            "?" => Some(Command::Keys),
            _ => None,
        }
    }
}

/// The choice that an arrow, Home or End goes to from the choice `now` of `count`, round at the ends; Up and Down count
/// only with `upright`. None for any other key and where there is no choice.
pub fn next_choice(key: &str, now: usize, count: usize, upright: bool) -> Option<usize> {
    let last = count.checked_sub(1)?;
    let now = now.min(last);
    match key {
        "ArrowRight" => Some((now + 1) % count),
        "ArrowLeft" => Some((now + last) % count),
        "ArrowDown" if upright => Some((now + 1) % count),
        "ArrowUp" if upright => Some((now + last) % count),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

/// The region that F6 goes to: the next of those in view after `at`, round at the ends; the first (or last, backwards)
/// when the focus is in none. None when none is in view.
pub fn next_region(in_view: &[bool], at: Option<usize>, back: bool) -> Option<usize> {
    let count = in_view.len();
    let from = at.unwrap_or(if back { 0 } else { count.saturating_sub(1) });
    (1..=count)
        .map(|step| if back { (from + count - step) % count } else { (from + step) % count })
        .find(|region| in_view.get(*region).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_after_g_goes_to_a_page_only_in_time() {
        let mut keys = Single::default();
        assert_eq!(keys.press("g", 0.0), None);
        assert_eq!(keys.press("k", AFTER_G_MS), Some(Command::Knowledge));
        assert_eq!(keys.press("k", AFTER_G_MS), Some(Command::Previous));
        keys.press("g", 10_000.0);
        assert_eq!(keys.press("k", 10_000.0 + AFTER_G_MS + 1.0), Some(Command::Previous));
        keys.press("g", 20_000.0);
        assert_eq!(keys.press("s", 20_001.0), Some(Command::Settings));
        assert_eq!(keys.press("s", 20_002.0), None);
    }

    #[test]
    fn a_key_that_is_no_place_means_the_same_after_g() {
        let mut keys = Single::default();
        keys.press("g", 0.0);
        assert_eq!(keys.press("?", 1.0), Some(Command::Keys));
        keys.press("g", 2.0);
        keys.press("g", 3.0);
        assert_eq!(keys.press("a", 4.0), Some(Command::Ask));
    }

    #[test]
    fn arrows_go_round_the_choices() {
        assert_eq!(next_choice("ArrowRight", 2, 3, false), Some(0));
        assert_eq!(next_choice("ArrowLeft", 0, 3, false), Some(2));
        assert_eq!(next_choice("ArrowDown", 0, 3, false), None);
        assert_eq!(next_choice("ArrowDown", 0, 3, true), Some(1));
        assert_eq!(next_choice("ArrowUp", 9, 3, true), Some(1));
        assert_eq!(next_choice("Home", 2, 3, true), Some(0));
        assert_eq!(next_choice("End", 0, 3, true), Some(2));
        assert_eq!(next_choice("x", 0, 3, true), None);
        assert_eq!(next_choice("Home", 0, 0, true), None);
    }

    #[test]
    fn f6_goes_round_what_is_in_view() {
        let wide = [true, true, true, false];
        assert_eq!(next_region(&wide, None, false), Some(0));
        assert_eq!(next_region(&wide, Some(0), false), Some(1));
        assert_eq!(next_region(&wide, Some(2), false), Some(0));
        assert_eq!(next_region(&wide, Some(0), true), Some(2));
        assert_eq!(next_region(&wide, None, true), Some(2));
        assert_eq!(next_region(&[true, false, true], Some(1), false), Some(2));
        assert_eq!(next_region(&[false, false], Some(0), false), None);
        assert_eq!(next_region(&[], None, false), None);
    }
}
