//! The GPUs of this host, through the driver's management library (NVML).
//!
//! The library is loaded when it is first asked, on a thread of its own: its calls block, some for
//! 20 ms, and one into a broken driver may never return. What is missing (library, driver,
//! permission, one function, one GPU) is said and tried again later; it is never fatal.
//!
//! Not read: NVLink before Hopper (the wrapper asks for the first link alone), XID errors of the
//! time before burntop began to watch (the driver does not keep them for readers).

mod call;
mod error;
mod facts;
mod gpm;
mod gpu;
mod host;
mod process;
mod runs;
mod session;
mod slice;
mod smi;
mod worker;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use tokio::sync::oneshot;

use self::host::Places;
use self::worker::Request;
use crate::domain::{ErrorKind, SourceError, SourceId, Sweep};
use crate::source::{Ask, GpuSource};

/// Operation named in errors.
const OPERATION: &str = "nvml";

/// The longest wait for one answer. Without the persistence daemon the first one wakes the GPUs up,
/// which takes seconds on a host with eight of them.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// Requests that may wait for a thread that is stuck in the driver.
const QUEUE: usize = 4;

/// Settings of the local GPU source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Path of the library; `None` for the system's `libnvidia-ml.so.1`.
    pub library: Option<PathBuf>,
    /// Time between two readings.
    pub every: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { library: None, every: Duration::from_secs(1) }
    }
}

/// The GPUs of this host as a source. Its thread starts with the first sweep and ends when this is dropped.
pub struct Local {
    settings: Settings,
    places: Places,
    origin: Arc<str>,
    requests: Mutex<Option<SyncSender<Request>>>,
}

impl Local {
    /// A source that has not loaded the library yet.
    pub fn new(settings: Settings) -> Self {
        Self::at(settings, Places::default())
    }

    fn at(settings: Settings, places: Places) -> Self {
        let origin = places.hostname().unwrap_or_else(|| "this host".into());
        Self { settings, places, origin, requests: Mutex::default() }
    }

    /// Gives the request to the thread, which is started where there is none.
    fn hand_over(&self, mut request: Request) -> Result<(), SourceError> {
        let mut slot = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = &*slot {
            match requests.try_send(request) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) => return Err(error::stuck()),
                // The thread ended; a new one takes over.
                Err(TrySendError::Disconnected(back)) => request = back,
            }
        }
        let (requests, waiting) = sync_channel(QUEUE);
        let (settings, places) = (self.settings.clone(), self.places.clone());
        std::thread::Builder::new()
            .name("nvml".to_owned())
            .spawn(move || worker::run(&waiting, &settings, &places))
            .map_err(|e| {
                let fix = "Raise the limit of processes and threads of this user.";
                SourceError::new(ErrorKind::Other, OPERATION, &format!("no thread: {e}"), fix)
            })?;
        // The queue is empty: there is room.
        let sent = requests.try_send(request).map_err(|_| error::stuck());
        *slot = Some(requests);
        sent
    }
}

#[async_trait::async_trait]
impl GpuSource for Local {
    fn source(&self) -> SourceId {
        SourceId::Nvml
    }

    fn origin(&self) -> &Arc<str> {
        &self.origin
    }

    fn every(&self) -> Duration {
        self.settings.every
    }

    fn focus_every(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }

    async fn sweep(&self, ask: &Ask) -> Result<Sweep, SourceError> {
        let (reply, answer) = oneshot::channel();
        let request = Request {
            now: ask.now,
            focus: ask.focus.clone(),
            with_recent: ask.with_recent,
            origin: self.origin.clone(),
            reply,
        };
        self.hand_over(request)?;
        match tokio::time::timeout(ANSWER_LIMIT, answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(SourceError::new(
                ErrorKind::Other,
                OPERATION,
                "the library ended in mid-call",
                "It is loaded anew; if this repeats, look at `dmesg` for messages of NVRM.",
            )),
            Err(_) => Err(error::stuck()),
        }
    }
}

/// Number of GPUs that the driver lists. Err when the library cannot be loaded or does not answer. Blocks as long as
/// the driver does.
pub fn probe(settings: &Settings) -> Result<u32, SourceError> {
    let nvml = load(settings).map_err(|e| error::library(&e, settings))?;
    nvml.device_count().map_err(|e| error::library(&e, settings))
}

/// True when the library can be loaded and answers. Blocks as long as the driver does.
pub fn present(settings: &Settings) -> bool {
    probe(settings).is_ok()
}

/// Loads the library and initialises it.
fn load(settings: &Settings) -> Result<Nvml, NvmlError> {
    let mut builder = Nvml::builder();
    if let Some(path) = &settings.library {
        builder.lib_path(path.as_os_str());
    }
    let nvml = builder.init()?;
    if nvml.lib().nvmlShutdown.is_err() {
        // The wrapper calls it when it lets go, whether it is there or not.
        std::mem::forget(nvml);
        return Err(NvmlError::FailedToLoadSymbol("nvmlShutdown".to_owned()));
    }
    Ok(nvml)
}
