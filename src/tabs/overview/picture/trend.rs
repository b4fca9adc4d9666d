//! The fields of a trend: what was burnt by day, week or month.

use std::sync::Arc;

use crate::analyze::trend::{PeriodKind, TrendRow};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// A period of a trend, or a team or an account in it.
#[derive(Clone, Debug, PartialEq)]
pub struct TrendItem {
    /// Period and key; unique among the rows of a list.
    pub id: Arc<str>,
    /// Name of the period: `2026-11`, `2026-W48`.
    pub period: String,
    /// Its first day, `2026-11-01`.
    pub day: String,
    /// The figures.
    pub of: TrendRow,
}

/// Rows of a trend, in their order.
pub fn trend_rows(of: Vec<TrendRow>) -> Arc<[Arc<TrendItem>]> {
    let row = |of: TrendRow| {
        let period = of.period.name();
        let id = format!("{period} {}", of.key.as_deref().unwrap_or_default()).into();
        let day = of.period.first_day().to_string();
        Arc::new(TrendItem { id, period, day, of })
    };
    of.into_iter().map(row).collect()
}

field_table! {
    /// A field of a period.
    pub enum TrendField => FIELDS {
        Period text "period" [] "PERIOD" 10 key "The day, week (Monday to Sunday) or month, UTC.";
        Kind choice(PeriodKind::WORDS) "length" ["kind"] "BY" 6 "Length of the period: day, week, month.";
        Day text "day" ["from"] "FROM" 10 "First day of the period, UTC.";
        Key text "key" ["account", "team"] "OF" 14 wide "Account or team, as `burntop trend --by` says; none for instances without a team.";
        Burn number(Usd) "burn_usd" ["$", "usd", "burn"] "BURN" 13 unit("$")
            "Burn at list price (Spot: its price) in the hours that were looked at; none where nobody looked.";
        Waste number(Usd) "waste_usd" ["waste"] "WASTE" 13 unit("$") "Part of the burn that verdicts called waste.";
        WasteShare number(Percent) "waste_share" [] "WASTE %" 7 "Waste by burn.";
        Rate number(UsdPerHour) "usd_per_hour" ["rate"] "$/h" 11
            "Mean burn while it was looked at, each account by its own time; none where an account was not.";
        WasteRate number(UsdPerHour) "waste_usd_per_hour" [] "WASTE/h" 11 "Mean waste while it was looked at.";
        Gpus number(Count) "gpus" [] "GPUS" 6 "GPU equivalents that ran in the mean while it was looked at.";
        GpuHours number(Count) "gpu_hours" [] "GPU HOURS" 10 unit("h") "GPU-hours that ran in the hours that were looked at.";
        Saved number(Usd) "saved_usd" ["saved"] "SAVED" 12 unit("$")
            "Saved in the period at list price by what was stopped, terminated or deleted and stayed so; none where that is not known.";
        Seen number(Count) "seen_hours" ["seen"] "SEEN" 7 unit("h") "Hours that burntop looked, mean of the accounts.";
        Coverage number(Percent) "coverage" ["covered"] "COVERED" 7 "Share of the period's hours until now that burntop looked.";
        Unpriced number(Count) "unpriced_instance_hours" ["unpriced"] "UNPRICED" 8 unit("h")
            "Instance-hours without a price, which the burn leaves out.";
        Unjudged number(Count) "unjudged_instance_hours" ["unjudged"] "UNJUDGED" 8 unit("h")
            "Instance-hours without a verdict, which the waste leaves out.";
    }
}

use TrendField as F;

impl TableField for TrendField {
    type Row = TrendItem;

    const NOUNS: [&'static str; 2] = ["period", "periods"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Period, F::Burn, F::Waste, F::WasteShare, F::Rate, F::Gpus, F::Saved, F::Coverage];
    const DROPPED_FIRST: &'static [Self] = &[F::Gpus, F::WasteShare, F::Rate, F::Saved];

    fields!(FIELDS);

    fn value<'a>(self, item: &'a TrendItem, _: &ViewContext) -> Value<'a> {
        let row = &item.of;
        let seen = |value: f64| Value::number(row.is_seen().then_some(value));
        match self {
            F::Period => Value::text(&item.period),
            F::Kind => Value::text(row.period.kind.word()),
            F::Day => Value::text(&item.day),
            F::Key => Value::maybe(row.key.as_deref()),
            F::Burn => Value::number(row.usd()),
            F::Waste => Value::number(row.waste_usd()),
            F::WasteShare => Value::number(row.waste_share().map(|share| share * 100.0)),
            F::Rate => Value::number(row.usd_per_hour()),
            F::WasteRate => Value::number(row.waste_usd_per_hour()),
            F::Gpus => Value::number(row.gpus()),
            F::GpuHours => seen(row.burnt.gpus),
            F::Saved => Value::number(row.saved_usd),
            F::Seen => Value::number(Some(row.seen_hours)),
            F::Coverage => Value::number(row.coverage().map(|share| share * 100.0)),
            F::Unpriced => seen(row.burnt.unpriced),
            F::Unjudged => seen(row.burnt.unjudged),
        }
    }

    fn id(item: &TrendItem) -> &Arc<str> {
        &item.id
    }

    fn usd_per_hour(_: &TrendItem) -> Option<f64> {
        None
    }

    fn any_text(item: &TrendItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&item.period) || item.of.key.as_deref().is_some_and(holds)
    }
}
