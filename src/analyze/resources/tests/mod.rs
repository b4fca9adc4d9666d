//! Kind by kind: what is idle, what is not, and what nobody can tell.

mod patterns;
mod rows;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::Holders;
use super::judge::{Subject, judge};
use crate::domain::{
    BilledUnit, Hour, HourRange, HourlySeries, InstanceState, NOT_WORKING, RESOURCE_HOURS,
    Resource, ResourceFacts, ResourceKind, ResourceReason as R, ResourceSignal, ResourceUse,
    Signal, Tags, Unchecked, Verdict, VerdictKind, sample,
};
use crate::view::reasons::verdict as words;

use ResourceKind::{ElasticIp, Endpoint, LoadBalancer, NatGateway, Notebook, StudioApp};
use ResourceSignal::{Bytes, Connections, CpuMax, GpuMax, Requests};

pub(super) fn now() -> Timestamp {
    "2026-11-20T10:30:00Z".parse().unwrap()
}

pub(super) fn ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

/// A resource made 200 days ago.
pub(super) fn resource(kind: ResourceKind) -> Resource {
    let id = match kind {
        LoadBalancer => "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/x/50dc6c49",
        _ => "x",
    };
    Resource {
        name: "x".into(),
        state: "InService".into(),
        created_at: Some(ago(200 * 24)),
        units: vec![BilledUnit {
            what: "ml.m5.xlarge".into(),
            count: 1.0,
            usd_per_hour: Some(0.1),
        }],
        serves: Some(vec!["one".into()]),
        ..sample::resource(kind, id)
    }
}

/// Fourteen days of one value, and others at hours before now.
pub(super) fn hours(value: f32, but: &[(i32, f32)]) -> HourlySeries {
    let range = HourRange::last_closed(now(), RESOURCE_HOURS);
    let mut out = HourlySeries { start: range.from, values: vec![value; range.len()] };
    for (before, value) in but {
        out.set(range.to.plus(-before), *value);
    }
    out
}

pub(super) fn facts(resource: Resource, hours: &[(ResourceSignal, HourlySeries)]) -> ResourceFacts {
    let hours: BTreeMap<_, _> = hours.iter().cloned().collect();
    ResourceFacts { resource, hours, complete: true }
}

fn verdict_of(facts: &ResourceFacts, accelerated: bool, holders: &Holders<'_>) -> Verdict {
    judge(&Subject { facts, holders, accelerated, now: now() })
}

fn verdict(facts: &ResourceFacts) -> Verdict {
    verdict_of(facts, false, &Holders::new())
}

/// An endpoint without a single invocation, its CPU nearly still.
fn endpoint() -> ResourceFacts {
    facts(resource(Endpoint), &[(Requests, hours(0.0, &[])), (CpuMax, hours(2.0, &[]))])
}

#[test]
fn an_endpoint_without_an_invocation_is_idle_and_with_one_it_is_not() {
    let v = verdict(&endpoint());
    assert_eq!(v.kind, VerdictKind::Idle);
    // Nothing was asked in any of the 336 hours that are looked at: idle for at least 14 days.
    assert_eq!(v.idle_since, Some("2026-11-06T10:00:00Z".parse().unwrap()));
    assert_eq!(words(&v.reason), "No invocation for at least 14 d; CPU max 2%.");
    assert_eq!(v.coverage, 1.0);
    let labels: Vec<_> = v.signals.iter().map(|s| (s.signal, s.threshold, s.busy)).collect();
    let of = Signal::Resource;
    assert_eq!(labels, [(of(Requests), 0.0, false), (of(CpuMax), 25.0, false)]);
    let beside = [Unchecked::Criterion(Endpoint), Unchecked::Beside(Endpoint), Unchecked::NoGpus];
    assert_eq!(*v.not_checked, beside);

    for before in [1, 24, 200, 336] {
        let mut one = endpoint();
        one.hours.insert(Requests, hours(0.0, &[(before, 1.0)]));
        let v = verdict(&one);
        // One invocation on an instance whose CPU never passed 20%: in use, far below its size.
        assert_eq!(v.kind, VerdictKind::Underused, "{before} h ago: {:?}", v.reason);
        assert_eq!(v.idle_since, None);
        one.hours.insert(CpuMax, hours(2.0, &[(before, 80.0)]));
        assert_eq!(verdict(&one).kind, VerdictKind::Busy, "{before} h ago");
    }
    let mut before_the_window = endpoint();
    before_the_window.hours.insert(Requests, hours(0.0, &[(337, 1.0)]));
    assert_eq!(verdict(&before_the_window).kind, VerdictKind::Idle);
}

