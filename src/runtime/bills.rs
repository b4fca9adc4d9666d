//! The bills that are kept, asked beside the screen by the tabs that show them: one question at a time, and of several of a tab
//! that wait the newest alone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::runtime::Handle;

use super::Running;
use crate::analyze::bill::anomalies::USUAL_MONTHS;
use crate::analyze::bill::{BillKey, BillSettings, Measured, countable, measured};
use crate::app::{BillsAnswer, BillsQuestion, Msg};
use crate::cache::{self, Cache};
use crate::cli::bill::{Seen, settings};
use crate::cli::invocation::Invocation;
use crate::cli::session;
use crate::cli::teams::{aws_budgets, settings as teams};
use crate::domain::bill::{Bill, BillHead, Month};
use crate::fleet::Fleet;
use crate::fleet::savings::Savings;
use crate::source::demo;
use crate::tabs::bill::picture::{
    BillBooks, BillPicture, BillQuestion, BillSummary, BillView, period_of,
};
use crate::tabs::network::picture::{NetworkPicture, NetworkQuestion};
use crate::tabs::teams::picture::{TeamsQuestion, TeamsView};
use crate::tabs::teams::state::{AwsBudgetsShown, TeamsBooks, TeamsPicture};

/// Months that the Bill tab rests on: that of the question, and those that tell what is usual in it.
const BILL_MONTHS: i32 = 1 + USUAL_MONTHS;

/// Months that the Network tab rests on: that of the question, and the one before it for the trend.
const NETWORK_MONTHS: i32 = 2;

/// How often AWS Budgets is asked at most: it is brought up to date a few times a day.
const AWS_BUDGETS_EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Tabs that ask.
const TABS: usize = 3;

/// Place of a question's tab among [`TABS`].
const fn tab(question: &BillsQuestion) -> usize {
    match question {
        BillsQuestion::Bill(_) => 0,
        BillsQuestion::Network(_) => 1,
        BillsQuestion::Teams(_) => 2,
    }
}

/// Bills in memory, shared with the tasks that ask them.
#[derive(Clone, Default)]
pub(super) struct Bills {
    /// Number of the newest question of each tab.
    newest: Arc<[AtomicU64; TABS]>,
    judged: Arc<Mutex<Judged>>,
    held: Arc<Mutex<Held>>,
    by_aws: Arc<Mutex<ByAws>>,
}

/// What was judged last, which tells what of a bill was wasted; each `None` before the first.
#[derive(Clone, Default)]
struct Judged {
    /// Instances.
    fleet: Option<Arc<Fleet>>,
    /// Other resources.
    savings: Option<Arc<Savings>>,
}

/// Of which fleet and which savings something was made.
type JudgedVersion = (Option<u64>, Option<u64>);

impl Judged {
    fn version(&self) -> JudgedVersion {
        (self.fleet.as_ref().map(|of| of.version), self.savings.as_ref().map(|of| of.version))
    }

    fn measured(&self, period: Month, now: Timestamp, evidence_hours: f64) -> Measured {
        let instances = self.fleet.as_ref().map_or(&[][..], |fleet| &fleet.rows);
        let resources = self.savings.as_ref().map_or(&[][..], |savings| &savings.resources);
        measured(instances, resources, period, now, evidence_hours)
    }
}

impl Bills {
    /// Takes note of the newest fleet.
    pub(super) fn measure_by(&self, fleet: &Arc<Fleet>) {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner).fleet = Some(fleet.clone());
    }

    /// Takes note of the newest verdicts on other resources.
    pub(super) fn measure_by_resources(&self, savings: &Arc<Savings>) {
        self.judged.lock().unwrap_or_else(PoisonError::into_inner).savings = Some(savings.clone());
    }
}

/// Bills as they were read last.
#[derive(Default)]
struct Held {
    /// Those of the last question's months; all of them in the demo.
    bills: Vec<Arc<Bill>>,
    /// What was made of a month and of what was judged, for the next question about it; `None` before the first.
    summary: Option<(JudgedVersion, Arc<BillSummary>)>,
}

/// What AWS Budgets has, and when it was asked; `None` before. Not held with the bills: its answer takes seconds, which a
/// question about a bill does not wait for.
#[derive(Default)]
struct ByAws(Option<(Timestamp, Option<AwsBudgetsShown>)>);

