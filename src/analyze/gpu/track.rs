//! What is remembered of one GPU between sweeps: when a quiet spell began, whether it hangs, which
//! errors are new. About a kilobyte each.

use super::evidence::{Evidence, Indication};
use super::rules::{GpuRules, INEFFICIENT_HYSTERESIS, MEAN_OVER_MS, NEURON_QUIET_MS, XID_NEW_MS};
use crate::domain::gpu::xid;
use crate::domain::{GpuSample, GpuSignal, GpuState, Rung};
use crate::fleet::gpu::Trail;

/// An uninterrupted spell. Times are ms since the epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spell {
    pub since: i64,
    pub last: i64,
    pub samples: u32,
}

impl Spell {
    fn extend(spell: &mut Option<Self>, at: i64) {
        match spell {
            Some(s) => {
                s.samples = s.samples.saturating_add(1);
                s.last = s.last.max(at);
            }
            None => *spell = Some(Self { since: at, last: at, samples: 1 }),
        }
    }

    /// ms from its first to its last sample.
    pub fn lasted(self) -> i64 {
        self.last - self.since
    }
}

/// State that is kept of one GPU between samples.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// When the newest sample was measured, ms since 1970.
    pub at: i64,
    /// When one last said something of its activity that can be believed.
    told_at: i64,
    /// Spell of samples with two witnesses for idle since the last use; `None` without any.
    pub quiet: Option<Spell>,
    /// Samples in a row with low activity and power that speaks against idleness.
    against: u32,
    /// True when use was seen right before the quiet spell, so that its beginning is known.
    pub quiet_began: bool,
    /// Spell of low activity by any witness since the last use; `None` without any.
    pub low: Option<Spell>,
    /// Spell of NeuronCores at 0; `None` without any.
    pub zero: Option<Spell>,
    /// Spell in which it looks used and computes nothing; `None` outside one.
    pub stall: Option<Spell>,
    /// Spell in which the weighted mean of activity is below what its class should reach; `None` outside one.
    pub wasteful: Option<Spell>,
    /// Weighted mean of activity, 0–1.
    pub mean: f32,
    /// When use was last seen, ms since 1970; `None` when never.
    pub used_at: Option<i64>,
    /// The last samples' activity.
    pub trail: Trail,
    xid: Option<u16>,
    xid_at: i64,
    xid_is_new: bool,
    uses_since_xid: u32,
    last_indication: Indication,
    /// State that was concluded last; `None` before the first sample.
    pub state: Option<GpuState>,
}

impl Default for Track {
    fn default() -> Self {
        Self {
            at: i64::MIN,
            told_at: i64::MIN,
            quiet: None,
            against: 0,
            quiet_began: false,
            low: None,
            zero: None,
            stall: None,
            wasteful: None,
            mean: f32::NAN,
            used_at: None,
            trail: Trail::default(),
            xid: None,
            xid_at: 0,
            xid_is_new: false,
            uses_since_xid: 0,
            last_indication: Indication::Blind,
            state: None,
        }
    }
}

impl Track {
    /// Takes in the evidence of a fresh sample measured `at`. `limit` is how long news of its
    /// source stay fresh: after a longer gap nobody can say what happened in between. `below` is
    /// what activity its class of work should reach.
    pub fn observe(
        &mut self,
        at: i64,
        limit: i64,
        e: &Evidence,
        sample: &GpuSample,
        below: f32,
        rules: &GpuRules,
    ) {
        let is_new = at > self.at;
        if is_new && self.told_at != i64::MIN && at - self.told_at > limit {
            self.quiet = None;
            self.low = None;
            self.zero = None;
            self.stall = None;
            self.wasteful = None;
            self.mean = f32::NAN;
            self.last_indication = Indication::Blind;
        }
        if e.indication == Indication::Use {
            self.quiet = None;
            self.low = None;
            self.zero = None;
            self.used_at = Some(self.used_at.map_or(at, |u| u.max(at)));
            self.last_indication = Indication::Use;
        }
        if !e.stalls {
            self.stall = None;
        }
        if !is_new {
            // A source with a memory may answer after one without, which looked later.
            self.window(at, e, sample, rules);
            return;
        }
        self.errors(at, e, sample);
        let before = self.last_indication;
        self.against = match e.indication {
            Indication::Low if e.at_rest == Some(false) && e.idle_bit != Some(true) => {
                self.against + 1
            }
            _ => 0,
        };
        // A reading at the limit is a flicker; more of them are work that no engine shows.
        if self.against >= rules.min_samples && self.quiet.take().is_some() {
            self.quiet_began = false;
        }
        match e.indication {
            Indication::Idle => {
                if self.quiet.is_none() {
                    self.quiet_began = before == Indication::Use;
                }
                Spell::extend(&mut self.quiet, at);
                Spell::extend(&mut self.low, at);
            }
            Indication::Low => {
                // Use, then low activity whose power still falls: the beginning stays known.
                self.quiet_began |= before == Indication::Use && self.quiet.is_none();
                Spell::extend(&mut self.low, at);
            }
            Indication::Use | Indication::Phantom | Indication::Blind => {}
        }
        if e.cores_at_zero {
            Spell::extend(&mut self.zero, at);
        } else {
            self.zero = None;
        }
        if e.stalls {
            Spell::extend(&mut self.stall, at);
        }
        if !matches!(e.indication, Indication::Phantom | Indication::Blind) {
            self.last_indication = e.indication;
            self.told_at = at;
        }
        self.window(at, e, sample, rules);
        self.efficiency(at, e, sample, below);
        self.trail.push(e.activity.map_or(f32::NAN, |a| a.effective));
        self.at = at;
    }

