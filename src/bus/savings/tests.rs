//! Commitments on their way from the provider to the rows: what was never read is said, what was
//! read once stays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::super::tests::scripted::{self, ACCOUNT, REGION, instance};
use super::super::{Account, Event, Outcome, Parts, Regions, SavingsSettings, once, start};
use crate::cache::{Cache, OpenOptions};
use crate::domain::{
    CapacityReservation, Commitment, CommitmentSource, CommitmentState, Commits, Discount,
    ErrorKind, HourRange, Instance, Offer, PaymentOption, PlanRate, PlanType, Platform, PriceBasis,
    PricedFor, PrivatePrices, Provenance, Reading, ReservesCapacity, SavingsFacts, SavingsPlan,
    Scope, SharingGroups, SourceError, SourceId, SourceState, SpotHistory, Tenancy, TypeSpec,
    ZoneOffering,
};
use crate::source::provider::{GpuMetric, PriceWanted};
use crate::source::{Identity, MetricQuery, MetricResult, Page, Provider};

const NOW: &str = "2026-11-21T03:07:00Z";
const RESERVED: &str = "ec2:DescribeReservedInstances";
const PLANS: &str = "savingsplans:DescribeSavingsPlans";
const RATES: &str = "savingsplans:DescribeSavingsPlanRates";
const OFFERINGS: &str = "ec2:DescribeInstanceTypeOfferings";

/// What the account answers.
#[derive(Clone, Default)]
struct Answers {
    instances: Vec<Instance>,
    plans: Vec<Commitment>,
    fails: BTreeMap<&'static str, ErrorKind>,
    stranger: bool,
}

type Names = BTreeSet<Arc<str>>;

/// What was asked.
#[derive(Default)]
struct Asked {
    rates: Vec<(Arc<str>, Names, Names)>,
    spot: Vec<(BTreeSet<Arc<str>>, Timestamp)>,
    offerings: usize,
    reserved: usize,
    prices: Vec<Names>,
}

struct Played {
    answers: Mutex<Answers>,
    asked: Mutex<Asked>,
    clock: Mutex<Timestamp>,
}

impl Played {
    fn new(answers: Answers) -> Arc<Self> {
        let clock = Mutex::new(NOW.parse().unwrap());
        Arc::new(Self { answers: Mutex::new(answers), asked: Mutex::default(), clock })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap()
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap()
    }

    fn now(&self) -> Timestamp {
        *self.clock.lock().unwrap()
    }

    fn pass(&self, hours: i64) {
        *self.clock.lock().unwrap() += SignedDuration::from_hours(hours);
    }

    fn say<T>(&self, action: &'static str, value: T) -> Result<T, SourceError> {
        match self.answers().fails.get(action) {
            Some(kind) => Err(SourceError::new(*kind, action, "the script says so", "allow it")),
            None => Ok(value),
        }
    }
}

fn set(all: &[Arc<str>]) -> BTreeSet<Arc<str>> {
    all.iter().cloned().collect()
}

