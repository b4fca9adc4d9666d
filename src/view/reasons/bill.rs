//! What is odd about a bill, how it differs from what is usual, and why from live burn.

use crate::analyze::bill::anomalies::AnomalyKind;
use crate::analyze::bill::reconcile::Cause;
use crate::domain::bill::{BillNote, Usd};
use crate::view::format::{count, counted, plural, usd as dollars};

/// One sentence, without a full stop. Clean text.
pub fn note(note: &BillNote) -> String {
    let lines = |n: u64| plural(usize::try_from(n).unwrap_or(usize::MAX), "line");
    let have = |n: u64| counted(usize::try_from(n).unwrap_or(usize::MAX), "line has", "lines have");
    let usd = |amount: Usd| dollars(amount.to_f64());
    match note {
        BillNote::ColumnMissing { column, unknown } => {
            format!("it has no column {column}: {unknown} is not known")
        }
        BillNote::SplitRows { lines: n, cost } => format!(
            "{} of split cost ({}) left out: they are parts of other lines",
            lines(*n),
            usd(*cost)
        ),
        BillNote::DuplicateIds { lines: n, billed } => format!(
            "{} the id of an earlier one ({} billed); they are counted",
            have(*n),
            usd(*billed)
        ),
        BillNote::DuplicatesUnchecked { checked } => format!(
            "only the first {} lines were checked for ids that come twice",
            count(*checked as f64)
        ),
        BillNote::NullAmounts { column, lines: n } => {
            format!("{} no {column}; counted as nothing", have(*n))
        }
        BillNote::EffectiveZero { lines: n, billed } => format!(
            "{} of usage with an effective cost of 0 although {} was billed, which breaks FOCUS: \
             effective sums are too low",
            lines(*n),
            usd(*billed)
        ),
        BillNote::PurchaseEffective { lines: n, effective } => format!(
            "{} of purchases of commitments with an effective cost ({}), which breaks FOCUS: \
             effective sums may count it twice",
            lines(*n),
            usd(*effective)
        ),
        BillNote::CommitmentDiffers { commitment, billed, effective } => format!(
            "commitment {commitment}: {} billed, {} used and unused; expected where it was bought \
             in this period or paid upfront",
            usd(*billed),
            usd(*effective)
        ),
        BillNote::OutsidePeriod { lines: n } => {
            format!("{} outside the billing period, counted without a day", lines(*n))
        }
        BillNote::LongLines { lines: n } => {
            format!("{} of more than a day, counted without a day", lines(*n))
        }
        BillNote::NotUtf8 { lines: n } => {
            format!("{} with text that is not UTF-8, shown with replacement characters", lines(*n))
        }
        BillNote::UnknownWord { column, word, lines: n } => {
            format!("{column} {word:?} is not known; {} counted as other usage", lines(*n))
        }
        BillNote::ResourcesFolded { resources } => format!(
            "more resources than are kept: the cheapest {} at least are one row",
            count(*resources as f64)
        ),
        BillNote::OlderExecutions { executions } => format!(
            "{} of this period not read: the newest replaces them",
            counted(
                usize::try_from(*executions).unwrap_or(usize::MAX),
                "older delivery",
                "older deliveries"
            )
        ),
        BillNote::FromCostExplorer => {
            "from Cost Explorer: no line items, rounded, and restated for some days".into()
        }
    }
}

/// How an anomaly differs from what is usual, a phrase.
pub fn anomaly(kind: AnomalyKind) -> &'static str {
    match kind {
        AnomalyKind::Spike => "more than usual from one day to the next",
        AnomalyKind::Drop => "nearly nothing for two days or more where something is usual",
        AnomalyKind::Drift => "weeks that rise or fall one after another",
    }
}

