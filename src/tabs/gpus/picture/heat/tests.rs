//! Places, brightness, pages and moves.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::fleet::GpuFleet;
use crate::tabs::gpus::picture::GpuGrouping;
use crate::tabs::gpus::picture::fixture::{at, gpus, many};
use crate::view::fixture::ctx;

fn order(fleet: &GpuFleet) -> HeatOrder {
    let shown: Vec<u32> = (0..fleet.rows.len() as u32).collect();
    HeatOrder::of(&fleet.rows, &shown, GpuGrouping::Node, &[])
}

fn area(width: u16, height: u16, halves: bool) -> HeatArea {
    HeatArea { width, height, halves }
}

/// The map as letters, a line per row of cells.
fn letters(map: &HeatMap) -> Vec<String> {
    let rows = map.grid.len() / usize::from(map.area.width);
    (0..rows as u32)
        .map(|y| {
            let letter = |x| {
                map.at(x, y).map_or(' ', |c| crate::tabs::gpus::picture::words::letter(c.state))
            };
            (0..map.area.width).map(letter).collect::<String>().trim_end().to_owned()
        })
        .collect()
}

#[test]
fn a_host_of_eight_takes_four_by_one_characters() {
    let fleet = gpus();
    let order = order(&fleet);
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(40, 20, true), HeatUnit::Auto);
    assert!(!map.per_node && !map.headless);
    assert_eq!(map.pages, 1);
    let heads: Vec<(&str, u32)> =
        map.labels.iter().filter(|l| l.is_head).map(|l| (&*l.text, l.line)).collect();
    // By name; the GPU without a team is on a host of its own.
    assert_eq!(heads, [("NLP", 0), ("lab", 2), ("nlp", 4), ("serving", 6), ("vision", 8)]);
    let rows = letters(&map);
    assert_eq!(rows[2..4], ["X", "~"]);
    assert_eq!(rows[6..8], ["H?", "B"]);
    assert_eq!(rows[10..12], ["UUUU", "UUUU"]);
    assert_eq!(rows[14..16], ["B", "B"], "alone on its host, it fills the line");
    assert_eq!(rows[18..20], ["HHHH", "HBIS"]);
}

#[test]
fn sixteen_thousand_fit_two_hundred_by_fifty() {
    let fleet = many(2_000, 8, 7);
    let order = order(&fleet);
    assert_eq!(order.len(), 16_000);
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(200, 50, true), HeatUnit::Auto);
    assert_eq!((map.per_node, map.headless, map.pages), (false, false, 1));
    assert_eq!(map.cells.len(), 16_000);
    assert_eq!(map.note(0), None);
    // Forty lines are exactly what they take: headings go.
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(200, 40, true), HeatUnit::Auto);
    assert_eq!((map.per_node, map.headless, map.pages), (false, true, 1));
    // A small screen: a cell per host, the worst of eight states.
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(80, 20, true), HeatUnit::Auto);
    assert!(map.per_node);
    assert_eq!(map.cells.len(), 2_000);
    assert_eq!(map.cells.iter().map(|c| c.gpus).sum::<u32>(), 16_000);
    let note = map.note(0).unwrap();
    assert!(note.starts_with("one cell per node: the worst of its GPUs"), "{note}");
    // Letters: no half blocks.
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(200, 50, false), HeatUnit::Auto);
    assert!(map.per_node);
    // All GPUs, on pages.
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(80, 20, true), HeatUnit::Gpu);
    assert_eq!((map.per_node, map.pages), (false, 5));
    let last = map.cells.len() as u32 - 1;
    assert_eq!((map.page_of(0), map.page_of(last)), (0, 4));
    assert!(map.note(last).unwrap().ends_with("page 5 of 5"));
}

#[test]
fn brightness_is_logarithmic_and_says_its_dollars() {
    let scale = Scale::up_to(6.88);
    assert_eq!(scale.top.to_bits(), 4f32.to_bits());
    for (waste, level) in [
        (0.0, 0),
        (0.01, 1),
        (0.124, 1),
        (0.125, 2),
        (0.25, 3),
        (0.5, 4),
        (1.0, 5),
        (2.0, 6),
        (3.99, 6),
        (4.0, 7),
        (6.88, 7),
        (500.0, 7),
        (f32::NAN, 0),
    ] {
        assert_eq!(scale.level(waste), level, "{waste}");
    }
    let legend = scale.legend();
    assert_eq!(legend[0].1, "0");
    assert_eq!(legend[1].1, "<0.12");
    assert_eq!(legend[4].1, "0.50");
    assert_eq!(legend[7].1, "4");
    // Cents do not shine, and nothing runs away.
    assert_eq!(Scale::up_to(0.02).level(0.02), 1);
    assert!(Scale::up_to(f32::INFINITY).top.is_finite());
    let fleet = gpus();
    let map = HeatMap::of(&order(&fleet), &HeatZoom::Fleet, area(40, 20, true), HeatUnit::Auto);
    let cell = |node: &str, i| {
        let row = at(&fleet, node, i);
        *map.cells.iter().find(|c| c.row == row).unwrap()
    };
    assert_eq!(cell("gpu-node-1", 0).level, Some(7));
    assert_eq!(cell("gpu-node-1", 5).level, Some(0), "busy wastes nothing");
    assert_eq!(cell("gpu-node-2", 0).level, Some(6));
    assert_eq!(cell("lab-07", 0).level, None, "idle, but without a price");
}