#[test]
fn work_without_invocations_is_work() {
    for (signal, value, kind) in [
        (CpuMax, 24.9, VerdictKind::Idle),
        (CpuMax, 25.0, VerdictKind::Busy),
        (GpuMax, 4.9, VerdictKind::Idle),
        (GpuMax, 5.0, VerdictKind::Underused),
        (GpuMax, 60.0, VerdictKind::Busy),
    ] {
        let mut it = endpoint();
        it.hours.insert(GpuMax, hours(0.0, &[]));
        it.hours.insert(signal, hours(0.0, &[(50, value)]));
        assert_eq!(verdict_of(&it, true, &Holders::new()).kind, kind, "{signal:?} {value}");
    }
}

#[test]
fn what_is_missing_or_makes_no_sense_is_never_idle() {
    let mut silent = endpoint();
    silent.hours.insert(Requests, hours(f32::NAN, &[]));
    let v = verdict(&silent);
    assert_eq!((v.kind, v.coverage), (VerdictKind::Unknown, 0.0));
    let silent = R::TooLittle { signal: Requests, got: 0, hours: 336, needed: 168 };
    assert_eq!(v.reason, silent.into());

    let mut unasked = endpoint();
    unasked.hours.remove(&CpuMax);
    assert_eq!(verdict(&unasked).kind, VerdictKind::Unknown);
    assert_eq!(verdict(&unasked).reason, R::NotFetched(CpuMax).into());

    // On a GPU endpoint the GPUs must have been looked at too.
    assert_eq!(verdict_of(&endpoint(), true, &Holders::new()).kind, VerdictKind::Unknown);

    for odd in [f32::INFINITY, -1.0] {
        let mut it = endpoint();
        it.hours.insert(Requests, hours(0.0, &[(3, odd)]));
        let v = verdict(&it);
        assert_eq!(v.kind, VerdictKind::Busy, "{odd}");
        let by = ResourceUse { signal: Requests, value: None, is_malformed: true };
        assert_eq!(v.reason, R::Used { by, quiet_hours: 2 }.into());
    }

    // An answer in part: what is not there proves nothing.
    let balancer = Resource { serves: Some(Vec::new()), ..resource(LoadBalancer) };
    let half = ResourceFacts { complete: false, ..facts(balancer, &[]) };
    assert_eq!(verdict(&half).kind, VerdictKind::Unknown);
    assert_eq!(verdict(&half).reason, R::NotAnswered.into());
}

#[test]
fn nine_tenths_suffice_of_all_hours_and_of_the_last_week() {
    // 336 h, of which 303 are 90.2% and 302 are 89.9%.
    let gaps =
        |n: i32, from: i32| -> Vec<(i32, f32)> { (0..n).map(|i| (from + i, f32::NAN)).collect() };
    let kind = |gaps: &[(i32, f32)]| {
        let mut it = endpoint();
        it.hours.insert(Requests, hours(0.0, gaps));
        verdict(&it).kind
    };
    assert_eq!(kind(&gaps(33, 300)), VerdictKind::Idle);
    assert_eq!(kind(&gaps(34, 300)), VerdictKind::Unknown);
    // The last 168 hours take 17 missing ones, not 16: 151.2 are needed.
    assert_eq!(kind(&gaps(16, 20)), VerdictKind::Idle);
    assert_eq!(kind(&gaps(17, 20)), VerdictKind::Unknown);
}

