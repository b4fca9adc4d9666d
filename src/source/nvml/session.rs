//! The library while it is loaded: all GPUs, and the beats at which they are read.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{EventSet, Nvml};

use super::call::Fault;
use super::gpu::{Gpu, SweepParams};
use super::host::Places;
use super::process::Users;
use super::worker::Request;
use super::{OPERATION, error};
use crate::domain::gpu::without_port;
use crate::domain::{ErrorKind, HostNames, HostTrouble, SourceError, SourceId, Sweep};

/// Time between two readings of processes, errors and what changes slowly.
const ROUND: SignedDuration = SignedDuration::from_secs(5);

/// Time between two readings of facts.
const FACTS: SignedDuration = SignedDuration::from_secs(60);

/// Between the two profiling samples of a first look.
const PRIMING: std::time::Duration = std::time::Duration::from_millis(250);

/// XID events taken at one look; a storm of them is one trouble.
const MAX_EVENTS: usize = 16;

/// Reason for ending a session.
pub(super) enum End {
    /// The library must be loaded again.
    Library(NvmlError),
    /// The set of GPUs changed: they must be opened again, at once.
    Changed,
}

/// Loaded library with all GPUs of the host.
pub(super) struct Session<'n> {
    nvml: &'n Nvml,
    places: &'n Places,
    host: HostNames,
    users: Users,
    sees_all: bool,
    gpus: Vec<Gpu<'n>>,
    /// GPUs that could not even be opened.
    closed: Vec<(u32, NvmlError)>,
    events: Option<EventSet<'n>>,
    count: u32,
    round_at: Option<Timestamp>,
    facts_at: Option<Timestamp>,
}

impl<'n> Session<'n> {
    /// Opens all GPUs; one that fails does not affect the others. Err when the library fails.
    pub fn open(nvml: &'n Nvml, places: &'n Places) -> Result<Self, NvmlError> {
        let count = nvml.device_count()?;
        let (mut gpus, mut closed) = (Vec::new(), Vec::new());
        for index in 0..count {
            match nvml.device_by_index(index) {
                Ok(device) => gpus.push(Gpu::new(device, index)),
                Err(e) => closed.push((index, e)),
            }
        }
        let events = watch(nvml, &gpus);
        Ok(Self {
            nvml,
            places,
            host: places.names(),
            users: Users::default(),
            sees_all: places.sees_all_processes(),
            gpus,
            closed,
            events,
            count,
            round_at: None,
            facts_at: None,
        })
    }

    /// True when the host is among those asked for.
    fn is_meant(&self, focus: &[Arc<str>]) -> bool {
        let names = [&self.host.instance_id, &self.host.node];
        focus.iter().any(|name| names.iter().any(|n| n.as_deref() == Some(without_port(name))))
    }

    /// Reads everything that is due. Err when the session has ended.
    pub fn sweep(&mut self, request: &Request) -> Result<Sweep, End> {
        let close = self.is_meant(&request.focus);
        if !request.focus.is_empty() && !close {
            return Ok(self.answer(request, Vec::new(), true));
        }
        let facts = due(&mut self.facts_at, request.now, FACTS);
        let round = due(&mut self.round_at, request.now, ROUND);
        if facts {
            let count = self.nvml.device_count().map_err(End::Library)?;
            if count != self.count {
                return Err(End::Changed);
            }
            self.users = Users::read(&self.places.passwd);
        }
        let params = SweepParams {
            now: request.now,
            round,
            close,
            host: &self.host,
            users: &self.users,
            places: self.places,
        };
        if facts {
            for gpu in &mut self.gpus {
                gpu.learn(self.nvml, &params);
            }
        }
        if request.with_recent {
            prime(self.nvml, &mut self.gpus, request.now);
        }
        for gpu in &mut self.gpus {
            gpu.look(self.nvml, &params);
            if let Some(Fault::Library(e)) = gpu.calls.fault.take_if(|f| f.is_of_all()) {
                return Err(End::Library(e));
            }
        }
        if round {
            self.hear_events();
        }
        let troubles = self.troubles();
        Ok(self.answer(request, troubles, false))
    }

