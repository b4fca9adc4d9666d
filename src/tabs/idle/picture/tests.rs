//! The "why" page of the fixture's instances.

use std::sync::Arc;

use super::*;
use crate::domain::{Hour, Signal};
use crate::fleet::{Fleet, HeldBy};
use crate::view::fixture::{ago, ascii, ctx, fleet, index, now, series};
use crate::view::{Filter, TableField};

fn page(id: &str) -> WhyPage {
    let fleet = fleet();
    why(&fleet.rows[index(&fleet, id)], None, "cautious", &ctx())
}

#[test]
fn an_idle_box_shows_evidence_money_and_losses() {
    let page = page("i-0a1idle");
    assert_eq!(page.headline, "train-7b-old · p4d.24xlarge · 111122223333/us-east-1");
    assert_eq!(page.verdict_cell, "○ IDLE");
    assert_eq!(page.reason, "all 8 GPUs under 5% for 3d12h");
    assert_eq!(page.since.as_deref(), Some("3d12h, since 2026-03-11 03:09 UTC"));
    let source = crate::analyze::idle::Preset::Cautious.source();
    assert_eq!(page.preset_source.as_deref(), Some(source));
    assert_eq!(page.tests.len(), 8);
    let gpu = &page.tests[3];
    assert_eq!((&*gpu.label, &*gpu.value, &*gpu.threshold), ("GPU 3 max", "1.6%", "5%"));
    assert_eq!((gpu.got, gpu.expected, gpu.standing), (84, 84, Standing::ForIdle));
    let network = &page.counters[0];
    assert_eq!((&*network.value, &*network.threshold), ("2.1 MB/day", "1 GB/day"));
    assert_eq!(page.not_checked.len(), 1);

    let stakes = &page.stakes;
    // 21.957642 × 730 = 16,029.08; × 84 h = 1,844.44.
    assert!((stakes.saves_usd_per_month.unwrap() - 16_029.078_66).abs() < 1e-6);
    assert!((stakes.wasted_usd.unwrap() - 1_844.441_928).abs() < 1e-6);
    assert_eq!(stakes.saving, "Stopping saves $21.96/h = $16,029 per month of 730 h, gross.");
    assert!(stakes.net.starts_with("Net of commitments: not known"), "{}", stakes.net);
    assert_eq!(stakes.price_basis, "on-demand list, embedded 2026-03-01");
    let losses: Vec<String> =
        stakes.losses.iter().map(|l| format!("{}: {}", l.what, l.text)).collect();
    assert_eq!(
        losses,
        [
            "instance store: 8,000 GB of instance store are erased by a stop as by a termination.",
            "volumes: A stop leaves 2 volumes that bill on; a termination deletes 1 and leaves 1.",
            "capacity: Whether the type can be had again at a restart is not known.",
        ]
    );
}

/// Where looking began within the stretch, its length and its dollars are lower bounds, and said so in
/// the list, on the page, and in sums.
#[test]
fn a_stretch_that_may_be_longer_says_at_least() {
    use crate::fleet::{Row, Totals};
    use crate::view::{Symbols, TableField, ViewContext};
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, "i-0a1idle")];
    let exact = (**row).clone();
    let judged = exact.verdict.as_deref().unwrap().clone();
    let verdict = crate::domain::Verdict { idle_since_at_least: true, ..judged };
    let edge = Row { verdict: Some(verdict.into()), ..exact.clone() };
    let cell = |row: &Row, ctx: &ViewContext| Field::IdleSince.cell(row, ctx);
    assert_eq!((cell(&exact, &ctx()), cell(&edge, &ctx())), ("3d12h".into(), "≥3d12h".into()));
    assert_eq!(cell(&edge, &ViewContext { symbols: Symbols::Ascii, ..ctx() }), ">3d12h");
    let page = why(&edge, None, "cautious", &ctx());
    let since = "at least 3d12h, since 2026-03-11 03:09 UTC or earlier";
    assert_eq!(page.since.as_deref(), Some(since));
    assert!(page.stakes.wasted_at_least);
    assert!(!why(&exact, None, "cautious", &ctx()).stakes.wasted_at_least);
    let of = |rows: [&Row; 2]| Totals::of(rows.into_iter()).wasted_at_least;
    assert!(of([&exact, &edge]) && !of([&exact, &exact]));
    // What wastes nothing bounds nothing.
    let free = Row { wasted_usd: None, ..edge.clone() };
    assert!(!of([&exact, &free]));
}

