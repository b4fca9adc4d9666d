//! What would keep idle instances from being stopped, beside them: whoever looks at the list learns it before a plan is checked.

use std::sync::Arc;

use jiff::Timestamp;

use super::finding::{Finding, Guard, Severity};
use super::guard::Foreseer;
use super::recheck::{self, Silence};
use super::rules::Rules;
use crate::domain::hash::FastMap;
use crate::domain::{GpuReason, SourceId, VerdictKind};
use crate::fleet::{Fleet, GpuFleet, Obstacle, Row};

/// The fleet with what speaks against stopping each idle instance, as far as it is known without a call: by its guards, and by the
/// GPUs that `gpus` tell nothing of any more. While sources of jobs are being read, what nothing else blocks stays unknown. `None`
/// where the fleet says all of that already.
pub fn foresee(
    fleet: &Fleet,
    gpus: Option<&GpuFleet>,
    rules: &Rules,
    now: Timestamp,
) -> Option<Arc<Fleet>> {
    let silent = gpus.map(silences).unwrap_or_default();
    let jobs_unread = gpus.is_some_and(|gpus| {
        gpus.rows.iter().any(|row| row.verdict.reason == GpuReason::JobsUnread)
    });
    let foreseer = Foreseer::new(rules, now);
    let news: Vec<(usize, Option<Arc<[Obstacle]>>)> = fleet
        .rows
        .iter()
        .enumerate()
        .filter_map(|(at, row)| {
            let silence = silent.get(&*row.instance.id).copied();
            let new = is_idle(row).then(|| obstacles(foreseer.of(row, silence)));
            let new = new.filter(|all| !jobs_unread || all.iter().any(|of| of.blocks));
            (row.obstacles.as_deref() != new.as_deref()).then_some((at, new))
        })
        .collect();
    if news.is_empty() {
        return None;
    }
    let mut fleet = fleet.clone();
    for (at, new) in news {
        if let Some(row) = fleet.rows.get_mut(at) {
            Arc::make_mut(row).obstacles = new;
        }
    }
    Some(Arc::new(fleet))
}

fn is_idle(row: &Row) -> bool {
    let kind = row.verdict.as_ref().map(|verdict| verdict.kind);
    kind == Some(VerdictKind::Idle) && row.instance.state.is_billed()
}

/// What blocks, or may, then warnings; a note keeps nothing from anything.
fn obstacles(findings: Vec<Finding>) -> Arc<[Obstacle]> {
    let told = findings.into_iter().filter(|finding| finding.severity > Severity::Note);
    let told = told.map(|finding| Obstacle {
        guard: finding.guard.name(),
        text: finding.text.into(),
        // The check has no warning of its own: this one is of a silence that it may break.
        blocks: finding.severity == Severity::Block || finding.guard == Guard::Recheck,
        is_sure: finding.severity == Severity::Block || finding.guard != Guard::Recheck,
    });
    let mut all: Vec<Obstacle> = told.collect();
    all.sort_by_key(|obstacle| !obstacle.blocks);
    all.into()
}

