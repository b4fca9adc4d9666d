//! What a step of the waterfall left out or rests on, why a task is due.

use crate::analyze::waterfall::{Task, TaskReason};
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::savings::{NodeRemedy, PartlyIdleNode, Potential, StepNote as N};
use crate::view::format;
use crate::whatif::HOURS_PER_WEEK;
use crate::whatif::supply::known_rates::AS_OF;

/// One sentence: what a step left out and why, or what it rests on.
pub fn step_note(note: N) -> String {
    match note {
        N::RoomCostsMore(n) => format!(
            "{}: the room of the capacity reservation would cost more than what runs in it.",
            format::counted(n as usize, "idle instance stays", "idle instances stay")
        ),
        N::PaidByCommitments(usd) => format!(
            "{} of the list price of what idles stays on the bill: commitments pay for it, used or \
             not.",
            format::usd_per_hour(usd)
        ),
        N::CountedUnderStorage(n) => format!(
            "The volumes of {} under storage.",
            format::counted(n as usize, "stopped instance counts", "stopped instances count")
        ),
        N::SageMakerPlan(n) => format!(
            "{} left out: a SageMaker Savings Plan may pay for SageMaker, used or not.",
            format::counted(n as usize, "idle resource is", "idle resources are")
        ),
        N::NodeRemedies { drained, smaller, by_mig } => {
            let mut parts = Vec::new();
            if drained > 0 {
                let (what, whose) = (format::counted(drained as usize, "node", "nodes"), its(drained));
                parts.push(format!("the work of {what} moves to others of {whose} type and team"));
            }
            if smaller > 0 {
                let what = format::counted(smaller as usize, "node becomes", "nodes become");
                parts.push(format!("{what} a smaller type"));
            }
            let mig = match by_mig {
                0 => String::new(),
                n => format!(", {n} of them where small jobs share GPUs by MIG"),
            };
            let mut said = format!("{}{mig}.", parts.join(", "));
            if let Some(first) = said.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            said
        }
        N::NodesStay(n) => format!(
            "{}: no node of {} type and team has room for the work, and no cheaper type holds it.",
            format::counted(n as usize, "partly idle node stays", "partly idle nodes stay"),
            its(n)
        ),
        N::NodesUnknown(n) => format!(
            "{} left out: what {} work needs is not known, or the price.",
            format::counted(n as usize, "partly idle node is", "partly idle nodes are"),
            its(n)
        ),
        N::NodesNotOnDemand(n) => format!(
            "{} left out: Spot, or paid in advance.",
            format::counted(n as usize, "partly idle node is", "partly idle nodes are")
        ),
        N::NodesPaid(n) => format!(
            "{}: commitments pay, used or not, so the bill would not fall.",
            format::counted(n as usize, "partly idle node stays", "partly idle nodes stay")
        ),
        N::MigUnknown(n) => format!(
            "Of {n} of these it is not known whether jobs are small and apart, and could share GPUs by MIG."
        ),
        N::LargerIsPaid { sizes, until } => {
            let until =
                until.map_or_else(String::new, |at| format!(" until {}", at.strftime("%Y-%m-%d")));
            let what = format::counted(sizes as usize, "smaller size is", "smaller sizes are");
            format!(
                "{what} left out: a commitment pays for the larger one{until}, so the bill would not \
                 fall."
            )
        }
        N::UsesCommitments(usd) => format!(
            "{} more than at list price: the smaller sizes use commitments that nothing used.",
            format::usd_per_hour(usd)
        ),
        N::PartlyFit(n) => format!(
            "{} of groups that are only partly fit: a base stays on demand, and the mean of the \
             group counts.",
            format::counted(n as usize, "instance is", "instances are")
        ),
        N::SpotNotLower(n) => format!(
            "{} as they are: with re-work, or with the commitments that pay for them, Spot would \
             not lower the bill.",
            format::counted(n as usize, "instance that fits stays", "instances that fit stay")
        ),
        N::WithoutBuckets => {
            "Of storage volumes and snapshots alone were read, no buckets.".to_owned()
        }
        N::WithoutVolumes => {
            "Of storage buckets alone were read, no volumes and snapshots.".to_owned()
        }
        N::WithoutStorage => "Storage was not read.".to_owned(),
        N::UnpricedFindings(n) => {
            let what = format::counted(n as usize, "finding has", "findings have");
            format!("{what} no price and are not in it.")
        }
        N::VolumesOfNotIdle(n) => format!(
            "{} of stopped instances left out: the instances are exempt, or not stopped long enough \
             to be idle.",
            format::plural(n as usize, "volume")
        ),
        N::VolumesOfUnknown(n) => format!(
            "{} of stopped instances left out: whether the instances are idle is not known.",
            format::plural(n as usize, "volume")
        ),
        N::NetworkOfBill { period, bounds } => network(&format!("By the bill of {period}"), bounds),
        N::NetworkLive { bounds } => {
            network("Without a bill: live paths at list prices, an estimate", bounds)
        }
        N::FailedAgain { days, bounds } => {
            let bound = match bounds {
                0 => String::new(),
                n => format!(", of {} an upper bound", format::plural(n as usize, "attempt")),
            };
            format!(
                "What runs lost in {days} days that failed again on the same node, as a script for the third time, or in \
                 their last hour{bound}; what failed once had to be tried."
            )
        }
        N::HeldUnknown => {
            "What is held is not known, so what to add to it cannot be told.".to_owned()
        }
        N::FewHours(hours) => format!(
            "A purchase rests on a week of hours; {hours} of {HOURS_PER_WEEK} are known."
        ),
        N::NoRate(n) => format!(
            "For {} on demand no rate or too few hours are known: What-if takes rates by hand.",
            format::plural(n as usize, "instance")
        ),
        N::OfWhatIsLeft => {
            "Of what is left after stopping, smaller sizes and Spot; What-if plans for all that ran."
                .to_owned()
        }
        N::Rates => format!(
            "Standard RI, one year, no upfront, us-east-1, rates of {AS_OF}; hours of the last week."
        ),
    }
}

