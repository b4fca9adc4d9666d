//! Fields, groups, sums and pages on the fixture's GPUs.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::fixture::{at, gpus, history, many};
use super::*;
use crate::domain::{GpuHistory, GpuOwner, GpuReason, GpuSignal, GpuState, GpuTrace, GpuVerdict};
use crate::fleet::{GpuFleet, GpuRow};
use crate::query::Kind;
use crate::view::fixture::{ascii, ctx};
use crate::view::{Align, Filter, Sort, Symbols, TableField, Value, table};

fn found(fleet: &GpuFleet, filter: &str) -> Vec<String> {
    let filter =
        Filter::parse(GpuField::table(), filter).unwrap_or_else(|e| panic!("{filter}: {e}"));
    let rows = table::select(&GpuField::rows(&fleet.rows), Some(&filter), Sort::default(), &ctx());
    let mut ids: Vec<String> =
        rows.iter().map(|i| fleet.rows[*i as usize].id.replace("GPU-", "")).collect();
    ids.sort();
    ids
}

fn all(fleet: &GpuFleet) -> Vec<u32> {
    (0..fleet.rows.len() as u32).collect()
}

#[test]
fn fields_are_sound() {
    let (mut names, mut keys) = (HashSet::new(), HashSet::new());
    for (i, field) in GpuField::ALL.into_iter().enumerate() {
        let spec = field.spec();
        assert_eq!((field as usize, GpuField::of(spec)), (i, Some(field)));
        for name in spec.names() {
            assert!(names.insert(name.to_lowercase()), "{name} twice");
        }
        if let Some(key) = spec.sort_key {
            assert!(keys.insert(key), "{key} sorts two fields");
            assert!(spec.header.to_lowercase().contains(key), "{key} is not in {}", spec.header);
        }
        assert!(spec.header.len() <= usize::from(spec.width), "{}", spec.name);
        let number = matches!(spec.kind, Kind::Number(_));
        assert_eq!(spec.align == Align::Right, number, "{}", spec.name);
        assert!(spec.doc.ends_with('.'), "{}", spec.name);
    }
    for field in DEFAULT_COLUMNS {
        assert!(field.spec().sort_key.is_some(), "{} cannot be sorted", field.spec().name);
    }
    for (alias, field) in [
        ("gpu", GpuField::Effective),
        ("act", GpuField::Effective),
        ("$", GpuField::UsdPerHour),
        ("idle", GpuField::IdleSince),
        ("temp", GpuField::TempC),
    ] {
        assert_eq!(GpuField::table().find(alias), Some(field.spec()));
    }
    for (i, state) in GpuState::ALL.into_iter().enumerate() {
        assert_eq!(field_table::STATES[i], state.name());
    }
}

#[test]
fn cells_of_every_kind_of_gpu() {
    let fleet = gpus();
    let cells = |node: &str, i: u16, ctx: &crate::view::ViewContext| {
        let row = &fleet.rows[at(&fleet, node, i) as usize];
        DEFAULT_COLUMNS.iter().map(|f| f.cell(row, ctx)).collect::<Vec<_>>().join(" | ")
    };
    // 55.04 / 8 = 6.88 an hour, × 24 h = 165.12; 21.957642 / 8 × 84 h = 230.555241.
    for (node, i, want) in [
        (
            "gpu-node-1",
            0,
            "6.88 | $165 | ○ HELD IDLE | 1d | 0% | A | 0% | 76% | 10% | 31 | 0 | gpu-node-1 | H100 | vision | vision/eval-sweep-0",
        ),
        (
            "gpu-node-1",
            7,
            "6.88 | – | ■ STALLED | – | 99% | A | 100% | – | 18% | – | 7 | gpu-node-1 | H100 | vision | ada job 4711",
        ),
        (
            "gpu-node-2",
            3,
            "2.74 | ≥$231 | ◌ UNALLOCATED | ≥3d12h | 0% | C | 0% | 0% | – | – | 3 | gpu-node-2 | A100 | nlp | –",
        ),
        (
            "gpu-node-3",
            1,
            "2.60 | – | ~ stale | – | – | C | 90% | – | – | – | 1 | gpu-node-3 | H100 | NLP | –",
        ),
        (
            "lab-07",
            0,
            "– | – | ○ HELD IDLE | 2h | 1% | A | – | – | – | – | 0.2 | lab-07 | H100 | lab | –",
        ),
    ] {
        assert_eq!(cells(node, i, &ctx()), want);
    }
    for row in &fleet.rows {
        for field in GpuField::ALL {
            let text = field.cell(row, &ascii());
            assert!(text.is_ascii() || field.spec().kind == Kind::Text, "{field:?}: {text}");
        }
    }
}

