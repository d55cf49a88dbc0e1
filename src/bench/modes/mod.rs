//! The rules by which published benchmarks score a prediction, each by its own name and exactly as its source does it.
//!
//! A rule is pure: it rewrites SQL and compares results ([`rule::Rule`]), and knows no engine. [`judge`] runs what it
//! asks for through the port [`Execute`](crate::ports::Execute), which the native engine and the page's worker have.

mod bird;
mod livesql;
mod livesql_text;
mod python;
mod r_ves;
mod rule;
mod run;
mod soft_f1;
mod spider;
mod spider_text;
#[cfg(test)]
pub(super) mod tests_common;
mod wikisql;
mod wikisql_query;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use r_ves::{REPEATS, reward};
pub use rule::{Case, Judged, Outcome};
pub use run::{Bench, Forgetful, Golds, On, Times, judge};

pub(super) use wikisql_query::without_table;

use rule::Rule;

/// A scoring rule by name. An "execution accuracy" without a name says nothing: these differ in what they compare.
///
/// All of them run SQL through an engine that only reads: a prediction that would change the database fails here, where
/// the sources run it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// BIRD's mini_dev, `evaluation/evaluation_ex.py` (bird-bench/mini_dev): the sets of row tuples are equal in
    /// Python. Row order, duplicates and column names do not count, column order and types do (1 == 1.0, '1' != 1);
    /// an error, a timeout or text that is not UTF-8 on either side is wrong. Two empty results are equal. Both queries
    /// share 30 s. A missing prediction is run as a blank one, whose result is empty.
    #[default]
    BirdEx,
    /// BIRD's first script, `bird/llm/src/evaluation.py` (AlibabaResearch/DAMO-ConvAI): as [`Self::BirdEx`], but each
    /// query has 30 s of its own, and a timeout is the result `[('timeout',)]`, an error the result `[('error',)]`: a
    /// prediction that fails as gold fails is right.
    BirdOrig,
    /// Spider's test suite, `exec_eval.py` and `evaluation.py` (taoyds/test-suite-sql-eval): DISTINCT is removed from
    /// both queries, the rows are the same multiset after some permutation of the columns, in the same order where
    /// gold says `order by`, on every `.sqlite` file of the database's folder; 60 s a query. `evaluation.py` also writes
    /// 1 for every `value` in a prediction, which breaks names that contain the word.
    SpiderTs,
    /// WikiSQL, `evaluate.py` with `lib/dbengine.py` and `lib/query.py` (salesforce/WikiSQL): canonical queries
    /// (`{"sel", "agg", "conds"}`) are run on their table, and the lists of values are equal, in order. Says beside it
    /// whether the logical forms are equal.
    WikisqlEx,
    /// BIRD's mini_dev, `evaluation/evaluation_f1.py`: the harmonic mean of precision and recall over cells, row by
    /// row; order of columns does not count, order of rows does.
    SoftF1,
    /// BIRD's mini_dev, `evaluation/evaluation_ves.py`: where the sets of rows are equal, the square root of a reward
    /// for how fast the prediction is beside gold; more than 1 where it is at least twice as fast.
    RVes,
    /// LiveSQLBench, `live_sql_bench_sqlite/evaluation/test_utils.py` (bird-bench/mini_dev): comments, DISTINCT and
    /// ROUND are removed from both queries, floats rounded to two decimals, the first 10,000 rows compared as sets, or
    /// as lists where the task's conditions say so; an empty result on either side is wrong.
    Livesql,
}

/// What a mode leaves to whoever scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Options {
    /// `spider-ts`: DISTINCT stays (`--keep_distinct` of its source).
    pub keep_distinct: bool,
    /// `wikisql-ex`: the order of conditions counts in the logical form (`--ordered` of its source).
    pub ordered_conditions: bool,
    /// `r-ves`: how often both queries are timed.
    pub repeats: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { keep_distinct: false, ordered_conditions: false, repeats: REPEATS }
    }
}

impl Mode {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 7] = [
        Self::BirdEx,
        Self::BirdOrig,
        Self::SpiderTs,
        Self::WikisqlEx,
        Self::SoftF1,
        Self::RVes,
        Self::Livesql,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BirdEx => "bird-ex",
            Self::BirdOrig => "bird-orig",
            Self::SpiderTs => "spider-ts",
            Self::WikisqlEx => "wikisql-ex",
            Self::SoftF1 => "soft-f1",
            Self::RVes => "r-ves",
            Self::Livesql => "livesql",
        }
    }

    /// All names, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// Seconds that its source gives a query, or both together. WikiSQL's script has no limit.
    pub fn seconds(self) -> u32 {
        if self == Self::SpiderTs { 60 } else { 30 }
    }

    /// Whether a prediction counts as right or wrong only, so that its score is a share of right ones.
    pub fn is_accuracy(self) -> bool {
        !matches!(self, Self::SoftF1 | Self::RVes)
    }

    /// Whether the files of a database's folder are all asked.
    pub fn asks_every_file(self) -> bool {
        self == Self::SpiderTs
    }

    fn rule(self, options: Options) -> Box<dyn Rule> {
        match self {
            Self::BirdEx => Box::new(bird::Ex),
            Self::BirdOrig => Box::new(bird::Orig),
            Self::SpiderTs => Box::new(spider::TestSuite { keep_distinct: options.keep_distinct }),
            Self::WikisqlEx => Box::new(wikisql::Wikisql { ordered: options.ordered_conditions }),
            Self::SoftF1 => Box::new(soft_f1::SoftF1),
            Self::RVes => Box::new(r_ves::RVes { repeats: options.repeats }),
            Self::Livesql => Box::new(livesql::Livesql),
        }
    }
}

/// Compares two results as they are, without what the mode does to the SQL before it runs.
pub(super) fn compare(mode: Mode, gold: &Outcome, predicted: &Outcome) -> Judged {
    let rule = mode.rule(Options::default());
    let (gold, predicted) = (run::read(rule.text(), gold), run::read(rule.text(), predicted));
    rule.compare(&Case::default(), &gold, &predicted)
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| format!("The scoring mode {name} is not known; there are {}.", Self::names()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::tests_common::{any_rows, result};
    use super::*;

    proptest! {
        #[test]
        fn modes_of_sets_and_lists_are_symmetric_and_reflexive(a in any_rows(), b in any_rows(), by in 0..6_usize) {
            let score = |mode, a: &[_], b: &[_]| compare(mode, &Ok(result(a)), &Ok(result(b))).score;
            let mut turned = a.clone();
            turned.rotate_left(by.min(a.len()));
            for mode in [Mode::BirdEx, Mode::BirdOrig, Mode::SpiderTs, Mode::WikisqlEx, Mode::Livesql] {
                prop_assert_eq!(score(mode, &a, &b), score(mode, &b, &a), "{}", mode);
                let own = if mode == Mode::Livesql && a.is_empty() { 0.0 } else { 1.0 };
                prop_assert_eq!(score(mode, &a, &a), own, "{}", mode);
                if mode != Mode::WikisqlEx {
                    prop_assert_eq!(score(mode, &a, &turned), own, "{}", mode);
                }
            }
            // What is right as a list is right as a set; what is right for Spider has the same number of rows.
            prop_assert!(score(Mode::WikisqlEx, &a, &b) <= score(Mode::BirdEx, &a, &b));
            prop_assert!(score(Mode::SpiderTs, &a, &b) == 0.0 || a.len() == b.len());
        }
    }

    #[test]
    fn a_name_is_said_read_and_written_alike() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
        }
        assert!("exact".parse::<Mode>().unwrap_err().contains("there are bird-ex, bird-orig,"));
    }
}