#[async_trait::async_trait]
impl Provider for Played {
    fn label(&self) -> &'static str {
        "default"
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        if self.answers().stranger {
            let kind = ErrorKind::Expired;
            return Err(SourceError::new(kind, "sts:GetCallerIdentity", "expired", "log in"));
        }
        Ok(Identity { account: ACCOUNT.into(), arn: "arn".into(), label: "default".into() })
    }

    async fn home_region(&self) -> Arc<str> {
        REGION.into()
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        Ok(vec![REGION.into()])
    }

    async fn instances(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        Ok(Page::last(self.answers().instances.clone()))
    }

    async fn types(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<TypeSpec>, SourceError> {
        Ok(vec![])
    }

    async fn gpu_metrics(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        Ok(Page::last(vec![]))
    }

    async fn metric_data(
        &self,
        _: &Arc<str>,
        _: &[MetricQuery],
        _: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        Ok(vec![])
    }

    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        let types = wanted.iter().map(|w| w.instance_type.clone()).collect();
        self.asked().prices.push(types);
        Ok(vec![])
    }

    async fn spot_prices(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<Offer>, SourceError> {
        Ok(vec![])
    }

    async fn reserved_instances(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
    ) -> Result<Vec<Commitment>, SourceError> {
        self.asked().reserved += 1;
        self.say(RESERVED, vec![])
    }

    async fn savings_plans(&self, _: &Arc<str>) -> Result<Vec<Commitment>, SourceError> {
        let mut plans = self.answers().plans.clone();
        for plan in &mut plans {
            plan.provenance = Provenance::Live { at: self.now() };
        }
        self.say(PLANS, plans)
    }

    async fn savings_plan_rates(
        &self,
        plan: &Arc<str>,
        types: &[Arc<str>],
        regions: &[Arc<str>],
    ) -> Result<Vec<PlanRate>, SourceError> {
        self.asked().rates.push((plan.clone(), set(types), set(regions)));
        let rate = |t: &Arc<str>| PlanRate {
            region: REGION.into(),
            instance_type: t.clone(),
            platform: Platform::Linux,
            tenancy: Tenancy::Shared,
            usd_per_hour: 0.5,
        };
        self.say(RATES, types.iter().map(rate).collect())
    }

    async fn spot_history(
        &self,
        region: &Arc<str>,
        types: &[Arc<str>],
        from: Timestamp,
    ) -> Result<Vec<SpotHistory>, SourceError> {
        self.asked().spot.push((set(types), from));
        let history = |t: &Arc<str>| SpotHistory {
            region: region.clone(),
            az: format!("{region}a").into(),
            instance_type: t.clone(),
            platform: Platform::Linux,
            points: [(from, 0.3)].into_iter().collect(),
        };
        Ok(types.iter().map(history).collect())
    }

    async fn zone_offerings(&self, region: &Arc<str>) -> Result<Vec<ZoneOffering>, SourceError> {
        self.asked().offerings += 1;
        let types = vec!["g5.xlarge".into()];
        self.say(OFFERINGS, vec![ZoneOffering { az: format!("{region}a").into(), types }])
    }
}

fn plan(id: &str, plan_type: PlanType) -> Commitment {
    Commitment {
        id: id.into(),
        account: ACCOUNT.into(),
        state: CommitmentState::Active,
        start: "2026-01-01T00:00:00Z".parse().unwrap(),
        end: Some("2027-01-01T00:00:00Z".parse().unwrap()),
        commits: Commits::Plan(SavingsPlan {
            plan_type,
            usd_per_hour: 2.0,
            payment: PaymentOption::NoUpfront,
            upfront_usd: 0.0,
            region: (plan_type == PlanType::Ec2Instance).then(|| REGION.into()),
            family: (plan_type == PlanType::Ec2Instance).then(|| "g5".into()),
            rates: vec![],
            rates_known: false,
        }),
        provenance: Provenance::Demo,
    }
}

fn cache() -> Cache {
    Cache::open(OpenOptions::in_memory(), NOW.parse().unwrap()).0
}

fn parts(played: &Arc<Played>, cache: &Cache) -> Parts {
    let clock = played.clone();
    let mut parts = scripted::no_accounts(cache, Arc::new(move || clock.now()));
    let provider = played.clone();
    parts.accounts.push(Account { provider, storage: None, regions: Regions::Enabled });
    parts.settings.savings =
        SavingsSettings { commitments: true, market: true, ..SavingsSettings::default() };
    parts
}

async fn read(played: &Arc<Played>, cache: &Cache) -> Outcome {
    once(parts(played, cache)).await
}

async fn offline(played: &Arc<Played>, cache: &Cache) -> Outcome {
    let mut parts = parts(played, cache);
    parts.settings.offline = true;
    once(parts).await
}

fn held() -> Answers {
    Answers {
        instances: vec![instance("i-1", "g5.xlarge"), instance("i-2", "m5.large")],
        plans: vec![
            plan("compute", PlanType::Compute),
            plan("family", PlanType::Ec2Instance),
            plan("notebooks", PlanType::SageMaker),
        ],
        ..Answers::default()
    }
}

fn terms<'a>(outcome: &'a Outcome, id: &str) -> &'a SavingsPlan {
    let holdings = outcome.savings.holdings.as_ref().unwrap();
    match &holdings.items.iter().find(|c| &*c.id == id).unwrap().commits {
        Commits::Plan(plan) => plan,
        other => panic!("{other:?}"),
    }
}

