//! What could be saved: commitments, smaller sizes, Spot, idle resources.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{List, ListField, json, sources};
use crate::analyze::spot::asg_cli_input;
use crate::domain::{Commits, Reading, SourceId, Unread};
use crate::fleet::savings::{
    CommitmentRow, Fits, MixedFleet, ModelRow, Proposal, SizeVerdict, SpotFit, SpotRow, known_sum,
};
use crate::fleet::{Fleet, Savings};
use crate::tabs::savings::picture::words::{self, at_least};
use crate::tabs::savings::picture::{
    CommitmentField, ModelField, ProposalField, ResourceField, ResourceItem, SpotField,
};
use crate::view::{TableField, ViewContext, format, reasons};

/// Where the rows of the savings lists come from.
#[derive(Clone, Debug)]
pub struct SavedOf {
    /// All savings of the fleet.
    pub savings: Arc<Savings>,
    /// Readings of the fleet's sources, then of those that savings add.
    pub readings: Vec<Reading>,
}

impl SavedOf {
    /// Rows of `savings`, which were computed from `fleet`.
    pub fn new(savings: Arc<Savings>, fleet: &Fleet) -> Self {
        let readings = Reading::merged(fleet.readings.iter().chain(&savings.readings));
        Self { savings, readings }
    }
}

/// Basis of the figures, one sentence.
const BASIS: &str = "USD per hour; gross is at on-demand list price (Spot: the zone's price now), \
                     net is what the bill falls by for each row alone, with the commitments held \
                     applied in AWS's order: nets do not add up; not known is no 0; a month is 730 h";

/// What reports of a list of savings have besides its fields.
trait SavingsField: TableField {
    /// Basis of the figures, one sentence.
    const BASIS: &'static str = BASIS;

    /// More of a row in JSON than its fields: lists and parts.
    fn more(row: &Self::Row) -> Vec<(&'static str, Json)>;

    /// Member of the JSON about all rows; `None` without one.
    fn of_all(_savings: &Savings) -> Option<(&'static str, Json)> {
        None
    }

    /// Sums over the rows for machines.
    fn totals(rows: &[&Self::Row]) -> Vec<(&'static str, Json)>;

    /// Note about everything held, whichever rows were chosen; `None` without one.
    fn note_of_all(_savings: &Savings, _ctx: &ViewContext) -> Option<String> {
        None
    }

    /// Sums over the rows for people, one line.
    fn note(rows: &[&Self::Row], ctx: &ViewContext) -> String;
}

/// A list of savings: what they all say alike.
macro_rules! list {
    ($field:ident, $view:literal, $sources:ident) => {
        impl ListField for $field {
            type Of = SavedOf;

            const VIEW: &'static str = $view;

            const IDENTITY: &'static [Self] = &[Self::Id, Self::Account, Self::Region];

            fn basis(_: &SavedOf) -> String {
                <Self as SavingsField>::BASIS.to_owned()
            }

            const SOURCES: &'static [SourceId] = sources::$sources;

            fn readings(of: &SavedOf) -> &[Reading] {
                &of.readings
            }

            fn more(row: &Self::Row, _: &SavedOf) -> Vec<(&'static str, Json)> {
                <Self as SavingsField>::more(row)
            }

            fn beside(list: &List<Self>, _: &ViewContext) -> Vec<(&'static str, Json)> {
                let savings = &*list.of.savings;
                let totals = Self::totals(&list.each().collect::<Vec<_>>()).into_iter();
                let totals = totals.map(|(name, value)| (name.to_owned(), value)).collect();
                let mut out: Vec<_> = Self::of_all(savings).into_iter().collect();
                out.push(("totals", Json::Object(totals)));
                out.push(("net_unknown", savings.unread.iter().map(unread).collect()));
                out
            }

            fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
                let sums = Self::note(&list.each().collect::<Vec<_>>(), ctx);
                let all = Self::note_of_all(&list.of.savings, ctx);
                let unread = list.of.savings.unread.iter().map(said_of_unread);
                std::iter::once(sums).chain(all).chain(unread).collect()
            }
        }
    };
}

list!(CommitmentField, "commitments", INSTANCES);
list!(ProposalField, "rightsize", MARKET);
list!(SpotField, "spot", MARKET);
list!(ResourceField, "resources", RESOURCES);
list!(ModelField, "models", MARKET);

fn unread(unread: &Unread) -> Json {
    json!({
        "scope": unread.scope.to_string(),
        "source": unread.source,
        "why": unread.why,
    })
}

fn said_of_unread(unread: &Unread) -> String {
    format!("! net unknown: {unread} were not read: {}", unread.why)
}

fn rate(usd: Option<f64>, ctx: &ViewContext) -> String {
    ctx.symbols.or_unknown(usd, format::usd_per_hour)
}

fn lines<'a>(sentences: impl IntoIterator<Item = &'a Arc<str>>) -> Json {
    sentences.into_iter().map(|s| json!(&**s)).collect()
}

