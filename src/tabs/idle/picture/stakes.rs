//! What stopping or terminating an instance would save and lose, as far as it is known here.

use super::field_value::price_basis;
use crate::domain::{HOURS_PER_MONTH, Lifecycle, OwnerKind, VerdictKind};
use crate::fleet::Row;
use crate::fleet::commitments::{Cover, CoveredBy, Net};
use crate::view::{ViewContext, format, reasons};

/// Cost and consequences of stopping an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Stakes {
    /// Price now, USD/h; `None` = not known, 0 when not running.
    pub usd_per_hour: Option<f64>,
    /// Basis, provenance and date of the price, as text.
    pub price_basis: String,
    /// Part of the price that the verdict counts as waste, USD/h; `None` = not known.
    pub waste_usd_per_hour: Option<f64>,
    /// Dollars wasted since the idle stretch began; `None` = not known.
    pub wasted_usd: Option<f64>,
    /// True when `wasted_usd` is a lower bound, since the stretch may have begun before it was observed.
    pub wasted_at_least: bool,
    /// Saving by stopping the whole instance, USD/h at its rate, before commitments; 0 where it is in use,
    /// `None` = not known.
    pub saves_usd_per_hour: Option<f64>,
    /// Saving of the stop, USD per month of 730 h; `None` = not known.
    pub saves_usd_per_month: Option<f64>,
    /// The saving as a sentence.
    pub saving: String,
    /// The saving net of commitments as a sentence, as far as known.
    pub net: String,
    /// What would be lost, remain billed, or prevent it.
    pub losses: Vec<Loss>,
}

/// One consequence of stopping or terminating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Subject of the consequence: `instance store`, `volumes`, `asg`.
    pub what: String,
    /// The consequence, one sentence.
    pub text: String,
}

impl Loss {
    fn new(what: &str, text: impl Into<String>) -> Self {
        Self { what: what.to_owned(), text: text.into() }
    }
}

pub(super) fn stakes(row: &Row, ctx: &ViewContext) -> Stakes {
    let usd_per_hour = row.usd_per_hour();
    let running = row.instance.state.is_billed();
    let in_use = in_use(row);
    let saves = if in_use.is_some() { Some(0.0) } else { usd_per_hour.filter(|_| running) };
    let net = net(row, in_use.is_some());
    let per_month = saves.map(|usd| usd * HOURS_PER_MONTH);
    let saving = match (saves, per_month) {
        _ if !running => "Not running: stopping saves nothing on compute.".to_owned(),
        (Some(hour), Some(month)) => in_use.unwrap_or_else(|| {
            format!(
                "Stopping saves {} = {} per month of 730 h, gross.",
                format::usd_per_hour(hour),
                format::usd_total(month),
            )
        }),
        _ => "What stopping saves is not known: the price is not known.".to_owned(),
    };
    Stakes {
        usd_per_hour,
        price_basis: row
            .rate
            .as_ref()
            .map_or_else(|| ctx.symbols.unknown().to_owned(), price_basis),
        waste_usd_per_hour: row.waste_usd_per_hour(),
        wasted_usd: row.wasted_usd,
        wasted_at_least: row.wasted_at_least(),
        saves_usd_per_hour: saves,
        saves_usd_per_month: per_month,
        saving,
        net,
        losses: losses(row),
    }
}

/// Why there is no saving in a stop, and what to do instead; `None` where nothing speaks for use.
fn in_use(row: &Row) -> Option<String> {
    let verdict = row.verdict.as_deref().filter(|_| row.instance.state.is_billed())?;
    let what = match verdict.kind {
        VerdictKind::Partial => {
            let working = verdict.devices.saturating_sub(verdict.idle_gpus.unwrap_or(0));
            format!(
                "{working} of {} GPUs work: stopping is no saving. Give the others work, or move it \
                 to a smaller size.",
                verdict.devices
            )
        }
        VerdictKind::Underused => {
            "In use: stopping is no saving. A smaller size may be, see :rightsize.".to_owned()
        }
        VerdictKind::Busy => "In use: stopping is no saving.".to_owned(),
        VerdictKind::Exempt => "Exempt: it is to run, and stopping is no saving.".to_owned(),
        VerdictKind::Idle | VerdictKind::Unknown | VerdictKind::TooNew => return None,
    };
    Some(what)
}

/// What is left of the saving where something is paid whether the instance runs or not.
fn net(row: &Row, in_use: bool) -> String {
    let instance = &*row.instance;
    match (instance.lifecycle, row.net.as_deref()) {
        (Lifecycle::Spot, _) => {
            "Net of commitments: the same, no Savings Plan or reservation covers Spot.".to_owned()
        }
        (Lifecycle::CapacityBlock, _) => {
            "Net: nothing, a Capacity Block is paid in advance.".to_owned()
        }
        (Lifecycle::Scheduled, _) => {
            "Net: nothing, a scheduled reservation is paid whether used or not.".to_owned()
        }
        _ if !instance.state.is_billed() => {
            "Net of commitments: nothing, it is not running.".into()
        }
        (_, Some(Net::Known(cover))) if in_use => format!("{}.", paid_by(cover)),
        (_, Some(Net::Known(cover))) => known_net(row, cover),
        (_, Some(Net::Unknown(why))) => {
            format!("Net of commitments: not known, {}.", reasons::net_unknown(why))
        }
        (_, None) => format!(
            "Net of commitments: not known, commitments were not read{}.",
            match &instance.capacity_reservation {
                Some(id) => format!("; capacity reservation {id} bills whether used or not"),
                None => String::new(),
            }
        ),
    }
}

