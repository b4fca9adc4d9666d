//! All savings in causal order, each on what the ones before leave: first what is not run at all,
//! then what is redone, then spot, then commitments for the rest. A naive sum beside it.

use super::sheet::{Line, Unit};
use super::words::{share, usd};
use super::{LeverError, LeverKind, Levers};

/// Spend that a saving is taken from. The pools do not overlap, so savings of different pools add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pool {
    /// Spend for instances.
    Compute,
    /// Spend for stored bytes.
    Storage,
    /// Spend for data transfer.
    Network,
}

/// Order in which savings apply: each one works on what the earlier ones leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Smaller types, fewer instances.
    Rightsize,
    /// Running only while needed.
    Schedule,
    /// Less repeated work.
    Redo,
    /// Running on Spot instead of on demand.
    Spot,
    /// Commitments for the rest.
    Commit,
}

/// Saving of one lever, taken by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The lever; `None` for commitments.
    pub kind: Option<LeverKind>,
    /// Name of the saving, as shown.
    pub what: &'static str,
    /// Spend that it is taken from.
    pub pool: Pool,
    /// Position in the order in which savings apply.
    pub stage: Stage,
    /// USD per month of the spend that it applies to.
    pub before_usd: f64,
    /// USD per month of the same spend afterwards.
    pub after_usd: f64,
}

/// A saving in its place in the causal order.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The lever; `None` for commitments.
    pub kind: Option<LeverKind>,
    /// Name of the saving, as shown.
    pub what: &'static str,
    /// Spend that it is taken from.
    pub pool: Pool,
    /// USD per month of that pool before this step.
    pub before_usd: f64,
    /// USD per month of that pool after this step.
    pub after_usd: f64,
    /// USD per month that the lever claims by itself.
    pub claimed_usd: f64,
}

impl Step {
    /// Saved by this step, USD per month; negative where it costs more.
    pub fn saved_usd(&self) -> f64 {
        self.before_usd - self.after_usd
    }
}

/// All savings in causal order. Dollars per month.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// All pools before the first step.
    pub before_usd: f64,
    /// All pools after the last step.
    pub after_usd: f64,
    /// Steps in causal order, pool by pool.
    pub steps: Vec<Step>,
    /// Claims that are not counted and why, one sentence each.
    pub left_out: Vec<String>,
}

impl Chain {
    /// What adding up all claims would have said, USD per month.
    #[cfg(test)]
    pub fn naive_usd(&self) -> f64 {
        self.steps.iter().map(|step| step.claimed_usd).sum()
    }

    /// Saved share of all pools, 0–1; 0 where the spend is 0.
    pub fn share(&self) -> f64 {
        if self.before_usd > 0.0 { 1.0 - self.after_usd / self.before_usd } else { 0.0 }
    }

    /// What a naive sum says, as a part of all spends.
    #[cfg(test)]
    pub fn naive_share(&self) -> f64 {
        if self.before_usd > 0.0 { self.naive_usd() / self.before_usd } else { 0.0 }
    }

    /// The sentence about the naive sum, where it is wrong.
    #[cfg(test)]
    pub fn correction(&self) -> Option<String> {
        super::corrections::naive_sum(self.naive_share(), self.share())
    }

    /// One line of arithmetic per step.
    pub fn lines(&self) -> Vec<Line> {
        let line = |step: &Step| Line {
            label: step.what.to_owned(),
            arithmetic: format!(
                "{} of the {} left",
                share(step.saved_usd() / step.before_usd),
                usd(step.before_usd)
            ),
            number: Some(step.saved_usd()),
            unit: Unit::UsdPerMonth,
        };
        self.steps.iter().map(line).collect()
    }
}

/// Chains claims on their pools (USD per month). Each claim saves its share of the pool's whole spend, applied
/// to what is left; a claim on more than the whole spend is left out.
pub fn chain(pools: &[(Pool, f64)], claims: &[Claim]) -> Chain {
    let mut out = Chain {
        before_usd: pools.iter().map(|(_, usd)| usd).sum(),
        after_usd: 0.0,
        steps: Vec::new(),
        left_out: Vec::new(),
    };
    for (pool, whole) in pools {
        let mut left = *whole;
        let mut mine: Vec<&Claim> = claims.iter().filter(|claim| claim.pool == *pool).collect();
        mine.sort_by_key(|claim| claim.stage);
        for claim in mine {
            let claimed_usd = claim.before_usd - claim.after_usd;
            if claim.before_usd > whole * (1.0 + 1e-9) || *whole <= 0.0 || claim.after_usd < 0.0 {
                out.left_out.push(format!(
                    "{}: it works on {} a month, but the whole spend is {}.",
                    claim.what,
                    usd(claim.before_usd),
                    usd(*whole)
                ));
                continue;
            }
            let before_usd = left;
            left -= left * (claimed_usd / whole);
            out.steps.push(Step {
                kind: claim.kind,
                what: claim.what,
                pool: *pool,
                before_usd,
                after_usd: left,
                claimed_usd,
            });
        }
        out.after_usd += left;
    }
    out
}

