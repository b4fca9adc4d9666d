//! The text format in which exporters publish their metrics (Prometheus text 0.0.4, and what of
//! `OpenMetrics` a page may mix in: exemplars, `# EOF`).
//!
//! A page of a GPU host is some 65 KB, each 15 seconds and from hundreds of hosts, and most lines
//! of some exporters tell nothing of GPUs. So the name decides first, once per family; a line that
//! nobody wants is passed over to its end. Of a wanted line nothing is copied.
//!
//! A page is foreign: whatever its bytes, reading it ends, panics nowhere, and bad lines are
//! counted and passed over.

mod line;

use line::Span;

/// One sample of a page.
#[derive(Clone, Copy, Debug)]
pub struct Series<'a> {
    /// Name of the metric.
    pub name: &'a str,
    /// Labels of the sample.
    pub labels: Labels<'a>,
    /// Value of the sample; NaN and ±∞ as in the page.
    pub value: f64,
    /// Timestamp in Unix milliseconds; `None` when the page has none.
    pub timestamp: Option<i64>,
}

/// Labels of a sample in the order of the page, unescaped.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    text: &'a str,
    spans: &'a [Span],
}

impl<'a> Labels<'a> {
    /// Name and value of each label.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> + Clone + use<'a> {
        let Self { text, spans } = *self;
        spans.iter().map(move |span| (span.name(text), span.value(text)))
    }

    /// Number of labels.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True without labels.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

/// Counts of a page's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Samples passed on.
    pub samples: u64,
    /// Lines skipped because their metric is not wanted.
    pub skipped: u64,
    /// Lines that could not be parsed.
    pub errors: u64,
    /// Number of the first such line, from 1; 0 without any.
    pub first_error: u64,
}

impl Tally {
    fn error(&mut self, line: u64) {
        if self.errors == 0 {
            self.first_error = line;
        }
        self.errors += 1;
    }
}

/// A buffer larger than this, bytes, is not kept for the next page.
const KEPT: usize = 64 * 1024;

/// Parser of pages, with reusable buffers.
#[derive(Debug, Default)]
pub struct Reader {
    spans: Vec<Span>,
    /// Labels with escapes, unescaped.
    unescaped: String,
}

impl Reader {
    /// Parses a page. `wanted` is called with the name of a metric, once for consecutive lines of the same name; its
    /// result is passed to `each` with every sample, `None` skips the metric.
    pub fn read<T: Copy>(
        &mut self,
        page: &[u8],
        mut wanted: impl FnMut(&str) -> Option<T>,
        mut each: impl FnMut(T, Series<'_>),
    ) -> Tally {
        let mut tally = Tally::default();
        let mut family: Option<(&[u8], Option<T>)> = None;
        let mut rest = page;
        let mut number = 0;
        while !rest.is_empty() {
            number += 1;
            // A name seen on the line before is known without looking for its end.
            let known = family.filter(|(name, _)| line::is_of(rest, name));
            let (name, want) = if let Some(known) = known {
                known
            } else {
                let end = line::name_end(rest);
                if end == 0 {
                    // A comment, an empty line, or what begins like no metric.
                    let (line, after) = line::split(rest);
                    rest = after;
                    if !line::is_blank(line) {
                        tally.error(number);
                    }
                    continue;
                }
                let name = &rest[..end];
                // A name is ASCII.
                let want = std::str::from_utf8(name).ok().and_then(&mut wanted);
                family = Some((name, want));
                (name, want)
            };
            let (line, after) = line::split(rest);
            // The last line ends like all others; where it does not, the page broke off in it.
            let broken = after.is_empty() && !rest.ends_with(b"\n");
            rest = after;
            if broken {
                tally.error(number);
                continue;
            }
            let Some(want) = want else {
                tally.skipped += 1;
                continue;
            };
            match line::read(line, name.len(), &mut self.spans, &mut self.unescaped) {
                Some(series) => {
                    tally.samples += 1;
                    each(want, series);
                }
                None => tally.error(number),
            }
        }
        if self.unescaped.capacity() > KEPT {
            self.unescaped = String::new();
        }
        tally
    }

    /// Parses all samples of a page.
    pub fn read_all(&mut self, page: &[u8], mut each: impl FnMut(Series<'_>)) -> Tally {
        self.read(page, |_| Some(()), |(), series| each(series))
    }
}

#[cfg(test)]
mod tests;