#[test]
fn exempt_comes_first_then_young_then_use() {
    let mut it = endpoint();
    it.resource.tags = Tags::from_raw([("burntop:exempt", "true")]);
    assert_eq!(verdict(&it).kind, VerdictKind::Exempt);
    it.resource.tags = Tags::from_raw([("burntop:exempt", "2026-11-19")]);
    let v = verdict(&it);
    assert_eq!(v.kind, VerdictKind::Idle);
    assert_eq!(v.reason.exemption_ended, Some(jiff::civil::date(2026, 11, 19)));

    it.resource.tags = Tags::default();
    it.resource.created_at = Some(ago(7 * 24 - 1));
    let v = verdict(&it);
    assert_eq!(v.kind, VerdictKind::TooNew);
    assert_eq!(words(&v.reason), "Too new: 6 d 23 h ago, 7 d of evidence are needed.");
    it.resource.created_at = Some(ago(7 * 24));
    let v = verdict(&it);
    assert_eq!(v.kind, VerdictKind::Idle);
    assert_eq!(words(&v.reason), "No invocation for 7 d; CPU max 2%.");

    // An old endpoint that was deployed anew yesterday: too new, unless it was asked.
    it.resource.created_at = Some(ago(200 * 24));
    it.resource.changed_at = Some(ago(24));
    assert_eq!(verdict(&it).kind, VerdictKind::TooNew);
    it.hours.insert(Requests, hours(0.0, &[(2, 9.0)]));
    it.hours.insert(CpuMax, hours(50.0, &[]));
    assert_eq!(verdict(&it).kind, VerdictKind::Busy);
}

#[test]
fn a_notebook_is_judged_where_it_publishes_its_cpu() {
    let with = |series: &[(ResourceSignal, HourlySeries)]| facts(resource(Notebook), series);
    let v = verdict(&with(&[]));
    assert_eq!(v.kind, VerdictKind::Unknown);
    assert_eq!(v.reason, R::NoMetrics.into());
    assert_eq!(verdict(&with(&[(CpuMax, hours(3.0, &[]))])).kind, VerdictKind::Idle);
    assert_eq!(verdict(&with(&[(CpuMax, hours(3.0, &[(100, 5.0)]))])).kind, VerdictKind::Busy);
    // Beside GPUs that nobody watches a quiet CPU proves nothing, and a busy one still does.
    let gpu = |value| verdict_of(&with(&[(CpuMax, hours(value, &[]))]), true, &Holders::new());
    assert_eq!((gpu(3.0).kind, gpu(40.0).kind), (VerdictKind::Unknown, VerdictKind::Busy));
}

#[test]
fn a_studio_app_is_judged_by_its_last_user() {
    let used = |hours: Option<i64>| {
        facts(Resource { used_at: hours.map(ago), ..resource(StudioApp) }, &[])
    };
    let v = verdict(&used(Some(24)));
    assert_eq!((v.kind, v.idle_since), (VerdictKind::Idle, Some(ago(24))));
    assert_eq!(words(&v.reason), "Nobody has used it for 24 h, says SageMaker (limit 24 h).");
    assert_eq!(verdict(&used(Some(23))).kind, VerdictKind::Busy);
    let v = verdict(&used(None));
    assert_eq!(v.kind, VerdictKind::Unknown);
    assert_eq!(v.reason, R::LastUseUntold.into());
}

#[test]
fn a_studio_app_on_gpus_is_never_idle() {
    let on_gpus = |hours: Option<i64>| {
        let it = facts(Resource { used_at: hours.map(ago), ..resource(StudioApp) }, &[]);
        verdict_of(&it, true, &Holders::new())
    };
    // A run that was started and left to itself: the user is away, the GPUs may not be.
    for hours in [24, 30, 400] {
        let v = on_gpus(Some(hours));
        assert_eq!((v.kind, v.idle_since), (VerdictKind::Unknown, None), "{hours} h");
        assert_eq!(v.reason, R::UserAway(hours as u32).into());
    }
    assert_eq!(
        words(&on_gpus(Some(30)).reason),
        "Unknown: nobody has used it for 30 h, says SageMaker, but nothing tells what its GPUs do: a \
         run may go on without its user."
    );
    let v = on_gpus(Some(23));
    assert_eq!(
        (v.kind, &*words(&v.reason)),
        (VerdictKind::Busy, "In use: somebody used it 23 h ago.")
    );
    assert_eq!(on_gpus(None).reason, R::LastUseUntold.into());
}

