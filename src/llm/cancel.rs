//! A flag that stops what waits for a model.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// Raised once, by the user; clones share one flag.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    raised: bool,
    waiting: Vec<Waker>,
}

impl Cancel {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises the flag and wakes whoever waits for it.
    pub fn cancel(&self) {
        let mut state = self.state();
        state.raised = true;
        state.waiting.drain(..).for_each(Waker::wake);
    }

    /// Whether the flag is raised.
    pub fn is_cancelled(&self) -> bool {
        self.state().raised
    }

    /// Ends when the flag is raised.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            let mut state = self.state();
            if state.raised {
                return Poll::Ready(());
            }
            if !state.waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                state.waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::blocking::block_on;

    #[test]
    fn a_waiting_future_is_woken_from_another_thread() {
        let cancel = Cancel::default();
        let other = cancel.clone();
        assert!(!cancel.is_cancelled());
        let thread = std::thread::spawn(move || other.cancel());
        block_on(cancel.cancelled());
        thread.join().unwrap();
        assert!(cancel.is_cancelled());
        block_on(cancel.cancelled());
    }
}
