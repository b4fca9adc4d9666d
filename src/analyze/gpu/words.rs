//! The words of a verdict. A fleet says the same few thousand sentences over and over: each is
//! written once and shared.

use std::fmt;
use std::sync::Arc;

use crate::domain::gpu::xid;
use crate::domain::{FastMap, GpuSignal};

/// Sentences kept; beyond it all are dropped and written anew as they are said.
const MAX: usize = 20_000;

/// What can be said. Figures are rounded to what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Say {
    Nothing,
    Engine(GpuSignal, u8),
    Power {
        watts: u16,
        rest: u16,
        floor: u16,
    },
    PowerAlone(u16),
    NoPower,
    IdleBit(bool),
    Memory {
        mib: u32,
        percent: Option<u8>,
    },
    Works(GpuSignal, u8),
    WorksByPower(u16),
    Elsewhere(u8),
    QuietShortly(u16),
    UsedLately {
        percent: u8,
        minutes: u16,
    },
    Inefficient {
        mean: u8,
        below: u8,
    },
    Preallocated {
        percent: u8,
        idle: bool,
    },
    HeldIdle,
    PerhapsHeld,
    Unallocated,
    Stalled(u16),
    Phantom(u8),
    OneWitness,
    /// Low activity at a power, W, of a model whose power at rest is not known.
    NoFloor(u16),
    PowerAgainst {
        watts: u16,
        rest: u16,
    },
    CoresQuiet,
    TooShort {
        seconds: u16,
        needed: u16,
        samples: u16,
    },
    PowerOnly(u16),
    NoEvidence,
    Rest(u8),
    Silent(u32),
    Xid {
        code: u16,
        silent: bool,
    },
    Remap,
    Recovery(u16),
    Advise(Advice, Option<i64>),
}

/// What can be advised; the dollars are USD a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Advice {
    Release,
    Unload,
    UseOrStop,
    Training,
    Inference { mig: bool },
    Fit { mig: bool },
    Unstick,
    Replace,
    Partition,
    MorePower,
    Profile,
    LookAtSource,
}

/// Sentences that were said.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    said: FastMap<Say, Arc<str>>,
}

impl Words {
    /// The sentence.
    pub fn get(&mut self, say: Say) -> Arc<str> {
        if let Some(text) = self.said.get(&say) {
            return text.clone();
        }
        if self.said.len() >= MAX {
            self.said.clear();
        }
        let text: Arc<str> = say.to_string().into();
        self.said.insert(say, text.clone());
        text
    }
}

/// A ratio as whole percent.
pub(super) fn percent(ratio: f32) -> u8 {
    (ratio.clamp(0.0, 1.0) * 100.0).round() as u8
}

fn engine(signal: GpuSignal) -> &'static str {
    match signal {
        GpuSignal::SmActive => "SM active",
        GpuSignal::GrEngine => "graphics engine active",
        GpuSignal::NeuronCore => "NeuronCores",
        GpuSignal::Dram => "DRAM (of what can be reached)",
        GpuSignal::Enc => "encoder",
        GpuSignal::Dec => "decoder",
        _ => "utilisation",
    }
}

fn meaning(code: u16) -> &'static str {
    xid(u32::from(code)).map_or("hardware error", |x| x.meaning)
}

impl fmt::Display for Say {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nothing => Ok(()),
            Self::Engine(signal, p) => write!(f, "{} {p} %", engine(signal)),
            Self::Power { watts, rest, floor } => {
                write!(
                    f,
                    "power {watts} W, at rest up to {rest} W (idle floor of the model {floor} W)"
                )
            }
            Self::PowerAlone(watts) => {
                write!(f, "power {watts} W, idle power of the model not known yet")
            }
            Self::NoPower => f.write_str("power not known"),
            Self::IdleBit(true) => f.write_str("the driver says idle"),
            Self::IdleBit(false) => f.write_str("the driver does not say idle"),
            Self::Memory { mib, percent: Some(p) } => write!(f, "memory {mib} MiB in use ({p} %)"),
            Self::Memory { mib, percent: None } => write!(f, "memory {mib} MiB in use"),
            Self::Works(signal, p) => write!(f, "works: {} {p} %", engine(signal)),
            Self::Elsewhere(p) => write!(f, "works: another source says {p} %"),
            Self::WorksByPower(watts) => write!(f, "works: draws {watts} W"),
            Self::QuietShortly(needed) => {
                write!(f, "worked a moment ago, quiet for less than {}", seconds(needed))
            }
            Self::UsedLately { percent, minutes } => {
                write!(f, "quiet now, up to {percent} % within the last {minutes} min")
            }
            Self::Inefficient { mean, below } => {
                write!(f, "works at {mean} % of what it could, below {below} % all the time")
            }
            Self::Preallocated { percent, idle: true } => {
                write!(f, "memory is pre-allocated ({percent} %), nothing is computed")
            }
            Self::Preallocated { percent, idle: false } => {
                write!(f, "memory is pre-allocated ({percent} %), little is computed")
            }
            Self::HeldIdle => f.write_str("somebody holds it and computes nothing"),
            Self::PerhapsHeld => {
                f.write_str("nothing is computed; no source says whether somebody holds it")
            }
            Self::Unallocated => f.write_str("nobody holds it and nothing runs"),
            Self::Stalled(minutes) => write!(
                f,
                "looks fully used for {minutes} min, draws little power, computes nothing: likely \
                 hangs"
            ),
            Self::Phantom(p) => {
                write!(f, "utilisation {p} % with nothing in memory and no process is not believed")
            }
            Self::NoFloor(watts) => write!(
                f,
                "activity is low, but whether {watts} W is at rest is not known: the idle power of \
                 this model is learned as its GPUs are seen quiet, or the driver's idle bit decides"
            ),
            Self::OneWitness => f.write_str(
                "activity is low, but no second witness: neither idle power nor the driver's word",
            ),
            Self::PowerAgainst { watts, rest } => write!(
                f,
                "activity is low, but power speaks against: {watts} W, at rest up to {rest} W"
            ),
            Self::CoresQuiet => f.write_str(
                "NeuronCores are quiet with memory in use: idle after half an hour at 0 %",
            ),
            Self::TooShort { seconds: s, needed, samples } => write!(
                f,
                "quiet, seen for {} in {samples} {}: idle takes {} and 3 samples",
                seconds(s),
                if samples == 1 { "sample" } else { "samples" },
                seconds(needed)
            ),
            Self::PowerOnly(watts) => {
                write!(f, "only power is told ({watts} W), which shows neither work nor idleness")
            }
            Self::NoEvidence => f.write_str("nothing is told of its activity"),
            Self::Rest(slices) => {
                write!(f, "{slices} of 7 slices are of no GPU instance that is told")
            }
            Self::Silent(minutes) => write!(f, "no news for {minutes} min"),
            Self::Xid { code, silent: false } => write!(f, "XID {code}: {}", meaning(code)),
            Self::Xid { code, silent: true } => {
                write!(f, "XID {code}: {}; no news since", meaning(code))
            }
            Self::Remap => f.write_str("row remapping failed: the memory is worn"),
            Self::Recovery(code) => {
                write!(f, "the driver asks for recovery (action {code})")
            }
            Self::Advise(advice, usd) => advise(f, advice, usd),
        }
    }
}

