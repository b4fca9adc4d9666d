//! The lines above the lists: which list, and what all of it comes to.

use std::sync::Arc;

use crate::app::App;
use crate::app::Role;
use crate::app::content::{Line, wrap};
use crate::domain::{HOURS_PER_MONTH, ResourceKind};
use crate::fleet::Savings;
use crate::fleet::savings::{BillKind, SizeVerdict, SpotFit, SpotRow, StepKind};
use crate::tabs::savings::lists::{LISTS, SavingsList};
use crate::tabs::savings::picture::is_idle;
use crate::tabs::savings::picture::words::{at_least, utilisation};
use crate::tabs::storage::pages::strip::{join, names};
use crate::view::{Symbols, format};

/// The strip, most important line first.
pub fn strip(app: &App, width: usize) -> Vec<Line> {
    let Some(savings) = app.savings() else { return Vec::new() };
    let symbols = app.appearance().symbols;
    let separator = format!(" {} ", symbols.separator());
    let here = app.savings_tab().look().map(SavingsList::spec);
    let mut lines = vec![bar(app, width)];
    if let Some(list) = here {
        lines.push(join((list.sums)(app, savings, symbols), &separator, width));
    }
    let beside = match app.savings_tab().look() {
        Some(SavingsList::Resources) => on_the_overview(savings),
        Some(SavingsList::Spot) => spot_in_turn(savings),
        _ => None,
    };
    if let Some(text) = beside {
        lines.extend(wrap(&text, width).into_iter().map(|part| Line::of(Role::Dim, part)));
    }
    lines.extend(unknown(savings));
    lines
}

/// The overview, the lists behind it and the guide by name, the one on screen marked.
pub fn bar(app: &App, width: usize) -> Line {
    let list = app.savings_tab().look().map_or(OVERVIEW, |list| list.spec().title);
    let here = if app.on_guide() { GUIDE } else { list };
    let lists = LISTS.iter().map(|list| list.title);
    let titles = std::iter::once(OVERVIEW).chain(lists).chain(std::iter::once(GUIDE));
    names(titles, here, width)
}

/// The title of what the lists stand behind.
const OVERVIEW: &str = "Overview";

/// The title of the guide, which the key that goes through the lists reaches after the last of them.
pub(crate) const GUIDE: &str = "Guide";

/// What is to be known of a sum of nets, each of which counts no other row and no other step.
const EACH_ALONE: &str = "each alone: together see the overview";

type Parts = Vec<(Role, String)>;

fn rate(usd: Option<f64>, symbols: Symbols) -> String {
    symbols.or_unknown(usd, format::usd_per_hour)
}

fn share(share: Option<f64>, symbols: Symbols) -> String {
    symbols.or_unknown(share, |s| format::share(s, 0))
}

pub(crate) fn commitments(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let sums = &savings.sums;
    vec![
        (
            Role::Heading,
            format!(
                "paid {}",
                at_least(sums.committed_usd_per_hour, sums.committed_unknown, symbols)
            ),
        ),
        (
            Role::Idle,
            format!("unused {}", at_least(sums.unused_usd_per_hour, sums.unused_unknown, symbols)),
        ),
        (Role::Text, format!("utilisation {}", utilisation(sums, symbols))),
        (Role::Text, format!("coverage {}", share(sums.coverage, symbols))),
        (Role::Dim, format!("saves {}", share(sums.effective_savings_rate, symbols))),
        (Role::Dim, format!("{} h looked at", sums.hours)),
    ]
}

/// Sums of what is known, and how many are not.
fn sum(values: impl Iterator<Item = Option<f64>>) -> (Option<f64>, usize) {
    let (mut known, mut unknown, mut usd) = (0, 0, 0.0);
    for value in values {
        match value {
            Some(v) => {
                known += 1;
                usd += v;
            }
            None => unknown += 1,
        }
    }
    ((known > 0).then_some(usd), unknown)
}

pub(crate) fn proposals(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let smaller =
        || savings.proposals.iter().filter(|p| matches!(p.verdict, SizeVerdict::Smaller { .. }));
    let (net, unknown) = sum(smaller().map(|p| p.net_usd_per_hour));
    let (gross, _) = sum(smaller().map(|p| p.gross_usd_per_hour));
    let count = smaller().count();
    let worthless = smaller().filter(|p| p.worthless_until.is_some()).count();
    let mut parts = vec![
        (Role::Heading, format!("{count} could be smaller")),
        (Role::Idle, format!("net {}", rate(net, symbols))),
        (Role::Text, format!("gross {}", rate(gross, symbols))),
    ];
    if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    if worthless > 0 {
        parts.push((Role::Warn, format!("{worthless} worthless while commitments last")));
    }
    parts.push((Role::Dim, EACH_ALONE.to_owned()));
    parts
}