#[test]
fn dollars_of_a_spell_that_may_have_begun_before_are_a_lower_bound() {
    let fleet = gpus();
    let mut row = (*fleet.rows[at(&fleet, "gpu-node-1", 0) as usize]).clone();
    let with = |row: &mut GpuRow, at_least| {
        Arc::make_mut(&mut row.verdict).idle_since_at_least = at_least;
        let sum = RollUp::of([&*row]).wasted_cell(&ctx());
        (GpuField::WastedUsd.cell(row, &ctx()), GpuField::WastedUsd.cell(row, &ascii()), sum)
    };
    assert_eq!(with(&mut row, false), ("$165".into(), "$165".into(), "$165".into()));
    assert_eq!(with(&mut row, true), ("≥$165".into(), ">$165".into(), "≥$165".into()));
    // One part that is a bound makes a bound of the sum; nothing wasted yet is none.
    let exact = &fleet.rows[at(&fleet, "gpu-node-1", 1) as usize];
    assert_eq!(RollUp::of([&row, exact]).wasted_cell(&ctx()), "≥$330");
    row.wasted_usd = Some(0.0);
    assert_eq!(with(&mut row, true).2, "–");
    assert!(!with(&mut row, true).0.contains('≥'));
    row.wasted_usd = None;
    assert_eq!(with(&mut row, true), ("–".into(), "-".into(), "–".into()));
}

#[test]
fn an_unallocated_gpu_that_a_job_has_says_so() {
    let fleet = gpus();
    let mut row = (*fleet.rows[at(&fleet, "gpu-node-2", 3) as usize]).clone();
    Arc::make_mut(&mut row.verdict).reason = GpuReason::Unallocated;
    assert_eq!(GpuField::State.cell(&row, &ctx()), "◌ UNALLOCATED");
    row.sample.owner = Arc::new(GpuOwner { job: Some("9005".into()), ..GpuOwner::default() });
    assert_eq!(GpuField::State.cell(&row, &ctx()), "◌ IDLE IN JOB");
    // A word of it is found by its label and by its state, and the state stays what it is.
    let said = GpuField::shared_words()[GpuField::shared_word(&row).unwrap()];
    assert_eq!(said, ["IDLE IN JOB", "unallocated_idle"]);
    let exported = GpuField::State.exported(&row, &ctx()).into_owned();
    assert_eq!(exported, Value::Text("unallocated_idle".into()));
    // What the cell shows finds it alone.
    let mut fleet = fleet;
    let all = found(&fleet, "state=unallocated").len();
    let at = at(&fleet, "gpu-node-2", 3) as usize;
    fleet.rows[at] = Arc::new(row);
    assert_eq!(found(&fleet, "state=\"IDLE IN JOB\"").len(), 1);
    assert_eq!(found(&fleet, "state=unallocated").len(), all);
    assert_eq!(found(&fleet, "state=unallocated and state!=idle_in_job").len(), all - 1);
    // Sums count it under what its row says: one of the eight of its host.
    let host = fleet.rows.iter().filter(|row| &*row.node.name == "gpu-node-2");
    let sums = RollUp::of(host.map(|row| &**row));
    assert_eq!(sums.state_words(), "7 unallocated, 1 idle in job");
    assert_eq!(sums.count(GpuState::UnallocatedIdle), 8, "by its state");
    let parts = pulse(&fleet, &ctx()).parts(&ctx());
    assert!(parts.contains(&"7 unallocated".to_owned()), "{parts:?}");
    assert!(parts.contains(&"1 idle in job".to_owned()), "{parts:?}");
    let rows: Vec<u32> = (0..fleet.rows.len() as u32).collect();
    let order = HeatOrder::of(&fleet.rows, &rows, GpuGrouping::Team, &[]);
    let area = heat::HeatArea { width: 60, height: 20, halves: true };
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area, HeatUnit::Auto);
    let states = map.states(&order).into_iter();
    let told: Vec<String> = states.map(|(label, gpus)| label.counted(gpus)).collect();
    // Slices are their shares: 5 + 3/7 of a GPU are held idle, 2 + 1/7 busy.
    assert_eq!(
        told,
        [
            "1 unhealthy",
            "1 stalled",
            "5.429 held idle",
            "7 unallocated",
            "1 idle in job",
            "1 inefficient",
            "0.143 unknown",
            "1 stale",
            "2.143 busy",
        ]
    );
}

