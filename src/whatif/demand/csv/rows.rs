//! The rows of a file: times and units, in the file's order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::cells::{self, Cell, SEPARATORS};
use super::time::{self, Moment, Placed};
use super::{Columns, CsvOptions, MAX_CELLS, MAX_FAMILIES, MAX_ROWS, Problems};
use crate::domain::format::counted;
use crate::domain::text::clean;

/// The first line.
pub(super) struct Header {
    /// Its line, from 1.
    line: usize,
    pub(super) separator: char,
    /// Names, the time's first; clean text.
    pub(super) names: Vec<String>,
    /// Where each begins.
    at: Vec<usize>,
}

/// Rows of a file, before they become hours.
pub(super) struct Rows {
    /// The families' names.
    pub(super) families: Vec<String>,
    /// Moment and line of each row.
    pub(super) rows: Vec<(Timestamp, usize)>,
    /// Units: row after row, one per family; `NaN` is a gap.
    pub(super) units: Vec<f64>,
    /// Lines of the units, where a row is made of several.
    pub(super) lines: Option<Vec<usize>>,
}

/// The lines that say something, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty())
}

/// Reads the header; `None` with a problem noted where it cannot be used.
pub(super) fn header(text: &str, problems: &mut Problems) -> Option<Header> {
    const NEEDED: &str = "a demand needs a header, the time first, then one column per family";
    let Some((line, first)) = lines(text).next() else {
        problems.push(1, 1, format!("the file is empty; {NEEDED}"));
        return None;
    };
    let separator = cells::separator(first);
    let mut cells = match cells::split(first, separator) {
        Ok(cells) => cells,
        Err(column) => {
            problems.push(line, column, "nothing closes this quote");
            return None;
        }
    };
    // Spreadsheets leave separators behind.
    while cells.len() > 1 && cells.last().is_some_and(|cell| cell.text.is_empty()) {
        cells.pop();
    }
    if time::read(&cells[0].text).is_some() {
        problems.push(line, 1, format!("there is no header: {NEEDED}"));
        return None;
    }
    if cells.len() < 2 {
        problems.push(line, 1, format!("there is one column only; {NEEDED}"));
        return None;
    }
    if cells.len() > MAX_FAMILIES + 1 {
        let message = format!("{} columns; at most {MAX_FAMILIES} are read", cells.len());
        problems.push(line, cells[MAX_FAMILIES].column, message);
        return None;
    }
    let mut names: Vec<String> = Vec::with_capacity(cells.len());
    for (place, cell) in cells.iter().enumerate() {
        let name = match &*cell.text {
            "" => format!("column {}", place + 1),
            text => clean(text).into_owned(),
        };
        if names.iter().skip(1).any(|known| *known == name) {
            problems.push(line, cell.column, format!("a second column `{name}`; name them apart"));
        }
        names.push(name);
    }
    Some(Header { line, separator, names, at: cells.iter().map(|cell| cell.column).collect() })
}

/// Columns that are read.
pub(super) struct Wanted {
    /// Columns with units.
    pub(super) units: Vec<usize>,
    /// Column with the family's name.
    family: Option<usize>,
}

pub(super) fn wanted(
    header: &Header,
    columns: &Columns,
    problems: &mut Problems,
) -> Option<Wanted> {
    let all = || header.names[1..].join(", ");
    let find = |name: &str, problems: &mut Problems| {
        let found = header.names.iter().skip(1).position(|known| known == clean(name).as_ref());
        if found.is_none() {
            let message = format!("there is no column `{name}`; there are: {}", all());
            problems.push(header.line, header.at[1], message);
        }
        found.map(|at| at + 1)
    };
    let units = match columns {
        Columns::All => (1..header.names.len()).collect(),
        Columns::Single if header.names.len() > 2 => {
            let message = format!("several columns; pick one with --column: {}", all());
            problems.push(header.line, header.at[1], message);
            return None;
        }
        Columns::Single => vec![1],
        Columns::One(name) => vec![find(name, problems)?],
        Columns::Long { value, family } => {
            let (value, family) = (find(value, problems), find(family, problems));
            return Some(Wanted { units: vec![value?], family: Some(family?) });
        }
    };
    Some(Wanted { units, family: None })
}

/// Reads all rows.
pub(super) fn read(
    text: &str,
    options: &CsvOptions,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) -> Rows {
    let mut reader = Reader::default();
    let Some(header) = header(text, problems) else { return reader.rows() };
    let Some(wanted) = wanted(&header, &options.columns, problems) else { return reader.rows() };
    if wanted.family.is_none() {
        reader.families = wanted.units.iter().map(|&at| header.names[at].clone()).collect();
    }
    for (line, text) in lines(text).skip(1) {
        reader.line(line, text, &header, &wanted, problems);
        if reader.units.len() > MAX_CELLS || reader.moments.len() > MAX_ROWS {
            problems.push(line, 1, too_many());
            return reader.rows();
        }
    }
    if reader.moments.is_empty() && problems.told.is_empty() {
        problems.push(header.line, 1, "there is a header and no row below it");
    }
    reader.finish(options, notes, problems)
}

