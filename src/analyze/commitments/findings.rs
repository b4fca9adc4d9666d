//! What is wrong with a commitment.

use std::sync::Arc;

use jiff::Timestamp;

use super::Present;
use super::usage::Usage;
use super::words::{number, percent, usd};
use crate::domain::{
    Commitment, CommitmentKind, CommitmentSource, CommitmentState, Commits, Holdings,
    ReservedInstances,
};
use crate::fleet::commitments::{Applier, Meter, family, is_size_flexible};
use crate::fleet::savings::CommitmentRow;
use crate::whatif::supply::marks::UTILISATION;

/// A commitment that ends within so many days is said.
const SOON_DAYS: f64 = 30.0;

/// What is less than this is nothing, USD/h.
const CENT: f64 = 0.005;

/// What commitments are looked at with.
pub(super) struct Looked<'a> {
    usage: &'a Usage,
    holdings: &'a Holdings,
    now: Timestamp,
    /// Of each commitment: whether anything that it may pay for ran, now or in the hours.
    reaches: Vec<bool>,
    /// The other commitment that now pays most of what it may pay for: place, meter.
    rival: Vec<Option<(usize, usize)>>,
    /// Instances now unused in each Capacity Block or reservation.
    unused: Vec<f64>,
}

impl<'a> Looked<'a> {
    pub(super) fn new(
        usage: &'a Usage,
        applier: &Applier,
        present: &Present,
        holdings: &'a Holdings,
        now: Timestamp,
    ) -> Self {
        let items = holdings.items.len();
        // The two that pay most for a meter: one of them is another than any given one.
        let mut payers: Vec<[Option<(usize, f64)>; 2]> = vec![[None; 2]; applier.meters().len()];
        for step in &present.applied.covered {
            let [first, second] = &mut payers[step.meter];
            let payer = Some((step.commitment, step.usd));
            if first.is_none_or(|(_, usd)| step.usd > usd) {
                *second = *first;
                *first = payer;
            } else if second.is_none_or(|(_, usd)| step.usd > usd) {
                *second = payer;
            }
        }
        let ran = |meter: usize| {
            present.applied.units[meter] > 0.0
                || usage.units.get(meter).is_some_and(|hours| hours.iter().any(|n| *n > 0.0))
        };
        let ran: Vec<bool> = (0..applier.meters().len()).map(ran).collect();
        let mut reaches = vec![false; items];
        let mut rival: Vec<Option<(usize, usize, f64)>> = vec![None; items];
        for (meter, item) in applier.pairs() {
            reaches[item] |= ran[meter];
            let other = payers[meter].iter().flatten().find(|(payer, _)| *payer != item);
            if let Some((other, usd)) = other
                && rival[item].is_none_or(|(.., most)| *usd > most)
            {
                rival[item] = Some((*other, meter, *usd));
            }
        }
        let unused = present.tallies.items.iter().map(|tally| (tally.held - tally.used).max(0.0));
        Self {
            usage,
            holdings,
            now,
            reaches,
            rival: rival.into_iter().map(|r| r.map(|(other, meter, _)| (other, meter))).collect(),
            unused: unused.collect(),
        }
    }

    /// A sentence each. `known` is false for a plan of which nobody knows what it covers.
    pub(super) fn findings(&self, place: usize, row: &CommitmentRow, known: bool) -> Vec<Arc<str>> {
        let item = &*row.commitment;
        let mut out: Vec<String> = Vec::new();
        if !item.is_in_force(self.now) {
            out.push(self.not_in_force(item));
            return out.into_iter().map(Arc::from).collect();
        }
        match &item.commits {
            Commits::Capacity(capacity) => {
                out.extend(self.capacity(place, row, capacity.total));
            }
            Commits::Reserved(_) | Commits::Plan(_) => {
                if let Some(cannot) = cannot_be_applied(item, known) {
                    out.push(cannot);
                } else {
                    self.discount(place, row, &mut out);
                }
            }
        }
        let ends = item.end.map(|end| days(self.now, end)).filter(|days| *days <= SOON_DAYS);
        if let Some(days) = ends {
            out.push(ends_soon(row, days));
        }
        out.into_iter().map(Arc::from).collect()
    }

