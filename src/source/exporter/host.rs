//! One host and what is remembered of it.

use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::Mutex;

use super::pause::Pause;
use super::targets::{Focus, Target};
use super::{Asked, OPERATION};
use crate::domain::{ErrorKind, SourceError};
use crate::source::budget::Budget;
use crate::source::exposition::{Reader, Tally};
use crate::source::http::{Answer, Expect, Http, Limit};
use crate::source::vocabulary::{Gather, Gathered, Page, Vocabulary};

/// Largest number of devices and slices of one host: 16 GPUs in 7 slices, with reserve.
pub(super) const MAX_DEVICES: usize = 512;

/// A host with an exporter, and its state between readings.
#[derive(Debug)]
pub struct Host {
    /// Address of the exporter.
    pub target: Target,
    state: Mutex<State>,
    /// Names of the node that its pages reported.
    names: SyncMutex<Vec<Arc<str>>>,
}

#[derive(Debug)]
struct State {
    reader: Reader,
    gather: Gather,
    pause: Pause,
}

/// Result of reading a host.
#[derive(Debug)]
pub enum Read {
    /// GPUs of the host.
    Page(Gathered),
    /// Error; also while the host is paused after failures.
    Failed(Arc<SourceError>),
}

impl Host {
    /// A host that was not read yet; memory for its pages is reserved from `budget`.
    pub fn new(target: Target, vocabulary: Arc<Vocabulary>, budget: Arc<Budget>) -> Self {
        let page = Page { address: target.shown.clone(), instance_id: target.instance_id.clone() };
        let gather = Gather::of_page(vocabulary, page, MAX_DEVICES).within(budget);
        let state = State { reader: Reader::default(), gather, pause: Pause::default() };
        Self { target, state: Mutex::new(state), names: SyncMutex::default() }
    }

    /// True when the host is in focus.
    pub fn is_in(&self, focus: &Focus) -> bool {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        focus.holds(&self.target) || names.iter().any(|name| focus.names(name))
    }

    /// Reads the page of the host, unless it is paused after failures.
    pub async fn read(&self, http: &Http, asked: Asked, limit: Limit, every_s: u32) -> Read {
        let mut state = self.state.lock().await;
        if let Some(error) = state.pause.holds(asked.now) {
            return Read::Failed(error);
        }
        let answer = http.get(OPERATION, &self.target.url, limit).await;
        let read = answer
            .and_then(|answer| answer.checked(Expect::Text))
            .and_then(|answer| state.page(&answer, asked.moment()));
        match read {
            Ok(gathered) => {
                state.pause.worked();
                let mut names: Vec<Arc<str>> =
                    gathered.samples.iter().filter_map(|s| s.identity.host.node.clone()).collect();
                names.dedup();
                *self.names.lock().unwrap_or_else(PoisonError::into_inner) = names;
                Read::Page(gathered)
            }
            Err(error) => {
                let error = Arc::new(error);
                state.pause.failed(Arc::clone(&error), asked.now, every_s);
                Read::Failed(error)
            }
        }
    }
}

impl State {
    /// The GPUs of a page.
    fn page(&mut self, answer: &Answer, read_at: Timestamp) -> Result<Gathered, SourceError> {
        let Self { reader, gather, .. } = self;
        let vocabulary = Arc::clone(gather.vocabulary());
        let tally = reader.read(
            &answer.body,
            |name| vocabulary.get(name),
            |metric, series| gather.take(&metric, series.labels.iter(), series.value),
        );
        if tally.errors == 0 {
            gather.complete();
        }
        let gathered = gather.finish(read_at);
        tracing::debug!(host = %answer.place, ?tally, dropped = ?gathered.dropped, "page");
        if gathered.samples.is_empty() { Err(no_gpus(answer, tally)) } else { Ok(gathered) }
    }
}

fn no_gpus(answer: &Answer, tally: Tally) -> SourceError {
    let (kind, message, fix) = if tally.samples + tally.skipped > 0 {
        (
            ErrorKind::Unavailable,
            "its page has metrics, but none of GPUs".to_owned(),
            "check the port: dcgm-exporter listens on 9400, nvidia_gpu_exporter on 9835, all-smi \
             on 9090; name metrics of your own under gpus.aliases",
        )
    } else if tally.errors > 0 {
        (
            ErrorKind::Malformed,
            format!("its page cannot be read from line {} on", tally.first_error),
            "check that the address is that of an exporter",
        )
    } else {
        (
            ErrorKind::Unavailable,
            "its page is empty".to_owned(),
            "an exporter that has just started fills its page within its interval; if it stays \
             empty, look at its log",
        )
    };
    answer.place.error(kind, &message, fix)
}