/// Since when nothing was heard of a GPU of an instance, by instance id, the longest. A source that tells of others went on: where it is silent
/// as a whole, nothing is known of the agents.
fn silences(gpus: &GpuFleet) -> FastMap<&str, Silence> {
    let mut newest: FastMap<SourceId, Timestamp> = FastMap::default();
    for told in gpus.rows.iter().flat_map(|row| &row.told) {
        newest
            .entry(told.source)
            .and_modify(|at| *at = told.taken_at.max(*at))
            .or_insert(told.taken_at);
    }
    let mut silent: FastMap<&str, Silence> = FastMap::default();
    for row in &gpus.rows {
        let Some(instance) = row.node.instance.as_deref() else { continue };
        let Some(heard) = row.told.iter().map(|told| told.taken_at).max() else { continue };
        let is_silent = row.told.iter().all(|told| {
            newest.get(&told.source).is_some_and(|at| recheck::is_silent(told.taken_at, *at))
        });
        if is_silent {
            let is_measured = row.told.iter().any(|told| told.source == SourceId::CloudWatchGpu);
            let new = Silence { since: heard, is_measured };
            let old = silent.entry(&*instance.instance.id).or_insert(new);
            old.since = old.since.min(heard);
            old.is_measured |= is_measured;
        }
    }
    silent
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::act::plan::fixture::{self, ACCOUNT, ago, now, passing};
    use crate::act::plan::{AccountRules, Verb};
    use crate::domain::{Instance, Lifecycle, Tags, TypeSpec};
    use crate::fleet::{GpuNode, HeldBy, Told};

    fn row(change: impl FnOnce(&mut Instance)) -> Row {
        let mut instance = fixture::instance();
        change(&mut instance);
        Row {
            spec: Some(Arc::new(fixture::spec())),
            verdict: Some(Arc::new(crate::domain::sample::verdict(VerdictKind::Idle))),
            ..Row::new(instance)
        }
    }

    fn told(row: Row, gpus: Option<&GpuFleet>, rules: &Rules) -> Vec<Obstacle> {
        let fleet = Fleet { rows: vec![Arc::new(row)], ..Fleet::default() };
        let fleet = foresee(&fleet, gpus, rules, now()).unwrap();
        assert_eq!(foresee(&fleet, gpus, rules, now()), None, "it says all of it already");
        fleet.rows[0].obstacles.as_deref().unwrap().to_vec()
    }

    fn guards(all: &[Obstacle]) -> Vec<(&'static str, bool)> {
        all.iter().map(|obstacle| (obstacle.guard, obstacle.blocks)).collect()
    }

    #[test]
    fn what_nothing_speaks_against_has_no_obstacle_and_what_is_used_is_not_looked_at() {
        assert_eq!(told(row(|_| {}), None, &fixture::rules()), []);
        let mut busy = row(|_| {});
        busy.verdict = Some(Arc::new(crate::domain::sample::verdict(VerdictKind::Busy)));
        let fleet = Fleet { rows: vec![Arc::new(busy)], ..Fleet::default() };
        assert_eq!(foresee(&fleet, None, &fixture::rules(), now()), None);
    }

    #[test]
    fn a_session_that_is_not_armed_is_no_obstacle_and_a_pin_is() {
        assert_eq!(told(row(|_| {}), None, &Rules::default()), []);
        let pinned = AccountRules { read_only: true, ..AccountRules::default() };
        let rules = Rules { accounts: [(ACCOUNT.into(), pinned)].into(), ..Rules::default() };
        assert_eq!(guards(&told(row(|_| {}), None, &rules)), [("armed", true)]);
    }

    #[test]
    fn an_obstacle_is_what_the_check_finds() {
        type Spoil = fn(&mut Instance);
        let spoils: [(Spoil, Guard); 4] = [
            (|i| i.tags = Tags::from_raw([("karpenter.sh/nodepool", "gpu")]), Guard::Owner),
            (|i| i.ebs_root = false, Guard::Stoppable),
            (|i| i.tags = Tags::from_raw([("burntop:exempt", "true")]), Guard::Exempt),
            (|i| i.tags = Tags::from_raw([("env", "prod")]), Guard::Production),
        ];
        for (spoil, guard) in spoils {
            let seen = told(row(spoil), None, &fixture::rules());
            let mut fixture = passing(Verb::Stop);
            fixture.instance(spoil);
            let found = fixture.check().findings;
            let found: Vec<(&str, &str)> = found
                .iter()
                .filter(|f| f.severity > Severity::Note)
                .map(|f| (f.guard.name(), &*f.text))
                .collect();
            let seen: Vec<(&str, &str)> = seen.iter().map(|o| (o.guard, &*o.text)).collect();
            assert_eq!(seen, found, "{guard:?}");
            assert!(seen.iter().any(|(name, _)| *name == guard.name()), "{guard:?}: {seen:?}");
        }
    }

    #[test]
    fn what_a_stop_loses_or_does_not_save_is_a_warning_and_blocks_nothing() {
        let rules = fixture::rules();
        let with_store = |instance_store_gb| {
            let spec = TypeSpec { instance_store_gb, ..fixture::spec() };
            Row { spec: Some(Arc::new(spec)), ..row(|_| {}) }
        };
        let seen = told(with_store(3_800), None, &rules);
        assert_eq!(guards(&seen), [("instance_store", false)]);
        assert_eq!(&*seen[0].text, "3,800 GB of instance store are erased");
        let seen = told(with_store(3_800), Some(&heard(31, 0)), &rules);
        let may_block_first = [("recheck", true), ("instance_store", false)];
        assert_eq!(guards(&seen), may_block_first);
        let rare = row(|i| i.instance_type = "p5.48xlarge".into());
        let spec = TypeSpec { name: "p5.48xlarge".into(), ..fixture::spec() };
        let seen = told(Row { spec: Some(Arc::new(spec)), ..rare }, None, &rules);
        assert_eq!(guards(&seen), [("capacity", false)]);
        let seen = told(row(|i| i.capacity_reservation = Some("cr-1".into())), None, &rules);
        assert_eq!(guards(&seen), [("saving", false)]);
        assert!(seen[0].text.starts_with("saves $0: capacity reservation cr-1"), "{seen:?}");
        let seen = told(row(|i| i.lifecycle = Lifecycle::Spot), None, &rules);
        assert_eq!(guards(&seen), [("spot", false)]);
        // Of a type that nobody knows it is not known what it would lose, which blocks.
        let seen = told(Row { spec: None, ..row(|_| {}) }, None, &rules);
        assert_eq!(guards(&seen), [("instance_store", true), ("recheck", true)]);
    }

    #[test]
    fn a_job_that_has_it_is_said_with_what_to_do() {
        let mut row = row(|_| {});
        row.held_by = Some(Arc::new(HeldBy {
            jobs: vec!["7".into()],
            users: vec!["ana".into()],
            has_unnamed: false,
            read_at: ago(1),
        }));
        let seen = told(row, None, &fixture::rules());
        let text = "job 7 of ana has it by its scheduler: wait until that has ended, or end it, and \
                    check again";
        let wanted = Obstacle { guard: "jobs", text: text.into(), blocks: true, is_sure: true };
        assert_eq!(seen, [wanted]);
    }

    /// A GPU of the fixture's instance and one of another, heard of so many minutes ago.
    fn heard(own: i64, other: i64) -> GpuFleet {
        heard_by(SourceId::Prometheus, own, other)
    }

    fn heard_by(source: SourceId, own: i64, other: i64) -> GpuFleet {
        let gpus = crate::tabs::gpus::picture::fixture::gpus();
        let gpu = |id: &str, minutes: i64| {
            let mut gpu = (*gpus.rows[0]).clone();
            let instance = Instance { id: id.into(), ..fixture::instance() };
            let instance = Some(Arc::new(Row::new(instance)));
            gpu.node = Arc::new(GpuNode { name: id.into(), instance });
            gpu.told = vec![Told { source, origin: "main".into(), taken_at: ago(minutes) }];
            Arc::new(gpu)
        };
        let rows = vec![gpu(fixture::ID, own), gpu("i-other", other)];
        GpuFleet { rows, ..GpuFleet::default() }
    }

    #[test]
    fn silent_gpus_may_fail_the_check_and_do_where_it_asks_the_same_source() {
        let rules = fixture::rules();
        let recheck = |text: &str, is_sure| Obstacle {
            guard: "recheck",
            text: text.into(),
            blocks: true,
            is_sure,
        };
        let seen = told(row(|_| {}), Some(&heard(31, 0)), &rules);
        let text =
            "its GPUs have been silent for 31m: the check may find their last minutes missing";
        assert_eq!(seen, [recheck(text, false)], "the check asks CloudWatch");
        let seen = told(row(|_| {}), Some(&heard_by(SourceId::CloudWatchGpu, 31, 0)), &rules);
        // An hour holds twelve periods of five minutes; two may be late, and 90% of ten are nine: 45 minutes.
        let text = "not known to be idle: nothing was heard of its GPUs since 2026-07-01 12:09 UTC: \
                    restart its agent, then wait about 45m and check again";
        assert_eq!(seen, [recheck(text, true)]);
        assert_eq!(
            told(row(|_| {}), Some(&heard(20, 0)), &rules),
            [],
            "as late as the check allows"
        );
        assert_eq!(told(row(|_| {}), Some(&heard(31, 30)), &rules), [], "the source is silent");
    }

    #[test]
    fn while_jobs_are_read_nobody_says_that_nothing_blocks() {
        let rules = fixture::rules();
        let mut gpus = heard(0, 0);
        let gpu = Arc::make_mut(&mut gpus.rows[0]);
        Arc::make_mut(&mut gpu.verdict).reason = GpuReason::JobsUnread;
        let fleet = |row| Fleet { rows: vec![Arc::new(row)], ..Fleet::default() };
        assert_eq!(foresee(&fleet(row(|_| {})), Some(&gpus), &rules, now()), None);
        let known = fleet(row(|i| i.ebs_root = false));
        let known = foresee(&known, Some(&gpus), &rules, now()).unwrap();
        assert_eq!(guards(known.rows[0].obstacles.as_deref().unwrap()), [("stoppable", true)]);
    }

    #[test]
    fn an_instance_that_is_too_young_says_until_when() {
        let launched = now() - SignedDuration::from_hours(5);
        let seen = told(row(|i| i.launched_at = launched), None, &fixture::rules());
        assert_eq!(guards(&seen), [("age", true)]);
        // Launched at 07:40, and a day is asked for.
        assert!(seen[0].text.ends_with("less than 24 h ago: wait until 2026-07-02 07:40 UTC"));
    }
}
