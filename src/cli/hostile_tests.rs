//! From what is kept to what is shown: hostile text in any field of a fleet, through the cache and
//! the tape, to the screen, the reports and the log.

use std::sync::Arc;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::{Msg, fixture};
use crate::cache::decode;
use crate::domain::text::hostile::{TEXTS, said};
use crate::domain::text::{for_output, is_unsafe};
use crate::fleet::{Fleet, GpuFleet};
use crate::report::{Format, Gpus, Instances, List, OverviewReport, Report, write};
use crate::tabs::gpus::picture::{GpuField, fixture as gpus};
use crate::tabs::idle::picture::Field;
use crate::ui;
use crate::view::fixture as views;

/// What stands in the place of hostile text while it is found out where there may be any.
const MARK: &str = "any text";

/// The places of texts in `value`, as JSON pointers.
fn texts(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(at.to_owned()),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| texts(v, &format!("{at}/{i}"), out));
        }
        Value::Object(map) => map.iter().for_each(|(key, v)| {
            texts(v, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), out);
        }),
        _ => {}
    }
}

/// The places where any text may stand: not those of moments and words of an enumeration.
fn free<T: DeserializeOwned>(value: &Value) -> Vec<String> {
    let mut all = Vec::new();
    texts(value, "", &mut all);
    let mut with = value.clone();
    all.retain(|at| {
        let place = with.pointer_mut(at).unwrap();
        let before = std::mem::replace(place, MARK.into());
        let may = serde_json::from_value::<T>(with.clone()).is_ok();
        *with.pointer_mut(at).unwrap() = before;
        may
    });
    all
}

/// `value` with `text` in each of the `places`; identifiers stay what they are.
fn with<T: DeserializeOwned>(value: &Value, places: &[String], text: &str) -> T {
    let mut with = value.clone();
    for at in places.iter().filter(|at| !at.ends_with("/id")) {
        *with.pointer_mut(at).unwrap() = text.into();
    }
    serde_json::from_value(with).unwrap()
}

/// Written to the cache and read from it.
fn kept<T: Serialize + DeserializeOwned>(value: &T) -> T {
    decode(&postcard::to_stdvec(value).unwrap()).unwrap()
}

/// Every report of the two fleets.
fn reports(fleet: &Fleet, gpus: &GpuFleet) -> Vec<(Format, String)> {
    let ctx = views::ctx();
    let (fleet, gpus) = (Arc::new(fleet.clone()), Arc::new(gpus.clone()));
    let preset = "cautious".to_owned();
    let idle = List::<Field> {
        columns: Field::ALL.to_vec(),
        ..List::of(fleet.rows.clone(), None, Instances { fleet: fleet.clone(), preset })
    };
    let list = List::<GpuField> {
        columns: GpuField::ALL.to_vec(),
        ..List::of(gpus.rows.clone(), None, Gpus { gpus, fleet: fleet.clone() })
    };
    let overview = OverviewReport {
        fleet,
        gpus: Arc::default(),
        storage: None,
        savings: None,
        past: None,
        preset: "cautious".to_owned(),
        filter: String::new(),
        findings: crate::report::FindingOptions::default(),
    };
    let all: [&dyn Report; 3] = [&idle, &overview, &list];
    let each = Format::ALL
        .into_iter()
        .flat_map(|format| all.map(|report| (format, write(report, format, &ctx))));
    each.collect()
}

/// What the screen shows of them.
fn screens(fleet: &Fleet, gpus: &GpuFleet) -> String {
    let size = (240, 60);
    let mut app = fixture::app_with(fleet.clone(), size);
    app.update(Msg::Gpus(Arc::new(gpus.clone())));
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    let mut shown = String::new();
    for keys in ["", "enter", "esc 2", "enter", "esc 0", "w"] {
        fixture::press(&mut app, keys);
        terminal.draw(|frame| ui::draw(frame, &mut app)).unwrap();
        for cell in terminal.backend().buffer().content() {
            shown.push_str(cell.symbol());
        }
    }
    shown
}

mod hostile {
    use super::*;

    /// As in a report: ends of lines are its own, and the second line lets tabs pass.
    fn assert_safe(what: &str, shown: &str) {
        let fine = |c: char| c == '\n' || (c == '\t' && what == "second");
        let odd = shown.chars().find(|c| is_unsafe(*c) && !fine(*c));
        assert_eq!(odd, None, "{what}: {shown}");
    }

    #[test]
    fn what_is_kept_reaches_screen_and_reports_clean() {
        let (fleet, gpus) = (views::fleet(), gpus::gpus());
        let fleet = serde_json::to_value(&fleet).unwrap();
        let gpus = serde_json::to_value(&gpus).unwrap();
        let places = (free::<Fleet>(&fleet), free::<GpuFleet>(&gpus));
        let mut n = 0;
        let long = "\u{1b}[2J".repeat(5_000);
        for text in TEXTS.iter().copied().chain([&*long]) {
            let raw: (Fleet, GpuFleet) =
                (with(&fleet, &places.0, text), with(&gpus, &places.1, text));
            // The first line: every value is clean.
            let kept = (kept(&raw.0), kept(&raw.1));
            said("the cache", &format!("{kept:?}"));
            // The second: what was forgotten is clean where it goes out.
            for (line, (fleet, gpus)) in [("first", &kept), ("second", &raw)] {
                if text.len() > 10_000 && line == "second" {
                    continue;
                }
                assert_safe(line, &screens(fleet, gpus));
                for (format, report) in reports(fleet, gpus) {
                    // What is printed passes this.
                    let report = if line == "second" { for_output(&report) } else { report.into() };
                    assert_safe(line, &report);
                    let rows = fleet.rows.len().max(gpus.rows.len());
                    if format == Format::Json {
                        drop(serde_json::from_str::<Value>(&report).unwrap());
                    } else if !format.has_notes() {
                        let mut csv = csv::Reader::from_reader(report.as_bytes());
                        for cell in csv
                            .records()
                            .flat_map(|r| r.unwrap().iter().map(str::to_owned).collect::<Vec<_>>())
                        {
                            let formula = cell.starts_with(['=', '@', '+', '-', '\t']);
                            assert!(!formula || cell.parse::<f64>().is_ok(), "{cell:?}");
                        }
                    } else {
                        // No text begins a line of its own.
                        assert!(report.lines().count() < 20 * (rows + 10), "{report}");
                        let forged = report.lines().any(|l| l.starts_with("burntop: all is"));
                        assert!(!forged || line == "second", "{report}");
                    }
                }
            }
            n += places.0.len() + places.1.len();
        }
        assert!(n >= 10_000, "{n}");
        println!("hostile: fleets through cache, screen and reports: {n} inputs");
    }
}
