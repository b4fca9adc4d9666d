//! `--fail-on`: which findings end a report with exit code 1.

use std::fmt;
use std::str::FromStr;

use crate::analyze::storage::lifecycle::Severity;
use crate::domain::{GpuState, VerdictKind, text};
use crate::fleet::{GpuTotals, Totals};
use crate::view::format::usd_per_hour;

/// The verdicts that can be failed on: those that ask for somebody to act or to look.
const KINDS: [VerdictKind; 4] =
    [VerdictKind::Idle, VerdictKind::Partial, VerdictKind::Underused, VerdictKind::Unknown];

/// The states of GPUs that can be failed on and are no verdicts on instances.
const STATES: [GpuState; 6] = [
    GpuState::Unhealthy,
    GpuState::Stalled,
    GpuState::HeldIdle,
    GpuState::UnallocatedIdle,
    GpuState::Inefficient,
    GpuState::Stale,
];

/// Severities that `--fail-on` takes for a linter.
const SEVERITIES: [Severity; 2] = [Severity::Warning, Severity::Error];

/// Conditions of `--fail-on`; any of them is enough.
#[derive(Clone, Debug, PartialEq)]
pub struct FailOn(Vec<Condition>);

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// More than `than` instances have the verdict.
    Count { kind: VerdictKind, than: u32 },
    /// More than `than` GPUs are in the state.
    State { state: GpuState, than: u32 },
    /// More than `than` findings of a linter are this bad, or worse.
    Lint { severity: Severity, than: u32 },
    /// More than `than` findings about savings.
    Found { than: u32 },
    /// More than this is wasted, USD/h.
    Waste { usd_per_hour: f64 },
}

/// Counts of a savings list that `--fail-on` compares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Found {
    /// Number of findings: rows, or problems of rows, that need attention.
    pub findings: usize,
    /// Number of idle rows.
    pub idle: usize,
    /// Number of rows without a verdict.
    pub unknown: usize,
    /// Waste, USD/h.
    pub waste: f64,
}

/// A condition that `--fail-on` does not know; holds the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{0}\" is no finding; accepted: idle, partial, underused or unknown, of GPUs also held_idle, \
     unallocated_idle, stalled, unhealthy, inefficient or stale, each also with a count (idle>3), \
     and waste>N/h in dollars; of savings findings; of lifecycle rules error or warning; several separated by commas"
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
    let than = limit.map_or(Some(0), |l| l.parse().ok())?;
    if name == "findings" {
        return Some(Condition::Found { than });
    }
    if let Some(state) = STATES.into_iter().find(|s| s.name() == name) {
        return Some(Condition::State { state, than });
    }
    if let Some(severity) = SEVERITIES.into_iter().find(|s| s.word() == name) {
        return Some(Condition::Lint { severity, than });
    }
    let kind = KINDS.into_iter().find(|k| k.name() == name)?;
    Some(Condition::Count { kind, than })
}

impl Condition {
    /// How many GPUs it is about; `None` when it is about instances alone, or about dollars.
    fn gpus(&self, totals: &GpuTotals) -> Option<u32> {
        let count = |state| totals.of_state(state).count;
        match self {
            Self::State { state, .. } => Some(count(*state)),
            Self::Count { kind: VerdictKind::Idle, .. } => {
                Some(count(GpuState::HeldIdle) + count(GpuState::UnallocatedIdle))
            }
            Self::Count { kind: VerdictKind::Unknown, .. } => Some(count(GpuState::Unknown)),
            Self::Count { .. } | Self::Lint { .. } | Self::Found { .. } | Self::Waste { .. } => {
                None
            }
        }
    }
}

impl FailOn {
    /// Fails for conditions that apply to GPUs or rules only; for lists of instances.
    pub fn of_instances(&self) -> Result<(), String> {
        self.not_of_rules()?;
        match self.0.iter().find(|c| matches!(c, Condition::State { .. })) {
            Some(wrong) => Err(format!("--fail-on {wrong} is about GPUs: see `burntop gpus`")),
            None => Ok(()),
        }
    }

    /// Fails for conditions that apply to instances or rules only; for lists of GPUs.
    pub fn of_gpus(&self) -> Result<(), String> {
        self.not_of_rules()?;
        let totals = GpuTotals::default();
        let is_wrong =
            |c: &&Condition| matches!(c, Condition::Count { .. }) && c.gpus(&totals).is_none();
        match self.0.iter().find(is_wrong) {
            Some(wrong) => Err(format!("--fail-on {wrong} is about instances: see `burntop idle`")),
            None => Ok(()),
        }
    }