#[test]
fn an_address_is_idle_without_a_running_instance() {
    let at = |serves: Option<Vec<&str>>| {
        let serves = serves.map(|all| all.into_iter().map(Arc::from).collect());
        let it = Resource { created_at: None, serves, ..resource(ElasticIp) };
        facts(it, &[])
    };
    let stopped = InstanceState::Stopped;
    let known = Holders::from([
        ("i-run", (InstanceState::Running, None)),
        ("i-stop", (stopped, Some(ago(50)))),
    ]);
    let unused = format!("eni-9{NOT_WORKING}");
    for (serves, kind, says) in [
        (Some(vec![]), VerdictKind::Idle, "Associated with nothing."),
        (Some(vec!["i-run"]), VerdictKind::Busy, "In use: associated with i-run."),
        (
            Some(vec!["i-stop"]),
            VerdictKind::Idle,
            "Associated with i-stop, which is stopped since 2 d 2 h.",
        ),
        (Some(vec!["i-gone"]), VerdictKind::Unknown, "could not be read"),
        (Some(vec!["eni-1"]), VerdictKind::Busy, "associated with eni-1"),
        (Some(vec![&unused]), VerdictKind::Idle, "Associated with eni-9, which nothing uses."),
        (None, VerdictKind::Unknown, "could not be read"),
    ] {
        let v = verdict_of(&at(serves.clone()), false, &known);
        assert_eq!(v.kind, kind, "{serves:?}");
        let said = words(&v.reason);
        assert!(said.contains(says), "{serves:?}: {said}");
    }
    // With a stopped instance it idles since the stop, however long the association is known.
    let mut held = at(Some(vec!["i-stop"]));
    held.resource.changed_at = Some(ago(900));
    assert_eq!(verdict_of(&held, false, &known).idle_since, Some(ago(50)));
    let when = Holders::from([("i-stop", (stopped, None))]);
    assert_eq!(verdict_of(&held, false, &when).idle_since, None);
    // Seen so for two days: that is as long as it is known to idle.
    let mut seen = at(Some(vec![]));
    seen.resource.changed_at = Some(ago(48));
    let v = verdict(&seen);
    assert_eq!((v.kind, v.idle_since), (VerdictKind::Idle, Some(ago(48))));
    assert_eq!(words(&v.reason), "Associated with nothing, seen so for at least 2 d.");
}

#[test]
fn an_endpoint_of_a_vpc_is_idle_where_nothing_went_through_it() {
    let of = |bytes| verdict(&facts(resource(ResourceKind::VpcEndpoint), &[(Bytes, bytes)]));
    let v = of(hours(0.0, &[]));
    let says = "Nothing went through it for at least 14 d.";
    assert_eq!((v.kind, &*words(&v.reason)), (VerdictKind::Idle, says));
    assert_eq!(of(hours(0.0, &[(300, 1.0)])).kind, VerdictKind::Busy);
    assert_eq!(of(hours(f32::NAN, &[])).kind, VerdictKind::Unknown, "nobody counted");
}

#[test]
fn a_nat_gateway_says_whether_routes_lead_to_it() {
    let with = |serves: Option<Vec<&str>>, connections| {
        let serves = serves.map(|all| all.into_iter().map(Arc::from).collect());
        let it = Resource { serves, ..resource(NatGateway) };
        facts(it, &[(Connections, connections), (Bytes, hours(0.0, &[]))])
    };
    let still = || hours(0.0, &[]);
    for (serves, says) in [
        (Some(vec![]), "No connection for at least 14 d, and no route table leads to it."),
        (
            Some(vec!["rtb-1"]),
            "No connection for at least 14 d, though a route table leads to it: what is behind it \
             does not use the internet.",
        ),
        (
            Some(vec!["rtb-1", "rtb-2"]),
            "No connection for at least 14 d, though 2 route tables lead to it: what is behind \
             them does not use the internet.",
        ),
        (None, "No connection for at least 14 d; which route tables lead to it could not be read."),
    ] {
        let v = verdict(&with(serves, still()));
        assert_eq!((v.kind, &*words(&v.reason)), (VerdictKind::Idle, says));
    }
    // A single connection in two weeks is traffic, routes or not.
    assert_eq!(verdict(&with(Some(vec![]), hours(0.0, &[(300, 1.0)]))).kind, VerdictKind::Busy);
    // No datapoints are no evidence, also where no route leads to it.
    let v = verdict(&with(Some(vec![]), hours(f32::NAN, &[])));
    assert_eq!(v.kind, VerdictKind::Unknown);
}

