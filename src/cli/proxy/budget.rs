//! What clients may use, counted without a clock of its own.

use std::collections::HashMap;
use std::net::IpAddr;

/// Clients that are told apart at most; memory must not grow with made-up addresses.
const MOST_CLIENTS: usize = 50_000;

/// What may be used in one period.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Requests of one client in a minute.
    pub rate: u32,
    /// Requests of one client.
    pub client_requests: u64,
    /// Tokens of one client.
    pub client_tokens: u64,
    /// Requests of all clients.
    pub total_requests: u64,
    /// Tokens of all clients.
    pub total_tokens: u64,
    /// Length of the period in seconds.
    pub period_s: f64,
}

/// Why a request is not let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Too many requests in a minute.
    Rate,
    /// The client's share is used up.
    Client,
    /// Everything is used up.
    Total,
}

/// A refusal with the time after which it may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// What is used up.
    pub limit: Limit,
    /// Seconds to wait.
    pub retry_after_s: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    requests: u64,
    tokens: u64,
}

#[derive(Debug, Clone, Copy)]
struct Client {
    spent: Spent,
    /// Requests that may be made at once; refilled with time.
    bucket: f64,
    filled_s: f64,
}

/// What was used since the period began.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    begun_s: f64,
    total: Spent,
    clients: HashMap<IpAddr, Client>,
}

impl Budget {
    /// Nothing is used yet.
    pub fn new(limits: Limits, now_s: f64) -> Self {
        Self { limits, begun_s: now_s, total: Spent::default(), clients: HashMap::new() }
    }

    /// Lets a request through that may use `tokens`, and counts them, or refuses it.
    ///
    /// # Errors
    /// What is used up and for how long.
    pub fn admit(&mut self, client: IpAddr, tokens: u64, now_s: f64) -> Result<(), Refusal> {
        let limits = self.limits;
        if now_s - self.begun_s >= limits.period_s {
            *self = Self::new(limits, now_s);
        }
        let period_left = seconds(limits.period_s - (now_s - self.begun_s));
        let refuse = |limit| Err(Refusal { limit, retry_after_s: period_left });
        let rate = f64::from(limits.rate.max(1));
        if !self.clients.contains_key(&client) && self.clients.len() >= MOST_CLIENTS {
            return refuse(Limit::Total);
        }
        let new = Client { spent: Spent::default(), bucket: rate, filled_s: now_s };
        let own = self.clients.entry(client).or_insert(new);
        own.bucket = rate.min(own.bucket + (now_s - own.filled_s).max(0.0) * rate / 60.0);
        own.filled_s = now_s;
        if own.bucket < 1.0 {
            let retry_after_s = seconds((1.0 - own.bucket) * 60.0 / rate);
            return Err(Refusal { limit: Limit::Rate, retry_after_s });
        }
        let over = |spent: &Spent, requests, most| {
            spent.requests >= requests || spent.tokens.saturating_add(tokens) > most
        };
        if over(&self.total, limits.total_requests, limits.total_tokens) {
            return refuse(Limit::Total);
        }
        if over(&own.spent, limits.client_requests, limits.client_tokens) {
            return refuse(Limit::Client);
        }
        own.bucket -= 1.0;
        for spent in [&mut own.spent, &mut self.total] {
            spent.requests += 1;
            spent.tokens = spent.tokens.saturating_add(tokens);
        }
        Ok(())
    }

    /// Corrects what was counted when a request was let through to what it used.
    pub fn settle(&mut self, client: IpAddr, counted: u64, used: u64) {
        let own = self.clients.get_mut(&client).map(|client| &mut client.spent);
        for spent in own.into_iter().chain([&mut self.total]) {
            spent.tokens = spent.tokens.saturating_sub(counted).saturating_add(used);
        }
    }
}

/// Whole seconds to wait, at least one.
fn seconds(wait: f64) -> u64 {
    wait.ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        rate: 2,
        client_requests: 3,
        client_tokens: 100,
        total_requests: 5,
        total_tokens: 150,
        period_s: 3_600.0,
    };

    fn client(n: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, n])
    }

    #[test]
    fn each_limit_refuses_and_says_for_how_long() {
        let mut budget = Budget::new(LIMITS, 0.0);
        assert_eq!(budget.admit(client(1), 10, 0.0), Ok(()));
        assert_eq!(budget.admit(client(1), 10, 0.0), Ok(()));
        let rate = Refusal { limit: Limit::Rate, retry_after_s: 30 };
        assert_eq!(budget.admit(client(1), 10, 0.0), Err(rate));
        // A refused request costs nothing: half a minute later there is room again.
        assert_eq!(budget.admit(client(1), 10, 30.0), Ok(()));
        let requests = Refusal { limit: Limit::Client, retry_after_s: 3_540 };
        assert_eq!(budget.admit(client(1), 10, 60.0), Err(requests));
        let tokens = Refusal { limit: Limit::Client, retry_after_s: 3_540 };
        assert_eq!(budget.admit(client(2), 101, 60.0), Err(tokens));
        assert_eq!(budget.admit(client(2), 100, 60.0), Ok(()));
        let total = Refusal { limit: Limit::Total, retry_after_s: 3_540 };
        assert_eq!(budget.admit(client(3), 100, 60.0), Err(total));
        // The next period begins anew.
        assert_eq!(budget.admit(client(3), 100, 3_600.0), Ok(()));
        assert_eq!(budget.admit(client(1), 50, 3_600.0), Ok(()));
    }

    #[test]
    fn what_was_not_used_is_given_back() {
        let mut budget = Budget::new(LIMITS, 0.0);
        budget.admit(client(1), 100, 0.0).unwrap();
        assert!(budget.admit(client(1), 10, 0.0).is_err());
        budget.settle(client(1), 100, 20);
        assert_eq!(budget.admit(client(1), 80, 0.0), Ok(()));
        // Settling after the period's end takes nothing from the next one.
        budget.admit(client(2), 1, 3_600.0).unwrap();
        budget.settle(client(1), 80, 0);
        assert_eq!(budget.total.tokens, 0);
    }
}
