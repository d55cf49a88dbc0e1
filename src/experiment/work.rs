//! Many pieces of work, so many at a time, on one thread.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;

use futures_util::stream::{FuturesUnordered, StreamExt as _};

/// Whether more is begun after a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Yes.
    GoOn,
    /// No; what is on its way is waited for.
    Stop,
}

/// Begins `places` in their order, at most `at_a_time` at once, and hears of each as it ends. While `held` says so, and
/// after [`Next::Stop`], nothing more is begun; the work ends when what was begun has ended.
pub async fn work<T, F: Future<Output = T>>(
    places: impl IntoIterator<Item = usize>,
    at_a_time: usize,
    held: impl Fn() -> bool,
    begin: impl Fn(usize) -> F,
    mut ended: impl AsyncFnMut(usize, T) -> Next,
) {
    let mut waiting = places.into_iter();
    let mut running = FuturesUnordered::new();
    let mut open = true;
    loop {
        while open && running.len() < at_a_time.max(1) && !held() {
            let Some(place) = waiting.next() else { break };
            let begun = begin(place);
            running.push(async move { (place, begun.await) });
        }
        let Some((place, value)) = running.next().await else { return };
        open &= ended(place, value).await == Next::GoOn;
    }
}

/// Gives values in the order of their places, whatever order they come in.
#[derive(Debug)]
pub struct InOrder<T> {
    places: VecDeque<usize>,
    early: BTreeMap<usize, T>,
}

impl<T> InOrder<T> {
    /// Values of these places are to come.
    pub fn new(places: impl IntoIterator<Item = usize>) -> Self {
        Self { places: places.into_iter().collect(), early: BTreeMap::new() }
    }

    /// Takes the value of a place; gives those whose turn has come.
    pub fn put(&mut self, place: usize, value: T) -> Vec<T> {
        self.early.insert(place, value);
        let mut due = Vec::new();
        while let Some(value) = self.places.front().and_then(|place| self.early.remove(place)) {
            self.places.pop_front();
            due.push(value);
        }
        due
    }

    /// Values that came before their turn.
    pub fn early(&self) -> usize {
        self.early.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::future::poll_fn;
    use std::task::Poll;

    use proptest::prelude::*;

    use super::*;
    use crate::ports::blocking::block_on;

    /// Takes so many turns of the executor.
    async fn slow(mut turns: u8) {
        poll_fn(|context| {
            if turns == 0 {
                return Poll::Ready(());
            }
            turns -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// What happens in one go: pause after so many, fail at a place, or end the process after so many.
    #[derive(Debug, Clone, Copy)]
    enum Trouble {
        Pause(usize),
        Fail(usize),
        Crash(usize),
    }

    fn trouble() -> impl Strategy<Value = Trouble> {
        prop_oneof![
            (0_usize..12).prop_map(Trouble::Pause),
            (0_usize..12).prop_map(Trouble::Fail),
            (0_usize..12).prop_map(Trouble::Crash),
        ]
    }

    /// A run file and the answers that were paid for, over several goes.
    #[derive(Default)]
    struct Disk {
        lines: RefCell<Vec<usize>>,
        paid: RefCell<BTreeMap<usize, u32>>,
    }

    impl Disk {
        /// One go at what is missing; whatever is asked is paid for once and then known.
        fn go(&self, count: usize, at_a_time: usize, turns: &[u8], trouble: Option<Trouble>) {
            let missing: Vec<usize> =
                (0..count).filter(|place| !self.lines.borrow().contains(place)).collect();
            let running = Cell::new(0);
            let most = Cell::new(0);
            let ended = Cell::new(0);
            let order = RefCell::new(InOrder::new(missing.clone()));
            let begin = |place: usize| {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                let running = &running;
                async move {
                    slow(turns.get(place).copied().unwrap_or_default()).await;
                    running.set(running.get() - 1);
                    if matches!(trouble, Some(Trouble::Fail(at)) if at == place) {
                        return Err(());
                    }
                    self.paid.borrow_mut().entry(place).or_insert(1);
                    Ok(())
                }
            };
            let held = || matches!(trouble, Some(Trouble::Pause(after)) if ended.get() >= after);
            let whole = work(missing, at_a_time, held, begin, async |place, value: Result<(), ()>| {
                ended.set(ended.get() + 1);
                match value {
                    Ok(()) => self.lines.borrow_mut().extend(order.borrow_mut().put(place, place)),
                    Err(()) => return Next::Stop,
                }
                Next::GoOn
            });
            match trouble {
                // The process ends: what is polled no further is gone.
                Some(Trouble::Crash(polls)) => {
                    let mut whole = Box::pin(whole);
                    let mut left = polls;
                    block_on(poll_fn(|context| {
                        if left == 0 || whole.as_mut().poll(context).is_ready() {
                            return Poll::Ready(());
                        }
                        left -= 1;
                        Poll::Pending
                    }));
                }
                _ => block_on(whole),
            }
            assert!(most.get() <= at_a_time.max(1));
        }
    }

    proptest! {
        /// However often it is paused, fails or crashes, and however the answers overtake each other: each line is
        /// written once, in order, and nothing is paid for twice.
        #[test]
        fn nothing_is_lost_and_nothing_is_run_twice(
            count in 1_usize..12,
            at_a_time in 1_usize..5,
            turns in proptest::collection::vec(0_u8..6, 12),
            troubles in proptest::collection::vec(trouble(), 0..6),
        ) {
            let disk = Disk::default();
            for trouble in troubles {
                disk.go(count, at_a_time, &turns, Some(trouble));
                let lines = disk.lines.borrow().clone();
                prop_assert_eq!(&lines, &(0..lines.len()).collect::<Vec<_>>());
            }
            disk.go(count, at_a_time, &turns, None);
            prop_assert_eq!(disk.lines.borrow().clone(), (0..count).collect::<Vec<_>>());
            prop_assert!(disk.paid.borrow().values().all(|times| *times == 1));
            prop_assert_eq!(disk.paid.borrow().len(), count);
        }

        #[test]
        fn values_come_in_the_order_of_their_places(mut come in Just((0_usize..20).collect::<Vec<_>>()).prop_shuffle(),
            cut in 0_usize..20) {
            let mut order = InOrder::new(0..20);
            come.truncate(cut);
            let given: Vec<usize> = come.iter().flat_map(|place| order.put(*place, *place)).collect();
            prop_assert_eq!(&given, &(0..given.len()).collect::<Vec<_>>());
            prop_assert_eq!(given.len() + order.early(), cut);
        }
    }

    #[test]
    fn all_that_may_run_at_once_does() {
        let (running, most) = (Cell::new(0), Cell::new(0));
        let begin = |_| {
            running.set(running.get() + 1);
            most.set(most.get().max(running.get()));
            let running = &running;
            async move {
                slow(3).await;
                running.set(running.get() - 1);
            }
        };
        block_on(work(0..10, 4, || false, begin, async |_, ()| Next::GoOn));
        assert_eq!((most.get(), running.get()), (4, 0));
    }
}
