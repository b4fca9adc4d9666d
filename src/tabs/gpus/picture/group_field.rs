//! The fields of a group of GPUs.

use std::sync::Arc;

use super::GpuGroup;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

field_table! {
    /// A field of a group of GPUs.
    pub enum GroupField => FIELDS {
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd"] "$/h" 8 by('h')
            "Burn of its GPUs that have a price.";
        Effective number(UsdPerHour) "effective_usd_per_hour" ["eff"] "EFF/h" 8 by('f')
            "Price × effective use, of GPUs of known use.";
        Waste number(UsdPerHour) "waste_usd_per_hour" ["waste"] "WASTE/h" 8 by('w')
            "Waste, as far as it is known.";
        WastedUsd number(Usd) "wasted_usd" ["wasted"] "WASTED" 8 by('d') unit("$")
            "Dollars since its GPUs idle, ≥ where they are a lower bound.";
        Act number(Percent) "effective" ["act"] "ACT" 4 by('a') "Effective use, of GPUs of known use.";
        Gpus number(Count) "gpus" [] "GPUS" 6 by('g') "GPUs as AWS sells them; a part of one is its fraction.";
        Count number(Count) "count" ["rows"] "COUNT" 5 by('c') "GPUs, and MIG slices, which count as one each.";
        Group text "group" ["name"] "GROUP" 12 wide by('p') "What they have in common.";
        States text "states" ["state"] "STATES" 20 wide "How many are in which state.";
    }
}

use GroupField as F;

impl TableField for GroupField {
    type Row = GpuGroup;

    const NOUNS: [&'static str; 2] = ["group", "groups"];

    const SCREEN_COLUMNS: &'static [Self] = &F::ALL;
    const DROPPED_FIRST: &'static [Self] = &[F::States, F::Effective, F::Count];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a GpuGroup, _: &ViewContext) -> Value<'a> {
        let sums = &row.sums;
        match self {
            F::UsdPerHour => Value::number(sums.known_burn()),
            F::Effective => Value::number(sums.known_effective_burn()),
            F::Waste => Value::number(sums.known_waste()),
            F::WastedUsd => Value::number(sums.known_wasted()),
            F::Act => Value::number(sums.efficiency().map(|share| share * 100.0)),
            F::Gpus => Value::number(Some(sums.equivalents)),
            F::Count => Value::number(Some(f64::from(sums.rows))),
            F::Group => Value::text(&row.label),
            F::States => Value::made(sums.state_words()),
        }
    }

    /// The group by its key, as filters have it; nothing for GPUs without a value.
    fn exported<'a>(self, row: &'a GpuGroup, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Group => Value::maybe(row.key.as_deref()),
            F::Act => Value::number(row.sums.efficiency()),
            _ => self.value(row, ctx).exported(self.spec().kind),
        }
    }

    fn cell(self, row: &GpuGroup, ctx: &ViewContext) -> String {
        match self {
            F::WastedUsd => row.sums.wasted_cell(ctx),
            _ => self.value(row, ctx).shown(self.spec().kind, ctx),
        }
    }

    fn id(row: &GpuGroup) -> &Arc<str> {
        row.key.as_ref().unwrap_or(&row.label)
    }

    fn usd_per_hour(row: &GpuGroup) -> Option<f64> {
        row.sums.known_burn()
    }

    fn any_text(row: &GpuGroup, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.label)
    }
}
