//! The strip above the table: how the GPUs are doing, in one line.

use super::rollup::RollUp;
use super::words;
use crate::domain::{GpuReason, GpuState};
use crate::fleet::{GpuFleet, GpuRow};
use crate::view::{ViewContext, format};

/// Ages of the newest readings of the GPUs, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ages {
    /// Age of the newest one.
    pub min: i64,
    /// Median age.
    pub median: i64,
    /// Age of the oldest one.
    pub max: i64,
}

/// Summary of all GPUs, for the strip above the list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pulse {
    /// Sums over the rows present.
    pub sums: RollUp,
    /// GPU equivalents of the fleet where the rows are a part of it, as the cache of the last run holds of a large fleet;
    /// `None` where they are all.
    pub of: Option<f64>,
    /// GPU equivalents of running instances that no source reports; 0 where that is not known.
    pub unseen: f64,
    /// Number of hosts.
    pub nodes: u32,
    /// Ages of the readings; `None` without GPUs.
    pub ages: Option<Ages>,
    /// Number of instances with missing telemetry.
    pub blind: u32,
    /// Those that were not watched for long enough to be called idle, as after the start; `None` without any.
    pub warming: Option<Warming>,
}

/// GPUs that are quiet, and were not watched for long enough yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warming {
    /// GPU equivalents of them.
    pub equivalents: f64,
    /// How long a GPU has to be watched to be called idle, seconds.
    pub needed_s: u16,
}

impl Pulse {
    /// Number of rows with a hardware error.
    pub fn unhealthy(&self) -> u32 {
        self.sums.count(GpuState::Unhealthy)
    }

    /// Parts of the strip, the most important first; a part that does not fit is left out, with all after it.
    pub fn parts(&self, ctx: &ViewContext) -> Vec<String> {
        let sums = &self.sums;
        let mut parts = vec![
            match self.of {
                Some(of) => {
                    format!(
                        "worst {} of {}",
                        format::count(sums.equivalents),
                        words::gpus(of, 0, 0.0)
                    )
                }
                None => {
                    let seen = words::gpus(sums.equivalents, 0, 0.0);
                    let unseen = format::count(self.unseen);
                    if self.unseen < 1e-9 {
                        seen
                    } else {
                        format!("{seen} seen by exporters, {unseen} not")
                    }
                }
            },
            format!("burn {}", ctx.symbols.or_unknown(sums.known_burn(), format::usd_per_hour)),
            // As the Overview calls it, which leads from its own waste to this one.
            format!(
                "waste live now {}",
                ctx.symbols.or_unknown(sums.known_waste(), format::usd_per_hour)
            ),
            format!(
                "effective {}",
                ctx.symbols.or_unknown(sums.efficiency(), |e| format::share(e, 0))
            ),
        ];
        let loud = [
            GpuState::Unhealthy,
            GpuState::Stalled,
            GpuState::HeldIdle,
            GpuState::UnallocatedIdle,
            GpuState::Unknown,
            GpuState::Stale,
        ];
        let told = sums.labels().filter(|(label, _)| loud.contains(&label.state));
        parts.extend(told.map(|(label, gpus)| {
            let warming = self.warming.filter(|_| label.state == GpuState::Unknown);
            label.counted(gpus) + &warming.map(Warming::words).unwrap_or_default()
        }));
        // What is told apart must not push aside what is broken.
        if sums.slices > 0 {
            parts.push(words::gpus(sums.sliced, sums.slices, sums.sliced));
        }
        parts.extend(self.ages.map(|ages| ages.words()));
        parts
    }
}

impl Warming {
    /// All of `rows`; `None` without any.
    fn of<'a>(rows: impl Iterator<Item = &'a GpuRow>) -> Option<Self> {
        let too_short = |row: &GpuRow| match row.verdict.reason {
            GpuReason::TooShort { needed, .. } => Some((row.equivalents, needed)),
            _ => None,
        };
        rows.filter_map(too_short).fold(None, |sum: Option<Self>, (equivalents, needed)| {
            let (all, longest) = sum.map_or((0.0, 0), |sum| (sum.equivalents, sum.needed_s));
            Some(Self { equivalents: all + equivalents, needed_s: longest.max(needed) })
        })
    }

    /// What follows the number of unknown GPUs: `, 5 until watched for 2m`.
    fn words(self) -> String {
        let needed = format::span(i64::from(self.needed_s));
        format!(", {} until watched for {needed}", format::count(self.equivalents))
    }
}

impl Ages {
    /// Ages as text: `data 12s, oldest 4m`.
    pub fn words(&self) -> String {
        if format::age(self.median) == format::age(self.max) {
            return format!("data {}", format::age(self.median));
        }
        format!("data {}, oldest {}", format::age(self.median), format::age(self.max))
    }
}

/// Summary of a fleet's GPUs; those that no source reports are told by the instances, not by `fleet`.
pub fn pulse(fleet: &GpuFleet, ctx: &ViewContext) -> Pulse {
    let rows = || fleet.rows.iter().map(|r| &**r);
    Pulse {
        sums: RollUp::of(rows()),
        of: whole(fleet),
        unseen: 0.0,
        nodes: fleet.totals.nodes,
        ages: ages(rows(), ctx),
        blind: fleet.blind.len() as u32,
        warming: Warming::of(rows()),
    }
}

/// GPU equivalents of a fleet of which only a part of the rows is there; `None` where all are.
pub fn whole(fleet: &GpuFleet) -> Option<f64> {
    let totals = &fleet.totals;
    let is_part = totals.count() as usize > fleet.rows.len();
    is_part.then(|| totals.by_state.iter().map(|s| s.equivalents).sum())
}

/// Ages of the readings of `rows`; `None` without rows.
pub fn ages<'a>(rows: impl Iterator<Item = &'a GpuRow>, ctx: &ViewContext) -> Option<Ages> {
    let mut all: Vec<i64> =
        rows.map(|r| ctx.now.duration_since(r.sample.taken_at).as_secs().max(0)).collect();
    let middle = all.len().checked_sub(1)? / 2;
    let (below, median, above) = all.select_nth_unstable(middle);
    let median = *median;
    Some(Ages {
        min: below.iter().copied().min().unwrap_or(median),
        median,
        max: above.iter().copied().max().unwrap_or(median),
    })
}