#[test]
fn the_cursor_goes_from_cell_to_cell_and_from_team_to_team() {
    let fleet = gpus();
    let order = order(&fleet);
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(40, 20, true), HeatUnit::Auto);
    let first = map.index_of(&order, at(&fleet, "gpu-node-1", 0)).unwrap();
    let name = |cell: u32| {
        let row = &fleet.rows[map.cells[cell as usize].row as usize];
        format!("{}/{}", row.node.name, row.sample.identity.index.unwrap())
    };
    assert_eq!(name(first), "gpu-node-1/0");
    assert_eq!(name(map.step(first, HeatStep::Right)), "gpu-node-1/1");
    assert_eq!(name(map.step(first, HeatStep::Down)), "gpu-node-1/4");
    assert_eq!(map.step(first, HeatStep::Left), first);
    assert_eq!(name(map.step(first, HeatStep::Up)), "serve-a/0");
    assert_eq!(name(map.step(first, HeatStep::PreviousGroup)), "serve-a/0");
    assert_eq!(map.step(first, HeatStep::NextGroup), first, "the last team");
    assert_eq!(name(map.step(0, HeatStep::NextGroup)), "lab-07/0");
    assert_eq!(name(map.step(0, HeatStep::Last)), "gpu-node-1/7");
    assert_eq!(map.step(9_999, HeatStep::First), 0);
    let says = map.readout(&fleet.rows, &order, first, &ctx()).unwrap();
    assert_eq!(
        says,
        "gpu-node-1 GPU 0 · H100 · ○ HELD IDLE 1d · effective 0% · $6.88/h · $165 wasted · vision · \
         vision/eval-sweep-0"
    );
    let nodes = HeatMap::of(&order, &HeatZoom::Fleet, area(40, 20, true), HeatUnit::Node);
    let cell = nodes.index_of(&order, at(&fleet, "gpu-node-1", 3)).unwrap();
    assert_eq!(
        nodes.readout(&fleet.rows, &order, cell, &ctx()).unwrap(),
        "gpu-node-1 · 8 GPUs: 1 stalled, 5 held idle, 1 inefficient, 1 busy · $55.04/h · waste \
         $41.28/h · $826 wasted · vision"
    );
    assert_eq!(nodes.cells[cell as usize].state, GpuState::Stalled);
    assert_eq!(nodes.states(&order), map.states(&order), "however many stand for one");
}

#[test]
fn the_map_has_the_groups_of_the_list() {
    let fleet = gpus();
    let shown: Vec<u32> = (0..fleet.rows.len() as u32).collect();
    let heads = |by: GpuGrouping| -> Vec<String> {
        let order = HeatOrder::of(&fleet.rows, &shown, by, &[]);
        let map = HeatMap::of(&order, &HeatZoom::Fleet, area(60, 40, true), HeatUnit::Auto);
        let mut rows: Vec<u32> = map.cells.iter().map(|cell| cell.row).collect();
        rows.sort_unstable();
        assert_eq!(rows, shown, "each once, {by:?}");
        let heads = map.labels.iter().filter(|label| label.is_head);
        heads.map(|label| label.text.to_string()).collect()
    };
    let keys = |by: GpuGrouping| -> Vec<String> {
        let mut keys: Vec<_> = fleet.rows.iter().map(|row| by.key(row)).collect();
        keys.sort_by_key(|key| (key.is_none(), key.clone()));
        keys.dedup();
        keys.into_iter().map(|key| key.map_or(by.nobody().into(), |key| key.to_string())).collect()
    };
    for by in [GpuGrouping::Owner, GpuGrouping::Job, GpuGrouping::Model, GpuGrouping::Team] {
        assert_eq!(heads(by), keys(by), "{by:?}");
    }
    for by in [GpuGrouping::Node, GpuGrouping::State, GpuGrouping::Flat] {
        assert_eq!(heads(by), keys(GpuGrouping::Team), "{by:?}");
    }
    assert!(heads(GpuGrouping::Owner).contains(&"ada".to_owned()));
}