fn reading(outcome: &Outcome, region: &str) -> Reading {
    let scope = Scope::new(ACCOUNT, region);
    let mut all = outcome.fleet.readings.iter();
    all.find(|r| r.source == SourceId::Commitments && r.scope == scope).cloned().unwrap()
}

/// How often the market was read: Spot prices, offerings.
fn looks(played: &Played) -> (usize, usize) {
    let asked = played.asked();
    (asked.spot.len(), asked.offerings)
}

fn whys(outcome: &Outcome) -> Vec<(CommitmentSource, String)> {
    let unread = &outcome.savings.holdings.as_ref().unwrap().unread;
    unread.iter().map(|u| (u.source, u.why.to_string())).collect()
}

#[tokio::test]
async fn what_the_configuration_says_of_prices_reaches_instances_and_capacity_blocks() {
    let mut answers = held();
    let capacity = CapacityReservation {
        region: REGION.into(),
        az: format!("{REGION}a").into(),
        instance_type: "p5.48xlarge".into(),
        platform: Platform::Linux,
        tenancy: Tenancy::Shared,
        total: 1,
        available: 1,
        reserves: ReservesCapacity::Block { upfront_usd: None },
        targeted: true,
    };
    answers.plans.push(Commitment {
        commits: Commits::Capacity(capacity),
        ..plan("cr-1", PlanType::Compute)
    });
    let (played, cache) = (Played::new(answers), cache());
    let mut parts = parts(&played, &cache);
    let half = Discount {
        of: PricedFor { family: Some("g5".into()), ..PricedFor::default() },
        percent: 50.0,
    };
    let blocks = BTreeMap::from([("cr-1".into(), 730.0)]);
    parts.settings.prices = Arc::new(PrivatePrices::new(vec![half], Vec::new(), blocks));
    parts.settings.savings.groups = SharingGroups::new([[ACCOUNT]], true);
    let outcome = once(parts).await;
    let rate = |id: &str| {
        let row = outcome.fleet.rows.iter().find(|row| &*row.instance.id == id).unwrap();
        row.rate.clone().unwrap()
    };
    let (g5, m5) = (rate("i-1"), rate("i-2"));
    assert_eq!((g5.basis, &g5.provenance), (PriceBasis::Private, &Provenance::Configured));
    assert_eq!(m5.basis, PriceBasis::OnDemandList);
    let list = crate::source::catalogue::list_price(REGION, "g5.xlarge").unwrap();
    assert!((g5.usd_per_hour - list / 2.0).abs() < 1e-9);
    let holdings = outcome.savings.holdings.clone().unwrap();
    assert_eq!(holdings.groups, SharingGroups::new([[ACCOUNT]], true));
    let block = holdings.items.iter().find(|item| &*item.id == "cr-1").unwrap();
    assert_eq!(block.provenance, Provenance::Configured);
    assert_eq!(crate::fleet::commitments::block_usd_per_hour(block), Some(730.0 / 8_760.0));
}

#[tokio::test]
async fn a_round_waits_for_commitments_and_asks_each_plan_for_what_it_may_cover() {
    let (played, cache) = (Played::new(held()), cache());
    let outcome = read(&played, &cache).await;
    let holdings = outcome.savings.holdings.clone().unwrap();
    assert_eq!((holdings.items.len(), holdings.unread.len(), holdings.sharing), (3, 0, true));
    assert_eq!(outcome.fleet.book.holdings.as_ref(), Some(&*holdings), "the join has the same");
    let asked: BTreeMap<_, _> =
        played.asked().rates.iter().map(|(id, types, _)| (id.to_string(), types.clone())).collect();
    assert!(asked.keys().eq(["compute", "family"]), "no SageMaker: {asked:?}");
    // What runs, and what it may become: never another architecture.
    let compute = &asked["compute"];
    assert!(
        ["g5.xlarge", "m5.large", "g6.xlarge", "m7i.large"].iter().all(|t| compute.contains(*t))
    );
    assert!(!["g5g.xlarge", "trn1.2xlarge", "m4.large"].iter().any(|t| compute.contains(*t)));
    assert!(asked["family"].contains("g5.xlarge"));
    assert!(asked["family"].iter().all(|t| t.starts_with("g5.")), "{asked:?}");
    assert!(terms(&outcome, "compute").rates_known && terms(&outcome, "family").rates_known);
    assert_eq!(terms(&outcome, "family").rates.len(), asked["family"].len());
    for region in [REGION, "-"] {
        assert_eq!(reading(&outcome, region).state, SourceState::Live);
    }
    assert_eq!(outcome.savings.spot.len(), 2);
    let from = played.asked().spot[0].1;
    assert_eq!(from, played.now() - SignedDuration::from_hours(168));
    let zones = &outcome.savings.offerings[&Scope::new(ACCOUNT, REGION)];
    assert_eq!(&*zones[0].types[0], "g5.xlarge");
}