    /// Takes the XID errors that came since the last look.
    fn hear_events(&mut self) {
        let Some(events) = &self.events else { return };
        for _ in 0..MAX_EVENTS {
            let Ok(event) = events.wait(0) else { return };
            let Some(XidError::Value(xid)) = event.event_data else { continue };
            let Ok(uuid) = event.device.uuid() else { continue };
            let found = self.gpus.iter_mut().find(|g| g.device().uuid().is_ok_and(|u| u == uuid));
            if let Some(gpu) = found {
                gpu.xid = Some(xid);
            }
        }
    }

    /// Troubles of single GPUs.
    fn troubles(&self) -> Vec<HostTrouble> {
        let name =
            |index: u32| -> Arc<str> { format!("{} GPU {index}", self.host.shown()).trim().into() };
        let closed = self.closed.iter().map(|(index, e)| (*index, error::device(e)));
        let open = self.gpus.iter().filter_map(|gpu| {
            let error = match (&gpu.calls.fault, &gpu.calls.last) {
                (Some(fault), _) => error::device(fault.error()),
                (None, Some(e)) if gpu.is_mute() => error::device(e),
                (None, None) if gpu.is_mute() => error::device(&NvmlError::NoPermission),
                _ if gpu.has_nameless_slices() => SourceError::new(
                    ErrorKind::Unavailable,
                    OPERATION,
                    "the slices of this GPU cannot be told apart",
                    "Have `nvidia-smi` in the PATH, which names their GPU instances.",
                ),
                _ => return None,
            };
            Some((gpu.index, error))
        });
        closed
            .chain(open)
            .map(|(index, error)| HostTrouble { host: name(index), error: Arc::new(error) })
            .collect()
    }

    fn answer(&self, request: &Request, troubles: Vec<HostTrouble>, elsewhere: bool) -> Sweep {
        let told = self.gpus.iter().filter(|g| g.calls.fault.is_none() && !g.is_mute());
        let samples = if elsewhere {
            Vec::new()
        } else {
            told.flat_map(|g| g.samples(self.sees_all)).collect()
        };
        Sweep {
            source: SourceId::Nvml,
            origin: request.origin.clone(),
            taken_at: Timestamp::now(),
            samples,
            asked: u32::from(!elsewhere),
            answered: u32::from(!elsewhere),
            troubles,
            partial: elsewhere,
        }
    }

    /// True when a GPU is lost: only loading the library again shows whether it is back.
    pub fn has_lost(&self) -> bool {
        !self.closed.is_empty() || self.gpus.iter().any(|g| g.calls.fault.is_some())
    }
}

impl Fault {
    fn is_of_all(&self) -> bool {
        matches!(self, Self::Library(_))
    }

    fn error(&self) -> &NvmlError {
        match self {
            Self::Device(e) | Self::Library(e) => e,
        }
    }
}

/// Registers for XID errors; `None` where that is not possible. The wrapper frees the set by a
/// function that it takes for granted.
fn watch<'n>(nvml: &'n Nvml, gpus: &[Gpu<'n>]) -> Option<EventSet<'n>> {
    if nvml.lib().nvmlEventSetFree.is_err() {
        return None;
    }
    let mut set = Nvml::create_event_set(nvml).ok()?;
    for gpu in gpus {
        // One that refuses takes the set with it.
        set = gpu.device().register_events(EventTypes::CRITICAL_XID_ERROR, set).ok()?;
    }
    Some(set)
}

/// Whether something is due, and if so notes when it was done. A clock that was put back makes
/// everything due.
fn due(last: &mut Option<Timestamp>, now: Timestamp, every: SignedDuration) -> bool {
    let waits = last.is_some_and(|at| {
        let passed = now.duration_since(at);
        passed >= SignedDuration::ZERO && passed < every
    });
    if !waits {
        *last = Some(now);
    }
    !waits
}

/// Takes a first profiling sample of the GPUs that have none, so that a report that looks once has
/// the best evidence.
fn prime<'n>(nvml: &'n Nvml, gpus: &mut [Gpu<'n>], now: Timestamp) {
    let Ok(before) = now.checked_sub(PRIMING) else { return };
    let taken = gpus.iter_mut().filter_map(|gpu| gpu.prime(nvml, before).then_some(())).count();
    if taken > 0 {
        std::thread::sleep(PRIMING);
    }
}