/// Why the bill differs from live burn, a phrase. Clean text.
pub fn cause(cause: &Cause) -> String {
    let of = cause.of();
    match cause {
        Cause::Discount => "instances on demand cost less than their list price".into(),
        Cause::Commitments => "commitments make covered hours cheaper".into(),
        Cause::UnusedCommitments => "commitments that nothing used".into(),
        Cause::UnusedCapacity => "reserved capacity that nothing used".into(),
        Cause::UnreadAccount(_) => match of {
            Some(account) => format!("instances of account {account}, which is not read"),
            None => "instances without an account on the bill".into(),
        },
        Cause::UnreadRegion(_) => match of {
            Some(region) => format!("instances in {region}, which is not read"),
            None => "instances without a region on the bill".into(),
        },
        Cause::OtherUse(_) => match of {
            Some(service) => format!("{service}, all but instance-hours"),
            None => "services without a name on the bill".into(),
        },
        Cause::OtherCharge(charge) => format!("charged apart from use: {}", charge.word()),
        Cause::NotSeen => "hours in which nobody looked".into(),
        Cause::NotRunningWhenSeen => {
            "hours of instances that did not run when they were looked at".into()
        }
        Cause::NotBilledYet => "hours that were seen and that the bill does not have yet".into(),
        Cause::UnbilledAccount(account) => {
            format!("live burn of account {account}, which the bill does not have")
        }
        Cause::WithoutPrice => "instances without a known price".into(),
        Cause::SpotPrice => "Spot prices that moved between two looks".into(),
        Cause::Unexplained => "unexplained".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::bill::Charge;

    #[test]
    fn each_cause_and_kind_has_a_phrase_of_its_own_and_says_what_it_is_of() {
        let name = || "x1".into();
        let causes = [
            Cause::Discount,
            Cause::Commitments,
            Cause::UnusedCommitments,
            Cause::UnusedCapacity,
            Cause::UnreadAccount(name()),
            Cause::UnreadAccount("".into()),
            Cause::UnreadRegion(name()),
            Cause::UnreadRegion("".into()),
            Cause::OtherUse(name()),
            Cause::OtherUse("".into()),
            Cause::OtherCharge(Charge::Credit),
            Cause::NotSeen,
            Cause::NotRunningWhenSeen,
            Cause::NotBilledYet,
            Cause::UnbilledAccount(name()),
            Cause::WithoutPrice,
            Cause::SpotPrice,
            Cause::Unexplained,
        ];
        let phrases = causes.iter().map(|of| (of.word(), cause(of)));
        let mut all: Vec<_> = phrases
            .chain(AnomalyKind::ALL.map(|kind| (kind.word(), anomaly(kind).into())))
            .collect();
        for (of, (_, phrase)) in causes.iter().zip(&all) {
            assert!(of.of().is_none_or(|name| phrase.contains(name)), "{phrase}");
            assert!(!phrase.ends_with('.') && !phrase.contains("  "), "{phrase}");
        }
        all.sort_by(|(_, a), (_, b)| a.cmp(b));
        assert!(all.windows(2).all(|two| two[0].1 != two[1].1), "{all:#?}");
    }

    #[test]
    fn each_note_is_a_sentence_with_its_figures() {
        let usd = |text: &str| Usd::parse(text.as_bytes()).unwrap();
        let notes = [
            BillNote::ColumnMissing { column: "RegionId".into(), unknown: "the region".into() },
            BillNote::SplitRows { lines: 2, cost: usd("3.5") },
            BillNote::DuplicateIds { lines: 1, billed: usd("10") },
            BillNote::DuplicatesUnchecked { checked: 4_000_000 },
            BillNote::NullAmounts { column: "BilledCost".into(), lines: 1 },
            BillNote::EffectiveZero { lines: 604, billed: usd("1234.5") },
            BillNote::PurchaseEffective { lines: 3, effective: usd("12") },
            BillNote::CommitmentDiffers {
                commitment: "sp-1".into(),
                billed: usd("100"),
                effective: usd("90.5"),
            },
            BillNote::OutsidePeriod { lines: 2 },
            BillNote::LongLines { lines: 1 },
            BillNote::NotUtf8 { lines: 7 },
            BillNote::UnknownWord { column: "ChargeClass".into(), word: "Odd".into(), lines: 2 },
            BillNote::ResourcesFolded { resources: 5_000 },
            BillNote::OlderExecutions { executions: 2 },
            BillNote::FromCostExplorer,
        ];
        let text: Vec<String> = notes.iter().map(note).collect();
        insta::assert_snapshot!(text.join("\n"));
    }
}