/// What the step of the network rests on, one sentence.
fn network(rests_on: &str, bounds: u32) -> String {
    let bound = match bounds {
        0 => String::new(),
        n => format!(", of {} an upper bound", format::plural(n as usize, "path")),
    };
    format!(
        "{rests_on}{bound}; hours of gateways are among resources, idle ones in the first step."
    )
}

/// One clause: what is done with a partly idle node.
pub fn node_remedy(node: &PartlyIdleNode) -> String {
    let needs = node.needs_gpus.map_or_else(String::new, |n| {
        format!(" ({n} of {} needed)", format::plural(node.gpus as usize, "GPU"))
    });
    let mig = if node.by_mig { ", with MIG" } else { "" };
    match &node.remedy {
        NodeRemedy::Drain { to } => format!("drain it: its work fits on {to}{mig}{needs}"),
        NodeRemedy::TakesIn(n) => {
            format!("keep it: it takes in the work of {}{mig}", format::plural(*n as usize, "node"))
        }
        NodeRemedy::Smaller(to) => format!("make it a {to}{mig}{needs}"),
        NodeRemedy::Paid => "keep it: a commitment pays for it, used or not".to_owned(),
        NodeRemedy::Nothing if node.mig_unknown => format!(
            "none that is known: no room beside it, no cheaper type{needs}; whether jobs could \
             share GPUs by MIG is not known"
        ),
        NodeRemedy::Nothing => {
            format!("none that is known: no room beside it, no cheaper type{needs}")
        }
        NodeRemedy::Unknown => "not known: what its work needs, or its price, is not".to_owned(),
        NodeRemedy::NotOnDemand => "left out: Spot, or paid in advance".to_owned(),
    }
}

/// One clause: why a task is due. Empty where its label says it all.
pub fn task(task: &Task) -> String {
    match task.why {
        None => String::new(),
        Some(TaskReason::Unseen { gaps, unread }) => {
            let parts = [
                (gaps.blind, "without GPU telemetry"),
                (gaps.untagged, "not fully tagged"),
                (unread, "reads of commitments missing"),
            ];
            let known = parts.iter().filter(|(n, _)| *n > 0);
            known.map(|(n, what)| format!("{n} {what}")).collect::<Vec<_>>().join(", ")
        }
        Some(TaskReason::Unused(usd)) => {
            format!("{} are paid and used by nothing", format::usd_per_hour(usd))
        }
        Some(TaskReason::Potential(usd)) => {
            format!("up to {}, in no sum: measure first", format::usd_per_hour(usd))
        }
    }
}