#[tokio::test]
async fn rates_are_asked_for_again_only_when_a_type_is_new_or_a_day_has_passed() {
    let (played, cache) = (Played::new(held()), cache());
    read(&played, &cache).await;
    played.pass(1);
    read(&played, &cache).await;
    assert_eq!(played.asked().rates.len(), 2, "nothing is new");
    assert_eq!(looks(&played), (2, 1), "prices hourly, offerings each six hours");
    let asked = played.asked().spot.last().cloned().unwrap();
    assert_eq!(asked.1, played.now() - SignedDuration::from_hours(2), "what came since alone");
    let before = played.asked().rates.iter().map(|(_, types, _)| types.len()).max().unwrap();
    played.answers().instances.push(instance("i-3", "trn1.32xlarge"));
    let outcome = read(&played, &cache).await;
    let last = played.asked().rates.last().cloned().unwrap();
    assert_eq!((&*last.0, last.1), ("compute", set(&["trn1.32xlarge".into()])));
    assert_eq!(played.asked().rates.len(), 3);
    assert_eq!(terms(&outcome, "compute").rates.len(), before + 1);
    assert_eq!(played.asked().spot.len(), 3, "the market of a new type is read at once");
    played.pass(24);
    read(&played, &cache).await;
    assert_eq!(played.asked().rates.len(), 5, "both plans, all types");
}

#[tokio::test]
async fn what_a_new_type_may_become_is_priced_whatever_the_cache_has() {
    let (played, cache) = (Played::new(held()), cache());
    // How often prices were asked for that are wanted for the sake of another type alone.
    let times = |name: &str| {
        let asked = played.asked();
        asked.prices.iter().filter(|types| types.contains(name)).count()
    };
    read(&played, &cache).await;
    assert_eq!((times("m7i.large"), times("c7i.12xlarge")), (1, 0));
    played.pass(24);
    read(&played, &cache).await;
    assert_eq!(times("m7i.large"), 1, "a day old, and nothing is new");
    // A run of its own, with a cache of Monday that is good until next Monday.
    played.answers().instances.push(instance("i-3", "c6i.12xlarge"));
    read(&played, &cache).await;
    assert_eq!((times("m7i.large"), times("c7i.12xlarge")), (2, 1));
    played.pass(24);
    read(&played, &cache).await;
    assert_eq!(times("c7i.12xlarge"), 1, "it is not new any more, price or none");
    // What stopped running is no reason to ask, and a week is.
    played.answers().instances.pop();
    read(&played, &cache).await;
    assert_eq!(times("m7i.large"), 2);
    played.pass(7 * 24);
    read(&played, &cache).await;
    assert_eq!(times("m7i.large"), 3);
}

#[tokio::test]
async fn what_is_denied_at_first_is_unread_with_its_action_and_nothing_else_is() {
    let (played, cache) = (Played::new(held()), cache());
    played.answers().fails.insert(RESERVED, ErrorKind::Denied);
    let outcome = read(&played, &cache).await;
    let why = format!("denied: {RESERVED}");
    assert_eq!(whys(&outcome), [(CommitmentSource::ReservedInstances, why.clone())]);
    assert_eq!(outcome.savings.holdings.as_ref().unwrap().items.len(), 3, "plans are there");
    assert_eq!(reading(&outcome, REGION).state.word(), "denied");
    assert_eq!(reading(&outcome, "-").state, SourceState::Live);
    let row = &outcome.fleet.rows[0];
    assert!(row.net.is_some() && row.net_usd_per_hour().is_none(), "{:?}", row.net);
    // Who looks at the cache later is not told that all of it was read.
    let later = offline(&played, &cache).await;
    assert_eq!(whys(&later), [(CommitmentSource::ReservedInstances, "not read yet".to_owned())]);
    assert!(later.fleet.rows.iter().all(|row| row.net_usd_per_hour().is_none()));
}

