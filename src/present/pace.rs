//! How fast a piece of work goes, and how long the rest takes.

/// Updates after which a usual interval is known.
const USUAL: u32 = 3;
/// An interval so many times the usual one was a sleep of the computer or the page.
const SLEEP: f64 = 20.0;
/// A shorter interval is no sleep, in milliseconds.
const SHORTEST_SLEEP_MS: f64 = 5_000.0;

/// The rate of a piece of work, from when how much was done. Time that the computer slept is not time of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    last_ms: f64,
    worked_ms: f64,
    updates: u32,
    /// What was done before: known beforehand, and no work.
    first: Option<usize>,
    done: usize,
}

impl Pace {
    /// Work that begins now.
    pub fn new(now_ms: f64) -> Self {
        Self { last_ms: now_ms, worked_ms: 0.0, updates: 0, first: None, done: 0 }
    }

    /// Takes in how much is done now.
    pub fn update(&mut self, now_ms: f64, done: usize) {
        let passed = (now_ms - self.last_ms).max(0.0);
        let usual = self.worked_ms / f64::from(self.updates.max(1));
        let slept = self.updates >= USUAL && passed > (SLEEP * usual).max(SHORTEST_SLEEP_MS);
        self.worked_ms += if slept { usual } else { passed };
        self.last_ms = now_ms;
        self.updates = self.updates.saturating_add(1);
        self.first.get_or_insert(done);
        self.done = done;
    }

    /// Milliseconds of work.
    pub fn worked_ms(&self) -> f64 {
        self.worked_ms
    }

    /// How much a second; None before a second's work, from which it would jump about.
    pub fn rate(&self) -> Option<f64> {
        let made = self.done.saturating_sub(self.first.unwrap_or_default());
        (self.worked_ms > 1_000.0 && made > 0).then(|| made as f64 * 1_000.0 / self.worked_ms)
    }

    /// Seconds left until `total` is done.
    pub fn seconds_left(&self, total: usize) -> Option<f64> {
        self.rate().map(|rate| total.saturating_sub(self.done) as f64 / rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten a second for three seconds.
    fn begun() -> Pace {
        let mut pace = Pace::new(0.0);
        for n in 0..=30 {
            pace.update(f64::from(n) * 100.0, n as usize);
        }
        pace
    }

    #[test]
    fn the_rest_takes_as_long_as_what_was_done() {
        let pace = begun();
        assert_eq!((pace.rate(), pace.seconds_left(60)), (Some(10.0), Some(3.0)));
        assert_eq!(pace.seconds_left(10), Some(0.0));
        let mut short = Pace::new(0.0);
        short.update(900.0, 5);
        assert_eq!((short.rate(), short.seconds_left(10)), (None, None));
    }

    #[test]
    fn a_night_asleep_is_no_work() {
        let mut pace = begun();
        let night = 8.0 * 3_600_000.0;
        pace.update(3_000.0 + night, 31);
        assert!((pace.rate().unwrap_or_default() - 10.0).abs() < 0.1, "{pace:?}");
        assert!(pace.seconds_left(60).is_some_and(|left| left < 4.0), "{pace:?}");
        // Work that is slow as a rule is believed.
        let mut slow = Pace::new(0.0);
        for n in 0..6 {
            slow.update(f64::from(n) * 8_000.0, n as usize);
        }
        slow.update(100_000.0, 6);
        assert_eq!(slow.rate(), Some(6.0 / 100.0));
    }

    #[test]
    fn what_was_known_before_is_no_work() {
        let mut pace = Pace::new(0.0);
        pace.update(0.0, 1_000);
        pace.update(2_000.0, 1_010);
        assert_eq!((pace.rate(), pace.seconds_left(1_020)), (Some(5.0), Some(2.0)));
    }

    #[test]
    fn a_clock_that_goes_back_is_no_harm() {
        let mut pace = begun();
        pace.update(0.0, 30);
        assert_eq!(pace.worked_ms(), 3_000.0);
    }
}
