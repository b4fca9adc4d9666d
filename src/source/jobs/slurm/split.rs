//! Lines into fields: names may hold the delimiter, and line breaks.

use super::super::error::LineError;
use super::super::status;
use super::layout::Layout;

/// Lines that one row may have.
const LINES_AT_MOST: usize = 200;

/// Bytes that one row may have.
const ROW_AT_MOST: usize = crate::domain::records::RECORD_AT_MOST;

/// Fields of a row with the number of the line in which it begins.
pub(super) type Fields = (u64, Result<Vec<String>, LineError>);

/// Lines that may be parts of one row.
pub(super) struct Joined<'a> {
    layout: &'a Layout,
    /// The first line of a row that is not whole, and its text so far.
    open: Option<(u64, String, usize)>,
}

impl<'a> Joined<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        Self { layout, open: None }
    }

    /// Takes a line; returns the rows that it completes.
    pub(super) fn add(&mut self, line: u64, text: String) -> Vec<Fields> {
        let whole = split(self.layout, &text);
        let wanted = self.layout.names.len();
        let mut out = Vec::new();
        if let Some((first, mut begun, lines)) = self.open.take() {
            // A line that is a row by itself ends what was begun.
            if whole.as_ref().is_ok_and(|fields| looks_right(self.layout, fields)) {
                out.push((first, failed(self.layout, &begun)));
                out.push((line, whole));
                return out;
            }
            begun.push(' ');
            begun.push_str(&text);
            let fits = lines < LINES_AT_MOST && begun.len() <= ROW_AT_MOST;
            match split(self.layout, &begun) {
                Ok(fields) => out.push((first, Ok(fields))),
                Err(LineError::Fields { found, .. }) if found < wanted && fits => {
                    self.open = Some((first, begun, lines + 1));
                }
                Err(why) => out.push((first, Err(why))),
            }
            return out;
        }
        match whole {
            Err(LineError::Fields { found, .. }) if found < wanted => {
                // An empty line is none of a row.
                if !text.trim().is_empty() {
                    self.open = Some((line, text, 1));
                }
            }
            other => out.push((line, other)),
        }
        out
    }

    /// What is left after the last line.
    pub(super) fn rest(self) -> Vec<Fields> {
        let layout = self.layout;
        self.open.map(|(line, begun, _)| (line, failed(layout, &begun))).into_iter().collect()
    }
}

fn failed(layout: &Layout, text: &str) -> Result<Vec<String>, LineError> {
    let found = text.split(&layout.delimiter).count();
    Err(LineError::Fields { found, wanted: layout.names.len() })
}

/// Fields of a row. One with more fields than columns is read as if the delimiter stood in a column of free text, where
/// exactly one reading of that kind makes sense.
fn split(layout: &Layout, text: &str) -> Result<Vec<String>, LineError> {
    let mut parts: Vec<&str> = text.split(&layout.delimiter).collect();
    let wanted = layout.names.len();
    if layout.is_ended && parts.len() > wanted && parts.last().is_some_and(|p| p.trim().is_empty())
    {
        parts.pop();
    }
    if parts.len() == wanted {
        return Ok(parts.into_iter().map(str::to_owned).collect());
    }
    let fields = LineError::Fields { found: parts.len(), wanted };
    let Some(more) = parts.len().checked_sub(wanted).filter(|more| *more <= 64) else {
        return Err(fields);
    };
    let reading = |place: usize| -> Vec<String> {
        let (before, rest) = parts.split_at(place);
        let (free, after) = rest.split_at(more + 1);
        let free = free.join(&layout.delimiter);
        let owned = |part: &&str| (*part).to_owned();
        before.iter().map(owned).chain([free]).chain(after.iter().map(owned)).collect()
    };
    let mut right = layout.free().map(reading).filter(|fields| looks_right(layout, fields));
    match (right.next(), right.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(fields),
    }
}

/// True where each column that has a form of its own holds a value of this form.
fn looks_right(layout: &Layout, fields: &[String]) -> bool {
    let holds = |name: &str, fits: &dyn Fn(&str) -> bool| {
        let value = layout.place(name).and_then(|place| fields.get(place));
        value.is_none_or(|value| fits(value))
    };
    let is_exit = |value: &str| value.is_empty() || status::exit(value).is_some();
    let is_time = |value: &str| {
        matches!(value, "" | "None" | "Unknown") || value.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_count = |value: &str| value.bytes().all(|b| b.is_ascii_digit());
    let is_tres = |value: &str| value.is_empty() || value.contains('=');
    fields.len() == layout.names.len()
        && holds("State", &|value| status::known(value).is_some())
        && holds("ExitCode", &is_exit)
        && holds("DerivedExitCode", &is_exit)
        && ["Submit", "Eligible", "Start", "End"].iter().all(|name| holds(name, &is_time))
        && ["ElapsedRaw", "NNodes", "DBIndex"].iter().all(|name| holds(name, &is_count))
        && ["AllocTRES", "ReqTRES"].iter().all(|name| holds(name, &is_tres))
}