#[tokio::test]
async fn what_was_read_stays_when_it_fails_and_its_age_shows() {
    let (played, cache) = (Played::new(held()), cache());
    read(&played, &cache).await;
    played.answers().fails.insert(PLANS, ErrorKind::Denied);
    played.answers().fails.insert(RESERVED, ErrorKind::Timeout);
    played.pass(2);
    let outcome = read(&played, &cache).await;
    assert_eq!(whys(&outcome), []);
    assert!(terms(&outcome, "compute").rates_known);
    assert_eq!(outcome.savings.holdings.as_ref().unwrap().items.len(), 3);
    for region in [REGION, "-"] {
        let reading = reading(&outcome, region);
        assert!(matches!(reading.state, SourceState::Failed(_)), "{reading:?}");
        assert_eq!(reading.taken_at, Some(NOW.parse().unwrap()));
    }
}

#[tokio::test]
async fn a_plan_whose_rates_are_denied_covers_nobody_knows_what() {
    let (played, cache) = (Played::new(held()), cache());
    played.answers().fails.insert(RATES, ErrorKind::Denied);
    let outcome = read(&played, &cache).await;
    assert!(!terms(&outcome, "compute").rates_known);
    let state = reading(&outcome, "-").state;
    let SourceState::Failed(error) = state else { panic!("{state:?}") };
    assert_eq!(error.operation, RATES);
    // Of a type that came since, nothing is known, whatever the other rates say.
    played.answers().fails.clear();
    read(&played, &cache).await;
    played.answers().fails.insert(RATES, ErrorKind::Throttled);
    let same = read(&played, &cache).await;
    assert!(terms(&same, "compute").rates_known, "they are all there");
    played.answers().instances.push(instance("i-3", "trn1.32xlarge"));
    let more = read(&played, &cache).await;
    assert!(!terms(&more, "compute").rates_known);
    assert!(terms(&more, "family").rates_known, "it is of another family");
}

#[tokio::test]
async fn an_account_that_does_not_answer_leaves_the_net_unknown() {
    let (played, cache) = (Played::new(held()), cache());
    played.answers().stranger = true;
    let outcome = read(&played, &cache).await;
    assert_eq!(whys(&outcome), [(CommitmentSource::SavingsPlans, "not read yet".to_owned())]);
}

#[tokio::test]
async fn offline_the_cache_answers_and_without_one_the_net_is_unknown() {
    let (played, cache) = (Played::new(held()), cache());
    let empty = offline(&played, &cache).await;
    assert!(!whys(&empty).is_empty());
    let live = read(&played, &cache).await;
    played.pass(3);
    let asked = played.asked().rates.len();
    let later = offline(&played, &cache).await;
    assert_eq!(played.asked().rates.len(), asked);
    let items = |o: &Outcome| o.savings.holdings.as_ref().unwrap().items.clone();
    assert_eq!((items(&later), whys(&later)), (items(&live), vec![]));
    assert_eq!(later.savings.spot, live.savings.spot);
    let reading = reading(&later, REGION);
    assert_eq!(
        (reading.state, reading.taken_at),
        (SourceState::Cached, Some(NOW.parse().unwrap()))
    );
}

/// What others use of reserved capacity is what AWS says less what runs here: who stops something
/// needs both anew.
#[tokio::test]
async fn commitments_of_a_region_are_read_again_after_an_action() {
    let (played, cache) = (Played::new(held()), cache());
    let (events, mut inbox) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&played, &cache), events);
    let mut reads = async |n: usize| {
        let read = async {
            while played.asked().reserved < n {
                let _ = tokio::time::timeout(Duration::from_millis(20), inbox.recv()).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), read).await.is_ok()
    };
    assert!(reads(1).await);
    handle.look_again();
    assert!(reads(2).await, "the hour is not over, and still it is read");
    handle.stop();
}

