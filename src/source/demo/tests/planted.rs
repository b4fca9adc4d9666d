//! The planted cases show what they are meant to, and the page lists them.

use super::*;
use crate::domain::{AcceleratorKind, Hour, InstanceState, Lifecycle, OwnerKind, text};
use crate::source::demo::{gpu_cases, planted_commitments, traps};

#[tokio::test]
async fn traps_show_what_they_are_meant_to_at_any_hour() {
    for step in [0, 11, 50, 95, 160, 201] {
        let now = NOW + step * 3_600;
        let all = read(&demo(42, None, now)).await;
        let week = window(now, 168);
        let week_of = async |name, signal| -> Vec<f64> {
            points(named(&all, name), signal, week).await.iter().map(|p| p.1).collect()
        };
        let under = |values: &[f64], limit: f64| values.iter().all(|v| *v < limit);

        for name in ["train-7b-old", "baseline-protected", "sp-covered", "spot-leftover"] {
            for i in 0..spec(named(&all, name)).devices() as u16 {
                let gpu = week_of(name, Signal::GpuMax(i)).await;
                assert!(gpu.len() == 168 && under(&gpu, 5.0), "{name} GPU {i}");
            }
        }
        let mut idle = 0;
        for i in 0..8 {
            let gpu = week_of("eval-sweep", Signal::GpuMax(i)).await;
            idle += usize::from(gpu.len() == 168 && under(&gpu, 5.0));
            assert!(under(&gpu, 5.0) || gpu.iter().all(|v| *v > 60.0));
        }
        assert_eq!(idle, 5);
        assert!(under(&week_of("pretrain-70b", Signal::CpuMax).await, 5.0));
        assert!(week_of("pretrain-70b", Signal::GpuMean(7)).await.iter().all(|v| *v > 80.0));
        let one_core = week_of("etl-one-core", Signal::CpuMean).await;
        assert!(one_core.iter().all(|v| (v - 1.0417).abs() < 0.02));
        assert!(under(&week_of("etl-one-core", Signal::CpuMax).await, 5.0));
        let spike = week_of("weekly-report", Signal::CpuMax).await;
        assert_eq!((spike.len(), spike.iter().filter(|v| **v >= 5.0).count()), (168, 1));
        let mean = week_of("weekly-report", Signal::CpuMean).await.iter().sum::<f64>() / 168.0;
        assert!(mean < 5.0, "{mean}");
        assert_eq!(named(&all, "agent-died-day-1").gpu.len(), 8);
        assert!(week_of("agent-died-day-1", Signal::GpuMax(0)).await.is_empty());
        let first_day = HourRange {
            from: Hour::at_or_after(named(&all, "agent-died-day-1").instance.launched_at),
            to: week.to,
        };
        let alive = points(named(&all, "agent-died-day-1"), Signal::GpuMax(0), first_day).await;
        assert_eq!(alive.len(), 20);
        let patchy = week_of("agent-patchy", Signal::GpuMax(0)).await.len();
        assert!((99..=103).contains(&patchy), "{patchy}");
        for blind in ["notebook-17", "trn-finetune", "render-amd"] {
            assert!(named(&all, blind).gpu.is_empty(), "{blind}");
        }
        assert!(week_of("parked-v100", Signal::CpuMean).await.is_empty());
    }
}

#[tokio::test]
async fn traps_are_named_typed_and_tagged() {
    let all = read(&demo(42, None, NOW)).await;
    for trap in traps() {
        let seen = named(&all, trap.name);
        assert_eq!(text::clean(trap.name), trap.name);
        assert!(
            trap.what.contains(&*seen.instance.instance_type),
            "{} is a {}",
            trap.name,
            seen.instance.instance_type
        );
        if let Some(idle) = trap.idle_gpus {
            assert!(idle <= spec(seen).devices(), "{}", trap.name);
        }
    }
    let tags = |name| &named(&all, name).instance.tags;
    assert_eq!(tags("standby-dr").get("burntop:exempt"), Some("true"));
    assert_eq!(tags("standby-expired").get("burntop:exempt"), Some("2024-06-30"));
    assert_eq!(tags("eval-\u{FFFD}[31mnightly").get("Team"), Some("vision\u{FFFD}2J"));
    assert_eq!(tags("eval-\u{FFFD}[31mnightly").get("Project"), Some("seg\u{FFFD}tnem"));
    let owner = &named(&all, "serve-spare").instance.owners[0];
    assert_eq!((owner.kind, &*owner.name), (OwnerKind::Asg, "serve-llm"));
    assert_eq!(named(&all, "spot-leftover").instance.lifecycle, Lifecycle::Spot);
    assert_eq!(named(&all, "block-reserved").instance.lifecycle, Lifecycle::CapacityBlock);
    assert_eq!(named(&all, "parked-v100").instance.state, InstanceState::Stopped);
    let kind = |name| spec(named(&all, name)).accelerator.as_ref().unwrap().kind;
    assert_eq!(kind("trn-finetune"), AcceleratorKind::Neuron);
    assert_eq!(kind("render-amd"), AcceleratorKind::AmdGpu);
    for seen in &all {
        let i = &seen.instance;
        let texts = i.tags.iter().flat_map(|(k, v)| [k, v]).chain([&*i.name, &*i.private_dns]);
        assert!(texts.into_iter().all(|t| !t.chars().any(text::is_unsafe)), "{}", i.name);
    }
}

#[test]
fn the_page_lists_every_trap() {
    const PAGE: &str = include_str!("../../../../docs/demo.md");
    let (instances, _storage) = PAGE.split_once("## Storage").unwrap();
    let (cases, gpus) = instances.split_once("## Planted GPU cases").unwrap();
    let table: Vec<&str> = cases.lines().filter(|l| l.starts_with("| `")).collect();
    let expected: Vec<String> = traps()
        .iter()
        .map(|t| {
            let verdict = t.verdict.map_or("–", |v| v.name());
            format!("| `{}` | {} | {verdict} | {} | {} |", t.name, t.what, t.says, t.acting)
        })
        .collect();
    assert_eq!(table, expected, "the table should read:\n{}", expected.join("\n"));

    let table: Vec<&str> =
        gpus.lines().filter(|l| l.starts_with("| ") && !l.contains("| state |")).collect();
    let expected: Vec<String> = gpu_cases()
        .iter()
        .map(|c| {
            let on = c.on.map_or("–".to_owned(), |name| format!("`{name}`"));
            format!("| {on} | {} | {} | {} | {} |", c.gpus, c.what, c.state.name(), c.says)
        })
        .collect();
    assert_eq!(table, expected, "the table should read:\n{}", expected.join("\n"));
}

#[test]
fn the_page_lists_every_commitment() {
    const PAGE: &str = include_str!("../../../../docs/demo.md");
    let (_, commitments) = PAGE.split_once("## Planted commitments").unwrap();
    let ours = commitments.split("\n## ").next().unwrap();
    let table: Vec<&str> =
        ours.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| commitment |")).collect();
    let expected: Vec<String> = planted_commitments()
        .iter()
        .map(|c| format!("| {} | {} | {} |", c.name, c.what, c.says))
        .collect();
    assert_eq!(table, expected, "the table should read:\n{}", expected.join("\n"));
}
