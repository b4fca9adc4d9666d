//! The fields of a prefix or object in the explorer.

use std::borrow::Cow;
use std::sync::Arc;

use super::{tier_bar, words};
use crate::analyze::storage::price::{Rates, monthly};
use crate::domain::storage::{NodeId, NodeKind, PrefixTree, Tier};
use crate::domain::text::clean;
use crate::view::table_field::{field_table, fields};
use crate::view::{Role, TableField, Value, ViewContext};

/// One line of the explorer.
#[derive(Clone, Debug, PartialEq)]
pub struct PrefixRow {
    /// Node in the tree.
    pub node: NodeId,
    /// Id of the row: its number in the tree.
    pub id: Arc<str>,
    /// Last part of the key; clean text.
    pub name: Arc<str>,
    /// Prefix, object, or the rest.
    pub kind: NodeKind,
    /// True when there is something to see below it.
    pub opens: bool,
    /// Bytes, versions included.
    pub bytes: u64,
    /// Objects, versions included.
    pub objects: u64,
    /// Part of the bytes in noncurrent versions.
    pub noncurrent_bytes: u64,
    /// USD per month with overheads; `None` without a price.
    pub usd_per_month: Option<f64>,
    /// Bytes that `usd_per_month` leaves out.
    pub unpriced_bytes: u64,
    /// Part of its parent's dollars, or of its bytes where there are none, 0–1.
    pub share: Option<f64>,
    /// Shares of its dollars (else bytes) by heat, see [`tier_bar`].
    pub heats: [f32; 5],
    /// Bits of the tiers that hold bytes, by [`Tier::index`].
    pub tiers: u16,
    /// Newest object, ms since 1970; `i64::MIN` when not known.
    pub newest_ms: i64,
    /// Oldest object, ms since 1970; `i64::MAX` when not known.
    pub oldest_ms: i64,
}

impl PrefixRow {
    /// Tiers that hold some of it, in the order of [`Tier::ALL`].
    fn held_tiers(&self) -> impl Iterator<Item = Tier> {
        let bits = self.tiers;
        Tier::ALL.into_iter().filter(move |tier| bits & (1 << tier.index()) != 0)
    }
}

/// The rows of what lies directly below a node, most bytes first.
pub fn prefix_rows(tree: &PrefixTree, node: NodeId, rates: Option<&Rates>) -> Vec<Arc<PrefixRow>> {
    let whole = row(tree, node, rates, None);
    let of = |child| Arc::new(row(tree, child, rates, Some(&whole)));
    tree.children(node).map(of).collect()
}

fn row(
    tree: &PrefixTree,
    node: NodeId,
    rates: Option<&Rates>,
    whole: Option<&PrefixRow>,
) -> PrefixRow {
    let sums = tree.sums(node);
    let month = rates.map(|rates| monthly(&sums, rates));
    let usd = month.as_ref().and_then(|m| m.usd);
    let bytes = sums.all_bytes();
    let part = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let share = whole.and_then(|w| match (usd, w.usd_per_month) {
        (Some(usd), Some(all)) => part(usd, all),
        _ => part(bytes as f64, w.bytes as f64),
    });
    let tier_share = |t: Tier| match &month {
        Some(m) if m.usd.is_some() => m.by_tier[t.index()].unwrap_or(0.0),
        _ => sums.bytes[t.index()] as f64,
    };
    let heats = tier_bar::by_heat(Tier::ALL.into_iter().map(|t| (t, tier_share(t))));
    let all: f64 = heats.iter().sum();
    let tiers = Tier::ALL.iter().filter(|t| sums.objects[t.index()] > 0);
    let kind = tree.kind(node);
    PrefixRow {
        node,
        id: node.0.to_string().into(),
        name: match kind {
            NodeKind::Rest => "(smaller ones together)".into(),
            _ => clean(&String::from_utf8_lossy(tree.name(node))).into(),
        },
        kind,
        opens: tree.children(node).len() > 0,
        bytes,
        objects: sums.all_objects(),
        noncurrent_bytes: sums.noncurrent_bytes,
        usd_per_month: usd,
        unpriced_bytes: month.map_or(bytes, |m| m.unpriced_bytes),
        share,
        heats: heats.map(|h| if all > 0.0 { (h / all) as f32 } else { 0.0 }),
        tiers: tiers.fold(0, |bits, t| bits | 1 << t.index()),
        newest_ms: sums.newest_ms,
        oldest_ms: sums.oldest_ms,
    }
}

const KINDS: [&str; 3] = ["prefix", "object", "rest"];