#[test]
fn filters_speak_the_language_of_gpus() {
    let fleet = gpus();
    for (filter, want) in [
        ("state=held_idle and $>2/h and team=vision", 5),
        ("state=held_idle", 6),
        ("state=idle", 14),
        ("idle>3h", 13),
        ("idle>3h and node=gpu-node-2", 8),
        // Nine idle by telemetry that sees nothing, and the slice at 1%; what is not known is
        // neither below nor above.
        ("act<5", 14),
        ("not act<5", 8),
        ("gpu>=80", 3),
        ("rung=C", 10),
        ("mem>70", 8),
        ("power<20", 6),
        ("owner=ada", 1),
        ("owner=vision", 7),
        ("mig=1g.10gb", 2),
        ("xid=79", 1),
        ("workload=inference and band=elite", 1),
        ("source=nvml", 1),
        ("age>10m", 1),
        ("tag:project=llm", 8),
        ("instance=i-0b2part", 8),
        ("stalled", 1),
        ("UNALLOCATED", 8),
        ("\"eval-sweep-0\"", 5),
        ("throttle~idle", 8),
    ] {
        let got = found(&fleet, filter);
        assert_eq!(got.len(), want, "{filter}: {got:?}");
    }
    for wrong in ["state=", "idle>2x", "frobs=1", "act<3h"] {
        let parsed = Filter::parse(GpuField::table(), wrong);
        assert!(parsed.is_err(), "{wrong} was taken");
    }
}

#[test]
fn exports_state_ratios_bytes_and_moments() {
    let fleet = gpus();
    let row = &fleet.rows[at(&fleet, "gpu-node-1", 0) as usize];
    let export = |f: GpuField| f.exported(row, &ctx()).into_owned();
    assert_eq!(export(GpuField::SmActive), Value::Number(0.0));
    // 62,000 of 81,559 MiB.
    assert_eq!(export(GpuField::Mem), Value::Number(0.760_186));
    assert_eq!(export(GpuField::MemUsed), Value::Number(65_011_712_000.0));
    assert_eq!(export(GpuField::Power), Value::Number(0.1));
    assert_eq!(export(GpuField::IdleSince), Value::Time(crate::view::fixture::ago(24)));
    assert_eq!(export(GpuField::State), Value::Text("held_idle".into()));
    assert_eq!(export(GpuField::TensorActive), Value::Unknown);
    assert_eq!(export(GpuField::Age), Value::Number(30.0));
    let busy = &fleet.rows[at(&fleet, "gpu-node-1", 5) as usize];
    assert_eq!(GpuField::SmActive.exported(busy, &ctx()), Value::Number(0.87));
}