    fn not_in_force(&self, item: &Commitment) -> String {
        match item.state {
            CommitmentState::Pending if item.start > self.now => {
                format!("Queued: begins in {}.", in_days(days(self.now, item.start)))
            }
            CommitmentState::Pending => "Its payment is under way.".to_owned(),
            CommitmentState::Active if item.start > self.now => {
                format!("Begins in {}.", in_days(days(self.now, item.start)))
            }
            _ => "It is over.".to_owned(),
        }
    }

    fn capacity(&self, place: usize, row: &CommitmentRow, total: u32) -> Option<String> {
        let unused = self.unused[place];
        if unused <= 1e-9 {
            return None;
        }
        let what = format!("{} of {total} unused", number(unused));
        let block = row.commitment.kind() == CommitmentKind::CapacityBlock;
        Some(match (row.unused_usd_per_hour, block) {
            (Some(lost), true) => format!("{what}: {}/h that was prepaid is lost.", usd(lost)),
            (Some(lost), false) => format!("{what}: {}/h is paid for empty room.", usd(lost)),
            (None, true) => {
                let left = row.commitment.end.map_or(0.0, |end| 24.0 * days(self.now, end));
                format!(
                    "{what}: {} instance-hours that were prepaid are left until it ends; no API tells \
                     their price.",
                    number(unused * left)
                )
            }
            (None, false) => format!("{what}; the price of the room is not known."),
        })
    }

    fn discount(&self, place: usize, row: &CommitmentRow, out: &mut Vec<String>) {
        let item = &*row.commitment;
        let used = row.utilisation.or(row.utilisation_now);
        let idles = used.is_some_and(|used| used < UTILISATION)
            || row.utilisation_now.is_some_and(|used| used < UTILISATION);
        if !self.reaches[place] {
            out.push(self.nothing_such(item));
        } else if let Some(used) = used.filter(|used| *used < UTILISATION) {
            let over = if row.hours > 0 {
                format!("over {} h", row.hours)
            } else {
                "in this hour".to_owned()
            };
            let lost = row.usd_per_hour.unwrap_or(0.0) * (1.0 - used);
            out.push(format!("Used {} {over}: {}/h pays for nothing.", percent(used), usd(lost)));
        }
        if idles && item.kind() == CommitmentKind::ComputePlan {
            out.push("Fargate and Lambda, which are not read here, may use the rest.".to_owned());
        }
        let rival = self.rival[place].filter(|_| idles);
        if let Some((other, meter)) = rival {
            let other = &self.holdings.items[other];
            if let Some(meter) = self.usage.meters.get(meter) {
                out.push(format!(
                    "Overlaps {} {}, which pays for {} in {} in its place.",
                    other.kind().label(),
                    other.id,
                    meter.instance_type,
                    meter.scope.region
                ));
            }
        }
        if let Some(saves) = row.saves_usd_per_hour.filter(|saves| *saves < -CENT) {
            out.push(format!("Costs {}/h more than what it covers would on demand.", usd(-saves)));
        }
        let unread = self.holdings.unread.iter().any(|unread| {
            unread.source == CommitmentSource::ReservedInstances
                && self.holdings.turn(&unread.scope.account, &item.account).is_some()
        });
        if unread && matches!(item.commits, Commits::Plan(_)) {
            out.push(
                "Not all Reserved Instances could be read: they come first, and may leave it less to \
                 pay for."
                    .to_owned(),
            );
        }
    }

