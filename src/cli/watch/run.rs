//! The loop: look, write down, send, wait.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::args::HowToWatch;
use super::deliver::{Tallies, deliver, unkept};
use super::load;
use super::publish::Publisher;
use super::read::{Bills, Round, round};
use super::store::{self, Store};
use crate::bus::Meter;
use crate::cli::exit::{CliError, Exit};
use crate::cli::fail_on::{FailOn, Found};
use crate::cli::invocation::Invocation;
use crate::cli::list_options::Selection;
use crate::cli::reports;
use crate::cli::tell::tell;
use crate::config::Env;
use crate::report::{AlertsOf, Format};
use crate::send::Sender;
use crate::view::{ViewContext, format};
use crate::watch::matches::{Matches, MatchingRows};
use crate::watch::message::Severity;
use crate::watch::row::{AlertField, AlertItem, alert_rows, count};
use crate::watch::rules::Rules;
use crate::watch::state::{Alert, Book, Look, Phase};

/// Watches: once, or until it is ended. Fails for rules that cannot be used, and where the state cannot be kept.
pub fn run(
    how: &HowToWatch,
    invocation: &Invocation,
    env: &Env,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let rules = load::rules(how.rules.as_deref(), invocation)?;
    if rules.rules.is_empty() {
        let why = "there is no `[[rules]]` in the rules file: nothing would be watched";
        return Err(CliError::Usage(why.into()));
    }
    let chosen = Selection::<AlertField>::of(invocation)?;
    if let Some(fail_on) = &invocation.options.fail_on {
        fail_on.of_findings().map_err(CliError::Usage)?;
        if !how.once {
            let why = "--fail-on: a watch that goes on ends by itself never; it takes --once";
            return Err(CliError::Usage(why.into()));
        }
    }
    super::missing_secrets(&rules).iter().for_each(tell);
    let dir = store::dir(how.state.as_deref(), invocation)?;
    let (store, found) = Store::open(dir, invocation.options.now())?;
    found.notices.iter().for_each(tell);
    // Deliveries and metrics run on it; the rounds of reading have one of their own.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("watch")
        .enable_all()
        .build()?;
    let ctx = reports::context(invocation, env);
    let publisher = Publisher::start(how, &runtime, rules.every)?;
    let mut watch = Watch {
        rules: &rules,
        invocation,
        env,
        ctx,
        store,
        book: found.book,
        sender: Sender::new(),
        bills: Bills::default(),
        meter: Meter::default(),
        tallies: Tallies::new(),
        publisher,
        is_once: how.once,
        said: Vec::new(),
    };
    if how.once {
        return watch.once(&runtime, &chosen, out);
    }
    tell(format_args!(
        "watching by {} every {}, to {}",
        format::plural(rules.rules.len(), "rule"),
        format::span(rules.every.as_secs() as i64),
        format::plural(rules.sinks.len(), "sink"),
    ));
    loop {
        watch.look(&runtime, out)?;
        watch.wait(&runtime, out)?;
    }
}

struct Watch<'a> {
    rules: &'a Rules,
    invocation: &'a Invocation,
    env: &'a Env,
    ctx: ViewContext,
    store: Store,
    book: Book,
    sender: Sender,
    bills: Bills,
    meter: Meter,
    tallies: Tallies,
    publisher: Publisher,
    is_once: bool,
    /// What was said of the last round: it is not said again as long as it stays so.
    said: Vec<String>,
}

/// What a round found.
struct Looked {
    round: Round,
    ended: Vec<Alert>,
}