#[test]
fn words_glyphs_and_letters_are_distinct() {
    use unicode_width::UnicodeWidthStr;
    for (i, a) in GpuState::ALL.into_iter().enumerate() {
        for symbols in [Symbols::Unicode, Symbols::Ascii] {
            assert_eq!(words::glyph(a, symbols).width(), 1);
        }
        for b in &GpuState::ALL[i + 1..] {
            assert_ne!(words::letter(a), words::letter(*b));
            assert_ne!(words::word(a), words::word(*b));
            for symbols in [Symbols::Unicode, Symbols::Ascii] {
                assert_ne!(words::glyph(a, symbols), words::glyph(*b, symbols));
            }
        }
    }
}

#[test]
fn groups_without_waste_so_far_go_by_their_waste_an_hour_and_then_by_their_burn() {
    let of = |label: &str, wasted_usd, waste_usd_per_hour, usd_per_hour| GpuGroup {
        key: Some(label.into()),
        label: label.into(),
        rows: Vec::new(),
        sums: RollUp { usd_per_hour, waste_usd_per_hour, wasted_usd, ..RollUp::default() },
        notes: Vec::new(),
    };
    let all = [
        of("dearest", 0.0, 0.0, 98.0),
        of("stalled", 0.0, 55.0, 55.0),
        of("cheap", 0.0, 0.0, 1.0),
        of("idle a little", 3.0, 1.0, 1.0),
        of("idle for long", 900.0, 2.0, 2.0),
        of("unpriced", 0.0, 0.0, 0.0),
    ];
    let ranks: Vec<_> = all.iter().map(|group| (group.label.clone(), group.rank())).collect();
    let order = Steady::default().order(&ranks, true);
    let labels: Vec<&str> = order.iter().map(|at| &*all[*at as usize].label).collect();
    let wasted = ["idle for long", "idle a little", "stalled", "dearest", "cheap", "unpriced"];
    assert_eq!(labels, wasted);
}

#[test]
fn groups_come_costliest_first_and_lines_fold() {
    let fleet = gpus();
    let groups = group(&fleet.rows, &all(&fleet), GpuGrouping::Node);
    let labels: Vec<&str> = groups.iter().map(|g| &*g.label).collect();
    // 8 × 230.56 before 5 × 165.12; then waste per hour, burn, name.
    assert_eq!(labels, ["gpu-node-2", "gpu-node-1", "gpu-node-3", "serve-a", "lab-07"]);
    let sums = groups[1].sums;
    assert!((sums.usd_per_hour - 55.04).abs() < 1e-9);
    assert!((sums.waste_usd_per_hour - 6.0 * 6.88).abs() < 1e-9, "five idle, one stalled");
    assert!((sums.wasted_usd - 825.6).abs() < 1e-9);
    // 0.87 + 0.31 of eight GPUs; the stalled one does nothing of use.
    assert!((sums.effective_usd_per_hour - 1.18 * 6.88).abs() < 1e-5);
    assert!((sums.efficiency().unwrap() - 1.18 / 8.0).abs() < 1e-6);
    assert_eq!(sums.state_words(), "1 stalled, 5 held idle, 1 inefficient, 1 busy");
    assert_eq!(sums.count(GpuState::HeldIdle), 5);
    let lab = groups[4].sums;
    assert_eq!((lab.known_burn(), lab.known_waste(), lab.known_wasted()), (None, None, None));

    let folded = HashSet::from([groups[0].key.clone(), groups[4].key.clone()]);
    let lines = lines(GpuGrouping::Node, &groups, &folded);
    assert_eq!(lines.len(), 5 + 8 + 2 + 1);
    assert_eq!(
        lines[..3],
        [GroupLine::Head(0), GroupLine::Head(1), GroupLine::Gpu(groups[1].rows[0])]
    );
    let flat = group(&fleet.rows, &all(&fleet), GpuGrouping::Flat);
    let lines = super::lines(GpuGrouping::Flat, &flat, &HashSet::new());
    let plain: Vec<GroupLine> = all(&fleet).into_iter().map(GroupLine::Gpu).collect();
    assert_eq!(lines, plain);
    let owners = group(&fleet.rows, &all(&fleet), GpuGrouping::Owner);
    assert!(owners.iter().any(|g| g.key.is_none() && &*g.label == "no owner named"));
    let of = |groups: &[GpuGroup], label: &str| groups.iter().any(|g| &*g.label == label);
    assert!(of(&owners, "ada") && !of(&owners, "ada job 4711"), "an owner is a person");
    let jobs = group(&fleet.rows, &all(&fleet), GpuGrouping::Job);
    assert!(of(&jobs, "ada job 4711") && of(&jobs, "no job named"));
    for grouping in GpuGrouping::ALL {
        assert_eq!(GpuGrouping::from_name(grouping.name()), Some(grouping));
    }
    let one = |rows: &[u32], by| is_single_group(&fleet.rows, rows, by);
    assert!(one(&groups[0].rows, GpuGrouping::Node) && !one(&all(&fleet), GpuGrouping::Node));
    assert!(!one(&[], GpuGrouping::Team), "nothing is no group");
}

