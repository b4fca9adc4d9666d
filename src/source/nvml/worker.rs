//! The thread that calls the library.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use jiff::{SignedDuration, Timestamp};
use nvml_wrapper::Nvml;
use tokio::sync::oneshot;

use super::host::Places;
use super::session::{End, Session};
use super::{Settings, error, load};
use crate::domain::{SourceError, Sweep};

/// The first wait before the library is loaded anew; doubled each time.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(5);

/// The longest.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(60);

/// Request for a sweep.
pub(super) struct Request {
    /// Present time, by which readings and pauses are timed.
    pub now: Timestamp,
    /// Hosts in focus; empty for all.
    pub focus: Arc<[Arc<str>]>,
    /// True when this may be the only reading, so that it has to be complete.
    pub with_recent: bool,
    /// Name of the source.
    pub origin: Arc<str>,
    /// Receiver of the answer.
    pub reply: oneshot::Sender<Result<Sweep, SourceError>>,
}

impl Request {
    fn answer(self, result: Result<Sweep, SourceError>) {
        // Nobody waits any more: then nobody misses it.
        let _ = self.reply.send(result);
    }
}

/// What keeps the library from being loaded, and until when it is left alone.
#[derive(Default)]
struct Trouble {
    said: Option<(SourceError, Timestamp, SignedDuration)>,
}

impl Trouble {
    /// The error to repeat while it is too early to try again. A clock that was put back does not
    /// make anything wait longer.
    fn holds(&self, now: Timestamp) -> Option<SourceError> {
        let (error, at, wait) = self.said.as_ref()?;
        let passed = now.duration_since(*at);
        (passed >= SignedDuration::ZERO && passed < *wait).then(|| error.clone())
    }

    fn add(&mut self, error: SourceError, now: Timestamp) {
        let wait = match &self.said {
            Some((_, _, wait)) => wait.saturating_add(*wait).min(LONGEST_WAIT),
            None => FIRST_WAIT,
        };
        self.said = Some((error, now, wait));
    }

    fn clear(&mut self) {
        self.said = None;
    }
}

/// Serves requests until all senders are gone.
pub(super) fn run(requests: &Receiver<Request>, settings: &Settings, places: &Places) {
    let mut trouble = Trouble::default();
    let mut pending = None;
    loop {
        let Some(request) = pending.take().or_else(|| requests.recv().ok()) else { return };
        if request.reply.is_closed() {
            continue;
        }
        if let Some(error) = trouble.holds(request.now) {
            request.answer(Err(error));
            continue;
        }
        match load(settings) {
            Ok(nvml) => {
                pending = serve(&nvml, request, requests, settings, places, &mut trouble);
            }
            Err(e) => {
                let error = error::library(&e, settings);
                trouble.add(error.clone(), request.now);
                request.answer(Err(error));
            }
        }
    }
}

/// Answers as long as the library works; gives back the request for which it is to be loaded anew.
fn serve(
    nvml: &Nvml,
    first: Request,
    requests: &Receiver<Request>,
    settings: &Settings,
    places: &Places,
    trouble: &mut Trouble,
) -> Option<Request> {
    let mut session = match Session::open(nvml, places) {
        Ok(session) => session,
        Err(e) => {
            let error = error::library(&e, settings);
            trouble.add(error.clone(), first.now);
            first.answer(Err(error));
            return None;
        }
    };
    let opened = first.now;
    let mut next = Some(first);
    loop {
        let request = next.take().or_else(|| requests.recv().ok())?;
        if request.reply.is_closed() {
            continue;
        }
        if session.has_lost() && request.now.duration_since(opened) >= LONGEST_WAIT {
            return Some(request);
        }
        match session.sweep(&request) {
            Ok(sweep) => {
                trouble.clear();
                request.answer(Ok(sweep));
            }
            Err(End::Changed) => return Some(request),
            Err(End::Library(e)) => {
                let error = error::library(&e, settings);
                trouble.add(error.clone(), request.now);
                request.answer(Err(error));
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorKind;

    #[test]
    fn waits_double_up_to_a_minute_and_end() {
        let error = SourceError::new(ErrorKind::Unavailable, "nvml", "gone", "");
        let mut now = Timestamp::from_second(1_800_000_000).unwrap();
        let mut trouble = Trouble::default();
        assert_eq!(trouble.holds(now), None);
        for wait in [5, 10, 20, 40, 60, 60] {
            trouble.add(error.clone(), now);
            let wait = SignedDuration::from_secs(wait);
            let almost = now + wait - SignedDuration::from_millis(1);
            assert_eq!(trouble.holds(almost).as_ref(), Some(&error));
            now += wait;
            assert_eq!(trouble.holds(now), None);
        }
        trouble.clear();
        trouble.add(error.clone(), now);
        let before = now - SignedDuration::from_secs(3_600);
        assert_eq!(trouble.holds(before), None, "a clock put back");
    }
}
