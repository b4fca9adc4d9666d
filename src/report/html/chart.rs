//! Bars over time as inline SVG: the burn, and in front of it what was waste.

use super::Writer;
use crate::view::format;

/// Width of the drawing, in its own units.
const WIDTH: f64 = 720.0;
/// Height of the drawing.
const HEIGHT: f64 = 240.0;
/// Left of the first bar, where the scale stands.
const LEFT: f64 = 72.0;
/// Right of the last bar.
const RIGHT: f64 = 8.0;
/// Top of the highest bar.
const TOP: f64 = 16.0;
/// Where bars stand.
const BASE: f64 = 208.0;
/// Part of its room that a bar takes.
const BAR: f64 = 0.7;
/// Width of a character of the names below the bars, at most: those that would overlap are left out.
const LETTER: f64 = 7.5;

/// A period of a chart.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Bar {
    /// Its name.
    pub name: String,
    /// Burn, USD; `None` where it is not known.
    pub usd: Option<f64>,
    /// Waste, USD; `None` where it is not known.
    pub waste_usd: Option<f64>,
}

/// Bars over time.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct Chart {
    /// What is shown, for who cannot see it.
    pub title: String,
    /// The bars, oldest first.
    pub bars: Vec<Bar>,
}

impl Chart {
    /// Draws it; nothing without a bar that is known.
    pub(super) fn draw(&self, to: &mut Writer) {
        let known = self.bars.iter().flat_map(|bar| [bar.usd, bar.waste_usd]).flatten();
        let most = known.filter(|usd| usd.is_finite()).fold(0.0, f64::max);
        if most <= 0.0 {
            return;
        }
        let view_box = format!("0 0 {WIDTH} {HEIGHT}");
        to.open("svg", &[("viewBox", &view_box), ("role", "img"), ("aria-label", &self.title)]);
        scale(most, to);
        let room = (WIDTH - LEFT - RIGHT) / self.bars.len() as f64;
        let longest = self.bars.iter().map(|bar| bar.name.chars().count()).max().unwrap_or(0);
        let every = (longest as f64 * LETTER / room).ceil().max(1.0) as usize;
        for (nth, bar) in self.bars.iter().enumerate() {
            let left = LEFT + room * (nth as f64 + (1.0 - BAR) / 2.0);
            let middle = at(left + room * BAR / 2.0);
            for (class, usd) in [("burn", bar.usd), ("waste", bar.waste_usd)] {
                let Some(usd) = usd.filter(|usd| usd.is_finite() && *usd >= 0.0) else { continue };
                let top = BASE - (BASE - TOP) * usd / most;
                let (left, right) = (at(left), at(left + room * BAR));
                let path = format!("M{left} {base}V{}H{right}V{base}Z", at(top), base = at(BASE));
                to.open("path", &[("class", class), ("d", &path)]);
                to.leaf("title", &[], &format!("{}: {class} {}", bar.name, format::usd(usd)));
                to.close();
            }
            if bar.usd.is_none() {
                let y = at(BASE - 6.0);
                to.leaf("text", &[("class", "name"), ("x", &middle), ("y", &y)], "–");
            }
            // The newest has its name.
            if (self.bars.len() - 1 - nth).is_multiple_of(every) {
                let y = at(BASE + 18.0);
                to.leaf("text", &[("class", "name"), ("x", &middle), ("y", &y)], &bar.name);
            }
        }
        to.close();
    }
}

/// Lines at nothing, half and the most, with their dollars.
fn scale(most: f64, to: &mut Writer) {
    for part in [0.0, 0.5, 1.0] {
        let y = BASE - (BASE - TOP) * part;
        let path = format!("M{} {y}H{}", at(LEFT), at(WIDTH - RIGHT), y = at(y));
        to.empty("path", &[("class", "line"), ("d", &path)]);
        let (x, y) = (at(LEFT - 6.0), at(y + 4.0));
        let attributes = [("class", "scale"), ("x", &*x), ("y", &*y)];
        to.leaf("text", &attributes, &format::usd_coarse(most * part));
    }
}

/// A coordinate, to a hundredth.
fn at(value: f64) -> String {
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use super::super::reader::{Element, read};
    use super::*;

    fn drawn(bars: &[(Option<f64>, Option<f64>)]) -> Vec<Element> {
        let bar = |(nth, (usd, waste_usd)): (usize, &(Option<f64>, Option<f64>))| Bar {
            name: format!("day {nth}"),
            usd: *usd,
            waste_usd: *waste_usd,
        };
        let bars = bars.iter().enumerate().map(bar).collect();
        let mut writer = Writer::new();
        writer.open("html", &[]);
        Chart { title: "t".to_owned(), bars }.draw(&mut writer);
        read(&writer.finish()).unwrap()
    }

    fn paths<'a>(of: &'a [Element], class: &str) -> Vec<&'a str> {
        let of = of.iter().filter(|e| e.tag == "path" && e.get("class") == Some(class));
        of.filter_map(|e| e.get("d")).collect()
    }

    #[test]
    fn bars_are_as_high_as_their_dollars_and_what_is_not_known_has_none() {
        // Three rooms of 640 ÷ 3 = 213.33 from 72 on; a bar begins 15% into its room and takes 70% of it. From 208 up to
        // 16 are $100: $50 end at 112, $25 at 160.
        let of = drawn(&[(Some(100.0), Some(25.0)), (None, None), (Some(50.0), Some(0.0))]);
        assert_eq!(
            paths(&of, "burn"),
            ["M104.00 208.00V16.00H253.33V208.00Z", "M530.67 208.00V112.00H680.00V208.00Z"]
        );
        assert_eq!(
            paths(&of, "waste"),
            ["M104.00 208.00V160.00H253.33V208.00Z", "M530.67 208.00V208.00H680.00V208.00Z"]
        );
        let dashes: Vec<&Element> =
            of.iter().filter(|e| e.tag == "text" && e.text == "–").collect();
        assert_eq!(dashes.len(), 1, "the day that nobody looked at");
        assert_eq!(dashes[0].get("x"), Some("392.00"));
        assert_eq!(
            paths(&of, "line"),
            ["M72.00 208.00H712.00", "M72.00 112.00H712.00", "M72.00 16.00H712.00"]
        );
    }

    #[test]
    fn names_that_would_overlap_are_left_out_and_the_newest_is_there() {
        // 640 ÷ 20 = 32 for a bar, and 6 letters of 7.5 are 45: every second one.
        let of = drawn(&[(Some(1.0), None); 20]);
        let names: Vec<&str> = of
            .iter()
            .filter(|e| e.tag == "text" && e.get("class") == Some("name"))
            .map(|e| &*e.text)
            .collect();
        assert_eq!(names.len(), 10);
        assert_eq!((names[0], names[9]), ("day 1", "day 19"));
    }

    #[test]
    fn without_anything_known_nothing_is_drawn() {
        for bars in [&[][..], &[(None, None)], &[(Some(0.0), None)], &[(Some(f64::NAN), None)]] {
            assert!(drawn(bars).iter().all(|e| e.tag != "svg"), "{bars:?}");
        }
    }
}