field_table! {
    /// A field of a prefix or object.
    pub enum PrefixField => FIELDS {
        UsdPerMonth number(Usd) "usd_per_month" ["$", "usd", "cost"] "$/MO" 8 by('m')
            "What it costs per month of 730 h, list price, at the blended rate, with padding, archive overheads and monitoring.";
        Share number(Percent) "share" ["part"] "PART" 5 by('p')
            "Its part of the dollars of the level above; of its bytes where nothing has a price.";
        Bytes number(Bytes) "bytes" ["size"] "SIZE" 8 by('z') "Bytes, versions included.";
        Objects number(Count) "objects" ["count"] "COUNT" 7 by('c') "Objects, versions included.";
        Mean number(Bytes) "mean_bytes" ["mean"] "MEAN" 8 "Mean size of an object.";
        Age number(Seconds) "age" ["idle"] "AGE" 7 by('a') "Since its newest object was written.";
        Newest time "newest" [] "NEWEST" 16 "When its newest object was written.";
        Oldest time "oldest" [] "OLDEST" 16 "When its oldest object was written.";
        Tiers choice(tier_bar::WORDS) "tiers" ["tier", "class"] "TIERS" 15
            "Share of the dollars by tier: hot, warm, cold, frozen; the word is where most dollars are. A filter takes the word, or a class that holds some.";
        Noncurrent number(Bytes) "noncurrent_bytes" ["noncurrent"] "OLD VERS" 8 by('o')
            "Of the bytes: noncurrent versions.";
        Kind choice(KINDS) "kind" [] "KIND" 6 "Prefix, object, or all smaller ones together.";
        Name text "name" ["key", "prefix"] "NAME" 24 key wide by('n') "Last part of the key.";
        Unpriced number(Bytes) "unpriced_bytes" [] "UNPRICED" 8
            "Bytes that $/mo leaves out: nobody knows their price.";
    }
}

use PrefixField as F;

impl TableField for PrefixField {
    type Row = PrefixRow;

    const NOUNS: [&'static str; 2] = ["entry", "entries"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::UsdPerMonth, F::Share, F::Bytes, F::Objects, F::Age, F::Tiers, F::Name];
    const DROPPED_FIRST: &'static [Self] = &[F::Share, F::Objects, F::Age, F::Tiers];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a PrefixRow, ctx: &ViewContext) -> Value<'a> {
        let at = |ms: i64| {
            let known = ms != i64::MIN && ms != i64::MAX;
            Value::time(jiff::Timestamp::from_millisecond(ms).ok().filter(|_| known))
        };
        match self {
            F::UsdPerMonth => Value::number(row.usd_per_month),
            F::Share => Value::number(row.share.map(|s| s * 100.0)),
            F::Bytes => Value::Number(row.bytes as f64),
            F::Objects => Value::Number(row.objects as f64),
            F::Mean => {
                Value::number((row.objects > 0).then(|| row.bytes as f64 / row.objects as f64))
            }
            F::Age => Value::number(words::age_s(row.newest_ms, ctx.now)),
            F::Newest => at(row.newest_ms),
            F::Oldest => at(row.oldest_ms),
            F::Tiers => {
                let names: Vec<&str> = row.held_tiers().map(Tier::word).collect();
                if names.is_empty() { Value::Unknown } else { Value::Text(names.join(" ").into()) }
            }
            F::Noncurrent => Value::Number(row.noncurrent_bytes as f64),
            F::Kind => Value::text(match row.kind {
                NodeKind::Prefix => KINDS[0],
                NodeKind::Object => KINDS[1],
                NodeKind::Rest => KINDS[2],
            }),
            F::Name => Value::text(&row.name),
            F::Unpriced => Value::Number(row.unpriced_bytes as f64),
        }
    }

    fn role(self, row: &PrefixRow) -> Role {
        match self {
            F::Name if row.opens => Role::Accent,
            _ => Role::Text,
        }
    }

    fn cell(self, row: &PrefixRow, ctx: &ViewContext) -> String {
        if self == F::Tiers {
            let heats = row.heats.map(f64::from);
            return tier_bar::cell(&heats, 8, ctx.symbols);
        }
        match (self, self.value(row, ctx)) {
            (F::UsdPerMonth, Value::Number(usd)) if row.unpriced_bytes > 0 => {
                format!("{}+", words::usd(usd))
            }
            (F::Objects, Value::Number(n)) => words::count(n),
            (_, value) => words::cell(value, self.spec().kind, ctx),
        }
    }

    fn several(self, row: &PrefixRow) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        let heats = row.heats.map(f64::from);
        (self == F::Tiers && row.tiers != 0).then(|| tier_bar::compared(heats, row.held_tiers()))
    }

    fn id(row: &PrefixRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(row: &PrefixRow) -> Option<f64> {
        row.usd_per_month.map(|usd| usd / crate::domain::HOURS_PER_MONTH)
    }

    fn any_text(row: &PrefixRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.name)
    }

    fn ranked<'a>(self, row: &'a PrefixRow, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Tiers => Value::Number(f64::from(row.heats[0])),
            _ => self.value(row, ctx),
        }
    }
}
