//! The fields of unit costs.

use std::sync::Arc;

use crate::analyze::teams::{RunCount, RunDollars, RunRule, UnitState};
use crate::domain::bill::UnitBound;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext, format};

/// A unit cost of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitItem {
    /// Its name; unique among the rows of a list.
    pub id: Arc<str>,
    /// Its filter as text; empty for all lines, or all jobs.
    pub filter: String,
    /// What is divided by what, of jobs; `None` for dollars of the bill.
    pub formula: Option<String>,
    /// The figures.
    pub of: UnitState,
}

/// Rows of unit costs, in their order.
pub fn unit_rows(of: Vec<UnitState>) -> Arc<[Arc<UnitItem>]> {
    let row = |of: UnitState| {
        let filter = match &of.runs {
            Some(rule) => rule.filter.to_string(),
            None => of.unit.filter.to_string(),
        };
        let (id, formula) = (of.unit.name.clone(), of.runs.as_ref().map(formula));
        Arc::new(UnitItem { id, filter, formula, of })
    };
    of.into_iter().map(row).collect()
}

/// Where dollars and count may come from: a bill and a source of counts, or jobs.
const FROM: [&str; 3] = ["bill", "jobs", "completed_jobs"];

/// Where those of a unit cost come from.
fn from(of: &UnitState) -> &'static str {
    FROM[match of.runs.as_ref().map(|rule| rule.dollars) {
        None => 0,
        Some(RunDollars::Paid) => 1,
        Some(RunDollars::Completed) => 2,
    }]
}

/// What is divided by what, in words.
fn formula(rule: &RunRule) -> String {
    let dollars = match (rule.dollars, rule.count) {
        (RunDollars::Completed, _) => "dollars of attempts that completed",
        (RunDollars::Paid, RunCount::Predictions) => {
            "dollars of all attempts of jobs that tell of predictions"
        }
        (RunDollars::Paid, RunCount::UsedHours) => "dollars of attempts that telemetry covers",
        (RunDollars::Paid, _) => "dollars of all attempts that ended, failed ones too",
    };
    let count = match rule.count {
        RunCount::Completed => "runs that completed",
        RunCount::Runs => "runs however they ended, retries as one",
        RunCount::UsefulHours => "GPU-hours held that did not come to nothing",
        RunCount::UsedHours => "GPU-hours in which their GPUs worked",
        RunCount::Predictions => "predictions",
    };
    format!("{dollars} ÷ {count}")
}

field_table! {
    /// A field of a unit cost.
    pub enum UnitField => FIELDS {
        Name text "name" [] "NAME" 16 key wide by('n') "What one is.";
        Filter text "filter" [] "FILTER" 18 wide by('f') "Which lines of the bill, or which jobs; none = all.";
        From choice(FROM) "from" ["source"] "FROM" 14 by('r')
            "What bears the dollars: the bill, all attempts of jobs, or those that completed.";
        Usd number(Usd) "usd" ["$"] "COST" 12 apart unit("$") by('c')
            "What the lines, or the attempts that ended, cost on the days of which dollars and count are known.";
        Count number(Count) "count" [] "COUNT" 12 by('o') "What was counted on those days.";
        PerUnit number(Usd) "usd_per_unit" ["unit"] "$/UNIT" 10 unit("$/unit") by('u')
            "What one costs; none where nothing was counted: that is not known, and not nothing.";
        Target number(Usd) "target" [] "TARGET" 10 unit("$/unit") by('t') "What one shall cost at most; none without a target.";
        Before number(Usd) "usd_per_unit_before" ["before"] "BEFORE" 10 unit("$/unit") by('b')
            "What one cost on as many days of the month before.";
        Trend number(Percent) "trend" [] "TREND" 6 by('d') "Change against the month before.";
        BySpend number(Usd) "change_by_spend" ["spend"] "BY SPEND" 10 unit("$/unit")
            "What of the change the dollars made.";
        ByVolume number(Usd) "change_by_volume" ["volume"] "BY VOLUME" 10 unit("$/unit")
            "What of the change the count made.";
        Days number(Count) "days" [] "DAYS" 5 by('y') "Days of which bill and count are known.";
        Uncounted number(Count) "uncounted_days" ["uncounted"] "NO COUNT" 8
            "Days of which the bill is known and the count is not: they are in no sum.";
        Per number(Count) "per" [] "PER" 6 by('p') "How many of what is counted one is.";
        Bound choice(UnitBound::WORDS) "bound" [] "BOUND" 8
            "How sure it is: exact; at_least without the dollars of some attempts; at_most where more may have to be counted; unknown = both.";
        Counted choice(RunCount::WORDS) "counted" [] "COUNTED" 16 "What is counted of jobs; none for dollars of the bill.";
        Formula text "formula" [] "FORMULA" 40 wide "What is divided by what; none for dollars of the bill.";
        Unpriced number(Count) "unpriced_attempts" ["unpriced"] "NO PRICE" 8
            "Attempts of which the dollars are not known: their runs and predictions are counted, so one costs at least as much.";
        Undercounted number(Count) "undercounted_attempts" [] "MAY BE MORE" 11
            "Attempts of which more may have to be counted: a checkpoint that is not known, predictions that are not told.";
        LeftOut number(Count) "attempts_left_out" [] "LEFT OUT" 8
            "Attempts without a price or telemetry, where GPU-hours are counted: they are in neither number.";
        JobsUntil time "jobs_until" [] "JOBS UP TO" 16 "Up to when the jobs that are kept were witnessed; none for dollars of the bill.";
    }
}

