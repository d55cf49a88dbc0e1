//! How far an experiment is: what is done, where it came from, what it used, when a limit is reached.

use crate::experiment::estimate::reached_near;
use crate::experiment::kept::{Experiment, Standing};
use crate::llm::budget::Spent;
use crate::present::format::{count, counted, duration, large, money, share, time_left};
use crate::present::pace::Pace;

/// An experiment at work.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// Names it.
    pub id: String,
    /// Answers that are there, those of earlier sessions included.
    pub done: usize,
    /// Of those, answers made in this session without a request: every one was remembered.
    pub from_cache: usize,
    /// Tasks that failed in this session: cell, place, reason.
    pub failed: Vec<(usize, usize, String)>,
    /// The cell at work.
    pub cell: usize,
    /// What is made ready before answers can come; empty while they come.
    pub preparing: String,
    /// Milliseconds waited for the server, all requests together.
    pub waited_ms: f64,
    /// What the server said when it was waited for last.
    pub waited_for: String,
    /// What was used, earlier sessions included.
    pub spent: Spent,
    /// How fast it goes.
    pub pace: Pace,
    /// Whether nothing more is begun.
    pub pausing: bool,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            id: String::new(),
            done: 0,
            from_cache: 0,
            failed: Vec::new(),
            cell: 0,
            preparing: String::new(),
            waited_ms: 0.0,
            waited_for: String::new(),
            spent: Spent::default(),
            pace: Pace::new(0.0),
            pausing: false,
        }
    }
}

/// A part of the bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Class of its colour: "", "g" (from cache) or "b" (failed).
    pub class: &'static str,
    /// In words.
    pub said: String,
    /// Of the whole bar.
    pub percent: f64,
}

/// What was used of one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    /// Of what.
    pub name: &'static str,
    /// In words.
    pub said: String,
    /// Of the limit; None without a limit.
    pub percent: Option<f64>,
    /// Whether it is nearly all.
    pub near: bool,
}

/// The panel.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Answers that are there.
    pub done: String,
    /// Of how many.
    pub of: String,
    /// The time left, or how it ended.
    pub said: String,
    /// The bar's parts, from cache first, as in the look.
    pub parts: Vec<Part>,
    /// Concurrency, rate, waiting.
    pub pace: String,
    /// Budget bars; none where no model is asked.
    pub used: Vec<Used>,
    /// A limit that will be reached.
    pub warning: Option<String>,
    /// Why it is held, and what to do.
    pub held: Option<String>,
    /// Reasons of failures with how often each came, most first.
    pub reasons: Vec<(String, usize)>,
}

/// Tokens and such of an experiment.
fn used(kept: &Experiment, spent: Spent) -> Vec<Used> {
    let setup = &kept.setup;
    if !setup.asks() {
        return Vec::new();
    }
    let bar = |name, now: String, most: Option<String>, share: Option<f64>| Used {
        name,
        said: most.map_or(now.clone(), |most| format!("{now} of {most}")),
        percent: share.map(|share| (100.0 * share).clamp(0.0, 100.0)),
        near: share.is_some_and(|share| share >= 0.8),
    };
    let part = |now: f64, most: Option<f64>| most.map(|most| if most > 0.0 { now / most } else { 1.0 });
    let limits = setup.limits;
    let cost = spent.cost(setup.price);
    vec![
        bar(
            "Calls",
            count(spent.requests),
            limits.requests.map(count),
            part(spent.requests as f64, limits.requests.map(|n| n as f64)),
        ),
        bar(
            "Tokens",
            large(spent.tokens()),
            limits.tokens.map(large),
            part(spent.tokens() as f64, limits.tokens.map(|n| n as f64)),
        ),
        bar("Cost", money(cost), limits.cost.map(money), part(cost, limits.cost)),
    ]
}

