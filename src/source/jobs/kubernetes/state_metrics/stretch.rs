//! One stretch of time, asked.

use super::facts::Facts;
use super::queries::{Queries, Span};
use crate::domain::SourceError;
use crate::source::prometheus::json::Label;

/// What takes a series: its labels and its value.
type Take<'t> = &'t mut (dyn FnMut(&mut Facts, &[Label<'_>], f64) + Send);

/// A stretch of time that is asked.
pub(super) struct Stretch<'a> {
    pub queries: &'a Queries<'a>,
    pub span: Span,
    /// True where it ends now.
    pub is_last: bool,
    pub facts: Facts,
}

impl Stretch<'_> {
    /// Asks everything about the stretch, and returns what is known with it. Err where a query fails.
    pub async fn read(mut self) -> Result<Facts, SourceError> {
        let (queries, span) = (self.queries, self.span);
        let pods = queries.pods(span);
        let pods = self.ask(pods, &mut |facts, labels, _| facts.take_pod(labels)).await?;
        // Before anything was scraped there is nothing more to ask.
        if pods == 0 && !self.is_last {
            return Ok(self.facts);
        }
        self.ask(queries.pods_seen(span), &mut Facts::take_seen).await?;
        self.ask(queries.times(span), &mut Facts::take_time).await?;
        self.ask(queries.requests(span), &mut Facts::take_request).await?;
        self.ask(queries.words(span), &mut |facts, labels, _| facts.take_word(labels)).await?;
        self.ask(queries.ended(span), &mut Facts::take_end).await?;
        self.ask(queries.open(span), &mut Facts::take_open).await?;
        self.ask(queries.labels(span), &mut |facts, labels, _| {
            facts.take_labels(labels, &queries.pods);
        })
        .await?;
        self.ask(queries.jobs(span), &mut |facts, labels, number| {
            facts.take_job(labels, number, &queries.jobs, span.until);
        })
        .await?;
        self.ask(queries.nodes_seen(span), &mut Facts::take_node_seen).await?;
        self.ask(queries.nodes(span), &mut |facts, labels, number| {
            facts.take_node(labels, number, &queries.nodes);
        })
        .await?;
        if self.is_last {
            let waits = queries.waits(span);
            self.ask(waits, &mut |facts, labels, _| facts.take_wait(labels)).await?;
        }
        Ok(self.facts)
    }

    /// Asks a query, where there is one; `take` gets each series. Returns their number.
    async fn ask(&mut self, query: Option<String>, take: Take<'_>) -> Result<usize, SourceError> {
        let Some(query) = query else { return Ok(0) };
        let (facts, mut count) = (&mut self.facts, 0);
        let sink = &mut |labels: &[Label<'_>], value: f64| {
            count += 1;
            take(facts, labels, value);
        };
        self.queries.server.instant(&query, self.span.until, sink).await?;
        Ok(count)
    }
}
