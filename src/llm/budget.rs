//! What a job may cost: requests, tokens and money, counted for every request and never passed.
//!
//! Before a request is sent, what it can cost at most is set aside: the tokens of its prompt by [`tokens`](super::tokens),
//! times the largest factor by which that estimate was short of the server's count so far, and the longest answer it
//! allows. Where that would pass a limit the request is refused. When its answer is there, the server's own count takes
//! the place of what was set aside.

use std::cell::{Cell, RefCell};

use serde::{Deserialize, Serialize};

use super::{Cancel, Completion, Delta, LlmError, Request, tokens};
use crate::ports::Complete;

/// What a server charges, in dollars a million tokens; a server of one's own charges nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Price {
    /// Tokens of prompts.
    pub prompt: f64,
    /// Tokens of answers.
    pub answer: f64,
}

/// Limits of a job; None for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Requests.
    pub requests: Option<u64>,
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Dollars.
    pub cost: Option<f64>,
}

/// What was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Requests, those that failed included.
    pub requests: u64,
    /// Tokens of prompts.
    pub prompt: u64,
    /// Tokens of answers.
    pub answer: u64,
}

impl Spent {
    /// Tokens of prompts and answers.
    pub fn tokens(self) -> u64 {
        self.prompt.saturating_add(self.answer)
    }

    /// Dollars.
    pub fn cost(self, price: Price) -> f64 {
        (self.prompt as f64 * price.prompt + self.answer as f64 * price.answer) / 1_000_000.0
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            prompt: self.prompt.saturating_add(other.prompt),
            answer: self.answer.saturating_add(other.answer),
        }
    }

    /// What an answer cost, by its server's count, else by estimate; `prompt` is the estimate of what was asked.
    pub fn on(prompt: u32, answer: &Completion) -> Self {
        let usage = answer.usage.unwrap_or_default();
        let or = |counted: u32, about: u32| u64::from(if counted > 0 { counted } else { about });
        let said = tokens::estimate(&answer.text);
        Self { requests: 1, prompt: or(usage.prompt, prompt), answer: or(usage.completion, said) }
    }

    /// The limit that this passes, in words.
    pub fn passes(self, limits: Limits, price: Price) -> Option<String> {
        let Limits { requests, tokens, cost } = limits;
        if let Some(most) = requests.filter(|most| self.requests > *most) {
            return Some(if most == 1 { "1 request".to_owned() } else { format!("{most} requests") });
        }
        if let Some(most) = tokens.filter(|most| self.tokens() > *most) {
            return Some(format!("{most} tokens"));
        }
        // Sums of cents are not exact in binary.
        cost.filter(|most| self.cost(price) > *most + 1e-9).map(|most| format!("${most:.2}"))
    }
}

/// What a job has used, what is set aside for requests on their way, and what it may use.
#[derive(Debug, Default)]
pub struct Ledger {
    limits: Cell<Limits>,
    price: Cell<Price>,
    spent: Cell<Spent>,
    aside: RefCell<Vec<Spent>>,
    /// The largest ratio of a server's count of a prompt to the estimate of it.
    short: Cell<f64>,
}

impl Ledger {
    /// A job that has used `spent` so far.
    pub fn new(limits: Limits, price: Price, spent: Spent) -> Self {
        Self {
            limits: limits.into(),
            price: price.into(),
            spent: spent.into(),
            aside: RefCell::default(),
            short: 1.0.into(),
        }
    }

    /// What was used so far.
    pub fn spent(&self) -> Spent {
        self.spent.get()
    }

    /// Changes the limits of a job that runs.
    pub fn limit(&self, limits: Limits) {
        self.limits.set(limits);
    }

    /// Sets aside what a request can cost at most.
    ///
    /// # Errors
    /// The limit that would be passed.
    fn set_aside(&self, request: &Request) -> Result<Spent, LlmError> {
        let prompt = f64::from(request.prompt_tokens()) * self.short.get();
        let most = Spent { requests: 1, prompt: prompt.ceil() as u64, answer: request.max_tokens.into() };
        let promised = self.aside.borrow().iter().fold(self.spent.get(), |sum, one| sum.and(*one));
        match promised.and(most).passes(self.limits.get(), self.price.get()) {
            Some(limit) => Err(LlmError::Budget(limit)),
            None => {
                self.aside.borrow_mut().push(most);
                Ok(most)
            }
        }
    }

    /// Puts what was used in the place of what was set aside.
    fn settle(&self, aside: Spent, used: Spent) {
        let mut all = self.aside.borrow_mut();
        if let Some(at) = all.iter().position(|one| *one == aside) {
            all.swap_remove(at);
        }
        self.spent.set(self.spent.get().and(used));
    }
}

/// What is set aside for a request; dropped with a request that nobody waits for any more, it counts as used.
struct Aside<'a> {
    ledger: &'a Ledger,
    most: Spent,
    used: Option<Spent>,
}

impl Drop for Aside<'_> {
    fn drop(&mut self) {
        // Nobody knows how far the answer came; its prompt was read.
        let unknown = Spent { answer: 0, ..self.most };
        self.ledger.settle(self.most, self.used.unwrap_or(unknown));
    }
}

/// A model that is asked within a budget.
pub struct Budgeted<'a, M> {
    model: &'a M,
    ledger: &'a Ledger,
}

impl<'a, M: Complete> Budgeted<'a, M> {
    /// Puts a budget before a model.
    pub fn new(model: &'a M, ledger: &'a Ledger) -> Self {
        Self { model, ledger }
    }
}