impl ByAws {
    /// Asked once an hour at most, of accounts that answered.
    fn read(
        &mut self,
        invocation: &Invocation,
        on: &Handle,
        now: Timestamp,
    ) -> Option<AwsBudgetsShown> {
        let is_fresh = |at: Timestamp| now.duration_since(at) < AWS_BUDGETS_EVERY && at <= now;
        if let Some((_, shown)) = self.0.as_ref().filter(|(at, _)| is_fresh(*at)) {
            return shown.clone();
        }
        let shown = aws_budgets::for_screen(invocation, on);
        let is_whole = shown.as_ref().is_none_or(|shown| shown.troubles.is_empty());
        self.0 = is_whole.then(|| (now, shown.clone()));
        shown
    }
}

/// What a question is answered with besides bills.
struct Asked {
    invocation: Invocation,
    question: BillsQuestion,
    judged: Judged,
    /// What AWS Budgets has, for a question about budgets.
    by_aws: Option<AwsBudgetsShown>,
    /// Where live burn of the past is kept.
    cache: Cache,
    /// Runs what waits for the cache.
    on: Handle,
    now: Timestamp,
}

impl Held {
    fn answer(&mut self, asked: &Asked) -> BillsAnswer {
        match asked.question.clone() {
            BillsQuestion::Bill(question) => {
                let answer = self.bill(asked, &question).map(Arc::new);
                BillsAnswer::Bill(question, answer)
            }
            BillsQuestion::Network(question) => {
                let answer = self.network(asked, question).map(Arc::new);
                BillsAnswer::Network(question, answer)
            }
            BillsQuestion::Teams(question) => {
                let answer = self.teams(asked, question).map(Arc::new);
                BillsAnswer::Teams(question, answer)
            }
        }
    }

    /// Where bytes went in a month. Fails with the reason where no bill can be read.
    fn network(
        &mut self,
        asked: &Asked,
        question: NetworkQuestion,
    ) -> Result<NetworkPicture, String> {
        let settings = settings(&asked.invocation);
        let keys = [&BillKey::UsageType];
        let (heads, unreadable) = self.heads(&asked.invocation, &keys, &settings)?;
        if let Some(period) = period_of(question.period, &heads) {
            self.read(&asked.invocation, &heads, period, NETWORK_MONTHS)?;
        }
        let (seen, measured) = (Seen::default(), Measured::default());
        let books = BillBooks {
            heads: &heads,
            bills: &self.bills,
            settings: &settings,
            measured: &measured,
            live: seen.live(),
        };
        Ok(NetworkPicture { unreadable, ..NetworkPicture::of(&books, question) })
    }

    /// Whose the dollars of a month are, and what they may be; where no bill is kept what runs. Fails with the reason where
    /// bills are kept and none can be read.
    fn teams(&mut self, asked: &Asked, question: TeamsQuestion) -> Result<TeamsPicture, String> {
        let Asked { invocation, judged, by_aws, .. } = asked;
        let settings = settings(invocation);
        // What runs is known without a bill.
        let is_live = question.view == TeamsView::Quotas;
        let (heads, unreadable) = match self.heads(invocation, &[], &settings) {
            Err(why) if is_live => (Vec::new(), vec![why]),
            read => read?,
        };
        let period = period_of(question.period, &heads);
        let rests_on =
            period.and_then(|period| TeamsPicture::rests_on(question.view, period, &heads));
        if let Some((last, months)) = rests_on {
            self.read(invocation, &heads, last, months)?;
        }
        let (seen, measured) = (Seen::default(), Measured::default());
        let books = BillBooks {
            heads: &heads,
            bills: &self.bills,
            settings: &settings,
            measured: &measured,
            live: seen.live(),
        };
        let rules = teams::rules(invocation);
        let typed = invocation.config.teams.budgets();
        let is_made = invocation.options.demo.is_some() && typed.is_empty();
        let mut picture = TeamsPicture::of(
            &TeamsBooks {
                books: &books,
                fleet: judged.fleet.as_ref(),
                rules: &rules,
                gpus: &teams::gpus,
                budgets: &typed,
                made: is_made.then_some(&|months, period| {
                    teams::budgets(invocation, months, &rules, period)
                }),
                aws_budgets: &|| by_aws.clone(),
                runs: &|by| teams::units_of_jobs(invocation, by),
                units: &|months, period, by| teams::units(invocation, months, &rules, period, by),
                quotas: &|running| teams::quotas(invocation, running),
                people: &|lines, from| teams::people(invocation, lines, from),
            },
            question,
        );
        picture.unreadable.extend(unreadable);
        Ok(picture)
    }