#[test]
fn bars_are_as_wide_as_asked() {
    let fleet = gpus();
    let sums = RollUp::of(fleet.rows.iter().map(|r| &**r));
    for width in 0..40u16 {
        let bar = sums.bar(width);
        assert_eq!(bar.iter().map(|(_, n)| n).sum::<u16>(), width);
        assert!(bar.iter().all(|(_, n)| *n > 0));
        assert!(bar.windows(2).all(|w| w[0].0 < w[1].0), "worst first");
    }
    // Twelve of each kind would be exact; here 19 whole GPUs on 19 columns are.
    let whole = fleet.rows.iter().filter(|row| row.key.gpu_instance.is_none());
    let sums = RollUp::of(whole.map(|row| &**row));
    let exact: Vec<(GpuState, u16)> = sums.states().map(|(s, n)| (s, n as u16)).collect();
    assert_eq!(sums.bar(19), exact);
    assert!(RollUp::default().bar(9).is_empty());
}

#[test]
fn slices_are_never_counted_as_gpus() {
    use crate::tabs::gpus::picture::words::gpus as said;
    assert_eq!(said(1.0, 0, 0.0), "1 GPU");
    assert_eq!(said(8.0, 0, 0.0), "8 GPUs");
    assert_eq!(said(0.125, 0, 0.0), "0.125 GPUs");
    // Eight GPUs in a 3g and two 2g slices each.
    let sliced = 8.0 * (3.0 / 7.0 + 2.0 / 7.0 + 2.0 / 7.0);
    assert_eq!(said(sliced, 24, sliced), "24 slices of 8 GPUs");
    assert_eq!(said(1_008.0, 24, sliced), "1,008 GPUs, 8 of them in 24 slices");
    assert_eq!(said(1.0 / 7.0, 1, 1.0 / 7.0), "1 slice of 0.143 GPUs");
}

#[test]
fn the_distribution_holds_each_gpu_once() {
    let fleet = gpus();
    let histogram = histogram(fleet.rows.iter().map(|r| &**r));
    let counts: Vec<u32> = histogram.bands.iter().map(|b| b.gpus).collect();
    // 5 + 8 idle, one stalled and a slice at 1%; 31%; a slice at 70%; 87 and 88%.
    assert_eq!(counts, [15, 0, 0, 1, 0, 0, 0, 1, 2, 0]);
    // Stale, unhealthy, a slice without evidence.
    assert_eq!(histogram.unknown.gpus, 3);
    assert!((histogram.bands[3].usd_per_hour - 6.88).abs() < 1e-9);
    assert_eq!(histogram.bands[0].unpriced, 1);
    assert!((histogram.most_equivalents() - (14.0 + 3.0 / 7.0)).abs() < 1e-9);
    for (effective, band) in [(0.0, 0), (0.099, 0), (0.1, 1), (0.7, 7), (0.999, 9), (1.0, 9)] {
        assert_eq!(histogram::band_of(effective), band, "{effective}");
    }
    assert_eq!((Histogram::label(0), Histogram::label(9)), ("0-9%".into(), "90-100%".into()));
}

