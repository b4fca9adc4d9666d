//! Asking Cost Explorer: each request is charged to the ledger before it is sent, and what was paid for is kept.

use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use super::answer::{Answer, CostPage};
use super::bills::{About, by_pair, by_usage_type};
use super::plan::{CostList, Plan, Wanted};
use super::query::CostQuery;
use crate::domain::bill::cost_explorer::Pair;
use crate::domain::bill::{Bill, BuildError, Month};
use crate::domain::{ErrorKind, SourceError};
use crate::source::ledger::{BilledApi, Ledger};
use crate::source::pages::Pages;

/// Pages of a list at most. A list by day with more is read by month, in some thirtieth of the pages; one by month with
/// more is not read.
const PAGES: u64 = 5;

/// The call, as IAM names it.
const CALL: &str = "ce:GetCostAndUsage";

/// The call that tells resources.
const CALL_WITH_RESOURCES: &str = "ce:GetCostAndUsageWithResources";

/// Cost Explorer of one account.
#[async_trait]
pub trait CostSource: Send + Sync {
    /// One page of the answer to `query`, in exactly one request; `token` is that of the page, `None` for the first.
    /// Without resources to tell, because they are not switched on, the page is empty.
    async fn costs(
        &self,
        query: &CostQuery,
        token: Option<String>,
    ) -> Result<CostPage, SourceError>;
}

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Whole bills, each of a pair and a month.
    pub bills: Vec<Bill>,
    /// Requests that were charged.
    pub requests: u64,
    /// Lists of the plan that were not asked for, or not to their end.
    pub left: usize,
    /// Why a list was not read; `None` where all were, the requests of the day were used up, or it was ended.
    pub error: Option<SourceError>,
}

/// Requests to Cost Explorer on the UTC day of `now`, of all processes; 0 where nobody knows, for then none is granted.
pub async fn asked_today(ledger: &Ledger, now: Timestamp) -> u64 {
    let today = ledger.today(now).await.map(|today| today.apis).unwrap_or_default();
    let name = BilledApi::CostExplorer.name();
    today.iter().filter(|api| &*api.name == name).map(|api| api.units).sum()
}

/// Carries out a plan at `now`; `before` is told before each request how many there were, and breaks to end it. Stops at
/// the first error, with what was read until then.
pub async fn fetch(
    source: &dyn CostSource,
    ledger: Option<&Ledger>,
    plan: &Plan,
    now: Timestamp,
    before: &mut (dyn FnMut(u64) -> ControlFlow<()> + Send),
) -> Fetched {
    let mut run = Run {
        source,
        ledger,
        now,
        before,
        payer: &plan.account,
        at_most: plan.at_most,
        charges: None,
        resources: None,
        by_month: vec![],
        fetched: Fetched::default(),
    };
    for (done, list) in plan.lists.iter().enumerate() {
        run.fetched.left = plan.lists.len() - done;
        match run.carry_out(list).await {
            Ok(Carried::Out) => run.fetched.left -= 1,
            Ok(Carried::TooLong) => {
                run.fetched.left -= 1;
                let message = format!("an answer by month has more than {PAGES} pages");
                let fix = "import an export of the bill instead";
                let error = SourceError::new(ErrorKind::Refused, CALL, &message, fix);
                run.fetched.error.get_or_insert(error);
            }
            Ok(Carried::NoMore) => break,
            Err(error) => {
                run.fetched.error = Some(error);
                break;
            }
        }
    }
    run.fetched
}

/// How a list of a plan ended.
enum Carried {
    Out,
    /// More pages than a list may have.
    TooLong,
    /// No more requests may be sent.
    NoMore,
}

/// How a question ended.
enum Listed {
    Whole(Answer),
    /// More pages than a list may have.
    TooLong,
    /// The requests of the day are used up, or no more are wanted.
    NoMore,
}

struct Run<'a> {
    source: &'a dyn CostSource,
    ledger: Option<&'a Ledger>,
    now: Timestamp,
    before: &'a mut (dyn FnMut(u64) -> ControlFlow<()> + Send),
    payer: &'a Arc<str>,
    at_most: u64,
    charges: Option<Answer>,
    resources: Option<Answer>,
    /// What is read by month since its days were too many.
    by_month: Vec<Wanted>,
    fetched: Fetched,
}

