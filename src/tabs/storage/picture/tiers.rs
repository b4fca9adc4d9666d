//! The tier what-if: options with their curves, and the chart of what each has saved by when.

use super::words;
use crate::analyze::storage::tiers::{
    Access, Best, Curve, Question, Target, break_even_reads, compare, is_instant,
};
use crate::domain::storage::StorageClass;
use crate::view::Symbols;

/// One option.
#[derive(Clone, Debug, PartialEq)]
pub struct TierOption {
    /// The curve: monthly USD and fees.
    pub curve: Curve,
    /// USD spent by the end of each month; `None` when a price is not known.
    pub cumulative: Option<Vec<f64>>,
    /// USD saved against staying by the end of each month, below 0 in the valley; `None` when a price is not known.
    pub saved: Option<Vec<f64>>,
    /// Deepest cumulative loss, USD, 0 or below; `None` when a price is not known.
    pub valley_usd: Option<f64>,
    /// The month, from 1, of the deepest loss; `None` without a loss.
    pub valley_month: Option<u16>,
    /// The month, from 1, by whose end it has paid back for good; `None` for not as far as one
    /// looks ahead.
    pub payback_month: Option<u16>,
    /// USD saved in the first twelve months; `None` when a price is not known.
    pub year_usd: Option<f64>,
    /// Reads per month from which it is dearer than staying, fees left out; `None` where it never is or a price is not
    /// known.
    pub break_even_reads: Option<f64>,
    /// Further notes, a few words each.
    pub notes: Vec<String>,
}

impl TierOption {
    /// USD of the month in which nothing changes any more, as far as one looks ahead.
    pub fn last_month(&self) -> Option<f64> {
        self.curve.monthly.as_ref()?.last().copied()
    }
}

/// The whole page.
#[derive(Clone, Debug, PartialEq)]
pub struct TiersModel {
    /// Months that are looked ahead.
    pub months: u16,
    /// Reads.
    pub access: Access,
    /// Objects compared.
    pub objects: f64,
    /// Their bytes.
    pub bytes: f64,
    /// Bytes without a price, in no option.
    pub unpriced_bytes: f64,
    /// Staying first, then the classes from warm to cold.
    pub options: Vec<TierOption>,
    /// The cheapest per horizon.
    pub best: Vec<Best>,
}

impl TiersModel {
    /// Compares the options of a question. Twelve months are always reckoned for the sum of a year;
    /// the curves have as many as were asked for.
    pub fn of(question: &Question<'_>) -> Self {
        let months = question.months.max(1);
        let year = compare(&Question { months: months.max(12), ..question.clone() });
        let all = compare(&Question { months, ..question.clone() });
        let options = all
            .curves
            .iter()
            .map(|curve| {
                let target = curve.target;
                let saved = all.saved(target);
                let valley_usd = all.valley_usd(target);
                let valley_month = saved.as_ref().zip(valley_usd).and_then(|(saved, deepest)| {
                    let at = saved.iter().position(|usd| *usd <= deepest)?;
                    (deepest < 0.0).then_some(at as u16 + 1)
                });
                TierOption {
                    cumulative: curve.cumulative(),
                    valley_usd,
                    valley_month,
                    payback_month: all.payback_month(target),
                    year_usd: year.saved_by(target, 12),
                    break_even_reads: break_even_reads(question, target),
                    notes: notes(curve),
                    saved,
                    curve: curve.clone(),
                }
            })
            .collect();
        Self {
            months,
            access: question.access,
            objects: question.cohorts.iter().map(|c| c.objects).sum(),
            bytes: question.cohorts.iter().map(|c| c.bytes).sum(),
            unpriced_bytes: all.unpriced_bytes,
            options,
            best: all.best,
        }
    }
}

/// The name of an option, as people say it.
pub fn name(target: Target) -> &'static str {
    match target {
        Target::Stay => "stay",
        Target::Class(class) => match class {
            StorageClass::Standard => "Standard",
            StorageClass::IntelligentTiering => "Intelligent-Tiering",
            StorageClass::StandardIa => "Standard-IA",
            StorageClass::OnezoneIa => "One Zone-IA",
            StorageClass::GlacierIr => "Glacier Instant",
            StorageClass::Glacier => "Glacier Flexible",
            StorageClass::DeepArchive => "Deep Archive",
            StorageClass::ReducedRedundancy => "Reduced Redundancy",
            StorageClass::ExpressOnezone => "Express One Zone",
        },
    }
}