#[test]
fn the_pulse_tells_ages_and_loud_states() {
    let fleet = gpus();
    let pulse = pulse(&fleet, &ctx());
    assert_eq!(pulse.ages, Some(Ages { min: 30, median: 30, max: 1_200 }));
    assert_eq!((pulse.unhealthy(), pulse.nodes, pulse.blind), (1, 5, 3));
    let parts = pulse.parts(&ctx());
    // 55.04 + 21.957642 + 0.8048 + 2 × 20.79 / 8; waste 6 × 6.88 + 21.957642.
    assert_eq!(parts[..3], ["19.714 GPUs", "burn $83.00/h", "waste live now $63.24/h"]);
    assert_eq!(parts[parts.len() - 2], "3 slices of 0.714 GPUs");
    assert_eq!(parts.last().unwrap(), "data 30s, oldest 20m");
    let some = Pulse { unseen: 2.5, ..pulse };
    assert_eq!(some.parts(&ctx())[0], "19.714 GPUs seen by exporters, 2.5 not");
    let empty = super::pulse(&GpuFleet::default(), &ctx());
    assert_eq!(empty.ages, None);
    assert_eq!(empty.parts(&ctx())[2], "waste live now –");
}

#[test]
fn what_was_not_watched_for_long_enough_is_told_apart_from_what_stays_unknown() {
    let mut fleet = gpus();
    assert_eq!(pulse(&fleet, &ctx()).warming, None);
    for row in &mut fleet.rows[..2] {
        let row = Arc::make_mut(row);
        let reason = GpuReason::TooShort { seconds: 30, needed: 120, samples: 2 };
        let state = GpuState::Unknown;
        row.verdict = Arc::new(GpuVerdict { state, reason, ..(*row.verdict).clone() });
        row.equivalents = 1.0;
    }
    let parts = pulse(&fleet, &ctx()).parts(&ctx());
    let unknown = parts.iter().find(|part| part.contains(" unknown")).unwrap();
    assert!(unknown.ends_with(" unknown, 2 until watched for 2m"), "{unknown}");
}

#[test]
fn what_the_last_run_left_out_is_said() {
    let mut fleet = gpus();
    let busy = &mut fleet.totals.by_state[GpuState::Busy as usize];
    (busy.count, busy.equivalents) = (1_600, 1_600.0);
    let parts = pulse(&fleet, &ctx()).parts(&ctx());
    assert!(parts[0].starts_with("worst 19.714 of 1,6"), "{}", parts[0]);
    assert!(parts[0].ends_with(" GPUs"), "{}", parts[0]);
}

#[test]
fn slices_of_a_gpu_are_told_apart() {
    let fleet = gpus();
    let slices = fleet.rows.iter().filter(|r| r.sample.identity.mig.is_some());
    let cells: HashSet<String> =
        slices.clone().map(|r| GpuField::GpuIndex.cell(r, &ctx())).collect();
    assert!(cells.len() > 1 && cells.len() == slices.count(), "{cells:?}");
    assert!(cells.iter().all(|c| c.contains('.')), "{cells:?}");
}

#[test]
fn hosts_lose_the_domain_that_all_share_and_no_other() {
    let short = |name: &str| {
        crate::fleet::gpu::GpuNode { name: name.into(), instance: None }.short_name().to_owned()
    };
    assert_eq!(short("ip-10-134-0-222.us-west-2.compute.internal"), "ip-10-134-0-222");
    assert_eq!(short("ip-10-1-0-2.ec2.internal"), "ip-10-1-0-2");
    assert_eq!(short("i-0e8516ce73e7cd64b.eu-west-1.compute.internal"), "i-0e8516ce73e7cd64b");
    assert_eq!(short("gpu-1.lab.internal"), "gpu-1.lab.internal");
    assert_eq!(short("ip-10-0-0-1.example.com"), "ip-10-0-0-1.example.com");
}

