//! One page: a title, links to its sections, tables and charts.

use super::{Chart, Writer};
use crate::report::sheet::Sheet;
use crate::view::Align;

/// A section of a page.
pub(in crate::report) struct Section<'a> {
    /// Its name, unique on the page.
    pub id: &'static str,
    /// Its title.
    pub title: &'a str,
    /// Its chart.
    pub chart: Option<&'a Chart>,
    /// Its table; one without rows is left out.
    pub sheet: &'a Sheet,
    /// Lines below it.
    pub notes: &'a [String],
}

/// A page.
pub(in crate::report) struct Page<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its sections.
    pub sections: Vec<Section<'a>>,
    /// Lines at its end.
    pub notes: &'a [String],
}

/// Light and dark by what the reader's system prefers; black on white in print. System fonts alone.
const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1e21; --dim: #5b6270; --paper: #ffffff; --line: #d9dce1; --burn: #8fb4dd; --waste: #c4442e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --dim: #9aa3af; --paper: #15181c; --line: #353b44; --burn: #3f6a99; --waste: #e8705a; }
}
@media print {
  :root { --ink: #000000; --dim: #444444; --paper: #ffffff; --line: #bbbbbb; --burn: #9ab9da; --waste: #b03a26; }
  nav { display: none; }
  section { break-inside: avoid-page; }
}
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
a { color: inherit; }
nav a { margin-right: 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--dim); font-weight: 600; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
p { color: var(--dim); margin: .4rem 0; }
svg { width: 100%; max-width: 45rem; height: auto; display: block; }
svg text { fill: var(--dim); font-size: 11px; }
.name { text-anchor: middle; }
.scale { text-anchor: end; }
.burn { fill: var(--burn); }
.waste { fill: var(--waste); }
.line { stroke: var(--line); fill: none; }
";

impl Page<'_> {
    /// The page as one document that needs nothing else.
    pub(in crate::report) fn html(&self) -> String {
        let mut to = Writer::new();
        to.open("html", &[("lang", "en")]);
        to.open("head", &[]);
        to.empty("meta", &[("charset", "utf-8")]);
        to.empty("meta", &[("name", "viewport"), ("content", "width=device-width")]);
        to.leaf("title", &[], self.title);
        to.style(STYLE);
        to.close();
        to.open("body", &[]);
        to.leaf("h1", &[], self.title);
        to.open("nav", &[]);
        for section in &self.sections {
            let target = format!("#{}", section.id);
            to.leaf("a", &[("href", &target)], section.title);
        }
        to.close();
        for section in &self.sections {
            to.open("section", &[("id", section.id)]);
            to.leaf("h2", &[], section.title);
            if let Some(chart) = section.chart {
                chart.draw(&mut to);
            }
            table(section.sheet, &mut to);
            section.notes.iter().for_each(|note| to.leaf("p", &[], note));
            to.close();
        }
        to.open("footer", &[]);
        self.notes.iter().for_each(|note| to.leaf("p", &[], note));
        to.finish()
    }
}

fn table(sheet: &Sheet, to: &mut Writer) {
    if sheet.rows.is_empty() {
        return;
    }
    let class = |align: Align| match align {
        Align::Left => "t",
        Align::Right => "n",
    };
    to.open("div", &[("class", "wide")]);
    to.open("table", &[]);
    to.open("thead", &[]);
    to.open("tr", &[]);
    for column in &sheet.columns {
        to.leaf("th", &[("class", class(column.align)), ("scope", "col")], column.header);
    }
    to.close();
    to.close();
    to.open("tbody", &[]);
    for row in &sheet.rows {
        to.open("tr", &[]);
        for (cell, column) in row.iter().zip(&sheet.columns) {
            to.leaf("td", &[("class", class(column.align))], &cell.shown);
        }
        to.close();
    }
    to.close();
    to.close();
    to.close();
}

#[cfg(test)]
mod tests {
    use super::super::reader::{read, references};
    use super::*;
    use crate::report::sheet::{Cell, Column};

    #[test]
    fn a_hostile_text_stays_a_text_wherever_it_stands() {
        let hostile = "</td><script>alert(\"1\")</script>\u{1b}' onload=\u{202e}x & ]]>";
        let sheet = Sheet {
            columns: vec![Column { name: "name", header: "NAME", align: Align::Right }],
            rows: vec![vec![Cell::text(hostile)]],
        };
        let chart = Chart {
            title: hostile.to_owned(),
            bars: vec![super::super::Bar {
                name: hostile.to_owned(),
                usd: Some(1.0),
                waste_usd: None,
            }],
        };
        let notes = [hostile.to_owned()];
        let section =
            Section { id: "a", title: hostile, chart: Some(&chart), sheet: &sheet, notes: &notes };
        let page = Page { title: hostile, sections: vec![section], notes: &notes };
        let text = page.html();
        let read = read(&text).unwrap();
        assert_eq!(references(&text), [""; 0]);
        let controls = text.chars().filter(|c| c.is_control() && *c != '\n').count();
        assert_eq!(controls, 0);
        let cell = read.iter().find(|e| e.tag == "td").unwrap();
        let shown = "&lt;/td&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;\u{FFFD}&#39; onload=\u{FFFD}x &amp; ]]&gt;";
        assert_eq!(cell.text, shown);
        assert_eq!(read.iter().find(|e| e.tag == "svg").unwrap().get("aria-label"), Some(shown));
        let inward = read.iter().filter_map(|e| e.get("href")).all(|href| href.starts_with('#'));
        assert!(inward);
    }
}