#[test]
fn net_says_what_is_left_of_the_saving_and_who_is_paid_on() {
    use crate::domain::{CommitmentKind, NetUnknown};
    use crate::fleet::commitments::{Cover, CoveredBy, Net};
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, "i-0a1idle")];
    let said = |net: Net| {
        let row = crate::fleet::Row { net: Some(net.into()), ..(**row).clone() };
        why(&row, None, "cautious", &ctx()).stakes.net
    };
    let by = |share: f64| CoveredBy {
        id: "sp-1".into(),
        kind: CommitmentKind::ComputePlan,
        account: "111122223333".into(),
        share,
        usd_per_hour: Some(14.0 * share),
        until: Some("2027-03-01T00:00:00Z".parse().unwrap()),
    };
    let cover = |by: Vec<CoveredBy>, saves: f64| {
        let cover = Cover {
            by,
            effective_usd_per_hour: Some(14.0),
            saves_usd_per_hour: saves,
            ..Cover::default()
        };
        said(Net::Known(cover))
    };
    let free = cover(vec![], 21.957_642);
    assert_eq!(free, "Net of commitments: the same; no reservation and no Savings Plan covers it.");
    let covered = cover(vec![by(1.0)], 0.0);
    assert_eq!(
        covered,
        "Net of commitments: nothing; Compute SP sp-1 pays for it until 2027-03-01."
    );
    // 9.88 × 730 = 7,212.40.
    let partly = cover(vec![by(0.55)], 9.88);
    assert_eq!(
        partly,
        "Net of commitments: $9.88/h = $7,212 per month; Compute SP sp-1 pays for 55% of it until \
         2027-03-01."
    );
    let moved = cover(vec![by(1.0)], 21.957_642);
    assert!(moved.ends_with("until 2027-03-01, which then covers other usage."), "{moved}");
    let denied = said(Net::Unknown(NetUnknown::Fixture("denied: ec2:DescribeReservedInstances")));
    assert_eq!(denied, "Net of commitments: not known, denied: ec2:DescribeReservedInstances.");
}

#[test]
fn a_preset_of_the_users_own_says_itself_where_it_comes_from() {
    let fleet = fleet();
    let page = why(&fleet.rows[0], None, "night-batch", &ctx());
    assert_eq!(page.preset_source, None);
    let page = page.with_preset_source("config");
    assert_eq!((&*page.preset, page.preset_source.as_deref()), ("night-batch", Some("config")));
}

#[test]
fn dollars_of_a_stretch_that_may_have_begun_before_are_a_lower_bound() {
    use crate::view::TableField as _;
    let fleet = fleet();
    let mut row = (*fleet.rows[index(&fleet, "i-0a1idle")]).clone();
    let with = |row: &mut crate::fleet::Row, at_least| {
        let verdict = Arc::make_mut(row.verdict.as_mut().unwrap());
        verdict.idle_since_at_least = at_least;
        Field::WastedUsd.cell(row, &ctx())
    };
    let exact = with(&mut row, false);
    assert!(exact.parse::<f64>().is_ok_and(|usd| usd > 0.0) || exact.contains(','), "{exact}");
    assert_eq!(with(&mut row, true), format!("≥{exact}"));
    row.wasted_usd = None;
    assert_eq!(with(&mut row, true), "–", "no bound of what is not known");
}

