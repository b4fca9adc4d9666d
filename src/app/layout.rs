//! Where the parts of the frame stand: shared by drawing, paging and the mouse.

/// Smallest terminal that is drawn on: columns and rows.
pub const MINIMUM: (u16, u16) = (20, 3);

/// Rows of the frame's parts. What does not fit is `None`; the body has at least one row.
///
/// ```text
/// header      burntop  prod-ml 1234…9012  4 regions      ec2 10s  cw 4m  own $0.03  RO
/// tabs        1 Overview  3 Idle
/// burn        burn $412.30/h · waste $96.10/h (23%)
/// upper rule  ──────────────────────────────────────
/// body
/// lower rule  ──────────────────────────────────────
/// footer      / filter   s sort   ? help
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Width in columns.
    pub width: u16,
    /// Row of the header; `None` where there is no room.
    pub header: Option<u16>,
    /// Row of the tab bar; `None` where there is no room.
    pub tabs: Option<u16>,
    /// Row of the burn line; `None` where there is no room.
    pub burn: Option<u16>,
    /// Row of the rule above the body, which also shows banners; `None` where there is no room.
    pub upper_rule: Option<u16>,
    /// First row of the body.
    pub body_top: u16,
    /// Number of rows of the body.
    pub body_height: u16,
    /// Row of the rule below the body, which also shows notices and errors in typed text; `None` where there is no room.
    pub lower_rule: Option<u16>,
    /// Row of the footer, which also holds the prompt.
    pub footer: u16,
}

impl Layout {
    /// The layout of a terminal; `None` below [`MINIMUM`].
    pub fn of((width, height): (u16, u16)) -> Option<Self> {
        if width < MINIMUM.0 || height < MINIMUM.1 {
            return None;
        }
        let mut next = 0u16;
        // Least important last: each line appears from this height on.
        let mut line = |from_height: u16| {
            (height >= from_height).then(|| {
                next += 1;
                next - 1
            })
        };
        let header = line(5);
        let tabs = line(8);
        let burn = line(3);
        let upper_rule = line(12);
        let body_top = next;
        let lower_rule = (height >= 10).then(|| height - 2);
        let footer = height - 1;
        let body_height = lower_rule.unwrap_or(footer) - body_top;
        Some(Self {
            width,
            header,
            tabs,
            burn,
            upper_rule,
            body_top,
            body_height,
            lower_rule,
            footer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_height_has_a_body_and_no_line_is_used_twice() {
        for height in 0..=60u16 {
            let Some(l) = Layout::of((80, height)) else {
                assert!(height < MINIMUM.1);
                continue;
            };
            assert!(l.body_height >= 1, "{height}");
            let mut lines: Vec<u16> = [l.header, l.tabs, l.burn, l.upper_rule, l.lower_rule]
                .into_iter()
                .flatten()
                .chain(l.body_top..l.body_top + l.body_height)
                .chain([l.footer])
                .collect();
            lines.sort_unstable();
            assert_eq!(lines, (0..height).collect::<Vec<_>>(), "{height}");
        }
    }

    #[test]
    fn the_usual_size_has_everything() {
        let l = Layout::of((80, 24)).unwrap();
        assert_eq!((l.header, l.tabs, l.burn, l.upper_rule), (Some(0), Some(1), Some(2), Some(3)));
        assert_eq!((l.body_top, l.body_height), (4, 18));
        assert_eq!((l.lower_rule, l.footer), (Some(22), 23));
    }
}