    fn not_of_rules(&self) -> Result<(), String> {
        if let Some(wrong) = self.0.iter().find(|c| matches!(c, Condition::Found { .. })) {
            return Err(format!("--fail-on {wrong} is about savings: see `burntop commitments`"));
        }
        match self.0.iter().find(|c| matches!(c, Condition::Lint { .. })) {
            Some(wrong) => {
                Err(format!("--fail-on {wrong} is about rules: see `burntop storage lint`"))
            }
            None => Ok(()),
        }
    }

    /// Fails for conditions that do not apply to lifecycle rules.
    pub fn of_rules(&self) -> Result<(), String> {
        match self.0.iter().find(|c| !matches!(c, Condition::Lint { .. })) {
            Some(wrong) => {
                Err(format!("--fail-on {wrong} is not about rules: use error or warning"))
            }
            None => Ok(()),
        }
    }

    /// The first condition met by the linter's findings, as text; `None` when none is. `warning` counts errors
    /// too.
    pub fn tripped_by_rules(&self, found: &[Severity]) -> Option<String> {
        self.0.iter().find_map(|condition| {
            let Condition::Lint { severity, than } = condition else { return None };
            let count = found.iter().filter(|s| *s >= severity).count();
            let name = condition.name();
            (count > *than as usize).then(|| format!("{count} {name} (more than {than})"))
        })
    }

    /// Fails for conditions that do not apply to a list whose rows are findings, without a rate.
    pub fn of_findings(&self) -> Result<(), String> {
        match self.0.iter().find(|c| !matches!(c, Condition::Found { .. })) {
            Some(wrong) => Err(format!("--fail-on {wrong}: this list takes findings")),
            None => Ok(()),
        }
    }

    /// Fails for conditions that do not apply to a savings list; `resources` = the list has verdicts.
    pub fn of_savings(&self, resources: bool) -> Result<(), String> {
        let fits = |c: &Condition| match c {
            Condition::Found { .. } | Condition::Waste { .. } => true,
            Condition::Count { kind: VerdictKind::Idle | VerdictKind::Unknown, .. } => resources,
            _ => false,
        };
        let takes = if resources { "findings, idle, unknown" } else { "findings" };
        match self.0.iter().find(|c| !fits(c)) {
            Some(wrong) => Err(format!("--fail-on {wrong}: this list takes {takes} and waste>N/h")),
            None => Ok(()),
        }
    }

    /// The first condition met by a savings list, as text; `None` when none is.
    pub fn tripped_by_savings(&self, found: &Found) -> Option<String> {
        self.0.iter().find_map(|condition| {
            let (count, than) = match condition {
                Condition::Waste { usd_per_hour } => return over(found.waste, *usd_per_hour),
                Condition::Found { than } => (found.findings, than),
                Condition::Count { kind: VerdictKind::Idle, than } => (found.idle, than),
                Condition::Count { kind: VerdictKind::Unknown, than } => (found.unknown, than),
                _ => return None,
            };
            let name = condition.name();
            (count > *than as usize).then(|| format!("{count} {name} (more than {than})"))
        })
    }

    /// The first condition met by a list of GPUs, as text; `None` when none is. `idle` counts held and unheld
    /// GPUs.
    pub fn tripped_by_gpus(&self, totals: &GpuTotals) -> Option<String> {
        self.0.iter().find_map(|condition| match condition {
            Condition::Waste { usd_per_hour } => over(totals.waste, *usd_per_hour),
            Condition::Count { than, .. } | Condition::State { than, .. } => {
                let count = condition.gpus(totals)?;
                let name = condition.name();
                (count > *than).then(|| format!("{count} {name} (more than {than})"))
            }
            Condition::Lint { .. } | Condition::Found { .. } => None,
        })
    }

    /// The first condition met by a list of instances, as text; `None` when none is. `totals` must be of the
    /// reported rows, so that a filter narrows what can fail.
    pub fn tripped(&self, totals: &Totals) -> Option<String> {
        self.0.iter().find_map(|condition| match condition {
            Condition::Count { kind, than } => {
                let index = VerdictKind::ALL.iter().position(|k| k == kind)?;
                let count = totals.by_verdict[index].count;
                (count > *than).then(|| format!("{count} {} (more than {than})", kind.name()))
            }
            Condition::State { .. } | Condition::Lint { .. } | Condition::Found { .. } => None,
            Condition::Waste { usd_per_hour } => over(totals.waste, *usd_per_hour),
        })
    }
}

/// Text when more than `limit` is wasted, USD/h; `None` otherwise.
fn over(waste: f64, limit: f64) -> Option<String> {
    (waste > limit)
        .then(|| format!("waste {} (more than {})", usd_per_hour(waste), usd_per_hour(limit)))
}