#[test]
fn graphs_end_at_what_can_be_reached() {
    let fleet = gpus();
    let trace = |signal, value: f32| GpuTrace { signal: Some(signal), values: vec![value; 96] };
    let traces = vec![
        trace(GpuSignal::MemUsed, 3.0),
        trace(GpuSignal::MemTotal, 80_000.0),
        trace(GpuSignal::Power, 71.0),
        trace(GpuSignal::PowerLimit, 700.0),
        trace(GpuSignal::Temp, 31.0),
        trace(GpuSignal::Xid, 0.0),
    ];
    let past = GpuHistory { traces, ..history() };
    let page = detail(&fleet, 0, Some(&past), &ctx()).unwrap().graphs.unwrap();
    let ends: Vec<(GpuSignal, u32)> =
        page.graphs.iter().map(|g| (g.signal, g.ceiling as u32)).collect();
    let want = [(GpuSignal::MemUsed, 80_000), (GpuSignal::Power, 700), (GpuSignal::Temp, 100)];
    assert_eq!(ends, want);
}

#[test]
fn what_is_not_seen_comes_with_the_fix() {
    let panel = blind(&gpus());
    // 16.288 + 6/8 of 20.79.
    let says = "GPU telemetry missing on 3 instances ($31.88/h burns unseen, 1 without a price)";
    assert_eq!(panel.sentence().as_deref(), Some(says));
    assert_eq!(
        panel.fixes().collect::<Vec<_>>(),
        [
            "2 instances, 14 of 16 GPUs unseen ($31.88/h burns unseen): start dcgm-exporter on the node, \
             or add it to [gpus.exporters]",
            "1 instance, 1 of 1 GPUs unseen (price not known): the agent sends no GPU metric: add \
             nvidia_gpu to its configuration",
        ]
    );
    assert_eq!(blind(&GpuFleet::default()).sentence(), None);
}

#[test]
fn the_page_of_a_gpu_says_what_it_rests_on() {
    let fleet = gpus();
    let history = history();
    let page = |node: &str, i, past| detail(&fleet, at(&fleet, node, i), past, &ctx()).unwrap();
    let held = page("gpu-node-1", 0, Some(&history));
    assert_eq!(held.title, "gpu-node-1 GPU 0, H100");
    assert_eq!(held.conclusion.cell, "○ HELD IDLE");
    assert_eq!(held.conclusion.idle_for.as_deref(), Some("1d"));
    assert_eq!(held.conclusion.evidence, "A: SM active");
    assert_eq!((held.conclusion.for_idle.len(), held.conclusion.against.len()), (2, 1));
    assert_eq!(held.conclusion.band.as_deref(), Some("training, Poor"));
    // 6.88 × 730.
    let advice = held.conclusion.advice.unwrap();
    assert!(advice.ends_with("It wastes $5,022 a month."), "{advice}");
    let fact = |facts: &[detail::Fact], label: &str| {
        facts.iter().find(|f| f.label == label).map(|f| f.value.clone())
    };
    let share = fact(&held.price, "share").unwrap();
    assert_eq!(share, "1 of 8 GPU equivalents at $55.04/h");
    assert_eq!(fact(&held.price, "wasted since idle").as_deref(), Some("$165"));
    assert_eq!(fact(&held.gauges, "power").as_deref(), Some("70 W of 700 W (10%)"));
    assert_eq!(fact(&held.instance, "type").as_deref(), Some("p5.48xlarge"));
    let counted: Vec<GpuSignal> =
        held.components.iter().filter(|c| c.counts).map(|c| c.signal).collect();
    assert_eq!(counted, [GpuSignal::SmActive]);
    assert!(held.components.iter().any(|c| c.signal == GpuSignal::Tensor && c.value.is_none()));

    let graphs = held.graphs.unwrap();
    assert_eq!((graphs.len, graphs.step_s), (96, 900));
    // Idle for as long as the history lasts.
    assert_eq!(graphs.idle, Some((0, 96)));
    let sm = &graphs.graphs[0];
    assert_eq!((sm.min, sm.ceiling, sm.last), (Some(0.0), 100.0, Some(0.0)));
    assert!((sm.max.unwrap() - 82.0).abs() < 1e-3 && sm.values[21].is_nan());
    assert_eq!(graphs.graphs[1].ceiling.to_bits(), 640f32.to_bits());

    let broken = page("gpu-node-3", 0, None);
    let xid = broken.health.iter().find(|h| h.label == "XID").unwrap();
    assert!(xid.is_bad && xid.text.starts_with("79: GPU has fallen off the bus (hardware)"));
    assert_eq!(broken.conclusion.raise.map(|r| r.starts_with("Nothing tells")), Some(true));
    let slice = page("lab-07", 0, None);
    assert_eq!(slice.siblings.len(), 2);
    assert!(slice.instance.is_empty());
    assert_eq!(fact(&slice.price, "burns").as_deref(), Some("–"));
    assert_eq!(fact(&slice.identity, "GPU equivalents").as_deref(), Some("0.429"));
    let odd = page("gpu-node-1", 6, None);
    assert_eq!(odd.sources.len(), 2);
    assert_eq!(odd.sources[1].age_s, 1);
    assert!(odd.disagreement.is_some());
    assert!(detail(&fleet, 99, None, &ctx()).is_none());
}

