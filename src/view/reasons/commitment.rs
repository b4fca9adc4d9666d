//! What is wrong with a commitment.

use crate::fleet::savings::{CommitmentFinding as F, Elsewhere, Ending, UnusedCost};
use crate::view::format::{self, usd_per_hour};

/// One sentence: what is wrong with a commitment.
pub fn commitment(finding: &F) -> String {
    let plain = match finding {
        F::PaymentUnderWay => "Its payment is under way.",
        F::Over => "It is over.",
        F::SageMaker => "It pays for SageMaker, whose use of it is not measured here.",
        F::KindUnknown => "A kind of plan that is not known here: it is not applied.",
        F::RatesUnread => "Its rates could not be read: what it covers is not known.",
        F::OtherRatesUnread => {
            "Rates of another plan could not be read: what is left for this one is not known."
        }
        F::OtherServices => "Fargate and Lambda, which are not read here, may use the rest.",
        F::ReservedUnread => {
            "Not all Reserved Instances could be read: they come first, and may leave it less to pay \
             for."
        }
        F::NothingCovered => "Nothing that it covers runs.",
        F::NothingInside => "Nothing runs in it.",
        F::Queued(days) => return format!("Queued: begins in {}.", in_days(*days)),
        F::Begins(days) => return format!("Begins in {}.", in_days(*days)),
        F::UnusedCapacity { unused, total, costs } => {
            return unused_capacity(&format!("{} of {total} unused", number(*unused)), *costs);
        }
        F::Underused { used, hours, usd_per_hour: rate } => {
            let over = match hours {
                0 => "in this hour".to_owned(),
                hours => format!("over {hours} h"),
            };
            return format!(
                "Used {} {over}: {} pays for nothing.",
                format::share(*used, 0),
                usd_per_hour(*rate)
            );
        }
        F::Overlaps { kind, id, instance_type, region } => {
            return format!(
                "Overlaps {} {id}, which pays for {instance_type} in {region} in its place.",
                kind.label()
            );
        }
        F::CostsMore(more) => {
            return format!(
                "Costs {} more than what it covers would on demand.",
                usd_per_hour(*more)
            );
        }
        F::NothingSuch { of, any_size, place, elsewhere } => {
            let size = if *any_size { " instance" } else { "" };
            let none = format!("No {of}{size} on its terms runs in {place}");
            return nothing_such(&none, elsewhere);
        }
        F::Ends { days, then } => {
            let ends = format!("Ends in {}", in_days(*days));
            return match then {
                Ending::Terminated => {
                    format!("{ends}: its instances are terminated half an hour before.")
                }
                Ending::BillGrows(by) => {
                    format!("{ends}: the bill grows by {} if usage stays.", usd_per_hour(*by))
                }
                Ending::Nothing => format!("{ends}."),
            };
        }
        #[cfg(test)]
        F::Fixture(said) => said,
    };
    plain.to_owned()
}

fn unused_capacity(what: &str, costs: UnusedCost) -> String {
    match costs {
        UnusedCost::Prepaid(lost) => {
            format!("{what}: {} that was prepaid is lost.", usd_per_hour(lost))
        }
        UnusedCost::Room(lost) => format!("{what}: {} is paid for empty room.", usd_per_hour(lost)),
        UnusedCost::PrepaidHours(hours) => format!(
            "{what}: {} instance-hours that were prepaid are left until it ends; no API tells their \
             price.",
            number(hours)
        ),
        UnusedCost::Unknown => format!("{what}; the price of the room is not known."),
    }
}

fn nothing_such(none: &str, elsewhere: &Elsewhere) -> String {
    match elsewhere {
        Elsewhere::Nowhere => format!("{none}."),
        Elsewhere::Account { account, sharing } => {
            let (place, why) = match sharing {
                true => ("in its group", "discounts are not shared outside of it"),
                false => ("in its account", "discounts are not shared"),
            };
            format!("{none} {place}; some run in {account}, and {why}.")
        }
        Elsewhere::Regions(regions) => {
            format!("{none}: it is for another region than {}.", regions.join(", "))
        }
    }
}

/// Instances or instance-hours: `3`, `2.5`.
fn number(n: f64) -> String {
    format::trimmed(n, 1)
}

fn in_days(days: f64) -> String {
    if days < 1.0 {
        return format!("{:.0} h", (24.0 * days).max(1.0));
    }
    let whole = days.round();
    format!("{whole:.0} {}", format::noun(whole as usize, "day"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::CommitmentKind;

    #[test]
    fn findings_read_as_sentences() {
        let such = |any_size, place: &str, elsewhere| F::NothingSuch {
            of: "g5.xlarge".into(),
            any_size,
            place: place.into(),
            elsewhere,
        };
        let unused = |unused, total, costs| F::UnusedCapacity { unused, total, costs };
        let outside = |sharing| Elsewhere::Account { account: "111111111111".into(), sharing };
        for (finding, words) in [
            (F::Queued(3.0), "Queued: begins in 3 days."),
            (F::Begins(0.25), "Begins in 6 h."),
            (
                F::Underused { used: 0.5, hours: 0, usd_per_hour: 0.6 },
                "Used 50% in this hour: $0.60/h pays for nothing.",
            ),
            (
                F::Underused { used: 0.625, hours: 4, usd_per_hour: 0.22 },
                "Used 62% over 4 h: $0.22/h pays for nothing.",
            ),
            (F::CostsMore(0.2), "Costs $0.20/h more than what it covers would on demand."),
            (
                unused(3.0, 4, UnusedCost::Room(3.0)),
                "3 of 4 unused: $3.00/h is paid for empty room.",
            ),
            (
                unused(2.5, 4, UnusedCost::Unknown),
                "2.5 of 4 unused; the price of the room is not known.",
            ),
            (
                unused(1.0, 2, UnusedCost::Prepaid(40.0)),
                "1 of 2 unused: $40.00/h that was prepaid is lost.",
            ),
            (
                unused(1.0, 2, UnusedCost::PrepaidHours(24.0)),
                "1 of 2 unused: 24 instance-hours that were prepaid are left until it ends; no API \
                 tells their price.",
            ),
            (
                F::Ends { days: 1.0, then: Ending::Terminated },
                "Ends in 1 day: its instances are terminated half an hour before.",
            ),
            (
                F::Ends { days: 12.0, then: Ending::BillGrows(0.4) },
                "Ends in 12 days: the bill grows by $0.40/h if usage stays.",
            ),
            (
                F::Overlaps {
                    kind: CommitmentKind::ReservedInstances,
                    id: "ri".into(),
                    instance_type: "g5.xlarge".into(),
                    region: "us-east-1".into(),
                },
                "Overlaps Reserved Instances ri, which pays for g5.xlarge in us-east-1 in its place.",
            ),
            (
                such(true, "us-west-2", Elsewhere::Regions(vec!["us-east-1".into()])),
                "No g5.xlarge instance on its terms runs in us-west-2: it is for another region \
                 than us-east-1.",
            ),
            (
                such(false, "us-east-1b", Elsewhere::Nowhere),
                "No g5.xlarge on its terms runs in us-east-1b.",
            ),
            (
                such(false, "us-east-1", outside(false)),
                "No g5.xlarge on its terms runs in us-east-1 in its account; some run in \
                 111111111111, and discounts are not shared.",
            ),
        ] {
            assert_eq!(commitment(&finding), words);
        }
    }
}
