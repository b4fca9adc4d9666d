//! Which hosts of a source do not answer: a line in the log when one begins to fail, fails
//! otherwise, or works again, and none in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{HostTrouble, SourceError, Sweep};

/// Hosts remembered; a source with more of them in trouble is in trouble itself.
const HOSTS: usize = 1_000;
/// Lines per sweep: who loses a rack needs no line for each host.
const LINES: usize = 10;

/// The hosts of one source that failed last.
#[derive(Default)]
pub(super) struct Troubles(BTreeMap<Arc<str>, Arc<SourceError>>);

/// What there is to say after a sweep.
#[derive(Debug, Default, PartialEq)]
pub(super) struct News {
    /// Host and error; `None` when it works again.
    pub lines: Vec<(Arc<str>, Option<Arc<SourceError>>)>,
    /// Changes beyond those lines.
    pub more: usize,
}

impl Troubles {
    /// Compares with what was known. A partial sweep says nothing of hosts that it does not name.
    pub fn compare(&mut self, sweep: &Sweep) -> News {
        let mut news = News::default();
        let mut now: BTreeMap<&Arc<str>, &Arc<SourceError>> = BTreeMap::new();
        for HostTrouble { host, error } in &sweep.troubles {
            now.insert(host, error);
        }
        if !sweep.partial {
            let works = |host: &Arc<str>| !now.contains_key(host);
            for (host, _) in self.0.extract_if(.., |host, _| works(host)) {
                news.add(host, None);
            }
        }
        for (host, error) in now {
            // The message may hold a number that changes each time; the kind tells.
            let known = self.0.get(host).is_some_and(|old| old.kind == error.kind);
            if !known && (self.0.len() < HOSTS || self.0.contains_key(host)) {
                self.0.insert(host.clone(), error.clone());
                news.add(host.clone(), Some(error.clone()));
            }
        }
        news
    }
}

impl News {
    fn add(&mut self, host: Arc<str>, error: Option<Arc<SourceError>>) {
        if self.lines.len() < LINES {
            self.lines.push((host, error));
        } else {
            self.more += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ErrorKind, SourceId};

    fn sweep(failed: &[(&str, ErrorKind)], partial: bool) -> Sweep {
        let trouble = |(host, kind): &(&str, ErrorKind)| HostTrouble {
            host: (*host).into(),
            error: Arc::new(SourceError::new(*kind, "scrape", "no", "")),
        };
        Sweep {
            source: SourceId::Exporter,
            origin: "rack".into(),
            taken_at: jiff::Timestamp::UNIX_EPOCH,
            samples: vec![],
            asked: 3,
            answered: 3_u32.saturating_sub(failed.len() as u32),
            troubles: failed.iter().map(trouble).collect(),
            partial,
        }
    }

    #[test]
    fn a_host_is_told_when_it_fails_and_when_it_works_again() {
        let mut troubles = Troubles::default();
        let mut said = |failed: &[_], partial| {
            let news = troubles.compare(&sweep(failed, partial));
            news.lines
                .into_iter()
                .map(|(h, e)| (h.to_string(), e.map(|e| e.kind)))
                .collect::<Vec<_>>()
        };
        let (timeout, network) = (ErrorKind::Timeout, ErrorKind::Network);
        assert_eq!(said(&[("a", timeout)], false), [("a".into(), Some(timeout))]);
        assert_eq!(said(&[("a", timeout)], false), []);
        assert_eq!(said(&[("a", network)], false), [("a".into(), Some(network))]);
        assert_eq!(said(&[], true), [], "nobody looked at it");
        assert_eq!(said(&[], false), [("a".into(), None)]);
        assert_eq!(said(&[], false), []);
    }

    #[test]
    fn a_lost_rack_is_ten_lines_and_a_count() {
        let names: Vec<String> = (0..64).map(|i| format!("host-{i}")).collect();
        let failed: Vec<_> = names.iter().map(|n| (n.as_str(), ErrorKind::Timeout)).collect();
        let news = Troubles::default().compare(&sweep(&failed, false));
        assert_eq!((news.lines.len(), news.more), (10, 54));
    }
}