impl Watch<'_> {
    fn now(&self) -> Timestamp {
        self.invocation.options.now()
    }

    /// Looks once, and prints what there is.
    fn once(
        &mut self,
        runtime: &tokio::runtime::Runtime,
        chosen: &Selection<AlertField>,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let is_text = self.invocation.options.format == Format::Table;
        // Of a sink on standard output the list that is printed says everything.
        let looked = if is_text {
            self.look(runtime, out)?
        } else {
            self.look(runtime, &mut std::io::sink())?
        };
        let Looked { round, ended } = looked;
        let rows: Arc<[Arc<AlertItem>]> = alert_rows(&self.book, ended);
        let tally = |of: fn(&super::deliver::Tally) -> u64| {
            self.tallies.values().map(of).sum::<u64>() as usize
        };
        let given_up = tally(|tally| tally.given_up);
        let of = AlertsOf {
            rules: self.rules.rules.len(),
            unread: named(&round.unread),
            in_part: named(&round.in_part),
            sent: tally(|tally| tally.sent),
            queued: self.book.outbox.len(),
            given_up,
            readings: round.readings.clone(),
        };
        let ctx = ViewContext { now: round.at, ..self.ctx };
        let list = chosen.list(&rows, of, &ctx);
        reports::print(&list, self.invocation, &ctx, out)?;
        let exit = reports::ended(&round.readings);
        reports::shortfalls(&round.outcome).iter().for_each(tell);
        if given_up > 0 || !self.book.outbox.is_empty() {
            return Ok(Exit::ActionFailed);
        }
        let findings = count(&list.rows, Phase::Firing, Severity::Info);
        let found = Found { findings, ..Found::default() };
        let fail_on = self.invocation.options.fail_on.as_ref();
        if let Some(found) = fail_on.and_then(|fail_on: &FailOn| fail_on.tripped_by_savings(&found))
        {
            tell(format_args!("--fail-on: {found}"));
            return Ok(Exit::Findings);
        }
        let nothing = round.lists.is_empty() && !self.rules.rules.is_empty();
        Ok(if nothing { Exit::Unreadable } else { exit })
    }

    /// One round: what the rules see, written down, then what is due, sent.
    fn look(
        &mut self,
        runtime: &tokio::runtime::Runtime,
        out: &mut dyn Write,
    ) -> Result<Looked, CliError> {
        let began = Instant::now();
        let everything = self.publisher.is_wanted();
        let Self { rules, invocation, env, bills, meter, ctx, .. } = self;
        let round = round(rules, everything, invocation, env, bills, meter, ctx)?;
        self.say(&round);
        let from = Instant::now();
        let ended = step(&mut self.book, self.rules, &round);
        let ms = from.elapsed().as_secs_f64() * 1e3;
        tracing::debug!(rules = self.rules.rules.len(), ms, "watch: rules held against the lists");
        self.store.save(&self.book).map_err(|error| unkept(&error))?;
        self.deliver(runtime, out)?;
        self.publisher.publish(&round, &self.book, self.rules, &self.tallies, began);
        Ok(Looked { round, ended })
    }

    /// Says what could not be read, once while it stays so; the list of a single look says it itself.
    fn say(&mut self, round: &Round) {
        let mut lines: Vec<String> = round
            .unread
            .iter()
            .map(|(list, why)| format!("{list} is not watched now: {why}"))
            .collect();
        let in_part = round.in_part.iter();
        lines.extend(in_part.map(|(list, why)| format!("nothing of {list} ends now: {why}")));
        lines.extend(round.notes.iter().cloned());
        lines.extend(reports::troubles(&round.readings));
        if self.is_once {
            round.notes.iter().for_each(tell);
        } else {
            lines.iter().filter(|line| !self.said.contains(line)).for_each(tell);
        }
        self.said = lines;
    }

    fn deliver(
        &mut self,
        runtime: &tokio::runtime::Runtime,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let now = self.now();
        let Self { book, store, rules, sender, tallies, .. } = self;
        runtime.block_on(deliver(book, store, rules, sender, tallies, now, out))
    }

    /// Sleeps until the next round; wakes for what is to be sent again before.
    fn wait(
        &mut self,
        runtime: &tokio::runtime::Runtime,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let ends = Instant::now() + self.rules.every;
        loop {
            let left = ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let next = self.book.next_delivery().map(|at| {
                let wait: SignedDuration = at.duration_since(self.now());
                Duration::try_from(wait).unwrap_or(Duration::ZERO)
            });
            // A retry that is due is not tried more than once a second, whatever the clock does.
            let wait = next.map_or(left, |next| next.max(Duration::from_secs(1)).min(left));
            // Metrics are served by the runtime's own thread meanwhile.
            std::thread::sleep(wait);
            if self.book.next_delivery().is_some_and(|at| at <= self.now()) {
                self.deliver(runtime, out)?;
            }
        }
    }
}

/// Lists by name, each with why.
fn named(lists: &[(&'static str, String)]) -> Vec<(String, String)> {
    lists.iter().map(|(list, why)| ((*list).to_owned(), why.clone())).collect()
}

/// Takes in what the rules see of a round.
fn step(book: &mut Book, rules: &Rules, round: &Round) -> Vec<Alert> {
    let matches: Vec<Option<MatchingRows<'_>>> = rules
        .rules
        .iter()
        .map(|rule| Some(MatchingRows::of(rule, round.list(rule.view)?, &round.readings)))
        .collect();
    let looks: Vec<Look<'_>> = rules
        .rules
        .iter()
        .zip(&matches)
        .map(|(rule, matches)| Look {
            rule,
            matches: matches.as_ref().map(|matches| matches as &dyn Matches),
        })
        .collect();
    book.step(round.at, rules, &looks)
}
