//! A model that is asked again when its server is busy, for jobs of many requests.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use super::{Cancel, Completion, Delta, LlmError, Request};
use crate::ports::Complete;

/// Seconds before the second request; each further wait is twice as long.
const FIRST_S: u32 = 2;
/// Seconds of the longest wait, unless the server asks for more.
const LONGEST_S: u32 = 60;
/// Seconds of the longest wait that a server is granted.
const GRANTED_S: u32 = 600;

/// Asks its model up to `tries` times; between two requests it waits as long as the server says, else twice as long as
/// before.
pub struct Patient<'a, M, W> {
    model: &'a M,
    tries: u32,
    wait: &'a W,
}

impl<'a, M, W: AsyncFn(Duration)> Patient<'a, M, W> {
    /// Puts patience before a model; `wait` lets the time pass, and other work go on meanwhile.
    pub fn new(model: &'a M, tries: u32, wait: &'a W) -> Self {
        Self { model, tries, wait }
    }
}

/// Seconds to wait before the request of that number, from 1, is repeated; None where the same request would fail again.
fn patience(error: &LlmError, number: u32) -> Option<u32> {
    let own = FIRST_S.saturating_mul(1 << (number - 1).min(16)).min(LONGEST_S);
    match error {
        LlmError::RateLimited { retry_after_s, .. } | LlmError::Server { retry_after_s, .. } => {
            Some(retry_after_s.map_or(own, |asked| asked.clamp(1, GRANTED_S)))
        }
        LlmError::Unreachable { .. } => Some(own),
        error if error.is_temporary() => Some(own),
        _ => None,
    }
}

impl<M: Complete, W: AsyncFn(Duration)> Complete for Patient<'_, M, W> {
    fn endpoint(&self) -> &str {
        self.model.endpoint()
    }

    async fn complete(
        &self,
        request: &Request,
        on_delta: &mut dyn FnMut(&Delta),
        cancel: &Cancel,
    ) -> Result<Completion, LlmError> {
        let mut number = 1;
        loop {
            let answer = self.model.complete(request, on_delta, cancel).await;
            let seconds = answer.as_ref().err().and_then(|error| patience(error, number));
            match seconds {
                Some(seconds) if number < self.tries && !cancel.is_cancelled() => {
                    let waiting = pin!((self.wait)(Duration::from_secs(seconds.into())));
                    match select(waiting, pin!(cancel.cancelled())).await {
                        Either::Left(_) => number += 1,
                        Either::Right(_) => return Err(LlmError::Cancelled),
                    }
                }
                _ => return answer,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::llm::ask_tests::Scripted;
    use crate::ports::blocking::block_on;

    /// What becomes of a request that fails so often before it is answered, and the seconds waited.
    fn asked(failures: usize, error: &LlmError) -> (bool, Vec<u64>) {
        let mut answers = vec![Ok("SELECT 1".to_owned())];
        answers.extend(std::iter::repeat_n(Err(error.clone()), failures));
        let model = Scripted { answers: RefCell::new(answers), ..Scripted::default() };
        let waits = RefCell::new(Vec::new());
        let wait = async |time: Duration| waits.borrow_mut().push(time.as_secs());
        let patient = Patient::new(&model, 4, &wait);
        let answer = block_on(patient.complete(&Request::default(), &mut |_| {}, &Cancel::default()));
        (answer.is_ok(), waits.into_inner())
    }

    fn limited(retry_after_s: Option<u32>) -> LlmError {
        LlmError::RateLimited { retry_after_s, message: String::new() }
    }

    #[test]
    fn a_busy_server_is_asked_again_later_and_later() {
        assert_eq!(asked(0, &limited(None)), (true, vec![]));
        assert_eq!(asked(3, &limited(None)), (true, vec![2, 4, 8]));
        assert_eq!(asked(9, &LlmError::CutStream(3)), (false, vec![2, 4, 8]));
    }

    #[test]
    fn a_server_that_says_when_is_believed_within_reason() {
        assert_eq!(asked(2, &limited(Some(7))), (true, vec![7, 7]));
        assert_eq!(asked(1, &limited(Some(86_400))), (true, vec![600]));
    }

    #[test]
    fn whoever_stops_does_not_wait() {
        let model = Scripted::failing(limited(None));
        let cancel = Cancel::default();
        let other = cancel.clone();
        let wait = async |_: Duration| {
            other.cancel();
            std::future::pending::<()>().await;
        };
        let patient = Patient::new(&model, 4, &wait);
        let answer = block_on(patient.complete(&Request::default(), &mut |_| {}, &cancel));
        assert_eq!(answer, Err(LlmError::Cancelled));
    }

    #[test]
    fn what_would_fail_again_is_not_repeated() {
        assert_eq!(asked(1, &LlmError::Unauthorised(String::new())), (false, vec![]));
        assert_eq!(asked(1, &LlmError::Cancelled), (false, vec![]));
    }
}