#[test]
fn groups_come_in_the_order_asked_for_and_the_others_by_name() {
    let fleet = gpus();
    let shown: Vec<u32> = (0..fleet.rows.len() as u32).collect();
    let first: [Option<Arc<str>>; 4] =
        [Some("vision".into()), None, Some("nlp".into()), Some("nobody".into())];
    let order = HeatOrder::of(&fleet.rows, &shown, GpuGrouping::Team, &first);
    let map = HeatMap::of(&order, &HeatZoom::Fleet, area(60, 40, true), HeatUnit::Auto);
    let heads: Vec<&str> =
        map.labels.iter().filter(|label| label.is_head).map(|label| &*label.text).collect();
    assert_eq!(heads, ["vision", "nlp", "NLP", "lab", "serving"]);
}

#[test]
fn zooming_in_names_hosts_and_gpus() {
    let fleet = gpus();
    let order = order(&fleet);
    let of = |zoom: HeatZoom| HeatMap::of(&order, &zoom, area(60, 20, true), HeatUnit::Auto);
    let team = of(HeatZoom::Group(Some("vision".into())));
    let texts: Vec<&str> = team.labels.iter().map(|l| &*l.text).collect();
    assert_eq!(texts, ["vision", "gpu-node-1"]);
    assert_eq!(team.cells.len(), 8);
    let node = of(HeatZoom::Node("i-0b2part".into()));
    let texts: Vec<&str> = node.labels.iter().map(|l| &*l.text).collect();
    assert_eq!(texts[..3], ["gpu-node-1", "GPU 0", "GPU 1"]);
    assert_eq!(node.cells.len(), 8);
    let lab = of(HeatZoom::Node("lab-07".into()));
    assert_eq!(&*lab.labels[1].text, "GPU 0 gi2");
    assert!(of(HeatZoom::Group(Some("nobody".into()))).cells.is_empty());
}

#[test]
fn the_order_does_not_depend_on_the_state() {
    let before = many(40, 8, 3);
    let mut rows: Vec<crate::fleet::GpuRow> = before.rows.iter().map(|r| (**r).clone()).collect();
    for row in &mut rows {
        row.waste_usd_per_hour = row.waste_usd_per_hour.map(|w| 9.0 - w);
    }
    let after = crate::tabs::gpus::picture::fixture::picture(rows, Vec::new());
    let ids = |fleet: &GpuFleet| {
        let order = order(fleet);
        let map = HeatMap::of(&order, &HeatZoom::Fleet, area(60, 30, true), HeatUnit::Auto);
        let id = |c: &HeatCell| (c.x, c.y, fleet.rows[c.row as usize].id.clone());
        map.cells.iter().map(id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&before), ids(&after));
}

proptest! {
    #[test]
    fn every_gpu_stands_on_the_map_once_and_no_two_on_one_place(
        nodes in 0u32..60, per_node in 1u16..20, teams in 0u32..6,
        width in 0u16..90, height in 0u16..30, halves: bool, unit in 0usize..3,
    ) {
        let fleet = many(nodes, per_node, teams);
        let order = order(&fleet);
        let unit = [HeatUnit::Auto, HeatUnit::Gpu, HeatUnit::Node][unit];
        let map = HeatMap::of(&order, &HeatZoom::Fleet, area(width, height, halves), unit);
        if width == 0 || height == 0 {
            prop_assert!(map.cells.is_empty());
            return Ok(());
        }
        let mut seen: Vec<u32> =
            (0..map.cells.len() as u32).flat_map(|i| map.rows_of(&order, i).to_vec()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..fleet.rows.len() as u32).collect::<Vec<_>>());
        let mut places = HashSet::new();
        let lines: HashSet<u32> =
            map.labels.iter().filter(|l| l.is_head).map(|l| l.line).collect();
        for (i, cell) in map.cells.iter().enumerate() {
            prop_assert!(cell.x < width);
            prop_assert!(places.insert((cell.x, cell.y)), "two cells at {} {}", cell.x, cell.y);
            prop_assert_eq!(map.index_at(cell.x, cell.y), Some(i as u32));
            prop_assert!(map.page_of(i as u32) < map.pages);
            let line = cell.y / if halves { 2 } else { 1 };
            prop_assert!(!lines.contains(&line), "a cell on the line of a heading");
        }
        // Everything can be reached from anywhere by rows, columns and teams.
        if let Some(last) = (map.cells.len() as u32).checked_sub(1) {
            for step in [HeatStep::Left, HeatStep::Right, HeatStep::Up, HeatStep::Down] {
                for from in [0, last / 2, last] {
                    prop_assert!(map.step(from, step) <= last);
                }
            }
            let mut cell = 0;
            for _ in 0..=last {
                let down = map.step(cell, HeatStep::Down);
                if down == cell {
                    break;
                }
                prop_assert!(map.cells[down as usize].y > map.cells[cell as usize].y);
                cell = down;
            }
            let bottom = map.cells.iter().map(|c| c.y).max().unwrap_or(0);
            prop_assert_eq!(map.cells[cell as usize].y, bottom);
        }
    }
}
