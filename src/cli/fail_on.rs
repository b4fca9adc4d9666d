//! `--fail-on`: which findings end a report with exit code 1.

use std::fmt;
use std::str::FromStr;

use crate::domain::{VerdictKind, text};
use crate::fleet::Totals;

/// The verdicts that can be failed on: those that ask for somebody to act or to look.
const KINDS: [VerdictKind; 4] =
    [VerdictKind::Idle, VerdictKind::Partial, VerdictKind::Underused, VerdictKind::Unknown];

/// A list of conditions; one that holds is enough.
#[derive(Clone, Debug, PartialEq)]
pub struct FailOn(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// More than `than` instances have the verdict.
    Count { kind: VerdictKind, than: u32 },
    /// More than this is wasted, USD/h.
    Waste { usd_per_hour: f64 },
}

/// What `--fail-on` does not understand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no finding; accepted: idle, partial, underused or unknown, each also with a count \
     (idle>3), and waste>N/h in dollars; several separated by commas"
)]
pub struct FailOnError(String);

impl FromStr for FailOn {
    type Err = FailOnError;

    fn from_str(spec: &str) -> Result<Self, Self::Err> {
        let conditions: Result<Vec<Condition>, FailOnError> = spec
            .split(',')
            .map(|part| {
                condition(part.trim()).ok_or_else(|| FailOnError(text::clean(part).into_owned()))
            })
            .collect();
        conditions.map(Self)
    }
}

fn condition(part: &str) -> Option<Condition> {
    let (name, limit) = match part.split_once('>') {
        Some((name, limit)) => (name.trim(), Some(limit.trim())),
        None => (part, None),
    };
    if name == "waste" {
        let limit = limit?;
        let limit = limit.strip_suffix("/h").unwrap_or(limit);
        let limit = limit.strip_prefix('$').unwrap_or(limit).trim();
        let usd_per_hour: f64 = limit.parse().ok()?;
        let usable = usd_per_hour.is_finite() && usd_per_hour >= 0.0;
        return usable.then_some(Condition::Waste { usd_per_hour });
    }
    let kind = KINDS.into_iter().find(|k| k.name() == name)?;
    let than = limit.map_or(Some(0), |l| l.parse().ok())?;
    Some(Condition::Count { kind, than })
}

impl FailOn {
    /// The first condition that holds for `totals`, in words; `None` when none does. Totals must
    /// be those of the rows that were reported, so that a filter narrows what can fail.
    pub fn tripped(&self, totals: &Totals) -> Option<String> {
        self.0.iter().find_map(|condition| match condition {
            Condition::Count { kind, than } => {
                let index = VerdictKind::ALL.iter().position(|k| k == kind)?;
                let count = totals.by_verdict[index].count;
                (count > *than).then(|| format!("{count} {} (more than {than})", kind.name()))
            }
            Condition::Waste { usd_per_hour } => (totals.waste > *usd_per_hour)
                .then(|| format!("waste ${:.2}/h (more than ${usd_per_hour:.2}/h)", totals.waste)),
        })
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, condition) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match condition {
                Condition::Count { kind, than: 0 } => write!(f, "{comma}{}", kind.name())?,
                Condition::Count { kind, than } => write!(f, "{comma}{}>{than}", kind.name())?,
                Condition::Waste { usd_per_hour } => write!(f, "{comma}waste>{usd_per_hour}/h")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn totals(idle: u32, partial: u32, waste: f64) -> Totals {
        let mut totals = Totals { waste, ..Totals::default() };
        totals.by_verdict[0].count = idle;
        totals.by_verdict[1].count = partial;
        totals
    }

    #[test]
    fn trips_on_what_it_says() {
        let cases = [
            ("idle", totals(1, 0, 0.0), true),
            ("idle", totals(0, 9, 99.0), false),
            ("idle>3", totals(3, 0, 0.0), false),
            ("idle>3", totals(4, 0, 0.0), true),
            ("idle,partial", totals(0, 1, 0.0), true),
            ("waste>10/h", totals(5, 5, 10.0), false),
            ("waste>$10/h", totals(0, 0, 10.01), true),
            ("waste > 10", totals(0, 0, 11.0), true),
            ("unknown", totals(1, 1, 1.0), false),
        ];
        for (spec, totals, trips) in cases {
            let spec_parsed: FailOn = spec.parse().unwrap();
            assert_eq!(spec_parsed.tripped(&totals).is_some(), trips, "{spec}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_is_accepted() {
        for spec in [
            "",
            "idle,",
            "busy",
            "idle>",
            "idle>-1",
            "waste",
            "waste>",
            "waste>NaN",
            "waste>inf",
            "waste>-1/h",
            "idle=3",
        ] {
            let error = spec.parse::<FailOn>().unwrap_err();
            assert!(error.to_string().contains("accepted: idle"), "{spec}");
        }
    }

    proptest! {
        #[test]
        fn display_reads_back(idle in 0u32..9, waste in 0u32..1000) {
            let spec: FailOn = format!("idle>{idle},partial,waste>${waste}/h").parse().unwrap();
            prop_assert_eq!(spec.to_string().parse::<FailOn>().unwrap(), spec);
        }

        #[test]
        fn any_text_ends_well(spec in "\\PC{0,40}") {
            let _ = spec.parse::<FailOn>();
        }
    }
}
