//! Vote: candidates with the same rows pool their numbers.

use super::refinement::Refined;
use crate::db::ResultSet;
use crate::llm::extract::NoSql;
use crate::pipeline::direct::{Answer, Trouble};
use crate::pipeline::staged::same::{groups, same_rows};
use crate::pipeline::staged::{Candidate, Talk};
use crate::ports::Complete;

/// Chooses among the candidates that ran: the rows that most of them have; of those with as many, the query that took the
/// least time. An empty result weighs nothing.
///
/// # Errors
/// When none ran.
pub(super) fn vote<M: Complete>(talk: &Talk<'_, M>, refined: Vec<Refined>) -> Result<Answer, Trouble> {
    talk.stage("vote");
    let mut ran: Vec<(String, u32, ResultSet)> = Vec::new();
    let mut failed = None;
    for Refined { sql, votes, result } in refined {
        match result {
            Ok(result) => ran.push((sql, votes, result)),
            Err(error) => failed = Some(error),
        }
    }
    let pools = groups(ran.iter().map(|(.., result)| result), same_rows);
    let weight = |pool: &[usize]| -> u32 {
        let members = pool.iter().filter_map(|place| ran.get(*place));
        members.filter(|(.., result)| !result.rows.is_empty()).map(|(_, votes, _)| votes).sum()
    };
    let most = pools.iter().map(|pool| weight(pool)).max().unwrap_or(0);
    let chosen = pools
        .iter()
        .filter(|pool| weight(pool) == most)
        .flatten()
        .copied()
        .min_by(|a, b| elapsed(&ran, *a).total_cmp(&elapsed(&ran, *b)));
    talk.note(format!(
        "{} candidates gave {} different results; the chosen one has {most} votes.",
        ran.len(),
        pools.len()
    ));
    for pool in &pools {
        if let Some((sql, _, result)) = pool.first().and_then(|place| ran.get(*place)) {
            let from = format!("{} candidates", pool.len());
            let result = Some(Ok(result.clone()));
            talk.candidate(Candidate { sql: sql.clone(), from, result, votes: weight(pool) });
        }
    }
    match chosen.and_then(|place| (place < ran.len()).then(|| ran.swap_remove(place))) {
        Some((sql, votes, result)) => {
            let from = "chosen".to_owned();
            let candidate = Candidate { sql: sql.clone(), from, result: Some(Ok(result.clone())), votes };
            talk.candidate(candidate);
            Ok(Answer { sql, result })
        }
        None => Err(failed.map_or(Trouble::NoSql(NoSql::Prose), Trouble::Database)),
    }
}

fn elapsed(ran: &[(String, u32, ResultSet)], place: usize) -> f64 {
    ran.get(place).map_or(f64::INFINITY, |(.., result)| result.elapsed_ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{DbError, Value};
    use crate::llm::Cancel;
    use crate::llm::ask_tests::Scripted;
    use crate::pipeline::staged::Settings;

    fn chosen(candidates: &[(u32, &[i64], f64)]) -> Option<usize> {
        let refined = candidates.iter().enumerate().map(|(place, (votes, rows, elapsed_ms))| Refined {
            sql: format!("q{place}"),
            votes: *votes,
            result: Ok(ResultSet {
                rows: rows.iter().map(|number| vec![Value::Integer(*number)]).collect(),
                elapsed_ms: *elapsed_ms,
                ..ResultSet::default()
            }),
        });
        let failing = Refined {
            sql: "failing".into(),
            votes: 100,
            result: Err(DbError::Sql { message: "no such column: x".into(), offset: None }),
        };
        let (model, settings, cancel) = (Scripted::default(), Settings::default(), Cancel::default());
        let talk = Talk::new(&model, &settings, &cancel, &|_| {});
        let answer = vote(&talk, refined.chain([failing]).collect());
        answer.ok().map(|answer| answer.sql[1..].parse().unwrap())
    }

    #[test]
    fn equal_results_pool_their_votes() {
        // 3 + 2 against 4, though no candidate has more than 4; the order of rows does not count.
        assert_eq!(chosen(&[(3, &[1, 2], 9.0), (4, &[3], 1.0), (2, &[2, 1], 8.0)]), Some(2));
        // Empty results weigh nothing, however many they are.
        assert_eq!(chosen(&[(9, &[], 1.0), (1, &[5], 7.0)]), Some(1));
        // As many votes: the quickest of all pools.
        assert_eq!(chosen(&[(2, &[1], 3.0), (2, &[2], 2.0)]), Some(1));
        // Only empty results: one of them is the answer.
        assert_eq!(chosen(&[(1, &[], 3.0), (5, &[], 4.0)]), Some(0));
        assert_eq!(chosen(&[]), None);
    }
}
