//! What a step of the waterfall left out or rests on, why the net is not known, why a task is due.

use crate::analyze::waterfall::{Task, TaskReason};
use crate::fleet::savings::{NetUnknown, StepNote as N};
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

/// One clause: why the net of commitments is not known.
pub fn net_unknown(why: &NetUnknown) -> String {
    match why {
        NetUnknown::NotRead => "commitments were not read".to_owned(),
        NetUnknown::Unread(unread) => {
            format!("{} of {}: {}", unread.source.label(), unread.scope, unread.why)
        }
        NetUnknown::Rates { kind, id } => format!("rates of {} {id} are not known", kind.label()),
        #[cfg(test)]
        NetUnknown::Fixture(said) => (*said).to_owned(),
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::waterfall::{DataGaps, TaskKind};
    use crate::domain::{CommitmentKind, CommitmentSource, Scope, Unread};
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
            (N::WithoutVolumes, "Of storage buckets alone were read"),
        ] {
            let said = step_note(note);
            assert!(said.starts_with(words) && said.ends_with('.'), "{said}");
        }
    }

    #[test]
    fn the_net_says_what_it_lacks() {
        assert_eq!(net_unknown(&NetUnknown::NotRead), "commitments were not read");
        let unread = NetUnknown::Unread(Unread {
            scope: Scope::new("1", "us-east-1"),
            source: CommitmentSource::SavingsPlans,
            why: "denied: savingsplans:DescribeSavingsPlans".into(),
        });
        assert_eq!(
            net_unknown(&unread),
            "Savings Plans of 1/us-east-1: denied: savingsplans:DescribeSavingsPlans"
        );
        let rates = NetUnknown::Rates { kind: CommitmentKind::ComputePlan, id: "sp".into() };
        assert_eq!(net_unknown(&rates), "rates of Compute SP sp are not known");
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
    }
}
