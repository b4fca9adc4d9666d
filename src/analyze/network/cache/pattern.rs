//! How objects are read again.
//!
//! The share of all bytes that is read between two reads of an object tells it. A loop in one order reads all others in
//! between; a loop in a new order each time, whose objects come at places *p* and *q* of two rounds, (1 − *p*) + *p q* of them:
//! 60% of the reads at least three quarters, 3% at most one. Where each read takes any object, all shares are equally likely.

/// How objects are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Next to nothing is read twice.
    Once,
    /// One object after the other, in the same order again and again.
    Loop,
    /// Rounds over all objects, each in another order.
    Shuffled,
    /// Soon after, before much else is read.
    Local,
    /// In no order.
    Random,
}

impl Pattern {
    /// All words, in JSON, CSV and filters.
    pub const WORDS: [&'static str; 5] = ["once", "loop", "shuffled", "local", "random"];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Loop => "loop",
            Self::Shuffled => "shuffled",
            Self::Local => "local",
            Self::Random => "random",
        }
    }

    /// The pattern of these reads; `None` where there are none.
    pub(super) fn of(reads: &Rereads) -> Option<Self> {
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let (far, near) = (share(reads.far, reads.again), share(reads.near, reads.again));
        (reads.all > 0).then(|| match () {
            () if share(reads.again, reads.all) < ONCE_BELOW => Self::Once,
            () if far >= LOOP_FROM => Self::Loop,
            () if near >= LOCAL_FROM => Self::Local,
            () if far >= SHUFFLED_FROM && near <= SHUFFLED_NEAR => Self::Shuffled,
            () => Self::Random,
        })
    }
}

/// Share of bytes read again below which all counts as read once.
const ONCE_BELOW: f64 = 0.05;

/// Share of reads after most others from which on they are a loop.
const LOOP_FROM: f64 = 0.9;

/// Share of reads after few others from which on they are local.
const LOCAL_FROM: f64 = 0.6;

/// Shares of reads after most others, and after few, of rounds in another order each.
const SHUFFLED_FROM: f64 = 0.45;
const SHUFFLED_NEAR: f64 = 0.12;

/// Bytes that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rereads {
    /// All.
    pub all: u64,
    /// Those that had been read before.
    pub again: u64,
    /// Of them, those after at least three quarters of all bytes.
    pub far: u64,
    /// Of them, those after at most a quarter.
    pub near: u64,
}