/// Error for a file with more than is read. None of it counts: a truncated demand would be a smaller demand.
pub(super) fn too_many() -> String {
    format!(
        "more than {MAX_ROWS} rows or {MAX_CELLS} cells, the most that are read; leave out families, \
         or give one row per hour"
    )
}

#[derive(Default)]
struct Reader {
    families: Vec<String>,
    /// Index of each family, in the long form.
    known: HashMap<String, usize>,
    /// Moment and line of each row, or of each cell in the long form.
    moments: Vec<(Moment, usize)>,
    units: Vec<f64>,
    /// The family of each cell, in the long form.
    cells: Vec<usize>,
    mended: Vec<usize>,
}

impl Reader {
    fn line(
        &mut self,
        line: usize,
        text: &str,
        header: &Header,
        wanted: &Wanted,
        problems: &mut Problems,
    ) {
        let (cells, separator) = match self.split(line, text, header) {
            Ok(split) => split,
            Err((column, message)) => return problems.push(line, column, message),
        };
        let Some(moment) = time::read(&cells[0].text) else {
            let message = format!("`{}` is no time; {}", cells[0].text, time::FORMS);
            return problems.push(line, cells[0].column, message);
        };
        let family = match wanted.family.map(|at| clean(&cells[at].text).into_owned()) {
            None => None,
            Some(name) if name.is_empty() => {
                return problems.push(line, cells[wanted.units[0]].column, "no family is named");
            }
            Some(name) => {
                let next = self.known.len();
                let at = match self.known.get(&name) {
                    Some(at) => *at,
                    None if next == MAX_FAMILIES => {
                        let message = format!("more than {MAX_FAMILIES} families");
                        return problems.push(line, 1, message);
                    }
                    None => {
                        self.known.insert(name.clone(), next);
                        self.families.push(name);
                        next
                    }
                };
                Some(at)
            }
        };
        for &at in &wanted.units {
            let cell = &cells[at];
            let units = cells::units(&cell.text, separator).unwrap_or_else(|why| {
                problems.push(line, cell.column, format!("{}: {why}", header.names[at]));
                f64::NAN
            });
            self.units.push(units);
        }
        self.cells.extend(family);
        self.moments.push((moment, line));
    }