/// The letter of an option in a chart.
pub fn letter(target: Target) -> char {
    match target {
        Target::Stay => '0',
        Target::Class(class) => match class {
            StorageClass::Standard => 'S',
            StorageClass::IntelligentTiering => 'T',
            StorageClass::StandardIa => 'A',
            StorageClass::OnezoneIa => 'Z',
            StorageClass::GlacierIr => 'I',
            StorageClass::Glacier => 'F',
            StorageClass::DeepArchive => 'D',
            StorageClass::ReducedRedundancy => 'R',
            StorageClass::ExpressOnezone => 'X',
        },
    }
}

fn notes(curve: &Curve) -> Vec<String> {
    let mut out = Vec::new();
    let mut some = |bytes: f64, says: &str| {
        if bytes > 0.0 {
            out.push(format!("{} {says}", words::size(bytes)));
        }
    };
    some(curve.copied_bytes, "have to be copied, no lifecycle rule moves them");
    some(curve.small_bytes, "stay, in objects under 128 KiB");
    some(curve.waiting_bytes, "move a month later, when they are 30 days old");
    some(curve.unknown_age_bytes, "of unknown age, early-delete fees not counted");
    if let Target::Class(class) = curve.target {
        if !is_instant(class) {
            out.push("restored before they are read, which takes minutes to two days".to_owned());
        }
        if class == StorageClass::OnezoneIa {
            out.push("kept in one zone".to_owned());
        }
    }
    out
}

/// A chart: dollars saved against staying, by month. Lines lie side by side in one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// One line per option that has a price, staying left out (it is the zero line).
    pub lines: Vec<(Target, Vec<f64>)>,
    /// Lowest value, USD, 0 or below.
    pub low: f64,
    /// Highest value, USD, 0 or above.
    pub high: f64,
}

impl TiersModel {
    /// The data of the chart. Every line begins at 0 before the first month.
    pub fn chart(&self) -> Chart {
        let lines: Vec<(Target, Vec<f64>)> = self
            .options
            .iter()
            .filter(|o| o.curve.target != Target::Stay && o.curve.moved.0 > 0.0)
            .filter_map(|o| {
                let saved = o.saved.as_ref()?;
                Some((o.curve.target, std::iter::once(0.0).chain(saved.iter().copied()).collect()))
            })
            .collect();
        let all = || lines.iter().flat_map(|(_, points)| points.iter().copied());
        let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
        Chart { lines, low, high }
    }
}