    /// Takes in the minutes that a source with a memory reports, as if they had been swept.
    fn window(&mut self, at: i64, e: &Evidence, sample: &GpuSample, rules: &GpuRules) {
        let Some(recent) = sample.recent.filter(|r| r.samples > 0) else { return };
        let from = at - i64::from(recent.seconds) * 1000;
        if recent.max_activity.is_nan() || recent.max_activity >= rules.idle_below {
            if self.used_at.is_none() {
                // Somewhere within the window: the spell began in it.
                self.used_at = Some(from);
                self.quiet_began = true;
            }
            return;
        }
        let rested = recent.max_power_w.zip(e.rest).is_some_and(|(p, rest)| p <= rest);
        if e.indication != Indication::Idle || !rested || recent.samples < rules.min_samples {
            return;
        }
        let from = self.used_at.map_or(from, |u| from.max(u));
        if let Some(quiet) = self.quiet.as_mut().filter(|q| from < q.since) {
            quiet.since = from;
            quiet.samples = quiet.samples.max(recent.samples);
            self.quiet_began = self.used_at == Some(from);
        }
    }

    /// The weighted mean of activity, and since when it is too low.
    fn efficiency(&mut self, at: i64, e: &Evidence, sample: &GpuSample, below: f32) {
        let usable =
            e.activity.filter(|a| a.rung <= Rung::C && e.indication != Indication::Phantom);
        let Some(activity) = usable else { return };
        let old = if self.at == i64::MIN { at } else { self.at };
        self.mean = if self.mean.is_nan() {
            activity.effective
        } else {
            let weight = 1.0 - (-((at - old) as f32) / MEAN_OVER_MS).exp();
            self.mean + weight * (activity.effective - self.mean)
        };
        let limit = below + if self.wasteful.is_some() { INEFFICIENT_HYSTERESIS } else { 0.0 };
        if self.mean < limit {
            Spell::extend(&mut self.wasteful, at);
        } else {
            self.wasteful = None;
        }
        let window = sample.recent.filter(|r| r.samples >= 3 && r.max_activity < below);
        if let (Some(recent), Some(spell)) = (window, &mut self.wasteful) {
            spell.since = spell.since.min(at - i64::from(recent.seconds) * 1000);
        }
    }

    fn errors(&mut self, at: i64, e: &Evidence, sample: &GpuSample) {
        let xid = sample.signals.get(GpuSignal::Xid).map(|x| x as u16);
        if xid.is_some() && xid != self.xid {
            self.xid_is_new = self.xid.is_some();
            self.xid = xid;
            self.xid_at = at;
            self.uses_since_xid = 0;
            if self.xid_is_new {
                // Work of the very sample that brought it came before it.
                return;
            }
        }
        if e.indication == Indication::Use {
            self.uses_since_xid = self.uses_since_xid.saturating_add(1);
        }
    }

    /// Hardware XID that still counts: reported a moment ago, or followed by no work; `None` without one.
    pub fn broken(&self) -> Option<u16> {
        let xid = self.xid.filter(|x| xid(u32::from(*x)).is_some_and(|x| x.is_fatal))?;
        let moment = self.xid_is_new && self.at - self.xid_at < XID_NEW_MS;
        (moment || self.uses_since_xid == 0).then_some(xid)
    }

    /// Spell that may be called idle: long enough with two witnesses, or long with NeuronCores at 0. `None` without
    /// one.
    pub fn idle(&self, indication: Indication, rules: &GpuRules) -> Option<Spell> {
        let needed = rules.min_idle.as_millis() as i64;
        let long = self.quiet.filter(|q| q.samples >= rules.min_samples && q.lasted() >= needed);
        let zero =
            self.zero.filter(|z| z.samples >= rules.min_samples && z.lasted() >= NEURON_QUIET_MS);
        match indication {
            Indication::Idle => long.or(zero),
            Indication::Low => zero,
            // Called idle before; a value that nothing can cause does not change it.
            Indication::Phantom if self.state.is_some_and(GpuState::is_idle) => long,
            _ => None,
        }
    }
}