#[test]
fn an_idle_spell_shades_its_part_of_the_history_alone() {
    let mut fleet = gpus();
    let i = at(&fleet, "gpu-node-1", 0) as usize;
    let shaded = |fleet: &GpuFleet| {
        detail(fleet, i as u32, Some(&history()), &ctx()).unwrap().graphs.unwrap().idle
    };
    let mut since = |hours: Option<i64>| {
        let mut row = (*fleet.rows[i]).clone();
        let idle_since = hours.map(crate::view::fixture::ago);
        let verdict = GpuVerdict { idle_since, ..(*row.verdict).clone() };
        row.verdict = Arc::new(verdict);
        fleet.rows[i] = Arc::new(row);
        shaded(&fleet)
    };
    assert_eq!(since(Some(6)), Some((72, 96)));
    assert_eq!(since(Some(0)), None, "began after the last value");
    assert_eq!(since(None), None);
}

proptest! {
    #[test]
    fn sums_of_groups_are_the_sums_of_all(
        nodes in 1u32..20, per_node in 1u16..10, teams in 0u32..5, by in 0usize..7,
    ) {
        let fleet = many(nodes, per_node, teams);
        let all = all(&fleet);
        let by = GpuGrouping::ALL[by];
        let groups = group(&fleet.rows, &all, by);
        let total = RollUp::of(fleet.rows.iter().map(|r| &**r));
        let sum = |of: fn(&RollUp) -> f64| groups.iter().map(|g| of(&g.sums)).sum::<f64>();
        for (of, want) in [
            ((|s: &RollUp| s.usd_per_hour) as fn(&RollUp) -> f64, fleet.totals.burn()),
            (|s| s.waste_usd_per_hour, fleet.totals.waste),
            (|s| s.wasted_usd, fleet.totals.wasted_since),
            (|s| s.effective, fleet.totals.effective),
            (|s| s.equivalents, f64::from(nodes * u32::from(per_node))),
            (|s| f64::from(s.unpriced), f64::from(fleet.totals.unpriced())),
            (|s| s.effective_usd_per_hour, total.effective_usd_per_hour),
        ] {
            prop_assert!((sum(of) - want).abs() < 1e-6 * (1.0 + want), "{} {}", sum(of), want);
        }
        let mut seen: Vec<u32> = groups.iter().flat_map(|g| g.rows.clone()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, all);
        prop_assert!(groups.windows(2).all(|w| w[0].sums.wasted_usd >= w[1].sums.wasted_usd));
        let histogram = histogram(fleet.rows.iter().map(|r| &**r));
        let banded: f64 = histogram.all().map(|b| b.usd_per_hour).sum();
        prop_assert!((banded - fleet.totals.burn()).abs() < 1e-6);
    }
}
