//! A small seeded generator, so that the demo database is the same on every machine.

/// SplitMix64 (Steele, Lea and Flood 2014): one 64-bit state, add a constant, mix. Every draw below uses only
/// integer arithmetic or exactly rounded `+ - * /`, which makes the rows independent of the platform.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Starts the sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in 0..1, with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Uniform in `low..=high`; `low` when the range is empty.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        low + (self.unit() * (high - low + 1) as f64) as i64
    }

    /// Bell-shaped around 0, within -2..2: four uniform draws, no logarithm.
    pub fn bell(&mut self) -> f64 {
        self.unit() + self.unit() + self.unit() + self.unit() - 2.0
    }

    /// One of `items`, None when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let last = i64::try_from(items.len()).ok()?.checked_sub(1)?;
        items.get(usize::try_from(self.between(0, last)).ok()?)
    }

    /// One of `items`, each as likely as its weight; None when all weights are zero.
    pub fn weighted<'a, T>(&mut self, items: &'a [(T, u32)]) -> Option<&'a T> {
        let total: u32 = items.iter().map(|(_, w)| w).sum();
        let mut at = (self.unit() * f64::from(total)) as u32;
        for (item, weight) in items {
            if at < *weight {
                return Some(item);
            }
            at -= weight;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn known_first_values_of_seed_zero() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(rng.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn draws_stay_in_their_range_and_reach_both_ends() {
        let mut rng = Rng::new(7);
        let draws: Vec<i64> = (0..500).map(|_| rng.between(3, 6)).collect();
        assert!(draws.iter().all(|d| (3..=6).contains(d)));
        assert!(draws.contains(&3) && draws.contains(&6));
        assert_eq!(rng.between(4, 4), 4);
        assert_eq!(rng.pick::<u8>(&[]), None);
        assert_eq!(rng.weighted(&[('a', 0), ('b', 5)]), Some(&'b'));
    }
}