#[test]
fn values_near_a_threshold_do_not_look_like_it() {
    use super::evidence::quantity;
    let cases = [
        (0.52, "cores", "0.52 cores"),
        (0.5, "cores", "0.5 cores"),
        (4.96, "%", "4.96%"),
        (5.0, "%", "5%"),
        (38.44, "%", "38.4%"),
        (1.0, "ops/s", "1 ops/s"),
        (1e9, "bytes/day", "1 GB/day"),
        (2.0, "days", "2 days"),
        (1e20, "ops/s", "1.0e20 ops/s"),
    ];
    for (value, unit, want) in cases {
        assert_eq!(quantity(value, unit), want);
    }
}

#[test]
fn standings_tell_silence_from_idleness() {
    let page = page("i-0c3unkn");
    let gpu = &page.tests[0];
    assert_eq!((&*gpu.value, gpu.standing), ("–", Standing::NoData));
    assert_eq!(page.since, None);

    let fleet = fleet();
    let mut row = (*fleet.rows[index(&fleet, "i-0a1idle")]).clone();
    let verdict = Arc::make_mut(row.verdict.as_mut().unwrap());
    verdict.signals[0].got = 75;
    verdict.signals[1].got = 76;
    verdict.signals[2].busy = true;
    let page = why(&row, None, "cautious", &ctx());
    let standings: Vec<Standing> = page.tests[..3].iter().map(|l| l.standing).collect();
    // 75 of 84 is 89.3%, 76 of 84 is 90.5%.
    assert_eq!(standings, [Standing::TooFew, Standing::ForIdle, Standing::AgainstIdle]);
}

#[test]
fn what_is_not_known_is_said() {
    let lic = page("i-0f6lic");
    assert_eq!(lic.stakes.price_basis, "–");
    assert_eq!(lic.stakes.saves_usd_per_hour, None);
    assert_eq!(lic.stakes.saving, "What stopping saves is not known: the price is not known.");

    let late = page("i-1d0late");
    assert_eq!(late.verdict, None);
    assert_eq!(late.reason, "Not judged yet.");
    assert_eq!(late.stakes.losses[0].text, "Not known: type x99.metal is not known.");

    let stopped = page("i-1c9stop");
    assert_eq!(stopped.stakes.saving, "Not running: stopping saves nothing on compute.");
    assert_eq!(stopped.stakes.saves_usd_per_hour, None);
    assert!(stopped.reason.starts_with("The instance is stopped"));

    let spot = page("i-0d4spot");
    assert!(spot.stakes.net.contains("no Savings Plan"), "{}", spot.stakes.net);
    assert!(spot.stakes.losses.iter().any(|l| l.what == "spot"));
    assert_eq!(spot.stakes.price_basis, "spot, live 2026-03-14");

    let part = page("i-0b2part");
    assert_eq!(part.owners, ["asg sweep"]);
    assert!(part.stakes.losses.iter().any(|l| l.what == "asg" && l.text.ends_with("(sweep)")));
    // 5 of 8 GPUs of 55.04 $/h.
    assert!((part.stakes.waste_usd_per_hour.unwrap() - 34.4).abs() < 1e-9);
}

#[test]
fn ascii_pages_are_ascii() {
    let fleet = fleet();
    let page = why(&fleet.rows[index(&fleet, "i-0c3unkn")], None, "cautious", &ascii());
    assert!(format!("{page:?}").is_ascii(), "{page:#?}");
}