fn in_force<'a>(rows: &'a [&CommitmentRow]) -> impl Iterator<Item = &'a CommitmentRow> {
    rows.iter().copied().filter(|row| row.is_in_force)
}

fn paid<'a>(rows: &'a [&CommitmentRow]) -> impl Iterator<Item = Option<f64>> + 'a {
    rows.iter().filter(|row| row.is_paid()).map(|row| row.usd_per_hour)
}

impl SavingsField for CommitmentField {
    fn more(row: &CommitmentRow) -> Vec<(&'static str, Json)> {
        let (upfront, rates) = match &row.commitment.commits {
            Commits::Reserved(of) => (of.upfront_usd.map(|usd| usd * f64::from(of.count)), None),
            Commits::Plan(of) => (Some(of.upfront_usd), Some(of.rates_known)),
            Commits::Capacity(of) => match of.reserves {
                crate::domain::ReservesCapacity::OnDemand => (Some(0.0), None),
                crate::domain::ReservesCapacity::Block { upfront_usd } => (upfront_usd, None),
            },
        };
        vec![
            ("findings", row.findings.iter().map(|f| json!(reasons::commitment(f))).collect()),
            ("upfront_usd", json::number(upfront)),
            ("rates_known", json!(rates)),
        ]
    }

    fn of_all(savings: &Savings) -> Option<(&'static str, Json)> {
        let sums = &savings.sums;
        let json = json!({
            "committed_usd_per_hour": json::number(sums.committed_usd_per_hour),
            "committed_unknown": sums.committed_unknown,
            "utilisation": json::number(sums.utilisation),
            "utilisation_of": sums.utilisation_of,
            "utilisation_left_out": sums.left_out,
            "coverage": json::number(sums.coverage),
            "effective_savings_rate": json::number(sums.effective_savings_rate),
            "unused_usd_per_hour": json::number(sums.unused_usd_per_hour),
            "unused_room_usd_per_hour": json::number(sums.unused_room_usd_per_hour),
            "unused_unknown": sums.unused_unknown,
            "hours": sums.hours,
        });
        Some(("sums", json))
    }

    fn totals(rows: &[&CommitmentRow]) -> Vec<(&'static str, Json)> {
        let (paid, unpriced) = known_sum(paid(rows));
        let (unused, unknown) = known_sum(in_force(rows).map(|r| r.unused_usd_per_hour));
        vec![
            ("commitments", json!(rows.len())),
            ("in_force", json!(in_force(rows).count())),
            ("usd_per_hour", json::number(paid)),
            ("unpriced", json!(unpriced)),
            ("unused_usd_per_hour", json::number(unused)),
            ("unused_unknown", json!(unknown)),
        ]
    }

    fn note_of_all(savings: &Savings, ctx: &ViewContext) -> Option<String> {
        let sums = &savings.sums;
        let dot = ctx.symbols.separator();
        let why = if sums.left_out > 0 { ": price or use not known" } else { "" };
        (sums.utilisation_of + sums.left_out > 0).then(|| {
            let hours = format::plural(sums.hours as usize, "hour");
            let used = words::utilisation(sums, ctx.symbols);
            format!("all: utilisation by dollars {used}{why} {dot} {hours} looked at")
        })
    }