    /// The fields of a line, by the header's separator or, where only that fits, by another one.
    fn split<'a>(
        &mut self,
        line: usize,
        text: &'a str,
        header: &Header,
    ) -> Result<(Vec<Cell<'a>>, char), (usize, String)> {
        let want = header.names.len();
        let fits = |cells: &mut Vec<Cell<'a>>| {
            while cells.len() > want && cells.last().is_some_and(|cell| cell.text.is_empty()) {
                cells.pop();
            }
            cells.len() == want
        };
        let open = |column| (column, "nothing closes this quote".to_owned());
        let mut cells = cells::split(text, header.separator).map_err(open)?;
        let is_whole = fits(&mut cells);
        if is_whole && time::read(&cells[0].text).is_some() {
            return Ok((cells, header.separator));
        }
        for separator in SEPARATORS.into_iter().filter(|s| *s != header.separator) {
            if let Ok(mut other) = cells::split(text, separator)
                && fits(&mut other)
                && time::read(&other[0].text).is_some()
            {
                self.mended.push(line);
                return Ok((other, separator));
            }
        }
        if is_whole {
            return Ok((cells, header.separator));
        }
        let column = cells.get(want).or(cells.last()).map_or(1, |cell| cell.column);
        Err((column, format!("{} fields; the header has {want}", cells.len())))
    }

    fn rows(self) -> Rows {
        Rows { families: self.families, rows: Vec::new(), units: Vec::new(), lines: None }
    }

    /// Places the moments and, in the long form, puts the families beside each other.
    fn finish(
        mut self,
        options: &CsvOptions,
        notes: &mut Vec<String>,
        problems: &mut Problems,
    ) -> Rows {
        if let [first, ..] = &*self.mended {
            notes.push(format!(
                "{} with another separator than the header's ({} {first}): read by their own",
                counted(self.mended.len(), "line", "lines"),
                if self.mended.len() == 1 { "line" } else { "the first is line" },
            ));
        }
        let days = self.moments.iter().filter(|(m, _)| matches!(m, Moment::Day(_))).count();
        if days > 0 && days == self.moments.len() {
            let line = self.moments[0].1;
            let message = "a day without an hour; a demand is hourly: give the hour of each row";
            problems.push(line, 1, message);
            return self.rows();
        }
        let moments = std::mem::take(&mut self.moments);
        let mut placer = Placer::default();
        let mut rows = Vec::with_capacity(moments.len());
        let mut kept = Vec::with_capacity(moments.len());
        for (place, (moment, line)) in moments.into_iter().enumerate() {
            let family = self.cells.get(place).copied().unwrap_or(0);
            match placer.place(moment, family, &options.zone) {
                Some(at) => {
                    rows.push((at, line));
                    kept.push(place);
                }
                None => placer.never.push(line),
            }
        }
        placer.tell(options, notes);
        let width = if self.cells.is_empty() { self.families.len() } else { 1 };
        if kept.len() * width < self.units.len() {
            let old = std::mem::take(&mut self.units);
            self.units =
                kept.iter().flat_map(|&r| &old[r * width..(r + 1) * width]).copied().collect();
            if !self.cells.is_empty() {
                self.cells = kept.iter().map(|&r| self.cells[r]).collect();
            }
        }
        if self.cells.is_empty() {
            return Rows { families: self.families, rows, units: self.units, lines: None };
        }
        self.pivot(&rows, problems)
    }

    /// Rows of single cells become rows of all families. A cell that is said twice makes a second
    /// row of its moment.
    fn pivot(self, cells: &[(Timestamp, usize)], problems: &mut Problems) -> Rows {
        let width = self.families.len();
        let mut nth: HashMap<(Timestamp, usize), usize> = HashMap::new();
        let mut places: HashMap<(Timestamp, usize), usize> = HashMap::new();
        let mut rows: Vec<(Timestamp, usize)> = Vec::new();
        let mut placed = Vec::with_capacity(cells.len());
        for (&(at, line), &family) in cells.iter().zip(&self.cells) {
            let seen = nth.entry((at, family)).or_insert(0);
            placed.push(match places.entry((at, *seen)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    rows.push((at, line));
                    *entry.insert(rows.len() - 1)
                }
            });
            *seen += 1;
            // Before there is room for them: a few families here and there make many empty cells.
            if rows.len() * width > MAX_CELLS {
                problems.push(line, 1, too_many());
                return Rows { families: self.families, rows, units: Vec::new(), lines: None };
            }
        }
        let mut units = vec![f64::NAN; rows.len() * width];
        let mut lines: Vec<usize> =
            rows.iter().flat_map(|(_, line)| std::iter::repeat_n(*line, width)).collect();
        let said = cells.iter().zip(&self.cells).zip(&self.units).zip(placed);
        for (((&(_, line), &family), &value), place) in said {
            units[place * width + family] = value;
            lines[place * width + family] = line;
        }
        Rows { families: self.families, rows, units, lines: Some(lines) }
    }
}

/// Puts moments on the line of time.
#[derive(Default)]
struct Placer {
    /// How often a clock's doubtful time was seen, by family.
    seen: HashMap<(DateTime, usize), usize>,
    never: Vec<usize>,
    local: bool,
}

impl Placer {
    fn place(
        &mut self,
        moment: Moment,
        family: usize,
        zone: &jiff::tz::TimeZone,
    ) -> Option<Timestamp> {
        let local = match moment {
            Moment::Exact(at) => return Some(at),
            Moment::Local(local) => local,
            Moment::Day(day) => day.to_datetime(jiff::civil::Time::midnight()),
        };
        self.local = true;
        match time::place(local, zone)? {
            Placed::Once(at) => Some(at),
            Placed::Never => None,
            Placed::Twice(first, second) => {
                let seen = self.seen.entry((local, family)).or_insert(0);
                *seen += 1;
                Some(if *seen == 1 { first } else { second })
            }
        }
    }

    fn tell(&self, options: &CsvOptions, notes: &mut Vec<String>) {
        let zone = options.zone.iana_name().unwrap_or("UTC");
        if self.local && zone == "UTC" {
            notes.push("times without an offset are taken for UTC".to_owned());
        } else if self.local {
            notes.push(format!("times without an offset are taken for clocks in {zone}"));
        }
        let twice = self.seen.values().filter(|n| **n > 1).count();
        let once = self.seen.len() - twice;
        if twice > 0 {
            notes.push(format!(
                "{} that clocks in {zone} show twice: the first is taken for summer time",
                counted(twice, "time", "times"),
            ));
        }
        if once > 0 {
            notes.push(format!(
                "{} that clocks in {zone} show twice stand here once: taken for the first, the \
                 second is a gap",
                counted(once, "time", "times"),
            ));
        }
        if let [first, ..] = &*self.never {
            notes.push(format!(
                "{} at a time that clocks in {zone} skip (line {first}): left out",
                counted(self.never.len(), "row", "rows"),
            ));
        }
    }
}
