//! Waiting: tokio's clock, under which tests can put one of their own.
//!
//! The fault harness plays hours of an operator's life in a millisecond and needs each trial to be
//! the same for the same seed, which no clock that runs by itself allows.

#[cfg(not(test))]
pub(super) use tokio::time::{Instant, sleep, timeout_at};

#[cfg(test)]
pub(super) use played::{Instant, Stage, on_stage, sleep, timeout_at};

#[cfg(test)]
mod played {
    use std::cell::RefCell;
    use std::future::Future;
    use std::ops::Add;
    use std::pin::{Pin, pin};
    use std::rc::Rc;
    use std::sync::OnceLock;
    use std::time::Duration;

    use futures_util::future::{Either, select};

    /// A clock of the test's own.
    pub trait Stage {
        /// Time since its beginning.
        fn now(&self) -> Duration;
        /// Ready at that time.
        fn until(&self, at: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    }

    thread_local! {
        static STAGE: RefCell<Option<Rc<dyn Stage>>> = const { RefCell::new(None) };
    }

    /// Runs `play` with that clock on this thread.
    pub fn on_stage<R>(stage: Rc<dyn Stage>, play: impl FnOnce() -> R) -> R {
        let before = STAGE.replace(Some(stage));
        let out = play();
        STAGE.replace(before);
        out
    }

    fn stage() -> Option<Rc<dyn Stage>> {
        STAGE.with_borrow(Clone::clone)
    }

    /// The deadline came first.
    pub struct Elapsed;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Self {
            static BEGAN: OnceLock<std::time::Instant> = OnceLock::new();
            let real = || BEGAN.get_or_init(std::time::Instant::now).elapsed();
            Self(stage().map_or_else(real, |s| s.now()))
        }

        pub fn saturating_duration_since(self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }

    pub fn sleep(time: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        match stage() {
            Some(stage) => stage.until(stage.now() + time),
            None => Box::pin(tokio::time::sleep(time)),
        }
    }

    pub async fn timeout_at<T>(
        deadline: Instant,
        answer: impl Future<Output = T>,
    ) -> Result<T, Elapsed> {
        let over = sleep(deadline.saturating_duration_since(Instant::now()));
        match select(pin!(answer), over).await {
            Either::Left((answer, _)) => Ok(answer),
            Either::Right(_) => Err(Elapsed),
        }
    }
}