#[test]
fn a_load_balancer_needs_targets_and_requests() {
    let with = |serves: Option<Vec<String>>, requests: HourlySeries| {
        let serves = serves.map(|all| all.into_iter().map(Arc::from).collect());
        facts(Resource { serves, ..resource(LoadBalancer) }, &[(Requests, requests)])
    };
    let silent = || hours(f32::NAN, &[]);
    let sick = format!("i-1{NOT_WORKING}");
    let v = verdict(&with(Some(vec![]), silent()));
    assert_eq!(v.kind, VerdictKind::Idle);
    assert_eq!(words(&v.reason), "No target is registered, and no request came in 14 d.");
    let v = verdict(&with(Some(vec![sick.clone(), sick.clone()]), hours(0.0, &[])));
    let says = "None of 2 targets is in health, and no request came for at least 14 d.";
    assert_eq!((v.kind, &*words(&v.reason)), (VerdictKind::Idle, says));
    let v = verdict(&with(Some(vec!["i-2".into(), sick]), hours(0.0, &[])));
    let says = "No request came for at least 14 d, though 1 target is in health.";
    assert_eq!((v.kind, &*words(&v.reason)), (VerdictKind::Idle, says));
    // With targets in health, silence of CloudWatch is no evidence.
    assert_eq!(verdict(&with(Some(vec!["i-2".into()]), silent())).kind, VerdictKind::Unknown);
    // It may answer by rules of its own, without any target.
    let asked = hours(0.0, &[(4, 2_000.0)]);
    assert_eq!(verdict(&with(Some(vec![]), asked)).kind, VerdictKind::Busy);
    // The highest 24 hours: 99 requests are few, 100 are not.
    for (requests, kind) in [(99.0, VerdictKind::Underused), (100.0, VerdictKind::Busy)] {
        let day = hours(0.0, &[(30, requests - 40.0), (31, 40.0), (100, 7.0)]);
        let v = verdict(&with(Some(vec!["i-2".into()]), day));
        assert_eq!(v.kind, kind, "{requests}: {:?}", v.reason);
    }
    // Of a network load balancer it is flows and bytes, both.
    let network = Resource {
        id: "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/x/50dc6c49".into(),
        ..resource(LoadBalancer)
    };
    let still = [(Connections, hours(0.0, &[])), (Bytes, hours(0.0, &[]))];
    assert_eq!(verdict(&facts(network.clone(), &still)).kind, VerdictKind::Idle);
    assert_eq!(verdict(&facts(network.clone(), &still[..1])).kind, VerdictKind::Unknown);
    // Forty flows that last for weeks and carry 3 TB a day are no balancer to share.
    let flows = (Connections, hours(0.0, &[(30, 40.0)]));
    let carries = |bytes: f32| facts(network.clone(), &[flows.clone(), (Bytes, hours(bytes, &[]))]);
    assert_eq!(verdict(&carries(125e9)).kind, VerdictKind::Busy);
    // 24 hours of 4.2 MB are 100.8 MB, of 4 MB they are 96 MB.
    assert_eq!(verdict(&carries(4.2e6)).kind, VerdictKind::Busy);
    let v = verdict(&carries(4e6));
    assert_eq!(v.kind, VerdictKind::Underused);
    let said = words(&v.reason);
    assert!(said.ends_with("below 100 a day), nor more than 96.0 MB."), "{said}");
    // What its bytes were nobody knows: nothing says that it does little.
    assert_eq!(verdict(&facts(network, &[flows])).kind, VerdictKind::Busy);
}