#[tokio::test]
async fn nothing_is_read_where_nothing_is_wanted() {
    let (played, cache) = (Played::new(held()), cache());
    let mut parts = parts(&played, &cache);
    parts.settings.savings = SavingsSettings::default();
    let outcome = once(parts).await;
    assert_eq!(looks(&played), (0, 0));
    assert_eq!(played.asked().rates.len(), 0);
    assert!(outcome.fleet.book.holdings.is_none() && outcome.fleet.rows[0].net.is_none());
}

/// The next picture that is as it should be; a minute at most.
async fn picture(
    told: &mut tokio::sync::mpsc::Receiver<Event>,
    is: impl Fn(&SavingsFacts) -> bool,
) -> Arc<SavingsFacts> {
    let next = async {
        loop {
            match told.recv().await {
                Some(Event::SavingsFacts(facts)) if is(&facts) => return facts,
                Some(_) => {}
                None => panic!("the bus ended"),
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), next).await.unwrap()
}

/// The readings of a source, by scope.
fn states(facts: &SavingsFacts, source: SourceId) -> Vec<&Reading> {
    facts.readings.iter().filter(|r| r.source == source).collect()
}

#[tokio::test]
async fn a_cockpit_is_told_once_while_nothing_changes_but_dates() {
    let (played, cache) = (Played::new(held()), cache());
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&played, &cache), events);
    // Of the region and of the account.
    let read_at = |facts: &SavingsFacts, at: Timestamp| {
        let readings = states(facts, SourceId::Commitments);
        readings.len() == 2 && readings.iter().all(|r| r.taken_at == Some(at))
    };
    let whole = |facts: &SavingsFacts| {
        facts.holdings.as_ref().is_some_and(|h| h.items.len() == 3 && h.unread.is_empty())
    };
    let now = played.now();
    let first = picture(&mut told, |facts| whole(facts) && read_at(facts, now)).await;
    played.pass(2);
    handle.refresh(true);
    let now = played.now();
    let again = picture(&mut told, |facts| read_at(facts, now)).await;
    handle.stop();
    let held = |facts: &SavingsFacts| facts.holdings.clone().unwrap();
    assert!(Arc::ptr_eq(&held(&first), &held(&again)), "the same commitments, read again");
}

#[tokio::test]
async fn what_fails_after_it_worked_is_asked_again_soon() {
    let (played, cache) = (Played::new(held()), cache());
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&played, &cache), events);
    let both = [SourceId::Commitments, SourceId::Offerings];
    let are = |facts: &SavingsFacts, failed: bool| {
        both.iter().all(|source| {
            let region = |r: &&Reading| &*r.scope.region == REGION;
            let is = |r: &Reading| match r.state {
                SourceState::Failed(_) => failed,
                SourceState::Live => !failed,
                _ => false,
            };
            states(facts, *source).into_iter().find(region).is_some_and(is)
        })
    };
    picture(&mut told, |facts| are(facts, false)).await;
    for action in [RESERVED, OFFERINGS] {
        played.answers().fails.insert(action, ErrorKind::Throttled);
    }
    handle.refresh(true);
    picture(&mut told, |facts| are(facts, true)).await;
    played.answers().fails.clear();
    // Nobody presses a key, and the hour is not over.
    picture(&mut told, |facts| are(facts, false)).await;
    handle.stop();
}

#[tokio::test]
async fn a_cockpit_and_a_report_get_the_same_pictures() {
    let (played, cache) = (Played::new(held()), cache());
    let report = read(&played, &cache).await;
    let (events, mut told) = tokio::sync::mpsc::channel(64);
    let handle = start(parts(&played, &cache), events);
    let mut expected = report.savings_picture(played.now());
    assert!(!expected.commitments.is_empty());
    let next = async {
        loop {
            if let Event::Savings(shown) = told.recv().await.unwrap() {
                // How often it was made, and how the sources were doing then, is the cockpit's own.
                expected.version = shown.version;
                expected.readings.clone_from(&shown.readings);
                if *shown == expected {
                    return;
                }
            }
        }
    };
    let same = tokio::time::timeout(Duration::from_mins(1), next).await;
    handle.stop();
    same.unwrap();
}