impl Levers {
    /// All savings in causal order. `commit`: share that commitments save of the rest, 0–1 (the scenario's
    /// effective savings rate). Of two levers that remove the same waste only the more detailed one counts.
    /// `None` where nothing saves.
    pub fn chain(&self, commit: Option<f64>) -> Option<Chain> {
        let mut claims = Vec::new();
        let mut left_out = Vec::new();
        self.compute_claims(&mut claims, &mut left_out);
        if let Some(storage) = &self.storage {
            let saved = storage.saved().map(Some);
            keep(
                saved,
                (LeverKind::Storage, "storage", Pool::Storage, Stage::Rightsize),
                &mut claims,
                &mut left_out,
            );
        }
        if let Some(network) = &self.network {
            let saved = network.saved().map(Some);
            keep(
                saved,
                (LeverKind::Network, "network", Pool::Network, Stage::Rightsize),
                &mut claims,
                &mut left_out,
            );
        }
        let pools = self.pools(&claims);
        if let (Some(part), Some((_, compute))) =
            (commit, pools.first().filter(|p| p.0 == Pool::Compute))
        {
            claims.push(Claim {
                kind: None,
                what: "commitments",
                pool: Pool::Compute,
                stage: Stage::Commit,
                before_usd: *compute,
                after_usd: compute * (1.0 - part),
            });
        }
        let mut chain = chain(&pools, &claims);
        chain.left_out.splice(0..0, left_out);
        (!chain.steps.is_empty() || !chain.left_out.is_empty()).then_some(chain)
    }

    fn compute_claims(&self, claims: &mut Vec<Claim>, left_out: &mut Vec<String>) {
        let compute = Pool::Compute;
        if let Some(rightsize) = &self.rightsize {
            let what = (LeverKind::Rightsize, "right-sizing", compute, Stage::Rightsize);
            keep(rightsize.now().map(Some), what, claims, left_out);
        }
        if let Some(autoscale) = &self.autoscale {
            let what = (LeverKind::Autoscale, "autoscaling", compute, Stage::Schedule);
            let scaled = autoscale.scaled().map(|s| Some((s.before_usd, s.after_usd)));
            keep(scaled, what, claims, left_out);
        }
        if let Some(failed) = &self.failed_runs {
            let what = (LeverKind::FailedRuns, "fewer failed runs", compute, Stage::Redo);
            let tax = failed.tax();
            keep(
                tax.map(|tax| tax.lost_then.map(|_| (tax.before_usd, tax.after_usd()))),
                what,
                claims,
                left_out,
            );
        }
        if let Some(spot) = &self.spot_mix {
            let what = (LeverKind::SpotMix, "spot", compute, Stage::Spot);
            keep(spot.mixed().map(|m| Some((m.before_usd, m.after_usd))), what, claims, left_out);
        }
        let Some(gpu) = &self.gpu_savings else { return };
        let saved = match gpu.saved() {
            Ok(saved) => saved,
            Err(error) => return left_out.push(format!("{error}.")),
        };
        let whole = saved.before_usd;
        let idle =
            [LeverKind::Rightsize, LeverKind::Autoscale].into_iter().find(|k| counted(claims, *k));
        if let Some(other) = idle {
            left_out.push(format!(
                "The higher use of gpu-savings is not counted: {other} removes the same idle hours."
            ));
        } else {
            let use_pair = Ok(Some((whole, whole - saved.by_use_usd)));
            let what = (LeverKind::GpuSavings, "higher use", compute, Stage::Rightsize);
            keep(use_pair, what, claims, left_out);
        }
        if saved.by_spot_usd <= 0.0 {
            return;
        }
        if counted(claims, LeverKind::SpotMix) {
            left_out.push(
                "The spot of gpu-savings is not counted: spot-mix moves the same hours.".to_owned(),
            );
        } else {
            // Its part of what is left after the higher use is its part of the whole as well.
            let part = saved.by_spot_usd / (whole - saved.by_use_usd);
            let what = (LeverKind::GpuSavings, "spot", compute, Stage::Spot);
            keep(Ok(Some((whole, whole * (1.0 - part)))), what, claims, left_out);
        }
    }

    /// The spends: as the total states them, or what the levers themselves work on.
    fn pools(&self, claims: &[Claim]) -> Vec<(Pool, f64)> {
        let largest = |pool: Pool| {
            let mine = claims.iter().filter(|claim| claim.pool == pool);
            mine.map(|claim| claim.before_usd).reduce(f64::max)
        };
        let tco = self.tco.as_ref();
        let gpu = self.gpu_savings.as_ref().and_then(|gpu| gpu.monthly_usd);
        let compute = tco.and_then(|tco| tco.compute_usd).or(gpu).or(largest(Pool::Compute));
        let storage = tco.and_then(|tco| tco.storage_usd).or(largest(Pool::Storage));
        let network = tco.and_then(|tco| tco.network_usd).or(largest(Pool::Network));
        [(Pool::Compute, compute), (Pool::Storage, storage), (Pool::Network, network)]
            .into_iter()
            .filter_map(|(pool, usd)| Some((pool, usd?)))
            .collect()
    }
}

fn counted(claims: &[Claim], kind: LeverKind) -> bool {
    claims.iter().any(|claim| claim.kind == Some(kind))
}

/// Takes a lever's dollars before and after as a claim, or says why there are none.
fn keep(
    usd: Result<Option<(f64, f64)>, LeverError>,
    (kind, what, pool, stage): (LeverKind, &'static str, Pool, Stage),
    claims: &mut Vec<Claim>,
    left_out: &mut Vec<String>,
) {
    match usd {
        Ok(Some((before_usd, after_usd))) => {
            claims.push(Claim { kind: Some(kind), what, pool, stage, before_usd, after_usd });
        }
        Ok(None) => {}
        Err(error) => left_out.push(format!("{error}.")),
    }
}