    fn note(rows: &[&CommitmentRow], ctx: &ViewContext) -> String {
        let (paid, unpriced) = known_sum(paid(rows));
        let (unused, unknown) = known_sum(in_force(rows).map(|r| r.unused_usd_per_hour));
        let dot = ctx.symbols.separator();
        let left_out = match unknown {
            0 => String::new(),
            n => format!(" {dot} of {n} it is not known"),
        };
        let rooms = match in_force(rows).filter(|row| row.is_room()).count() {
            0 => String::new(),
            n => format!(", {n} of them room that is billed as usage"),
        };
        format!(
            "{}, {} in force{rooms}: paid {} {dot} unused now {}{left_out}",
            format::plural(rows.len(), "commitment"),
            in_force(rows).count(),
            at_least(paid, unpriced, ctx.symbols),
            at_least(unused, unknown, ctx.symbols)
        )
    }
}

impl SavingsField for ProposalField {
    fn more(row: &Proposal) -> Vec<(&'static str, Json)> {
        vec![("says", row.says.iter().map(|n| json!(reasons::size(n))).collect())]
    }

    fn totals(rows: &[&Proposal]) -> Vec<(&'static str, Json)> {
        let smaller = smaller(rows);
        let (net, unknown) = known_sum(smaller.iter().map(|p| p.net_usd_per_hour));
        let (gross, _) = known_sum(smaller.iter().map(|p| p.gross_usd_per_hour));
        let worthless = smaller.iter().filter(|p| p.worthless_until.is_some()).count();
        vec![
            ("proposals", json!(smaller.len())),
            ("cannot_tell", json!(rows.len() - smaller.len())),
            ("gross_usd_per_hour", json::number(gross)),
            ("net_usd_per_hour_each_alone", json::number(net)),
            ("net_unknown", json!(unknown)),
            ("worthless", json!(worthless)),
        ]
    }

    fn note(rows: &[&Proposal], ctx: &ViewContext) -> String {
        let smaller = smaller(rows);
        let (net, unknown) = known_sum(smaller.iter().map(|p| p.net_usd_per_hour));
        let (gross, _) = known_sum(smaller.iter().map(|p| p.gross_usd_per_hour));
        let dot = ctx.symbols.separator();
        let mut text = format!(
            "{} could be smaller: net {}, gross {}, each alone {dot} of {} it cannot be told",
            smaller.len(),
            rate(net, ctx),
            rate(gross, ctx),
            rows.len() - smaller.len(),
        );
        if unknown > 0 {
            text.push_str(&format!(" {dot} net of {unknown} not known"));
        }
        text
    }
}

fn smaller<'a>(rows: &[&'a Proposal]) -> Vec<&'a Proposal> {
    rows.iter().copied().filter(|p| matches!(p.verdict, SizeVerdict::Smaller { .. })).collect()
}

impl SavingsField for SpotField {
    fn more(row: &SpotRow) -> Vec<(&'static str, Json)> {
        let zone = |z: &crate::fleet::savings::ZonePrice| {
            json!({
                "az": &*z.az,
                "usd_per_hour": json::number(Some(z.usd_per_hour)),
                "mean_usd_per_hour": json::number(z.mean),
                "highest_usd_per_hour": json::number(z.highest),
                "hours": z.hours,
            })
        };
        let says = row.says.iter().map(|n| json!(reasons::spot(n))).collect();
        vec![("zones", row.zones.iter().map(zone).collect()), ("says", says)]
    }

    fn of_all(savings: &Savings) -> Option<(&'static str, Json)> {
        Some(mixed_fleets(savings))
    }

    fn totals(rows: &[&SpotRow]) -> Vec<(&'static str, Json)> {
        let fits = fits(rows);
        let (net, unknown) = known_sum(fits.iter().map(|r| r.net_usd_per_hour));
        let (gross, _) = known_sum(fits.iter().map(|r| r.gross_usd_per_hour));
        let of = |fit: SpotFit| json!(rows.iter().filter(|r| r.fit == fit).count());
        vec![
            ("yes", of(SpotFit::Yes)),
            ("partial", of(SpotFit::Partial)),
            ("no", of(SpotFit::No)),
            ("unknown", of(SpotFit::Unknown)),
            ("gross_usd_per_hour", json::number(gross)),
            ("net_usd_per_hour_each_alone", json::number(net)),
            ("net_unknown", json!(unknown)),
        ]
    }