use UnitField as F;

impl TableField for UnitField {
    type Row = UnitItem;

    const NOUNS: [&'static str; 2] = ["unit cost", "unit costs"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Name, F::Usd, F::Count, F::PerUnit, F::Target, F::Trend, F::BySpend, F::ByVolume];
    const DROPPED_FIRST: &'static [Self] = &[F::Count, F::Usd];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a UnitItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let rounded = |usd: Option<f64>| Value::number(usd.map(|usd| (usd * 1e12).round() / 1e12));
        let trend = of.moved().filter(|(before, _)| *before > 0.0);
        let of_jobs = |attempts: u32| Value::number(of.runs.as_ref().map(|_| f64::from(attempts)));
        match self {
            F::Name => Value::text(&of.unit.name),
            F::Filter => Value::text(&row.filter),
            F::From => Value::text(from(of)),
            F::Usd if of.now.days == 0 => Value::Unknown,
            F::Usd if of.now.unpriced > 0 && of.now.usd.is_zero() => Value::Unknown,
            F::Usd => Value::Usd(of.now.usd),
            F::Count if of.now.days == 0 => Value::Unknown,
            F::Count => Value::number(Some(of.now.count)),
            F::PerUnit => rounded(of.usd_per_unit()),
            F::Target => rounded(of.unit.target),
            F::Before => rounded(of.before_per_unit()),
            F::Trend => Value::number(trend.map(|(before, now)| (now / before - 1.0) * 100.0)),
            F::BySpend => rounded(of.change().map(|change| change.spend)),
            F::ByVolume => rounded(of.change().map(|change| change.volume)),
            F::Days => Value::Number(of.now.days as f64),
            F::Uncounted => Value::Number(of.uncounted_days as f64),
            F::Per => Value::number(Some(of.unit.per)),
            F::Bound => Value::text(of.bound().word()),
            F::Counted => Value::maybe(of.runs.as_ref().map(|rule| rule.count.word())),
            F::Formula => Value::maybe(row.formula.as_deref()),
            F::Unpriced => of_jobs(of.now.unpriced),
            F::Undercounted => of_jobs(of.now.undercounted),
            F::LeftOut => of_jobs(of.now.left_out),
            F::JobsUntil => Value::time(of.jobs_until),
        }
    }

    fn cell(self, row: &UnitItem, ctx: &ViewContext) -> String {
        match (self, self.value(row, ctx)) {
            (F::BySpend | F::ByVolume, Value::Number(usd)) => {
                format::usd_signed(usd, format::usd_rate)
            }
            (F::Usd, value @ Value::Usd(_)) => {
                let text = value.shown(self.spec().kind, ctx);
                format::bound(text, row.of.now.unpriced > 0, ctx.symbols)
            }
            (F::PerUnit, Value::Number(usd)) => {
                format::unit_price(usd, row.of.bound(), ctx.symbols)
            }
            (F::Target | F::Before, Value::Number(usd)) => format::usd_rate(usd),
            (_, value) => value.shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &UnitItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &UnitItem) -> Option<f64> {
        None
    }

    fn any_text(row: &UnitItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.filter)
    }
}