    /// Why it has nothing to pay for.
    fn nothing_such(&self, item: &Commitment) -> String {
        let wanted = match &item.commits {
            Commits::Reserved(reserved) => Wanted::reserved(reserved),
            Commits::Plan(plan) => match (&plan.family, &plan.region) {
                (Some(family), Some(region)) => Wanted {
                    name: format!("{family} instance"),
                    family,
                    region,
                    of: None,
                    az: None,
                },
                _ => return "Nothing that it covers runs.".to_owned(),
            },
            Commits::Capacity(_) => return "Nothing runs in it.".to_owned(),
        };
        let fits = |meter: &&Meter| wanted.is_type(meter);
        let ran: Vec<&Meter> = self.usage.meters.iter().filter(fits).collect();
        let place = wanted.az.unwrap_or(wanted.region);
        let none = format!("No {} on its terms runs in {place}", wanted.name);
        let here = ran.iter().filter(|meter| *meter.scope.region == *wanted.region);
        let may =
            |meter: &&&Meter| self.holdings.turn(&item.account, &meter.scope.account).is_some();
        if let Some(meter) = here.clone().find(|meter| meter.scope.account != item.account)
            && !here.clone().any(|meter| may(&meter))
        {
            let (place, why) = match self.holdings.sharing {
                true => ("in its group", "discounts are not shared outside of it"),
                false => ("in its account", "discounts are not shared"),
            };
            return format!("{none} {place}; some run in {}, and {why}.", meter.scope.account);
        }
        let mut elsewhere: Vec<&str> = ran.iter().map(|meter| &*meter.scope.region).collect();
        elsewhere.retain(|region| *region != wanted.region);
        elsewhere.sort_unstable();
        elsewhere.dedup();
        match elsewhere.as_slice() {
            [] => format!("{none}."),
            regions => format!("{none}: it is for another region than {}.", regions.join(", ")),
        }
    }
}

/// What a commitment looks for.
struct Wanted<'a> {
    name: String,
    family: &'a str,
    region: &'a str,
    /// The one type that counts; `None` where every size of the family does.
    of: Option<&'a str>,
    az: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn reserved(it: &'a ReservedInstances) -> Self {
        let flexible =
            it.az.is_none() && is_size_flexible(&it.instance_type, it.platform, it.tenancy);
        Self {
            name: if flexible {
                format!("{} instance", family(&it.instance_type))
            } else {
                it.instance_type.to_string()
            },
            family: family(&it.instance_type),
            region: &it.region,
            of: (!flexible).then_some(&*it.instance_type),
            az: it.az.as_deref(),
        }
    }

    fn is_type(&self, meter: &Meter) -> bool {
        match self.of {
            Some(of) => *meter.instance_type == *of,
            None => family(&meter.instance_type) == self.family,
        }
    }
}

fn cannot_be_applied(item: &Commitment, known: bool) -> Option<String> {
    match (&item.commits, item.kind()) {
        (_, CommitmentKind::SageMakerPlan) => {
            Some("It pays for SageMaker, whose use of it is not measured here.".to_owned())
        }
        (_, CommitmentKind::OtherPlan) => {
            Some("A kind of plan that is not known here: it is not applied.".to_owned())
        }
        (Commits::Plan(plan), _) if !plan.rates_known => {
            Some("Its rates could not be read: what it covers is not known.".to_owned())
        }
        _ if !known => Some(
            "Rates of another plan could not be read: what is left for this one is not known."
                .to_owned(),
        ),
        _ => None,
    }
}

fn ends_soon(row: &CommitmentRow, days: f64) -> String {
    let ends = format!("Ends in {}", in_days(days));
    if row.commitment.kind() == CommitmentKind::CapacityBlock {
        return format!("{ends}: its instances are terminated half an hour before.");
    }
    match row.saves_usd_per_hour.filter(|saves| *saves > CENT) {
        Some(saves) => format!("{ends}: the bill grows by {}/h if usage stays.", usd(saves)),
        None => format!("{ends}."),
    }
}

fn days(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64() / 86_400.0
}

fn in_days(days: f64) -> String {
    if days < 1.0 {
        return format!("{:.0} h", (24.0 * days).max(1.0));
    }
    let whole = days.round();
    if whole == 1.0 { "1 day".to_owned() } else { format!("{whole:.0} days") }
}