    /// What was paid in a month. Fails with the reason where no bill can be read, and where it does not tell what is asked.
    fn bill(&mut self, asked: &Asked, question: &BillQuestion) -> Result<BillPicture, String> {
        let Asked { invocation, judged, now, .. } = asked;
        let config = &invocation.config;
        let settings = settings(invocation);
        let keys: Vec<&BillKey> =
            question.keys.iter().chain(question.only.iter().map(|only| &only.key)).collect();
        let (heads, unreadable) = self.heads(invocation, &keys, &settings)?;
        let period = period_of(question.period, &heads);
        if let Some(period) = period {
            self.read(invocation, &heads, period, BILL_MONTHS)?;
        }
        let hours = session::window_hours(config, &config.preset);
        let newest = heads.iter().map(|head| head.period).max();
        let measured = newest.map(|newest| judged.measured(newest, *now, f64::from(hours)));
        let measured = measured.unwrap_or_default();
        let seen = match period.filter(|_| question.view == BillView::LiveBurn) {
            Some(period) => asked.on.block_on(Seen::within(invocation, &asked.cache, period)),
            None => Seen::default(),
        };
        let version = judged.version();
        let known = self.summary.as_ref().filter(|(of, _)| *of == version).map(|(_, made)| made);
        let books = BillBooks {
            heads: &heads,
            bills: &self.bills,
            settings: &settings,
            measured: &measured,
            live: seen.live(),
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
        keys: &[&BillKey],
        settings: &BillSettings,
    ) -> Result<(Vec<BillHead>, Vec<String>), String> {
        if let Some(options) = demo_options(invocation) {
            if self.bills.is_empty() {
                self.bills = demo::bill::bills(&options).into_iter().map(Arc::new).collect();
            }
            return Ok((self.bills.iter().map(|bill| bill.head.clone()).collect(), Vec::new()));
        }
        let kept = store(invocation)?.heads().map_err(|error| error.to_string())?;
        let found = countable(&kept.heads, keys, settings, None);
        let heads = found.map_err(|error| error.to_string())?.heads;
        let unreadable: Vec<String> = kept.unreadable.iter().map(ToString::to_string).collect();
        match unreadable.first() {
            Some(why) if heads.is_empty() => Err(why.clone()),
            _ => Ok((heads, unreadable)),
        }
    }

    /// Holds the bills of `months` months up to this one, of the earlier ones that the Bill tab rests on those that are held
    /// anyway, and no others. What is held already is not read again.
    fn read(
        &mut self,
        invocation: &Invocation,
        heads: &[BillHead],
        period: Month,
        months: i32,
    ) -> Result<(), String> {
        if invocation.options.demo.is_some() {
            return Ok(());
        }
        let store = store(invocation)?;
        let mut held = Vec::new();
        let mut is_other = false;
        for head in heads {
            let age = period.since(head.period);
            if !(0..BILL_MONTHS.max(months)).contains(&age) {
                continue;
            }
            let known = self.bills.iter().find(|bill| bill.head == *head).cloned();
            if known.is_none() && age >= months {
                continue;
            }
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
    pub(super) fn ask_bills(&self, question: BillsQuestion) {
        let tab = tab(&question);
        let number = self.bills.newest[tab].fetch_add(1, Ordering::Relaxed) + 1;
        let (bills, messages) = (self.bills.clone(), self.messages.clone());
        let (invocation, cache, now) = (self.invocation.clone(), self.cache.clone(), self.now());
        let on = Handle::current();
        tokio::task::spawn_blocking(move || {
            let is_of_budgets =
                matches!(&question, BillsQuestion::Teams(of) if of.view == TeamsView::Budgets);
            let by_aws = if is_of_budgets {
                let mut by_aws = bills.by_aws.lock().unwrap_or_else(PoisonError::into_inner);
                by_aws.read(&invocation, &on, now)
            } else {
                None
            };
            let mut held = bills.held.lock().unwrap_or_else(PoisonError::into_inner);
            if bills.newest[tab].load(Ordering::Relaxed) != number {
                return;
            }
            let judged = bills.judged.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let asked = Asked { invocation, question, judged, by_aws, cache, on, now };
            let answer = held.answer(&asked);
            drop(held);
            // The screen may be gone already; there is nobody left to tell.
            let _ = messages.blocking_send(Msg::Bills(answer));
        });
    }
}
