//! Where the parts of the tab stand: shared by drawing, paging and the mouse.

use super::PlanChart;
use crate::app::Layout;

/// A rectangle of the screen, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// First column.
    pub x: u16,
    /// First row.
    pub y: u16,
    /// Number of columns.
    pub width: u16,
    /// Number of rows.
    pub height: u16,
}

/// The parts of the tab. What has no room is `None`, or has no rows.
///
/// ```text
/// head     A base   B   C        p4d.24xlarge, 1 of 3
/// inputs   ▸buy 1y      62  ━━●──   │  charts
///           growth     30%  ━●───   │
/// sums     recommended: 58 1y …
///          mean $1,142,049 ± $2,310   P5–P95 …
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Line with slots and family; `None` where it does not fit.
    pub head: Option<Area>,
    /// Sliders; `None` where they do not fit.
    pub inputs: Option<Area>,
    /// Charts, the chosen one first; at most four.
    pub charts: [Option<Area>; 4],
    /// Lines with the plan's main figures; may have no rows.
    pub sums: Area,
}

/// Columns from which on sliders and chart stand beside each other.
const BESIDE: u16 = 72;

/// Columns from which on a table of scenarios has room beside the sliders.
const TABLE_BESIDE: u16 = 100;

/// Columns from which on the figures of a plan need fewer lines.
const WIDE: u16 = 160;

impl Room {
    /// True where a chart takes the room of the sliders too, as what it says first would be below the end beside them.
    pub fn is_alone(layout: &Layout, chart: PlanChart) -> bool {
        chart == PlanChart::Compare && (BESIDE..TABLE_BESIDE).contains(&layout.width)
    }

    /// Parts of the tab in the frame's body; `alone` = the chosen chart takes all of it.
    pub fn of(layout: &Layout, alone: bool) -> Self {
        let body = layout.body_height;
        let x = 1;
        let width = layout.width.saturating_sub(2);
        // What is recommended has two of them from 5 on, and one from 3 on.
        let sums_height = match body {
            0..=7 => 1,
            8..=9 => 2,
            10..=13 => 3,
            14..=17 => 4,
            18..=23 => 5,
            _ if layout.width >= WIDE => 5,
            _ => 6,
        };
        let head_height = u16::from(body >= 4);
        let sums = Area { x, y: layout.body_top + body - sums_height, width, height: sums_height };
        let area = |y, height| Area { x, y, width, height };
        let head = (head_height > 0).then(|| area(layout.body_top, 1));
        // A line between what is moved and what comes of it.
        let gap = u16::from(body >= 24);
        let rest = body.saturating_sub(sums_height + head_height + gap);
        let middle = area(layout.body_top + head_height, rest);
        let mut room = Self { head, inputs: None, charts: [None; 4], sums };
        if rest == 0 {
            return room;
        }
        if alone {
            room.charts = charts(middle);
        } else if layout.width >= BESIDE {
            let inputs = (layout.width * 9 / 20).clamp(32, 46);
            room.inputs = Some(Area { width: inputs, ..middle });
            let right = Area {
                x: middle.x + inputs + 2,
                width: middle.width.saturating_sub(inputs + 2),
                ..middle
            };
            room.charts = charts(right);
        } else if rest >= 18 {
            let above = rest / 2;
            room.inputs = Some(Area { height: above, ..middle });
            let below = Area { y: middle.y + above, height: rest - above, ..middle };
            room.charts = charts(below);
        } else {
            room.inputs = Some(middle);
        }
        room
    }
}

/// One chart, two above each other, or four.
fn charts(area: Area) -> [Option<Area>; 4] {
    let half = area.height / 2;
    let upper = Area { height: half, ..area };
    let lower = Area { y: area.y + half, height: area.height - half, ..area };
    if area.height < 28 {
        return [Some(area), None, None, None];
    }
    if area.width < 100 {
        return [Some(upper), Some(lower), None, None];
    }
    let side = area.width / 2;
    let left = |a: Area| Area { width: side - 1, ..a };
    let right = |a: Area| Area { x: a.x + side + 1, width: a.width - side - 1, ..a };
    [Some(left(upper)), Some(right(upper)), Some(left(lower)), Some(right(lower))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_the_body_and_nothing_overlaps() {
        for width in (20..=220).step_by(7).chain([71, 72, 80, 100]) {
            for height in 3..=60 {
                let layout = Layout::of((width, height)).unwrap();
                for alone in [false, true] {
                    let room = Room::of(&layout, alone);
                    let mut used = vec![false; usize::from(width) * usize::from(height)];
                    let all = room
                        .head
                        .into_iter()
                        .chain(room.inputs)
                        .chain(room.charts.into_iter().flatten());
                    for area in all.chain([room.sums]) {
                        assert!(area.width >= 1 && area.height >= 1, "{width}x{height} {area:?}");
                        for x in area.x..area.x + area.width {
                            for y in area.y..area.y + area.height {
                                let inside = x < width
                                    && (layout.body_top..layout.body_top + layout.body_height)
                                        .contains(&y);
                                assert!(inside, "{width}x{height} {area:?}");
                                let at = usize::from(y) * usize::from(width) + usize::from(x);
                                let taken = std::mem::replace(&mut used[at], true);
                                assert!(!taken, "{width}x{height} {area:?}");
                            }
                        }
                    }
                }
            }
        }
    }
}