proptest! {
    /// Whatever the hours hold: idle means that no hour of the window speaks for use and nine tenths
    /// of them reported, counted here one by one.
    #[test]
    fn idle_is_what_counting_says(
        values in proptest::collection::vec(
            prop_oneof![8 => Just(0.0_f32), 1 => Just(f32::NAN), 1 => 0.0_f32..3.0], 336
        ),
        still in any::<bool>(),
    ) {
        let values: Vec<f32> =
            values.into_iter().map(|v| if still && v > 0.0 { 0.0 } else { v }).collect();
        let range = HourRange::last_closed(now(), RESOURCE_HOURS);
        let series = HourlySeries { start: range.from, values: values.clone() };
        let it = facts(
            resource(NatGateway),
            &[(Connections, series), (Bytes, hours(0.0, &[]))],
        );
        let v = verdict(&it);
        let used = values.iter().any(|v| *v > 0.0);
        let got = |part: &[f32]| part.iter().filter(|v| !v.is_nan()).count();
        let covered = got(&values) * 10 >= 336 * 9 && got(&values[168..]) * 10 >= 168 * 9;
        let expected = match (used, covered) {
            (true, _) => VerdictKind::Busy,
            (false, true) => VerdictKind::Idle,
            (false, false) => VerdictKind::Unknown,
        };
        prop_assert_eq!(v.kind, expected);
        if let Some(since) = v.idle_since {
            let first = values.iter().position(|v| !v.is_nan()).unwrap();
            prop_assert_eq!(since, Hour(range.from.0 + first as i32).start());
        }
    }
}

/// Series of so many closed hours, and the verdict so many hours ago.
fn long(values: Vec<f32>) -> ResourceFacts {
    let range = HourRange::last_closed(now(), values.len() as u32);
    let series = HourlySeries { start: range.from, values };
    facts(resource(NatGateway), &[(Connections, series.clone()), (Bytes, series)])
}

fn verdict_ago(facts: &ResourceFacts, hours: i64) -> Verdict {
    let now = now() - SignedDuration::from_hours(hours);
    judge(&Subject { facts, holders: &Holders::new(), accelerated: false, now })
}

#[test]
fn a_stretch_reaches_back_as_far_as_hours_are_kept() {
    let start = |hours: u32| HourRange::last_closed(now(), hours).from.start();
    // Quiet as far as one sees: at least since then.
    let v = verdict(&long(vec![0.0; 1000]));
    assert_eq!(
        (v.kind, v.idle_since, v.idle_since_at_least),
        (VerdictKind::Idle, Some(start(1000)), true)
    );
    // Since right after the last use, exactly.
    let mut values = vec![0.0; 1000];
    values[300] = 5.0;
    let v = verdict(&long(values.clone()));
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(start(699)), false));
    // Hours that nobody saw between: maybe since before them.
    values[301..310].fill(f32::NAN);
    let v = verdict(&long(values));
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(start(690)), true));
    // Since its creation.
    let mut it = long(vec![0.0; 1000]);
    it.resource.created_at = Some(ago(500));
    let v = verdict(&it);
    assert_eq!((v.idle_since, v.idle_since_at_least), (Some(ago(500)), false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The clock goes on hour by hour over a resource that idles: its stretch does not begin anew.
    #[test]
    fn a_stretch_of_a_resource_only_grows(
        last_use in 0..600_usize, holes in proptest::collection::vec(0..1000_usize, 0..20),
    ) {
        let mut values = vec![0.0; 1000];
        holes.iter().for_each(|at| values[*at] = f32::NAN);
        values[last_use] = 3.0;
        let it = long(values);
        let mut since = None;
        for hours in (0..100).rev() {
            let v = verdict_ago(&it, hours);
            if v.kind != VerdictKind::Idle {
                continue;
            }
            prop_assert!(since.is_none_or(|before| v.idle_since.unwrap() <= before), "{hours}");
            since = v.idle_since;
        }
    }
}