#[test]
fn graphs_share_one_axis_and_shade_the_stretch() {
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, "i-0a1idle")];
    let page = why(row, Some(&series()), "cautious", &ctx());
    let graphs = page.graphs.unwrap();
    assert_eq!(graphs.window.len(), 168);
    assert_eq!(graphs.window.to, Hour::containing(now()));
    let idle = graphs.idle.unwrap();
    assert_eq!(idle.from, Hour::at_or_after(ago(84)));
    assert_eq!(idle.to, graphs.window.to);

    let [gpu, cpu] = &graphs.graphs[..] else { panic!("{graphs:?}") };
    assert_eq!((gpu.signal, &*gpu.label, gpu.unit), (Signal::GpuMax(0), "GPU 0 max", "%"));
    assert_eq!((gpu.max, gpu.ceiling, gpu.threshold), (Some(90.0), 100.0, Some(5.0)));
    assert!(gpu.values[0].is_nan() && gpu.values[1].is_infinite());
    assert_eq!(
        (gpu.values[83].to_bits(), gpu.values[84].to_bits()),
        (90f32.to_bits(), 1f32.to_bits())
    );
    // The CPU series begins a day later; before it nothing is known.
    assert_eq!(cpu.values.len(), 168);
    assert!(cpu.values[..24].iter().all(|v| v.is_nan()) && !cpu.values[24].is_nan());
    assert_eq!(cpu.threshold, None);

    assert_eq!(
        why(row, Some(&crate::domain::SeriesSet::default()), "cautious", &ctx()).graphs,
        None
    );
}

#[test]
fn the_likely_reason_of_the_page_is_that_of_the_list() {
    use crate::domain::{LikelyReason, Verdict};
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, "i-0a1idle")];
    let with = |devices, likely: Option<LikelyReason>| {
        let verdict = row.verdict.as_deref().unwrap().clone();
        let verdict = Verdict { devices, likely: likely.map(Box::new), ..verdict };
        let row = crate::fleet::Row { verdict: Some(Arc::new(verdict)), ..(**row).clone() };
        let likely = why(&row, Some(&series()), "cautious", &ctx()).likely;
        (Field::Likely.cell(&row, &ctx()), likely.unwrap_or_default())
    };
    // A box without GPUs has a reason as well.
    for devices in [0, 8] {
        let forgotten = LikelyReason::Forgotten { quiet_hours: 168, at_least: true };
        let (cell, page) = with(devices, Some(forgotten));
        assert_eq!(cell, "forgotten");
        assert!(page.starts_with("forgotten: nobody has used it for at least 7d."), "{page}");
    }
    let unknown = ctx().symbols.unknown();
    let no_habit = "not known, its hours of use show no habit, as office hours would.";
    assert_eq!(with(8, None), (unknown.into(), no_habit.into()));
    assert_eq!(with(0, None), (unknown.into(), String::new()));
}

#[test]
fn what_speaks_against_a_stop_is_a_cell_in_words_and_a_filter_by_the_guard() {
    use crate::fleet::Obstacle;
    let mut fleet = fleet();
    let obstacle = |guard, blocks| Obstacle { guard, text: "why".into(), blocks, is_sure: true };
    let warned = [obstacle("jobs", true), obstacle("recheck", true), obstacle("production", false)];
    Arc::make_mut(&mut fleet.rows[0]).obstacles = Some(warned.into());
    Arc::make_mut(&mut fleet.rows[1]).obstacles = Some([obstacle("instance_store", false)].into());
    Arc::make_mut(&mut fleet.rows[3]).obstacles = Some(Vec::<Obstacle>::new().into());
    let cells = |field: Field| [0, 1, 2, 3].map(|at: usize| field.cell(&fleet.rows[at], &ctx()));
    let unknown = ctx().symbols.unknown();
    // A warning blocks nothing; of the third nobody looked.
    assert_eq!(cells(Field::BlockedBy), ["a job, no telemetry", "none", unknown, "none"]);
    let against = cells(Field::AgainstStop);
    assert_eq!(against, ["a job, no telemetry, needs reason", "loses data", unknown, "none"]);
    let exported = |field: Field| field.exported(&fleet.rows[0], &ctx());
    assert_eq!(exported(Field::BlockedBy), crate::view::Value::made("jobs, recheck".into()));
    let all = crate::view::Value::made("jobs, recheck, production".into());
    assert_eq!(exported(Field::AgainstStop), all);
    let found = |text: &str| -> Vec<u32> {
        let filter = Filter::parse(Field::table(), text).unwrap();
        let (mut search, rows) = (filter.searcher(), Field::rows(&fleet.rows));
        (0..fleet.rows.len() as u32).filter(|at| search.matches(&rows, *at, &ctx())).collect()
    };
    assert_eq!((found("blocked_by=jobs"), found("blocked=recheck")), (vec![0], vec![0]));
    assert_eq!((found("blocked_by=none"), found("against_stop=none")), (vec![1, 3], vec![3]));
    assert_eq!((found("against_stop=jobs"), found("against=production")), (vec![0], vec![0]));
    assert_eq!(found("against_stop=\"loses data\""), [1], "what the cell shows");
    assert_eq!(found("against_stop=instance_store"), [1]);
    assert!(found("blocked_by=instance_store").is_empty());
}