impl Chart {
    /// The chart as text of `width` × `height` cells for the plot, with an axis of dollars at the
    /// left and of months below. Where lines meet, the first option's letter stands. Nothing to
    /// draw gives no lines.
    pub fn text(&self, width: usize, height: usize, symbols: Symbols) -> Vec<String> {
        let (width, height) = (width.max(8), height.max(4));
        let months = self.lines.first().map_or(0, |(_, points)| points.len().saturating_sub(1));
        if months == 0 || self.high - self.low < 0.005 {
            return Vec::new();
        }
        let row = |usd: f64| -> usize {
            let part = (self.high - usd) / (self.high - self.low);
            ((part * (height - 1) as f64).round() as usize).min(height - 1)
        };
        let (dash, bar) = match symbols {
            Symbols::Unicode => ('─', '│'),
            Symbols::Ascii => ('-', '|'),
        };
        let mut cells = vec![vec![' '; width]; height];
        if let Some(zero) = cells.get_mut(row(0.0)) {
            zero.fill(dash);
        }
        for (target, points) in self.lines.iter().rev() {
            #[expect(clippy::needless_range_loop, reason = "x is a place on the axis first")]
            for x in 0..width {
                // Between two months a line is straight.
                let at = x as f64 / (width - 1) as f64 * months as f64;
                let month = (at.floor() as usize).min(months - 1);
                let (Some(a), Some(b)) = (points.get(month), points.get(month + 1)) else {
                    continue;
                };
                let usd = a + (b - a) * (at - month as f64);
                cells[row(usd)][x] = letter(*target);
            }
        }
        let labels: Vec<String> = (0..height)
            .map(|y| {
                let shown = y == 0 || y == height - 1 || y == row(0.0);
                let usd = if y == row(0.0) {
                    0.0
                } else {
                    self.high - (self.high - self.low) * y as f64 / (height - 1) as f64
                };
                if shown { words::usd(usd) } else { String::new() }
            })
            .collect();
        let wide = labels.iter().map(|l| l.chars().count()).max().unwrap_or(0);
        let mut out: Vec<String> = cells
            .iter()
            .zip(&labels)
            .map(|(line, label)| {
                let text = format!("{label:>wide$} {bar}{}", line.iter().collect::<String>());
                text.trim_end().to_owned()
            })
            .collect();
        let last = format!("month {months}");
        let blanks = width.saturating_sub(last.chars().count() + 1);
        out.push(format!("{:>wide$}  0{}{last}", "", " ".repeat(blanks)));
        let legend: Vec<String> =
            self.lines.iter().map(|(t, _)| format!("{} {}", letter(*t), name(*t))).collect();
        out.push(format!("{:>wide$}  {}", "", legend.join("  ")));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::storage::price::Volumes;
    use crate::analyze::storage::price::fixture::virginia;
    use crate::analyze::storage::tiers::Cohort;
    use crate::domain::storage::{GIB, Tier};

    fn model(access: Access, months: u16) -> TiersModel {
        let cohorts = [Cohort {
            tier: Tier::StandardIa,
            objects: 53_819_565.0,
            bytes: 533_627.0 * GIB,
            is_small: false,
            age_days: None,
        }];
        TiersModel::of(&Question {
            cohorts: &cohorts,
            prices: &virginia(),
            others: &Volumes::default(),
            access,
            moves_small: false,
            months,
        })
    }

    #[test]
    fn the_valley_and_the_way_out_are_drawn() {
        let m = model(Access::NONE, 12);
        let chart = m.chart();
        assert!(chart.low < -5_000.0 && chart.high > 30_000.0);
        assert!(chart.lines.iter().all(|(_, p)| p.len() == 13 && p[0] == 0.0));
        let text = chart.text(49, 12, Symbols::Ascii).join("\n");
        insta::assert_snapshot!("the_valley", text);
        let it = m.options.iter().find(|o| letter(o.curve.target) == 'T').unwrap();
        assert_eq!((it.valley_month, it.payback_month), (Some(3), Some(5)));
        assert!(it.year_usd.unwrap() > 30_000.0);
    }

    #[test]
    fn a_short_look_ahead_still_knows_the_year() {
        let m = model(Access::NONE, 2);
        let it = m.options.iter().find(|o| letter(o.curve.target) == 'T').unwrap();
        assert_eq!(it.saved.as_ref().map(Vec::len), Some(2));
        assert_eq!(it.payback_month, None);
        assert!(it.year_usd.unwrap() > 30_000.0);
        assert!(m.chart().text(0, 0, Symbols::Unicode).len() > 4);
    }

    #[test]
    fn nothing_to_move_draws_nothing() {
        let cohorts = [Cohort {
            tier: Tier::File,
            objects: 1.0,
            bytes: 1e9,
            is_small: false,
            age_days: None,
        }];
        let m = TiersModel::of(&Question {
            cohorts: &cohorts,
            prices: &virginia(),
            others: &Volumes::default(),
            access: Access::NONE,
            moves_small: false,
            months: 12,
        });
        assert!(m.chart().text(40, 10, Symbols::Ascii).is_empty());
        assert!(m.unpriced_bytes > 0.0 && m.best.is_empty());
        assert!(m.options.iter().all(|o| o.cumulative.is_none() && o.year_usd.is_none()));
    }

    #[test]
    fn every_option_has_a_letter_of_its_own() {
        let mut letters: Vec<char> =
            StorageClass::ALL.into_iter().map(|c| letter(Target::Class(c))).collect();
        letters.push(letter(Target::Stay));
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), StorageClass::ALL.len() + 1);
    }
}
