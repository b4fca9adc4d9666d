//! Instant queries of whoever asks the server about something else than GPUs.

use std::sync::Arc;

use super::Prometheus;
use super::json::{Head, Label};
use crate::domain::{ErrorKind, SourceError};

/// The longest warning taken over from a server.
const MAX_WORDS: usize = 300;

/// Names of metrics that are read from a server without the list of names.
const NAMES_AT_MOST: usize = 10_000;

impl Prometheus {
    /// Name of the source on screen.
    pub fn name(&self) -> &Arc<str> {
        &self.settings.name
    }

    /// Selector of the metrics `names` with the matchers of this server and further ones in `also`.
    pub fn select(&self, names: &[&str], also: &[(&str, &'static str, &str)]) -> String {
        self.settings.matchers.select(names, also)
    }

    /// Names of the metrics with series that match `selector` between two Unix times, s. Err when the server does not answer.
    pub async fn names_of(
        &self,
        selector: &str,
        from: i64,
        until: i64,
    ) -> Result<Vec<String>, SourceError> {
        match self.api.names(selector, from, until).await {
            // Servers without this list answer queries all the same.
            Err(e) if matches!(e.kind, ErrorKind::Unavailable | ErrorKind::Refused) => {
                let mut names = Vec::new();
                let text = format!("group by (__name__) ({selector})");
                self.instant(&text, until, &mut |labels, _| {
                    if names.len() < NAMES_AT_MOST {
                        names.extend(labels.iter().map(|(_, name)| name.clone().into_owned()));
                    }
                })
                .await?;
                Ok(names)
            }
            names => names,
        }
    }

    /// Asks a query at a Unix time, s; `sink` gets labels and value of each series. Err when the query fails, and when the server
    /// warns that the answer is not whole.
    pub async fn instant(
        &self,
        text: &str,
        at: i64,
        sink: &mut (dyn FnMut(&[Label<'_>], f64) + Send),
    ) -> Result<(), SourceError> {
        let body = self.api.query(text, Some(at)).await?;
        let head = body.read(&mut |labels, points| {
            if let Some((_, value)) = points.first() {
                sink(labels, *value);
            }
        })?;
        self.is_whole(&head)
    }

    /// Err where the server warns that an answer is not whole, or a part of it is not read.
    pub(super) fn is_whole(&self, head: &Head) -> Result<(), SourceError> {
        if head.left_out == 0 && head.warnings.is_empty() {
            return Ok(());
        }
        let words = head.warnings.first().map_or("a series has too many labels", |words| words);
        let words: String = words.chars().take(MAX_WORDS).collect();
        Err(SourceError::new(
            ErrorKind::Unavailable,
            "prometheus:query",
            &format!("{}: the answer may not be whole: {words}", self.settings.name),
            "see that all parts of the server answer; burntop tries again by itself",
        ))
    }
}