/// One sentence: what models could be run cheaper for beside the steps.
pub fn potential(of: &Potential) -> String {
    let scripts = match of.scripts {
        0 => String::new(),
        n => format!("; {} on no known instance left out", format::plural(n as usize, "script")),
    };
    format!(
        "Potential, in no figure above: {} could be run for up to {} ({}/month) less, of each the largest of its \
         measures{scripts}. What has to be measured first stands in the list of models.",
        format::counted(of.workloads as usize, "model at low use", "models at low use"),
        format::usd_per_hour(of.up_to_usd_per_hour),
        format::usd_total(of.up_to_usd_per_hour * HOURS_PER_MONTH),
    )
}

const fn its(n: u32) -> &'static str {
    if n == 1 { "its" } else { "their" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::waterfall::{DataGaps, TaskKind};
    use crate::fleet::savings::{Effort, Risk};

    #[test]
    fn notes_read_as_sentences() {
        let until = "2026-12-04T00:00:00Z".parse().ok();
        for (note, words) in [
            (N::PaidByCommitments(21.957), "$21.96/h of the list price of what idles stays on"),
            (
                N::LargerIsPaid { sizes: 1, until },
                "1 smaller size is left out: a commitment pays for the larger one until 2026-12-04, \
                 so the bill would not fall.",
            ),
            (
                N::LargerIsPaid { sizes: 2, until: None },
                "2 smaller sizes are left out: a commitment pays for the larger one, so",
            ),
            (
                N::NodeRemedies { drained: 2, smaller: 1, by_mig: 1 },
                "The work of 2 nodes moves to others of their type and team, 1 node becomes a smaller \
                 type, 1 of them where small jobs share GPUs by MIG.",
            ),
            (
                N::NodeRemedies { drained: 0, smaller: 2, by_mig: 0 },
                "2 nodes become a smaller type.",
            ),
            (N::NodesStay(1), "1 partly idle node stays: no node of its type and team has room"),
            (N::NodesUnknown(2), "2 partly idle nodes are left out: what their work needs"),
            (N::MigUnknown(1), "Of 1 of these it is not known whether"),
            (N::SpotNotLower(1), "1 instance that fits stays as they are"),
            (N::PartlyFit(5), "5 instances are of groups"),
            (N::Rates, "Standard RI, one year, no upfront, us-east-1, rates of 2026-01-21"),
            (N::FewHours(0), "A purchase rests on a week of hours; 0 of 168 are known."),
            (N::CountedUnderStorage(1), "The volumes of 1 stopped instance counts under storage."),
            (
                N::VolumesOfNotIdle(1),
                "1 volume of stopped instances left out: the instances are exempt, or not stopped \
                 long enough to be idle.",
            ),
            (N::VolumesOfUnknown(2), "2 volumes of stopped instances left out: whether"),
            (
                N::NetworkOfBill { period: "2026-10".parse().unwrap(), bounds: 4 },
                "By the bill of 2026-10, of 4 paths an upper bound; hours of gateways",
            ),
            (
                N::NetworkLive { bounds: 1 },
                "Without a bill: live paths at list prices, an estimate, of 1 path an upper bound; hours",
            ),
            (
                N::FailedAgain { days: 30, bounds: 1 },
                "What runs lost in 30 days that failed again on the same node",
            ),
            (N::WithoutVolumes, "Of storage buckets alone were read"),
        ] {
            let said = step_note(note);
            assert!(said.starts_with(words) && said.ends_with('.'), "{said}");
        }
    }

    #[test]
    fn a_task_says_what_there_is_of_it() {
        let of = |why| {
            let (effort, risk) = (Effort::Low, Risk::Low);
            task(&Task { kind: TaskKind::See, usd_per_month: None, effort, risk, count: 1, why })
        };
        let gaps = DataGaps { blind: 3, untagged: 0 };
        assert_eq!(of(None), "");
        assert_eq!(
            of(Some(TaskReason::Unseen { gaps, unread: 1 })),
            "3 without GPU telemetry, 1 reads of commitments missing"
        );
        assert_eq!(of(Some(TaskReason::Unused(82.04))), "$82.04/h are paid and used by nothing");
        assert_eq!(
            of(Some(TaskReason::Potential(12.5))),
            "up to $12.50/h, in no sum: measure first"
        );
    }
}