/// Instances of which all or a part could run on Spot.
fn fits(savings: &Savings) -> impl Iterator<Item = &Arc<SpotRow>> {
    savings.spot.iter().filter(|row| matches!(row.fit, SpotFit::Yes | SpotFit::Partial))
}

pub(crate) fn spot(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let of = |fit: SpotFit| savings.spot.iter().filter(move |r| r.fit == fit).count();
    let (net, unknown) = sum(fits(savings).map(|r| r.net_usd_per_hour));
    let (gross, _) = sum(fits(savings).map(|r| r.gross_usd_per_hour));
    let mut parts = vec![
        (Role::Heading, format!("{} fit, {} in part", of(SpotFit::Yes), of(SpotFit::Partial))),
        (Role::Idle, format!("net {}", rate(net, symbols))),
        (Role::Text, format!("gross {}", rate(gross, symbols))),
    ];
    if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    parts.push((Role::Dim, format!("{} do not", of(SpotFit::No))));
    parts.push((Role::Dim, format!("{} not known", of(SpotFit::Unknown))));
    parts.push((Role::Dim, EACH_ALONE.to_owned()));
    parts
}

pub(crate) fn resources(app: &App, _: &Savings, symbols: Symbols) -> Parts {
    let items = app.savings_tab().items();
    let idle = || items.iter().filter(|i| i.is_idle());
    let (waste, unpriced) = sum(idle().map(|i| i.row.waste_usd_per_hour));
    let (net, unknown) = sum(idle().map(|i| i.net_usd_per_hour));
    let month = waste.map(|usd| usd * HOURS_PER_MONTH);
    let mut parts = vec![
        (Role::Heading, format!("{} idle", idle().count())),
        (
            Role::Idle,
            format!(
                "waste {} ({}/month)",
                rate(waste, symbols),
                symbols.or_unknown(month, format::usd_total)
            ),
        ),
        (Role::Text, net_of(net, idle().count(), unknown, symbols)),
    ];
    if unpriced > 0 {
        parts.push((Role::Warn, format!("{unpriced} unpriced")));
    } else if unknown > 0 {
        parts.push((Role::Warn, format!("{unknown} net unknown")));
    }
    parts.push((Role::Dim, format!("{} in all", items.len())));
    parts
}

pub(crate) fn models(_: &App, savings: &Savings, symbols: Symbols) -> Parts {
    let left = &savings.models_left_out;
    let workloads = savings.models.iter().filter(|row| row.is_largest).count();
    let found = savings.waterfall.potential.filter(|_| !savings.waterfall.early);
    let up_to = found.map(|found| found.up_to_usd_per_hour);
    let mut parts = vec![
        (Role::Heading, format::counted(workloads, "model at low use", "models at low use")),
        (Role::Text, format!("potential up to {}, in no sum", rate(up_to, symbols))),
    ];
    for (n, what) in [
        (left.unmeasured, "not measured"),
        (left.unnamed, "say not what they do"),
        (left.partly_idle, "partly idle"),
        (left.scripts, "scripts not measured"),
    ] {
        if n > 0 {
            parts.push((Role::Dim, format!("{n} {what}")));
        }
    }
    parts
}

/// A net, and of how many of `all` it is where it is not of each.
fn net_of(net: Option<f64>, all: usize, unknown: usize, symbols: Symbols) -> String {
    let net = format!("net {}", rate(net, symbols));
    if unknown == 0 || unknown >= all { net } else { format!("{net} of {}", all - unknown) }
}

/// Why the Overview has less for idle resources than this list; `None` where it has as much, and while its bill is of a
/// part. Volumes of stopped instances bill as storage: there they would count twice.
fn on_the_overview(savings: &Savings) -> Option<String> {
    let waterfall = &savings.waterfall;
    let billed = waterfall.bill.iter().find(|row| row.kind == BillKind::IdleResources)?;
    let idle = || savings.resources.iter().filter(|row| is_idle(row));
    let (waste, _) = sum(idle().map(|row| row.waste_usd_per_hour));
    let stopped = || idle().filter(|row| row.resource.kind == ResourceKind::StoppedInstance);
    let (of_stopped, _) = sum(stopped().map(|row| row.waste_usd_per_hour));
    let more = waste? - billed.usd_per_hour;
    (more > 0.005 && stopped().next().is_some() && !waterfall.early).then(|| {
        let usd = format::usd_per_hour(billed.usd_per_hour);
        let is_all = more <= of_stopped.unwrap_or(0.0) + 0.005;
        let among = if is_all { "" } else { "among others " };
        format!(
            "The Overview has {usd} of it: {among}volumes of stopped instances are storage there."
        )
    })
}