/// The panel of an experiment.
pub fn view(kept: &Experiment, live: Option<&Live>) -> View {
    let live = live.filter(|live| live.id == kept.id);
    let total = kept.total();
    let done = live.map_or(kept.done, |live| live.done);
    let failed = live.map_or(&kept.failed, |live| &live.failed);
    let from_cache = live.map_or(0, |live| live.from_cache);
    let spent = live.map_or(kept.spent, |live| live.spent);
    let percent = |n: usize| 100.0 * n as f64 / total.max(1) as f64;
    let part = |class, n: usize, said: String| (n > 0).then(|| Part { class, said, percent: percent(n) });
    let answered = done.saturating_sub(from_cache);
    let parts = [
        part("g", from_cache, format!("{} from cache", count(from_cache as u64))),
        part("", answered, format!("{} answered", count(answered as u64))),
        part("b", failed.len(), format!("{} failed", count(failed.len() as u64))),
    ];
    let said = match live {
        Some(live) if live.pausing => "pauses when what is on its way is there".to_owned(),
        Some(live) if !live.preparing.is_empty() => live.preparing.clone(),
        Some(live) => {
            let left = total.saturating_sub(failed.len());
            live.pace.seconds_left(left).map(time_left).unwrap_or_default()
        }
        None if done >= total => "done".to_owned(),
        None => match &kept.standing {
            Standing::Cancelled => "cancelled".to_owned(),
            Standing::Opened => String::new(),
            _ => "paused".to_owned(),
        },
    };
    let pace = live.map(|live| {
        let mut words = vec![format!("{} at a time", kept.setup.at_a_time)];
        if let Some(rate) = live.pace.rate() {
            words.push(if rate < 10.0 {
                format!("{rate:.2} answers a second")
            } else {
                format!("{rate:.0} answers a second")
            });
        }
        if live.waited_ms >= 1_000.0 {
            words.push(format!("waited {} for {}", duration(live.waited_ms), live.waited_for));
        }
        words.join(" · ")
    });
    // What an answer costs is known by those that cost something.
    let near = live.filter(|_| kept.setup.asks()).and_then(|live| {
        let paid = live.done.saturating_sub(live.from_cache);
        let total = total.saturating_sub(live.from_cache);
        let (near, name) = reached_near(kept.setup.limits, kept.setup.price, live.spent, paid, total)?;
        let near = count((near + live.from_cache) as u64);
        Some(format!(
            "At this rate the {name} limit is reached near answer {near}. The run pauses there and nothing is lost."
        ))
    });
    let held = match (&kept.standing, live) {
        (_, Some(_)) | (Standing::Opened, _) => None,
        (_, None) if done >= total => None,
        (Standing::Paused(why), None) if !why.is_empty() => Some(format!("{why} Nothing is lost.")),
        (Standing::Running, None) => Some(format!(
            "The tab that ran this was closed at answer {}. Nothing is lost.",
            count(done as u64)
        )),
        (_, None) => Some(format!("{} to come.", counted(total - done, "answer is", "answers are"))),
    };
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for (_, _, why) in failed {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, n)) => *n += 1,
            None => reasons.push((why.clone(), 1)),
        }
    }
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    View {
        done: count(done as u64),
        of: format!("of {} answers", count(total as u64)),
        said,
        parts: parts.into_iter().flatten().collect(),
        pace: pace.unwrap_or_default(),
        used: used(kept, spent),
        warning: near,
        held,
        reasons,
    }
}

/// What the live region says now and then.
pub fn spoken(kept: &Experiment, live: Option<&Live>) -> String {
    let done = live.map_or(kept.done, |live| live.done);
    format!("{} answers", share(done as u64, kept.total() as u64))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::experiment::Setup;
    use crate::llm::budget::{Limits, Price};

    fn kept() -> Experiment {
        let setup = Setup {
            places: (0..100).collect(),
            task_count: 100,
            pipelines: vec!["direct".into()],
            limits: Limits { requests: Some(60), tokens: Some(4_000_000), cost: None },
            price: Price { prompt: 1.0, answer: 0.0 },
            ..Setup::default()
        };
        Experiment { id: "a".into(), setup, ..Experiment::default() }
    }

    #[test]
    fn a_limit_is_announced_before_it_is_met() {
        let mut pace = Pace::new(0.0);
        pace.update(0.0, 0);
        pace.update(10_000.0, 30);
        let live = Live {
            id: "a".into(),
            done: 30,
            from_cache: 10,
            failed: vec![(0, 3, "cut".into()), (0, 4, "cut".into()), (0, 9, "busy".into())],
            spent: Spent { requests: 40, prompt: 500_000, answer: 0 },
            waited_ms: 12_000.0,
            waited_for: "a 429".into(),
            pace,
            ..Live::default()
        };
        let view = view(&kept(), Some(&live));
        assert_eq!((view.done.as_str(), view.of.as_str()), ("30", "of 100 answers"));
        let parts: Vec<&str> = view.parts.iter().map(|part| part.said.as_str()).collect();
        assert_eq!(parts, ["10 from cache", "20 answered", "3 failed"]);
        assert_eq!(view.pace, "2 at a time · 3.00 answers a second · waited 12 s for a 429");
        let used: Vec<&str> = view.used.iter().map(|used| used.said.as_str()).collect();
        assert_eq!(used, ["40 of 60", "0.50 M of 4.00 M", "$0.50"]);
        // 20 answers took 40 requests: 10 more are left, and the 10 remembered ones cost nothing.
        assert!(view.warning.as_deref().unwrap().contains("request limit is reached near answer 40"));
        assert_eq!(view.reasons, [("cut".to_owned(), 2), ("busy".to_owned(), 1)]);
        assert!(view.said.starts_with("about"), "{}", view.said);
    }

    #[test]
    fn why_it_is_held_is_said() {
        let held = |standing, done| view(&Experiment { standing, done, ..kept() }, None).held;
        assert_eq!(held(Standing::Ended, 100), None);
        let why = held(Standing::Paused("The limit of 60 requests is reached.".into()), 30).unwrap();
        assert_eq!(why, "The limit of 60 requests is reached. Nothing is lost.");
        assert!(held(Standing::Running, 30).unwrap().contains("closed at answer 30"));
        assert_eq!(held(Standing::Paused(String::new()), 99).unwrap(), "1 answer is to come.");
    }
}