    fn note(rows: &[&SpotRow], ctx: &ViewContext) -> String {
        let fits = fits(rows);
        let (net, unknown) = known_sum(fits.iter().map(|r| r.net_usd_per_hour));
        let (gross, _) = known_sum(fits.iter().map(|r| r.gross_usd_per_hour));
        let of = |fit: SpotFit| rows.iter().filter(|r| r.fit == fit).count();
        let dot = ctx.symbols.separator();
        let mut text = format!(
            "{} fit, {} in part: net {}, gross {}, each alone {dot} {} do not, {} not known",
            of(SpotFit::Yes),
            of(SpotFit::Partial),
            rate(net, ctx),
            rate(gross, ctx),
            of(SpotFit::No),
            of(SpotFit::Unknown),
        );
        if unknown > 0 {
            text.push_str(&format!(" {dot} net of {unknown} not known"));
        }
        text
    }
}

fn fits<'a>(rows: &[&'a SpotRow]) -> Vec<&'a SpotRow> {
    let bears = |r: &&SpotRow| matches!(r.fit, SpotFit::Yes | SpotFit::Partial);
    rows.iter().copied().filter(bears).collect()
}

impl SavingsField for ResourceField {
    fn more(item: &ResourceItem) -> Vec<(&'static str, Json)> {
        let of = &item.row.resource;
        let judged = item.row.verdict.as_deref();
        let signals = judged.map(|v| v.signals.iter().map(json::signal).collect::<Json>());
        let units = of.units.iter().map(|u| {
            json!({
                "what": &*u.what,
                "count": json::number(Some(u.count)),
                "usd_per_hour": json::number(u.usd_per_hour),
            })
        });
        let tags: Map<String, Json> =
            of.tags.iter().map(|(k, v)| (k.to_owned(), json!(v))).collect();
        let at_least = judged.and_then(|v| v.idle_since.map(|_| v.idle_since_at_least));
        vec![
            ("idle_since_at_least", json!(at_least)),
            ("signals", signals.unwrap_or(Json::Null)),
            ("not_checked", json::not_checked(judged)),
            ("units", units.collect()),
            ("serves", of.serves.as_ref().map_or(Json::Null, lines)),
            ("tags", Json::Object(tags)),
        ]
    }

    fn totals(rows: &[&ResourceItem]) -> Vec<(&'static str, Json)> {
        let idle = idle(rows);
        let (waste, unpriced) = known_sum(idle.iter().map(|i| i.row.waste_usd_per_hour));
        let (net, unknown) = known_sum(idle.iter().map(|i| i.net_usd_per_hour));
        vec![
            ("resources", json!(rows.len())),
            ("idle", json!(idle.len())),
            ("waste_usd_per_hour", json::number(waste)),
            ("unpriced", json!(unpriced)),
            ("net_usd_per_hour", json::number(net)),
            ("net_unknown", json!(unknown)),
        ]
    }

    fn note(rows: &[&ResourceItem], ctx: &ViewContext) -> String {
        let idle = idle(rows);
        let (waste, _) = known_sum(idle.iter().map(|i| i.row.waste_usd_per_hour));
        let (net, unknown) = known_sum(idle.iter().map(|i| i.net_usd_per_hour));
        let dot = ctx.symbols.separator();
        let mut text = format!(
            "{} of {} idle: waste {}, net {}",
            idle.len(),
            rows.len(),
            rate(waste, ctx),
            rate(net, ctx)
        );
        if unknown > 0 {
            text.push_str(&format!(" {dot} net of {unknown} not known"));
        }
        text
    }
}

fn idle<'a>(rows: &[&'a ResourceItem]) -> Vec<&'a ResourceItem> {
    rows.iter().copied().filter(|i| i.is_idle()).collect()
}

/// What models could be run cheaper for, USD/h, in no sum; `None` where nothing is known of it, and while the waterfall is early.
fn potential(savings: &Savings) -> Option<f64> {
    let found = savings.waterfall.potential.filter(|_| !savings.waterfall.early)?;
    Some(found.up_to_usd_per_hour)
}