/// Why the Overview has other dollars for Spot than this list adds up to; `None` where it has the same, and while its bill is of a
/// part. Its step moves only what lowers the bill, together, on what the steps before leave.
fn spot_in_turn(savings: &Savings) -> Option<String> {
    let waterfall = &savings.waterfall;
    let step = waterfall.steps.iter().find(|step| step.kind == StepKind::Spot)?;
    let taken = step.known().filter(|_| !waterfall.early)?;
    let nets = || fits(savings).filter_map(|row| row.net_usd_per_hour);
    if (nets().sum::<f64>() - taken).abs() < 0.005 {
        return None;
    }
    let mut text = format!(
        "The Overview has {}{}: {} moved together, after its earlier steps",
        format::usd_per_hour(taken),
        if waterfall.net_unknown.is_some() { " at list price" } else { "" },
        format::grouped(f64::from(step.items), 0),
    );
    let dearer = || nets().filter(|net| *net <= -0.005);
    let count = dearer().count();
    if count > 0 {
        let more =
            format::counted(count, "that would cost more takes", "that would cost more take");
        let off = format::usd_per_hour(-dearer().sum::<f64>());
        text.push_str(&format!("; here {more} {off} off"));
    }
    text.push('.');
    Some(text)
}

/// Why nets are not known, where something could not be read.
fn unknown(savings: &Savings) -> Option<Line> {
    let first = savings.unread.first()?;
    let more = match savings.unread.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let text = format!("net unknown: {first} were not read ({}){more}", first.why);
    Some(Line::of(Role::Warn, text))
}

/// What idles and is no instance, in a few words; `None` where nothing does.
pub fn elsewhere(savings: &Savings) -> Option<String> {
    let idle = || savings.resources.iter().filter(|row| is_idle(row));
    let count = idle().count();
    if count == 0 {
        return None;
    }
    let (waste, _) = sum(idle().map(|row| row.waste_usd_per_hour));
    let usd = waste.map(|usd| format!(" {}", format::usd_per_hour(usd))).unwrap_or_default();
    Some(format!("{count} more idle elsewhere{usd}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::savings::picture::fixture::{denied, savings, savings_of};

    #[test]
    fn spot_says_why_the_overview_has_other_dollars() {
        // Of the list one saves $13.857642 and one costs $0.10 more; the step saves 385.334 − 371.477.
        assert_eq!(
            spot_in_turn(&savings()).as_deref(),
            Some(
                "The Overview has $13.86/h: 2 moved together, after its earlier steps; here 1 that would cost more takes \
                 $0.10/h off."
            )
        );
        let alike = savings_of(|savings| {
            for row in savings.spot.iter_mut().map(Arc::make_mut) {
                row.net_usd_per_hour = row.net_usd_per_hour.map(|usd| usd.max(0.0));
            }
        });
        assert_eq!(spot_in_turn(&alike), None);
        // Without commitments no net is known, and the step is one at list price.
        let text = spot_in_turn(&denied()).unwrap();
        assert!(text.contains("/h at list price: ") && !text.contains("cost more"), "{text}");
        assert_eq!(spot_in_turn(&savings_of(|savings| savings.waterfall.early = true)), None);
    }

    #[test]
    fn the_list_says_what_of_its_waste_the_overview_counts_as_storage() {
        let of = |kind: ResourceKind, billed: f64| {
            on_the_overview(&savings_of(|savings| {
                for row in &mut savings.resources {
                    Arc::make_mut(&mut Arc::make_mut(row).resource).kind = kind;
                }
                let bill = &mut savings.waterfall.bill;
                let row = bill.iter_mut().find(|row| row.kind == BillKind::IdleResources);
                row.unwrap().usd_per_hour = billed;
            }))
        };
        let text = of(ResourceKind::StoppedInstance, 0.25).unwrap();
        assert!(text.starts_with("The Overview has $0.25/h of it: volumes of stopped "), "{text}");
        assert_eq!(of(ResourceKind::StoppedInstance, 1e6), None, "no less");
        assert_eq!(of(ResourceKind::ElasticIp, 0.25), None, "other causes are not named so");
    }

    #[test]
    fn volumes_of_stopped_instances_are_one_cause_where_they_do_not_explain_all() {
        let text = on_the_overview(&savings_of(|savings| {
            let bill = &mut savings.waterfall.bill;
            let row = bill.iter_mut().find(|row| row.kind == BillKind::IdleResources);
            // $2.09 an hour of the list idle; of it the volumes of one stopped instance are 2 cents.
            row.unwrap().usd_per_hour = 0.25;
        }));
        let text = text.unwrap();
        assert!(text.contains(" of it: among others volumes of stopped instances "), "{text}");
    }

    #[test]
    fn a_net_of_some_says_of_how_many() {
        assert_eq!(net_of(Some(1.57), 24, 3, Symbols::Unicode), "net $1.57/h of 21");
        assert_eq!(net_of(Some(1.57), 24, 0, Symbols::Unicode), "net $1.57/h");
        assert_eq!(net_of(None, 3, 3, Symbols::Unicode), "net –");
    }
}