impl Run<'_> {
    /// Reads a list and makes the bills that it was wanted for.
    async fn carry_out(&mut self, list: &CostList) -> Result<Carried, SourceError> {
        // Use alone is no bill.
        if list.wanted == Wanted::Pair(Pair::UsageType) && self.charges.is_none() {
            return Ok(Carried::TooLong);
        }
        let by_day = list.by_day && !self.by_month.contains(&list.wanted);
        let mut query = CostQuery { by_day, ..list.query() };
        let mut listed = self.list(&query).await?;
        if by_day && matches!(listed, Listed::TooLong) {
            self.by_month.push(list.wanted.clone());
            query.by_day = false;
            listed = self.list(&query).await?;
        }
        let answer = match listed {
            Listed::Whole(answer) => answer,
            Listed::TooLong => return Ok(Carried::TooLong),
            Listed::NoMore => return Ok(Carried::NoMore),
        };
        match &list.wanted {
            Wanted::Charges => self.charges = Some(answer),
            Wanted::Resources => self.resources = Some(answer),
            Wanted::Pair(pair) => {
                for month in &list.months {
                    let bill = self.bill(pair, *month, &answer).map_err(|e| {
                        let fix = "import an export of the bill instead";
                        let message = format!("the bill of {month} is too large: {e}");
                        SourceError::new(ErrorKind::Malformed, CALL, &message, fix)
                    })?;
                    self.fetched.bills.push(bill);
                }
            }
        }
        Ok(Carried::Out)
    }

    fn bill(&self, pair: &Pair, month: Month, answer: &Answer) -> Result<Bill, BuildError> {
        let about = About { payer: self.payer, now: self.now };
        match (pair, &self.charges) {
            (Pair::UsageType, Some(charges)) => {
                by_usage_type(month, answer, charges, self.resources.as_ref(), about)
            }
            _ => by_pair(pair, month, answer, about),
        }
    }

    async fn list(&mut self, query: &CostQuery) -> Result<Listed, SourceError> {
        let call = if query.with_resources { CALL_WITH_RESOURCES } else { CALL };
        let mut answer = Answer::to(query);
        let mut pages = Pages::of(call, "Cost Explorer");
        let mut read = 0;
        while let Some(token) = pages.ask() {
            if read == PAGES {
                return Ok(Listed::TooLong);
            }
            let sent = self.fetched.requests;
            if sent >= self.at_most || (self.before)(sent).is_break() {
                return Ok(Listed::NoMore);
            }
            self.charge(call).await?;
            let mut page = self.source.costs(query, token).await?;
            read += 1;
            let next = page.next_page_token.take();
            answer.add(query, page).map_err(|bad| {
                let fix = "check any AWS_ENDPOINT_URL, or import an export of the bill instead";
                SourceError::new(ErrorKind::Malformed, call, &bad.to_string(), fix)
            })?;
            pages.follow(next)?;
        }
        Ok(Listed::Whole(answer))
    }

    async fn charge(&mut self, call: &str) -> Result<(), SourceError> {
        if let Some(ledger) = self.ledger {
            let charged = ledger.charge(BilledApi::CostExplorer, 1, self.now).await;
            charged.map_err(|refused| refused.error(call))?;
        }
        self.fetched.requests += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::json;

    use super::super::plan::{Choice, FIRST_DAY, plan};
    use super::super::query::Filter;
    use super::*;
    use crate::cache::{Cache, OpenOptions};
    use crate::domain::bill::Usd;
    use crate::source::ledger::micro_usd;

    fn now() -> Timestamp {
        "2026-11-26T09:00:00Z".parse().unwrap()
    }

    /// A dollar for each period that is asked for, in some pages.
    struct Invented {
        /// Pages of a list by day by usage type.
        pages_by_day: usize,
        /// Pages of a list by month by usage type.
        pages_by_month: usize,
        /// Pages of a list of other charges.
        pages_of_charges: usize,
        /// The request that is refused, from 0.
        refused: Option<usize>,
        asked: Mutex<Vec<CostQuery>>,
    }

    impl Invented {
        fn of(pages_by_day: usize) -> Self {
            Self {
                pages_by_day,
                pages_by_month: 1,
                pages_of_charges: 1,
                refused: None,
                asked: Mutex::default(),
            }
        }
    }

    #[async_trait]
    impl CostSource for Invented {
        async fn costs(
            &self,
            query: &CostQuery,
            token: Option<String>,
        ) -> Result<CostPage, SourceError> {
            let n = {
                let mut asked = self.asked.lock().unwrap();
                asked.push(query.clone());
                asked.len() - 1
            };
            if self.refused == Some(n) {
                return Err(SourceError::new(ErrorKind::Denied, CALL, "no", ""));
            }
            let page: usize = token.map_or(0, |token| token.parse().unwrap());
            let last = match (query.filter, query.by_day) {
                (Filter::Use, true) => self.pages_by_day,
                (Filter::Use, false) => self.pages_by_month,
                (Filter::Other, _) => self.pages_of_charges,
                _ => 1,
            };
            let key = if query.filter == Filter::Other { "Credit" } else { "1" };
            let amount = json!({"Amount": "1.5", "Unit": "USD"});
            let end = query.from.saturating_add(jiff::Span::new().days(1));
            let page = json!({
                "ResultsByTime": [{
                    "TimePeriod": {"Start": query.from, "End": end},
                    "Groups": [{
                        "Keys": ["Amazon FSx", key],
                        "Metrics": {"UnblendedCost": amount, "AmortizedCost": amount},
                    }],
                }],
                "NextPageToken": (page + 1 < last).then(|| (page + 1).to_string()),
            });
            Ok(serde_json::from_value(page).unwrap())
        }
    }

    fn go_on(_: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn ledger(cap_usd: f64) -> Ledger {
        let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
        Ledger::new(cache, micro_usd(cap_usd))
    }

    async fn spent(ledger: &Ledger) -> u64 {
        ledger.today(now()).await.unwrap().micro_usd
    }

    fn first_look() -> Plan {
        plan(
            now(),
            &[],
            &Choice { account: "1".into(), tag: Some("team".into()), resources: false },
            0,
        )
    }

    #[tokio::test]
    async fn a_first_look_brings_whole_bills_and_is_on_the_ledger() {
        let (source, ledger) = (Invented::of(1), ledger(1.0));
        let fetched = fetch(&source, Some(&ledger), &first_look(), now(), &mut go_on).await;
        assert_eq!((fetched.left, fetched.requests), (0, 14));
        assert_eq!(spent(&ledger).await, 140_000);
        assert!(fetched.error.is_none());
        // Three months by four pairs, and eleven by account.
        assert_eq!(fetched.bills.len(), 12 + 11);
        assert!(fetched.bills.iter().all(|bill| &*bill.head.payer == "1"));
        assert_eq!(asked_today(&ledger, now()).await, 14);
        let main =
            fetched.bills.iter().filter(|bill| Pair::of(&bill.head) == Some(Pair::UsageType));
        let billed: Vec<Usd> = main.map(|bill| bill.head.total.billed).collect();
        // The credit lies in the first month.
        let usd = |text: &str| Usd::parse(text.as_bytes()).unwrap();
        assert_eq!(billed, [usd("1.5"), usd("1.5"), usd("3")]);
    }

    #[tokio::test]
    async fn days_in_too_many_pages_are_read_by_month_and_no_other_month_is_tried_again() {
        let (source, ledger) = (Invented::of(6), ledger(1.0));
        let fetched = fetch(&source, Some(&ledger), &first_look(), now(), &mut go_on).await;
        assert_eq!((fetched.left, fetched.requests), (0, 14 + PAGES));
        assert!(fetched.requests <= FIRST_DAY);
        let by_day = |bill: &&Bill| Pair::of(&bill.head) == Some(Pair::UsageType);
        assert!(fetched.bills.iter().filter(by_day).all(|bill| !bill.head.has_days));
        // By month they are too many as well: the rest is read.
        let source = Invented { pages_by_month: 6, ..Invented::of(6) };
        let plan = Plan { at_most: 40, ..first_look() };
        let fetched = fetch(&source, None, &plan, now(), &mut go_on).await;
        assert_eq!((fetched.left, fetched.requests), (0, 11 + 4 * PAGES));
        assert_eq!(fetched.bills.len(), 9 + 11);
        assert!(fetched.error.unwrap().message.contains("more than 5 pages"));
        // Without the other charges there is no bill of use, and none is asked for.
        let source = Invented { pages_of_charges: 6, ..Invented::of(1) };
        let fetched = fetch(&source, None, &first_look(), now(), &mut go_on).await;
        assert_eq!((fetched.left, fetched.requests), (0, 10 + 2 * PAGES));
        assert_eq!(fetched.bills.len(), 9 + 11);
        // As many pages as may be are read by day.
        let source = Invented::of(5);
        let fetched = fetch(&source, None, &first_look(), now(), &mut go_on).await;
        assert!(fetched.bills.iter().find(by_day).unwrap().head.has_days);
        assert_eq!(fetched.requests, FIRST_DAY, "and the rest is left for another day");
        assert!(fetched.left > 0 && fetched.error.is_none());
    }

    #[tokio::test]
    async fn what_was_read_before_an_error_or_the_cap_is_kept() {
        let source = Invented { refused: Some(3), ..Invented::of(1) };
        let fetched = fetch(&source, None, &first_look(), now(), &mut go_on).await;
        assert_eq!((fetched.bills.len(), fetched.requests, fetched.left), (2, 4, 11));
        assert_eq!(fetched.error.unwrap().kind, ErrorKind::Denied);

        let (source, ledger) = (Invented::of(1), ledger(0.02));
        let fetched = fetch(&source, Some(&ledger), &first_look(), now(), &mut go_on).await;
        assert_eq!((fetched.bills.len(), source.asked.lock().unwrap().len()), (1, 2));
        assert_eq!(fetched.error.unwrap().kind, ErrorKind::OwnCostCap);
        assert_eq!(spent(&ledger).await, 20_000);

        let source = Invented::of(1);
        let mut two =
            |sent| if sent < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let fetched = fetch(&source, None, &first_look(), now(), &mut two).await;
        assert_eq!((fetched.bills.len(), fetched.requests, fetched.left), (1, 2, 12));
        assert!(fetched.error.is_none());
    }
}