/// The net in dollars, and who pays for the instance.
fn known_net(row: &Row, cover: &Cover) -> String {
    let net = cover.saves_usd_per_hour;
    let gross = row.usd_per_hour().unwrap_or(net);
    let paid = paid_by(cover);
    let month = format::usd_total(net * HOURS_PER_MONTH);
    match net {
        net if net.abs() < HALF_A_CENT => format!("Net of commitments: nothing; {paid}."),
        net if gross - net < HALF_A_CENT => {
            format!("Net of commitments: the same; {}.", unless_moved(&paid, cover))
        }
        net => format!(
            "Net of commitments: {} = {month} per month; {paid}.",
            format::usd_per_hour(net)
        ),
    }
}

/// Who pays for the instance.
fn paid_by(cover: &Cover) -> String {
    let mut paid: Vec<String> = cover.by.iter().map(payer).collect();
    paid.extend(cover.note.map(|note| reasons::net_note(note).to_owned()));
    if paid.is_empty() {
        paid.push("no reservation and no Savings Plan covers it".to_owned());
    }
    paid.join(", ")
}

/// Where gross is net although something covers it, that something finds other usage.
fn unless_moved(paid: &str, cover: &Cover) -> String {
    match cover.by.is_empty() {
        true => paid.to_owned(),
        false => format!("{paid}, which then covers other usage"),
    }
}

/// `Compute SP 0a1b… pays 40% of it until 2027-03-01`.
fn payer(by: &CoveredBy) -> String {
    let share = match by.share {
        share if share > 0.995 => "it".to_owned(),
        share => format!("{} of it", format::share(share, 0)),
    };
    let until = by.until.map(|end| format!(" until {}", end.strftime("%Y-%m-%d")));
    format!("{} {} pays for {share}{}", by.kind.label(), by.id, until.unwrap_or_default())
}

/// Differences below it are not shown.
const HALF_A_CENT: f64 = 0.005;

fn losses(row: &Row) -> Vec<Loss> {
    let instance = &*row.instance;
    let mut losses = Vec::new();
    match row.spec.as_deref() {
        None => losses.push(Loss::new(
            "instance store",
            format!("Not known: type {} is not known.", instance.instance_type),
        )),
        Some(spec) if spec.instance_store_gb > 0 => losses.push(Loss::new(
            "instance store",
            format!(
                "{} GB of instance store are erased by a stop as by a termination.",
                format::grouped(spec.instance_store_gb as f64, 0)
            ),
        )),
        Some(_) => {}
    }
    let volumes = instance.block_devices.len();
    let dies = instance.block_devices.iter().filter(|d| d.delete_on_termination).count();
    if volumes > 0 {
        losses.push(Loss::new(
            "volumes",
            format!(
                "A stop leaves {} on; a termination deletes {dies} and leaves {}.",
                format::counted(volumes, "volume that bills", "volumes that bill"),
                volumes - dies
            ),
        ));
    }
    if !instance.ebs_root {
        losses.push(Loss::new(
            "root device",
            "The root device is not EBS: the instance cannot be stopped, only terminated.",
        ));
    }
    if instance.lifecycle == Lifecycle::Spot {
        losses.push(Loss::new(
            "spot",
            "Can be stopped only under a persistent Spot request, else terminated.",
        ));
    }
    for owner in &instance.owners {
        let text = match owner.kind {
            OwnerKind::Asg => "The Auto Scaling group would replace it; lower its size instead.",
            OwnerKind::Karpenter => "Karpenter would replace it while pods ask for it.",
            OwnerKind::Eks => "A node of a cluster: drain it first, its group may replace it.",
            OwnerKind::Ecs => "A container instance: drain it first, its cluster may replace it.",
            OwnerKind::Batch => "AWS Batch owns its size; change the compute environment.",
            OwnerKind::Emr => "A node of an EMR cluster: stopping it can fail the cluster's steps.",
            OwnerKind::HyperPod => "HyperPod replaces its nodes; change the cluster instead.",
            OwnerKind::CloudFormation => "Its stack would drift; change the stack instead.",
        };
        losses.push(Loss::new(owner.kind.word(), format!("{} ({})", text, owner.name)));
    }
    if row.spec.as_ref().is_some_and(|s| s.accelerator.is_some()) && instance.ebs_root {
        losses.push(Loss::new(
            "capacity",
            "Whether the type can be had again at a restart is not known.",
        ));
    }
    losses
}
