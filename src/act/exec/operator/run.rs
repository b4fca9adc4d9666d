//! One execution: its rows, what is known of each, and what the audit log gets.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::{Arc, Mutex, PoisonError};

use super::Operator;
use crate::act::exec::audit::Body;
use crate::act::plan::{CheckedRow, Outcome, OutcomeKind, Plan, PlanItem, Progress, Ticket};
use crate::domain::{InstanceState, text};

/// State of a row while its plan runs.
#[derive(Debug)]
pub(super) struct Row {
    /// Row of the plan.
    pub item: Arc<PlanItem>,
    /// The row as it was confirmed, then as the look right before the last call found it.
    pub checked: CheckedRow,
    /// Number of the last line of the audit log before the row was last looked at.
    pub looked: u64,
    /// `seq` of every intent that names it.
    pub intents: Vec<u64>,
    /// A call for it was accepted.
    pub accepted: bool,
    /// A call for it may have been carried out, though no answer said so.
    pub doubtful: bool,
    /// True once the instance was seen on its way to the goal.
    pub moving: bool,
    /// Why no (further) call is made for it; `None` while nothing forbids one.
    pub refused: Option<String>,
    /// Error of the last call that failed; `None` where none did.
    pub error: Option<String>,
    /// AWS request ids.
    pub request_ids: Vec<String>,
    /// State that was seen last; `None` before the first look.
    pub state: Option<InstanceState>,
    /// Outcome; `None` until the row is finished.
    pub outcome: Option<Outcome>,
}

/// One execution of a plan.
pub(super) struct Run<'a> {
    pub op: &'a Operator,
    pub ticket: Ticket<'a>,
    /// Id of the run in the audit log: 12 hexadecimal digits.
    pub id: String,
    /// `user@host` of this process.
    pub from: String,
    say: &'a (dyn Fn(Progress) + Send + Sync),
    rows: Mutex<Vec<Row>>,
    warnings: Mutex<Vec<String>>,
}

/// A finished row: its place in the plan, the kind of its outcome and the text.
pub(super) type FinishedRow = (usize, OutcomeKind, String);

impl<'a> Run<'a> {
    pub fn new(
        op: &'a Operator,
        ticket: Ticket<'a>,
        id: String,
        say: &'a (dyn Fn(Progress) + Send + Sync),
    ) -> Self {
        let row = |checked: &CheckedRow| Row {
            item: checked.item.clone(),
            checked: checked.clone(),
            looked: 0,
            intents: Vec::new(),
            accepted: false,
            doubtful: false,
            moving: false,
            refused: None,
            error: None,
            request_ids: Vec::new(),
            state: None,
            outcome: None,
        };
        let rows = Mutex::new(ticket.rows().iter().map(row).collect());
        Self { op, ticket, id, from: user_at_host(), say, rows, warnings: Mutex::default() }
    }

    pub fn plan(&self) -> &Arc<Plan> {
        self.ticket.plan()
    }

    pub fn say(&self, progress: Progress) {
        (self.say)(progress);
    }

    pub fn warn(&self, warning: String) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).push(warning);
    }

    /// Calls `act` with all rows, under their lock.
    pub fn rows<R>(&self, act: impl FnOnce(&mut [Row]) -> R) -> R {
        act(&mut self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Instance ids of `rows`, in that order.
    pub fn ids(&self, rows: &[usize]) -> Vec<Arc<str>> {
        self.rows(|all| rows.iter().map(|n| all[*n].item.id.clone()).collect())
    }

    /// The rows among `rows` that have no outcome yet.
    pub fn open(&self, rows: impl IntoIterator<Item = usize>) -> Vec<usize> {
        self.rows(|all| rows.into_iter().filter(|n| all[*n].outcome.is_none()).collect())
    }

    /// Stores the state of a row, and reports it where it differs from the last one.
    pub fn saw(&self, row: usize, state: InstanceState) {
        let told = self.rows(|all| {
            let row = &mut all[row];
            let is_new = row.state.replace(state) != Some(state);
            is_new.then(|| row.item.id.clone())
        });
        if let Some(id) = told {
            self.say(Progress::State(id, state));
        }
    }

    /// Ends rows: one line of the audit log for each intent that names some of them, one for those
    /// that no intent names. A log that does not take them stops nothing, for what is done is
    /// done; the intent without outcome is reconciled at a later start.
    pub fn finish_rows(&self, finished: Vec<FinishedRow>) {
        if finished.is_empty() {
            return;
        }
        let at = self.op.now();
        let mut by_intent: BTreeMap<Option<u64>, Vec<Outcome>> = BTreeMap::new();
        let mut outcomes = Vec::new();
        self.rows(|all| {
            for (n, kind, why) in finished {
                let row = &mut all[n];
                let outcome = Outcome {
                    id: row.item.id.clone(),
                    scope: row.item.scope.clone(),
                    kind,
                    text: text::clean(&why).into_owned(),
                    state: row.state,
                    request_ids: row.request_ids.clone(),
                    at,
                };
                if row.intents.is_empty() {
                    by_intent.entry(None).or_default().push(outcome.clone());
                }
                for intent in &row.intents {
                    by_intent.entry(Some(*intent)).or_default().push(outcome.clone());
                }
                row.outcome = Some(outcome.clone());
                outcomes.push(outcome);
            }
        });
        for (intent, outcomes) in by_intent {
            let run = self.id.clone();
            let body = match intent {
                Some(intent) => Body::Outcome { run, intent, outcomes, reconciled: false },
                None => Body::Refused { run, plan: self.plan().id(), outcomes },
            };
            if let Err(error) = self.op.journal.append(at, body) {
                self.warn(format!("an outcome is not in the audit log: {error}"));
            }
        }
        for outcome in outcomes {
            self.say(Progress::Finished(outcome));
        }
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A new run's id. The standard library seeds its hashers from the system's randomness.
pub(in crate::act::exec) fn new_id() -> String {
    let mut rng = fastrand::Rng::with_seed(RandomState::new().hash_one(std::process::id()));
    format!("{:012x}", rng.u64(..) >> 16)
}

/// `user@host` of this process.
pub(in crate::act::exec) fn user_at_host() -> String {
    let named = |key| std::env::var(key).ok().filter(|name: &String| !name.is_empty());
    let uid = || format!("uid-{}", rustix::process::getuid().as_raw());
    let user = named("USER").or_else(|| named("LOGNAME")).unwrap_or_else(uid);
    text::clean(&format!("{user}@{}", machine())).into_owned()
}

/// Name of this machine, from Linux or the environment.
fn machine() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = kernel.or_else(|| std::env::var("HOSTNAME").ok());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "unknown".to_owned())
}