impl<M: Complete> Complete for Budgeted<'_, M> {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        let most = self.ledger.set_aside(request)?;
        let mut aside = Aside { ledger: self.ledger, most, used: None };
        let answer = self.model.complete(request, on_delta, cancel).await;
        aside.used = match &answer {
            Ok(answer) => {
                let used = Spent::on(request.prompt_tokens(), answer);
                let short = used.prompt as f64 / f64::from(request.prompt_tokens().max(1));
                self.ledger.short.set(self.ledger.short.get().max(short));
                Some(used)
            }
            // The prompt was read, and perhaps more.
            Err(
                LlmError::CutStream(_) | LlmError::Silent(_) | LlmError::Endless(_) | LlmError::Cancelled,
            ) => None,
            Err(_) => Some(Spent { requests: 1, ..Spent::default() }),
        };
        drop(aside);
        answer
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::Message;
    use crate::llm::ask_tests::Scripted;
    use crate::ports::blocking::block_on;

    const PRICE: Price = Price { prompt: 1_000.0, answer: 10_000.0 };

    fn request(words: usize, max_tokens: u32) -> Request {
        Request { messages: vec![Message::user("word ".repeat(words))], max_tokens, ..Request::default() }
    }

    /// Asks until it is refused; how many were answered, and the refusal.
    fn asked(limits: Limits, request: &Request) -> (usize, LlmError, Spent) {
        let model = Scripted::new(&["SELECT 1"; 50]);
        let ledger = Ledger::new(limits, PRICE, Spent::default());
        let budgeted = Budgeted::new(&model, &ledger);
        for answered in 0.. {
            match block_on(budgeted.complete(request, &mut |_| {}, &Cancel::default())) {
                Ok(_) => {}
                Err(error) => return (answered, error, ledger.spent()),
            }
        }
        unreachable!()
    }

    #[test]
    fn each_limit_ends_the_job() {
        // 4 + 20 tokens of the prompt, 1 of the answer, at most 10.
        let request = request(20, 10);
        assert_eq!(request.prompt_tokens(), 24);
        let (answered, error, spent) = asked(Limits { requests: Some(3), ..Limits::default() }, &request);
        assert_eq!((answered, error), (3, LlmError::Budget("3 requests".into())));
        assert_eq!(spent, Spent { requests: 3, prompt: 72, answer: 3 });
        // The third request could take 34 beside the 50 that were used.
        let (answered, error, _) = asked(Limits { tokens: Some(83), ..Limits::default() }, &request);
        assert_eq!((answered, error), (2, LlmError::Budget("83 tokens".into())));
        let (answered, ..) = asked(Limits { tokens: Some(84), ..Limits::default() }, &request);
        assert_eq!(answered, 3);
        // 24 tokens of a prompt are 2.4 cents, the longest answer 10 cents.
        let (answered, error, spent) = asked(Limits { cost: Some(0.20), ..Limits::default() }, &request);
        assert_eq!((answered, error), (3, LlmError::Budget("$0.20".into())));
        assert!((spent.cost(PRICE) - 3.0 * 0.034).abs() < 1e-9);
    }

    #[test]
    fn a_failed_request_is_a_request_and_a_cut_one_cost_its_prompt() {
        for (error, prompt) in [
            (LlmError::RateLimited { retry_after_s: None, message: String::new() }, 0),
            (LlmError::CutStream(7), 24),
        ] {
            let model = Scripted::failing(error.clone());
            let ledger = Ledger::new(Limits::default(), PRICE, Spent::default());
            let budgeted = Budgeted::new(&model, &ledger);
            let answer = block_on(budgeted.complete(&request(20, 10), &mut |_| {}, &Cancel::default()));
            assert_eq!(answer, Err(error));
            assert_eq!(ledger.spent(), Spent { requests: 1, prompt, answer: 0 });
        }
    }

    proptest! {
        /// Whatever is asked, in whatever order it is answered, no limit is passed, and what is left is too little.
        #[test]
        fn no_limit_is_ever_passed(
            sizes in proptest::collection::vec((1_usize..60, 1_u32..40, any::<bool>()), 1..30),
            at_once in 1_usize..5,
            tokens in 1_u64..1_500,
            requests in 1_u64..30,
            cents in 1_u32..200,
        ) {
            let limits =
                Limits { requests: Some(requests), tokens: Some(tokens), cost: Some(f64::from(cents) / 100.0) };
            let ledger = Ledger::new(limits, PRICE, Spent::default());
            let mut open: Vec<(Spent, Spent)> = Vec::new();
            for (words, answer, first) in sizes {
                let request = request(words, answer);
                match ledger.set_aside(&request) {
                    Ok(most) => open.push((most, Spent { answer: most.answer / 2, ..most })),
                    Err(error) => prop_assert!(matches!(error, LlmError::Budget(_))),
                }
                if open.len() >= at_once {
                    let (most, used) = if first { open.remove(0) } else { open.swap_remove(open.len() - 1) };
                    ledger.settle(most, used);
                }
                prop_assert_eq!(ledger.spent().passes(limits, PRICE), None);
            }
            for (most, used) in open {
                ledger.settle(most, used);
            }
            prop_assert_eq!(ledger.spent().passes(limits, PRICE), None);
            prop_assert!(ledger.aside.borrow().is_empty());
        }
    }
}