fn advise(f: &mut fmt::Formatter<'_>, advice: Advice, usd: Option<i64>) -> fmt::Result {
    let text = match advice {
        Advice::Release => "ask its owner to release it, or schedule other work here",
        Advice::Unload => {
            "ask the runtime what it uses of the memory it reserved, and unload the model or share \
             the GPU while nobody asks"
        }
        Advice::UseOrStop => {
            "schedule work here, or stop the instance once its other GPUs are idle as well"
        }
        Advice::Training => {
            "feed it faster (data loading, larger batches), take a smaller type, or fewer GPUs"
        }
        Advice::Inference { mig: true } => {
            "batch requests, take a smaller type, or share it by MIG or time-slicing"
        }
        Advice::Inference { mig: false } => {
            "batch requests, take a smaller type, or share it by time-slicing"
        }
        Advice::Fit { mig: true } => {
            "take a smaller type or fewer GPUs, batch the work, or share it by MIG or time-slicing"
        }
        Advice::Fit { mig: false } => {
            "take a smaller type or fewer GPUs, batch the work, or share it by time-slicing"
        }
        Advice::Unstick => "look at the job: a collective or a lock it waits for; restart it",
        Advice::Replace => {
            "drain the node, reset the GPU, and stop and start the instance for another host if it \
             comes back"
        }
        Advice::Partition => "create GPU instances for the rest, or leave MIG mode",
        Advice::MorePower => {
            "let its source report power as well (DCGM_FI_DEV_POWER_USAGE, power.draw)"
        }
        Advice::Profile => {
            "let dcgm-exporter report DCGM_FI_PROF_GR_ENGINE_ACTIVE or DCGM_FI_PROF_SM_ACTIVE"
        }
        Advice::LookAtSource => "look whether its exporter and its host are up",
    };
    f.write_str(text)?;
    let Some(usd) = usd.filter(|u| *u > 0) else { return Ok(()) };
    let usd = thousands(usd);
    match advice {
        Advice::Training | Advice::Inference { .. } | Advice::Fit { .. } => {
            write!(f, ": up to ${usd}/month buys no work")
        }
        Advice::Partition | Advice::Replace => write!(f, ": ${usd}/month"),
        Advice::MorePower | Advice::Profile | Advice::LookAtSource => Ok(()),
        _ => write!(f, ": ${usd}/month for nothing"),
    }
}

fn seconds(s: u16) -> String {
    if s >= 120 && s.is_multiple_of(60) { format!("{} min", s / 60) } else { format!("{s} s") }
}

fn thousands(n: i64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && c.is_ascii_digit() {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_written_once() {
        let mut words = Words::default();
        let a = words.get(Say::Engine(GpuSignal::SmActive, 3));
        assert_eq!(&*a, "SM active 3 %");
        assert!(Arc::ptr_eq(&a, &words.get(Say::Engine(GpuSignal::SmActive, 3))));
        for mib in 0..=MAX as u32 {
            words.get(Say::Memory { mib, percent: None });
        }
        assert!(words.said.len() <= MAX);
    }

    #[test]
    fn dollars_read_as_dollars() {
        let say = |usd| Say::Advise(Advice::Release, usd).to_string();
        assert!(say(Some(12_345)).ends_with(": $12,345/month for nothing"));
        assert!(say(None).ends_with("here") && say(Some(0)).ends_with("here"));
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