impl Condition {
    fn name(&self) -> &'static str {
        match self {
            Self::Count { kind, .. } => kind.name(),
            Self::State { state, .. } => state.name(),
            Self::Lint { severity, .. } => severity.word(),
            Self::Found { .. } => "findings",
            Self::Waste { .. } => "waste",
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::Count { than: 0, .. }
            | Self::State { than: 0, .. }
            | Self::Found { than: 0 }
            | Self::Lint { than: 0, .. } => f.write_str(name),
            Self::Count { than, .. }
            | Self::State { than, .. }
            | Self::Found { than }
            | Self::Lint { than, .. } => {
                write!(f, "{name}>{than}")
            }
            Self::Waste { usd_per_hour } => write!(f, "{name}>{usd_per_hour}/h"),
        }
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, condition) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{condition}")?;
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
    fn gpus_have_findings_of_their_own() {
        let mut totals = GpuTotals { waste: 6.88, ..GpuTotals::default() };
        totals.by_state[GpuState::HeldIdle as usize].count = 3;
        totals.by_state[GpuState::UnallocatedIdle as usize].count = 2;
        let cases = [
            ("held_idle", Some("3 held_idle (more than 0)")),
            ("held_idle>3", None),
            ("idle>4", Some("5 idle (more than 4)")),
            ("unhealthy,stalled", None),
            ("unknown", None),
            ("waste>6/h", Some("waste $6.88/h (more than $6.00/h)")),
            ("waste>7/h", None),
        ];
        for (spec, says) in cases {
            let fail_on: FailOn = spec.parse().unwrap();
            assert_eq!(fail_on.of_gpus(), Ok(()));
            assert_eq!(fail_on.tripped_by_gpus(&totals).as_deref(), says, "{spec}");
            assert_eq!(fail_on.to_string().parse(), Ok(fail_on));
        }
        let of = |spec: &str| spec.parse::<FailOn>().unwrap();
        assert!(of("partial").of_gpus().unwrap_err().contains("burntop idle"));
        assert!(of("idle,stalled>2").of_instances().unwrap_err().contains("stalled>2"));
        assert_eq!(of("idle,unknown,waste>3").of_instances(), Ok(()));
    }

    #[test]
    fn rules_have_severities() {
        use Severity::{Error, Info, Warning};
        let cases: [(&str, &[Severity], bool); 5] = [
            ("warning", &[Error], true),
            ("error", &[Warning, Info], false),
            ("error", &[Warning, Error], true),
            ("warning>2", &[Warning, Error], false),
            ("warning", &[Info], false),
        ];
        for (spec, found, trips) in cases {
            let fail_on: FailOn = spec.parse().unwrap();
            assert_eq!(fail_on.of_rules(), Ok(()));
            assert_eq!(fail_on.tripped_by_rules(found).is_some(), trips, "{spec}");
            assert_eq!(fail_on.to_string().parse(), Ok(fail_on.clone()));
            assert!(fail_on.of_instances().unwrap_err().contains("storage lint"));
            assert!(fail_on.of_gpus().is_err());
        }
        assert!("idle".parse::<FailOn>().unwrap().of_rules().is_err());
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

    #[test]
    fn lists_of_savings_are_failed_on_by_what_they_know() {
        let spec = |text: &str| text.parse::<FailOn>().unwrap();
        let found = Found { findings: 3, idle: 2, unknown: 1, waste: 4.5 };
        for (text, says) in [
            ("findings", Some("3 findings (more than 0)")),
            ("findings>2", Some("3 findings (more than 2)")),
            ("findings>3", None),
            ("idle>1", Some("2 idle (more than 1)")),
            ("unknown>1", None),
            ("waste>4.4/h", Some("waste $4.50/h (more than $4.40/h)")),
            ("waste>4.5/h", None),
            ("idle>5,findings>2", Some("3 findings (more than 2)")),
        ] {
            assert_eq!(spec(text).tripped_by_savings(&found).as_deref(), says, "{text}");
        }
        assert_eq!(spec("findings").to_string(), "findings");
        assert_eq!(spec("findings>4").to_string(), "findings>4");
        assert!(spec("findings,waste>1/h").of_savings(false).is_ok());
        assert!(spec("findings>2").of_findings().is_ok());
        assert!(spec("findings,waste>1/h").of_findings().is_err());
        assert!(spec("idle").of_savings(true).is_ok());
        for wrong in ["idle", "partial", "held_idle", "error"] {
            assert!(spec(wrong).of_savings(false).is_err(), "{wrong}");
        }
        assert!(spec("findings").of_instances().is_err());
        assert!(spec("findings").of_gpus().is_err());
        assert!(spec("findings").of_rules().is_err());
    }
}
