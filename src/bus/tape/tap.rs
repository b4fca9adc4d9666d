//! Where everything passes that goes on a tape, and where what is played comes in.

use std::sync::Arc;

use super::entry::{Entry, Said, SourceSaid};
use super::recorder::Recorder;
use crate::bus::Clock;
use crate::bus::facts::Cached;
use crate::bus::readings::Outcome;
use crate::bus::world::Update;
use crate::cache::GpuHours;
use crate::domain::{GpuHour, IdleStarts, Instance, Scope, SourceState, Sweep};
use crate::source::Identity;

/// Records what passes, where a recording was asked for.
#[derive(Clone)]
pub(in crate::bus) struct Tap {
    recorder: Option<Recorder>,
    clock: Clock,
}

impl Tap {
    pub fn new(recorder: Option<Recorder>, clock: Clock) -> Self {
        Self { recorder, clock }
    }

    fn record(&self, said: impl FnOnce() -> Option<Said>) {
        let Some(recorder) = &self.recorder else { return };
        if let Some(said) = said() {
            recorder.record(Entry { at: (self.clock)(), said });
        }
    }

    /// An update of the world.
    pub fn update(&self, update: &Update) {
        self.record(|| said(update));
    }

    /// GPU telemetry.
    pub fn sweep(&self, sweep: &Sweep) {
        self.record(|| Some(Said::Sweep { sweep: Arc::new(sweep.clone()) }));
    }

    /// Closed hours of GPU telemetry.
    pub fn hours(&self, hours: &GpuHours) {
        self.record(|| {
            let items: Vec<GpuHour> = hours.gpus.clone();
            let (source, origin) = (hours.source, hours.origin.clone());
            Some(Said::Hours { source, origin, hour: hours.hour, items })
        });
    }

    /// Since when GPUs idle, as far as the cache knew.
    pub fn gpu_starts(&self, starts: &IdleStarts) {
        self.record(|| Some(Said::GpuStarts { items: starts.clone() }));
    }

    /// What the cache knew at the start: a recording begins with it, or half of the fleet would come
    /// an hour later.
    pub fn start(&self, cached: &Cached) {
        for (scope, items) in &cached.instances {
            let (scope, items): (Scope, Vec<Arc<Instance>>) = (scope.clone(), items.clone());
            self.record(|| Some(Said::Instances { scope, items }));
        }
        if !cached.types.is_empty() {
            self.record(|| Some(Said::Types { items: cached.types.clone() }));
        }
        if !cached.offers.is_empty() {
            self.record(|| Some(Said::Offers { items: cached.offers.clone() }));
        }
        if !cached.verdicts.is_empty() {
            let items = cached.verdicts.iter().map(|(id, v)| (id.clone(), v.clone()));
            self.record(|| Some(Said::Verdicts { items: items.collect() }));
        }
        for reading in cached.readings.iter() {
            let outcome = match &reading.state {
                SourceState::Failed(error) => SourceSaid::Bad(error.clone()),
                _ => continue,
            };
            let (source, scope) = (reading.source, reading.scope.clone());
            self.record(|| Some(Said::Source { source, scope, outcome }));
        }
    }
}

/// Entry for an update; `None` for updates that are not recorded.
fn said(update: &Update) -> Option<Said> {
    Some(match update {
        Update::Source { source, scope, outcome } => Said::Source {
            source: *source,
            scope: scope.clone(),
            outcome: match outcome {
                Outcome::Loading => SourceSaid::Loading,
                Outcome::Good { coverage } => SourceSaid::Good(*coverage),
                Outcome::Bad(error) => SourceSaid::Bad(error.clone()),
            },
        },
        Update::Account(who) => {
            Said::Account { account: who.account.clone(), label: who.label.clone() }
        }
        Update::Instances { scope, items } => {
            Said::Instances { scope: scope.clone(), items: items.clone() }
        }
        Update::Types(items) => Said::Types { items: items.clone() },
        Update::Offers(items) => Said::Offers { items: items.clone() },
        Update::Commitments(holdings) => Said::Commitments { holdings: holdings.clone() },
        Update::Verdicts { verdicts, .. } => Said::Verdicts { items: verdicts.clone() },
        // What a run says about itself.
        Update::Forget { .. }
        | Update::Remembered(_)
        | Update::Scopes { .. }
        | Update::NoCredentials(_)
        | Update::Billed(_)
        | Update::Held(_)
        | Update::Runs(_)
        | Update::Launches(_)
        | Update::FailedRuns(_)
        | Update::OwnCost
        | Update::Trouble { .. }
        | Update::Missing { .. }
        | Update::Seen(_) => return None,
    })
}

/// What is played, for those who take it in.
pub(in crate::bus) enum Played {
    World(Update),
    Sweep(Sweep),
    Hours(GpuHours),
    GpuStarts(IdleStarts),
}

impl Played {
    /// Verdicts count as those of the policy in force: who plays a tape sees what was seen.
    pub fn of(said: Said, policy: &Arc<crate::analyze::idle::Policy>) -> Self {
        Self::World(match said {
            Said::Source { source, scope, outcome } => Update::Source {
                source,
                scope,
                outcome: match outcome {
                    SourceSaid::Loading => Outcome::Loading,
                    SourceSaid::Good(coverage) => Outcome::Good { coverage },
                    SourceSaid::Bad(error) => Outcome::Bad(error),
                },
            },
            Said::Account { account, label } => {
                Update::Account(Identity { account, arn: "".into(), label })
            }
            Said::Instances { scope, items } => Update::Instances { scope, items },
            Said::Types { items } => Update::Types(items),
            Said::Offers { items } => Update::Offers(items),
            Said::Commitments { holdings } => Update::Commitments(holdings),
            Said::Verdicts { items } => {
                Update::Verdicts { policy: policy.clone(), verdicts: items }
            }
            Said::Sweep { sweep } => return Self::Sweep(Arc::unwrap_or_clone(sweep)),
            Said::Hours { source, origin, hour, items } => {
                return Self::Hours(GpuHours { source, origin, hour, gpus: items });
            }
            Said::GpuStarts { items } => return Self::GpuStarts(items),
        })
    }
}
