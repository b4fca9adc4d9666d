//! The bills that are kept, asked beside the screen: one question at a time, and of several that wait the newest alone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::Running;
use crate::analyze::bill::{BillKey, BillSettings, Measured, countable, measured};
use crate::app::Msg;
use crate::cache;
use crate::cli::bill::settings;
use crate::cli::invocation::Invocation;
use crate::cli::session;
use crate::domain::bill::{Bill, BillHead, Month};
use crate::fleet::Fleet;
use crate::source::demo;
use crate::tabs::bill::picture::{BillBooks, BillPicture, BillQuestion, BillSummary};

/// Months that are read at once: that of the question, and what its forecast learns from.
const MONTHS: i32 = 4;

/// Bills in memory, shared with the tasks that ask them.
#[derive(Clone, Default)]
pub(super) struct Bills {
    /// Number of the newest question.
    newest: Arc<AtomicU64>,
    /// Newest fleet, whose verdicts tell what was wasted; `None` before the first.
    fleet: Arc<Mutex<Option<Arc<Fleet>>>>,
    held: Arc<Mutex<Held>>,
}

impl Bills {
    /// Takes note of the newest fleet.
    pub(super) fn measure_by(&self, fleet: &Arc<Fleet>) {
        *self.fleet.lock().unwrap_or_else(PoisonError::into_inner) = Some(fleet.clone());
    }
}

/// Bills as they were read last.
#[derive(Default)]
struct Held {
    /// Those of the last question's months; all of them in the demo.
    bills: Vec<Arc<Bill>>,
    /// What was made of a month and of a fleet, for the next question about it; `None` before the first.
    summary: Option<(Option<u64>, Arc<BillSummary>)>,
}

/// What a question is answered with besides bills.
struct Asked {
    invocation: Invocation,
    question: BillQuestion,
    fleet: Option<Arc<Fleet>>,
    now: Timestamp,
}

impl Held {
    fn answer(&mut self, asked: &Asked) -> Result<BillPicture, String> {
        let Asked { invocation, question, fleet, now } = asked;
        let config = &invocation.config;
        let settings = settings(config);
        let (heads, unreadable) = self.heads(invocation, question, &settings)?;
        let period = question.period_of(&heads);
        if let Some(period) = period {
            self.read(invocation, &heads, period)?;
        }
        let hours = session::policy(config, &config.preset).map_or(168, |p| p.window_hours());
        let measured = match (fleet, heads.iter().map(|head| head.period).max()) {
            (Some(fleet), Some(newest)) => measured(fleet, newest, *now, f64::from(hours)),
            _ => Measured::default(),
        };
        let version = fleet.as_ref().map(|fleet| fleet.version);
        let known = self.summary.as_ref().filter(|(of, _)| *of == version).map(|(_, made)| made);
        let books = BillBooks {
            heads: &heads,
            bills: &self.bills,
            settings: &settings,
            measured: &measured,
        };
        let mut picture = books.answer(question, known)?;
        picture.unreadable = unreadable;
        self.summary = picture.summary.clone().map(|made| (version, made));
        Ok(picture)
    }

    /// Heads of all bills, and why others cannot be read, one sentence each. Fails where none can be.
    fn heads(
        &mut self,
        invocation: &Invocation,
        question: &BillQuestion,
        settings: &BillSettings,
    ) -> Result<(Vec<BillHead>, Vec<String>), String> {
        if let Some(options) = demo_options(invocation) {
            if self.bills.is_empty() {
                self.bills = demo::bill::bills(&options).into_iter().map(Arc::new).collect();
            }
            return Ok((self.bills.iter().map(|bill| bill.head.clone()).collect(), Vec::new()));
        }
        let kept = store(invocation)?.heads().map_err(|error| error.to_string())?;
        let keys: Vec<&BillKey> =
            question.keys.iter().chain(question.only.iter().map(|only| &only.key)).collect();
        let found = countable(&kept.heads, &keys, settings, None);
        let heads = found.map_err(|error| error.to_string())?.heads;
        let unreadable: Vec<String> = kept.unreadable.iter().map(ToString::to_string).collect();
        match unreadable.first() {
            Some(why) if heads.is_empty() => Err(why.clone()),
            _ => Ok((heads, unreadable)),
        }
    }

    /// Holds the bills of a month and of those before it, and no others. What is held already is not read again.
    fn read(
        &mut self,
        invocation: &Invocation,
        heads: &[BillHead],
        period: Month,
    ) -> Result<(), String> {
        if invocation.options.demo.is_some() {
            return Ok(());
        }
        let store = store(invocation)?;
        let mut held = Vec::new();
        let mut is_other = false;
        for head in heads.iter().filter(|head| (0..MONTHS).contains(&period.since(head.period))) {
            let known = self.bills.iter().find(|bill| bill.head == *head).cloned();
            is_other |= known.is_none();
            held.push(match known {
                Some(bill) => bill,
                None => {
                    let bill = store.bill(&head.export, head.period);
                    Arc::new(bill.map_err(|error| error.to_string())?)
                }
            });
        }
        if is_other {
            self.summary = None;
        }
        self.bills = held;
        Ok(())
    }
}

fn demo_options(invocation: &Invocation) -> Option<demo::DemoOptions> {
    invocation.reach.demo_fleet(&invocation.config, &invocation.options)
}

fn store(invocation: &Invocation) -> Result<cache::Bills, String> {
    let cache = invocation.cache_file().map_err(|error| error.to_string())?;
    Ok(cache::Bills::beside(&cache))
}

impl Running {
    /// Asks the bills on a thread of its own.
    pub(super) fn ask_bills(&self, question: BillQuestion) {
        let number = self.bills.newest.fetch_add(1, Ordering::Relaxed) + 1;
        let (bills, messages) = (self.bills.clone(), self.messages.clone());
        let (invocation, now) = (self.invocation.clone(), self.now());
        tokio::task::spawn_blocking(move || {
            let mut held = bills.held.lock().unwrap_or_else(PoisonError::into_inner);
            if bills.newest.load(Ordering::Relaxed) != number {
                return;
            }
            let fleet = bills.fleet.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let asked = Asked { invocation, question, fleet, now };
            let answer = held.answer(&asked).map(Arc::new);
            drop(held);
            // The screen may be gone already; there is nobody left to tell.
            let _ = messages.blocking_send(Msg::Bills(asked.question, answer));
        });
    }
}