impl SavingsField for ModelField {
    const BASIS: &'static str = "USD per hour at what the instances cost now; each figure is an upper bound under its condition, and in no sum: \
         the measures of a workload exclude each other, of each the largest counts; not known is no 0; a month is 730 h";

    fn more(row: &ModelRow) -> Vec<(&'static str, Json)> {
        let of = &*row.workload;
        vec![
            ("workload_id", json!(&*of.id)),
            ("instance_ids", lines(&of.instances)),
            ("gpus_held", json!(of.holding.map(|(held, _)| held))),
            ("gpus_told", json!(of.holding.map(|(_, told)| told))),
        ]
    }

    fn of_all(savings: &Savings) -> Option<(&'static str, Json)> {
        let left = &savings.models_left_out;
        let potential = potential(savings);
        let json = json!({
            "potential_up_to_usd_per_hour": json::number(potential),
            "unmeasured": left.unmeasured,
            "unnamed": left.unnamed,
            "partly_idle": left.partly_idle,
            "scripts": left.scripts,
        });
        Some(("all", json))
    }

    fn totals(rows: &[&ModelRow]) -> Vec<(&'static str, Json)> {
        let of = |fits: Fits| json!(rows.iter().filter(|row| row.fits == fits).count());
        vec![
            ("workloads", json!(rows.iter().filter(|row| row.is_largest).count())),
            ("measures", json!(rows.len())),
            ("fit", of(Fits::Yes)),
            ("unknown", of(Fits::Unknown)),
            ("do_not_fit", of(Fits::No)),
        ]
    }

    fn note_of_all(savings: &Savings, ctx: &ViewContext) -> Option<String> {
        let left = &savings.models_left_out;
        let potential = potential(savings);
        let mut text =
            format!("all: potential up to {}, on what other savings leave", rate(potential, ctx));
        for (n, what) in [
            (left.unmeasured, "instances not measured or priced"),
            (left.unnamed, "at low use say not what they do"),
            (left.partly_idle, "partly idle: packed first"),
            (left.scripts, "scripts not measured or priced"),
        ] {
            if n > 0 {
                text.push_str(&format!(" {} {n} {what}", ctx.symbols.separator()));
            }
        }
        Some(text)
    }

    fn note(rows: &[&ModelRow], ctx: &ViewContext) -> String {
        let counts = rows.iter().filter(|row| row.is_largest).count();
        let fit = rows.iter().filter(|row| row.fits == Fits::Yes).count();
        let dot = ctx.symbols.separator();
        format!(
            "{}, of each one measure counts {dot} {} of {} fit by what the fleet tells",
            format::counted(counts, "model at low use", "models at low use"),
            fit,
            format::plural(rows.len(), "measure"),
        )
    }
}

/// Mixed fleets, each with the policy of its Auto Scaling group.
pub(crate) fn mixed_fleets(savings: &Savings) -> (&'static str, Json) {
    let fleet = |fleet: &Arc<MixedFleet>| {
        json!({
            "account": &*fleet.scope.account,
            "region": &*fleet.scope.region,
            "team": fleet.team.as_deref(),
            "workload": words::workload(fleet.workload),
            "fit": fleet.fit.word(),
            "instances": fleet.instances.iter().map(|i| &**i).collect::<Vec<_>>(),
            "count": fleet.count,
            "on_demand": fleet.on_demand,
            "spot": fleet.spot(),
            "zones": fleet.zones.iter().map(|z| &**z).collect::<Vec<_>>(),
            "gross_usd_per_hour": fleet.gross_usd_per_hour,
            "net_usd_per_hour": fleet.net_usd_per_hour,
            "says": fleet.says.iter().map(reasons::spot).collect::<Vec<_>>(),
            "no_policy": fleet.no_policy.as_ref().map(reasons::no_policy),
            "auto_scaling_group": asg_cli_input(fleet),
        })
    };
    ("mixed_fleets", savings.mixed_fleets.iter().map(fleet).collect())
}

#[cfg(test)]
mod tests;