#[test]
fn what_blocks_a_stop_looks_other_than_what_warns_or_may_block() {
    use crate::fleet::Obstacle;
    use crate::view::Role;
    let fleet = fleet();
    let row = &fleet.rows[index(&fleet, "i-0a1idle")];
    let role = |all: &[(bool, bool)]| {
        let of = |(blocks, is_sure): &(bool, bool)| Obstacle {
            guard: "recheck",
            text: "why".into(),
            blocks: *blocks,
            is_sure: *is_sure,
        };
        let obstacles = Some(all.iter().map(of).collect());
        Field::AgainstStop.role(&crate::fleet::Row { obstacles, ..(**row).clone() })
    };
    assert_eq!(role(&[]), Role::Text);
    assert_eq!((role(&[(false, true)]), role(&[(true, false)])), (Role::Warn, Role::Warn));
    assert_eq!(role(&[(true, true), (false, true)]), Role::Crit);
}

#[test]
fn who_holds_an_instance_is_a_value_a_filter_and_a_line() {
    let mut fleet = fleet();
    let held = |jobs: &[&str], users: &[&str]| {
        let texts = |all: &[&str]| all.iter().map(|text| Arc::from(*text)).collect();
        let read_at = ago(0);
        Some(Arc::new(HeldBy {
            jobs: texts(jobs),
            users: texts(users),
            has_unnamed: false,
            read_at,
        }))
    };
    let at = |at: usize, fleet: &Fleet| fleet.rows[at].clone();
    Arc::make_mut(&mut fleet.rows[0]).held_by = held(&["77"], &["ana"]);
    Arc::make_mut(&mut fleet.rows[1]).held_by = held(&["78", "79"], &["ana", "wei"]);
    let cell = |row: usize, field: Field| field.cell(&at(row, &fleet), &ctx());
    assert_eq!([cell(0, Field::Job), cell(0, Field::User)], ["77", "ana"]);
    assert_eq!([cell(1, Field::Job), cell(1, Field::User)], ["2 jobs", "2 users"]);
    let unknown = ctx().symbols.unknown();
    assert_eq!([cell(2, Field::Job), cell(2, Field::User)], [unknown, unknown]);
    assert!(Field::HeldReadAt.value(&fleet.rows[2], &ctx()).is_unknown());
    let found = |text: &str| -> Vec<u32> {
        let filter = Filter::parse(Field::table(), text).unwrap();
        let (mut search, rows) = (filter.searcher(), Field::rows(&fleet.rows));
        let all = (0..).zip(&fleet.rows).map(|(at, _)| at);
        all.filter(|at| search.matches(&rows, *at, &ctx())).collect()
    };
    assert_eq!(found("user=Ana"), [0, 1]);
    assert_eq!(found("user=wei"), [1]);
    assert_eq!((found("job=79"), found("job=77")), (vec![1], vec![0]));
    assert!(found("user!=ana").iter().all(|at| *at == 1), "unknown is neither");
}
