use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const CAPTURES: [&str; 7] = [
    "dcgm/h100x8.prom",
    "dcgm/t4.prom",
    "nvidia_gpu_exporter/h100-80gb-hbm3-idle.prom",
    "nvidia_gpu_exporter/h100-80gb-hbm3-load.prom",
    "nvidia_gpu_exporter/h100-mig-load.prom",
    "nvidia_gpu_exporter/l40s-idle.prom",
    "nvidia_gpu_exporter/l40s-load.prom",
];

fn capture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/gpu/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

/// A sample, owned. NaN is all ones, so that it equals itself.
#[derive(Clone, Debug, PartialEq)]
struct Owned {
    name: String,
    labels: Vec<(String, String)>,
    bits: u64,
    timestamp: Option<i64>,
}

fn bits(value: f64) -> u64 {
    if value.is_nan() { u64::MAX } else { value.to_bits() }
}

fn read(page: &[u8]) -> (Vec<Owned>, Tally) {
    let mut out = Vec::new();
    let tally = Reader::default().read_all(page, |series| {
        assert_eq!(series.labels.len(), series.labels.iter().count());
        out.push(Owned {
            name: series.name.to_owned(),
            labels: series.labels.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            bits: bits(series.value),
            timestamp: series.timestamp,
        });
    });
    (out, tally)
}

/// The same, character by character, as the description of the format reads.
mod slow {
    use super::{Owned, bits};

    struct Cursor {
        chars: Vec<char>,
        at: usize,
    }

    impl Cursor {
        fn peek(&self) -> Option<char> {
            self.chars.get(self.at).copied()
        }

        fn next(&mut self) -> Option<char> {
            self.at += 1;
            self.chars.get(self.at - 1).copied()
        }

        fn spaces(&mut self) -> bool {
            let from = self.at;
            while matches!(self.peek(), Some(' ' | '\t')) {
                self.at += 1;
            }
            self.at > from
        }

        fn name(&mut self) -> Option<String> {
            let mut name = String::new();
            while let Some(c) = self.peek() {
                let letter = c.is_ascii_alphabetic() || c == '_' || c == ':';
                if letter || (!name.is_empty() && c.is_ascii_digit()) {
                    name.push(c);
                    self.at += 1;
                } else {
                    break;
                }
            }
            (!name.is_empty()).then_some(name)
        }
    }

    /// Samples and the number of lines that are none.
    pub fn read(page: &[u8]) -> (Vec<Owned>, u64) {
        let (mut out, mut errors) = (Vec::new(), 0);
        let mut lines: Vec<&[u8]> = page.split(|b| *b == b'\n').collect();
        // After the last end of a line there is nothing; without it, a broken line.
        let last = lines.pop().unwrap_or_default();
        for line in lines {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let start = line.iter().find(|b| !b.is_ascii_whitespace());
            if matches!(start, None | Some(b'#')) {
                continue;
            }
            let text = std::str::from_utf8(line).ok();
            match text.and_then(|t| sample(&mut Cursor { chars: t.chars().collect(), at: 0 })) {
                Some(sample) => out.push(sample),
                None => errors += 1,
            }
        }
        let start = last.iter().find(|b| !b.is_ascii_whitespace());
        errors += u64::from(!matches!(start, None | Some(b'#')));
        (out, errors)
    }

    fn sample(line: &mut Cursor) -> Option<Owned> {
        let name = line.name()?;
        let spaced = line.spaces();
        let mut labels = Vec::new();
        if line.peek() == Some('{') {
            line.at += 1;
            line.spaces();
            while line.peek() != Some('}') {
                labels.push(label(line)?);
                line.spaces();
                match line.peek()? {
                    ',' => line.at += 1,
                    '}' => {}
                    _ => return None,
                }
                line.spaces();
            }
            line.at += 1;
        } else if !spaced {
            return None;
        }
        let rest: String = line.chars[line.at..].iter().collect();
        let rest = rest.replace('\t', " ");
        let words: Vec<&str> = rest.split(' ').filter(|w| !w.is_empty()).collect();
        let (first, more) = words.split_first()?;
        let value: f64 = first.parse().ok()?;
        let timestamp = match more {
            [] | ["#", ..] => None,
            [at] | [at, "#", ..] => Some(at.parse::<i64>().ok().or_else(|| {
                let at = at.parse::<f64>().ok()? * 1000.0;
                (at.abs() < 9e15).then_some(at.round() as i64)
            })?),
            _ => return None,
        };
        (labels.len() <= 256).then_some(Owned { name, labels, bits: bits(value), timestamp })
    }

    fn label(line: &mut Cursor) -> Option<(String, String)> {
        let name = line.name()?;
        line.spaces();
        (line.next()? == '=').then_some(())?;
        line.spaces();
        (line.next()? == '"').then_some(())?;
        let mut value = String::new();
        loop {
            match line.next()? {
                '"' => return Some((name, value)),
                '\\' => match line.next()? {
                    'n' => value.push('\n'),
                    c @ ('"' | '\\') => value.push(c),
                    c => value.extend(['\\', c]),
                },
                c => value.push(c),
            }
        }
    }
}

fn agrees(page: &[u8]) {
    let (fast, tally) = read(page);
    let (slow, errors) = slow::read(page);
    assert_eq!(fast, slow);
    assert_eq!((tally.samples, tally.errors), (slow.len() as u64, errors));
    assert_eq!(tally.first_error == 0, errors == 0);
}

#[test]
fn the_captures_are_read_as_others_read_them() {
    for name in CAPTURES {
        let page = capture(name);
        agrees(&page);
        let (ours, tally) = read(&page);
        assert_eq!(tally.errors, 0, "{name}");
        let lines = std::str::from_utf8(&page).unwrap().lines().map(|l| Ok(l.to_owned()));
        let theirs = prometheus_parse::Scrape::parse(lines).unwrap();
        assert_eq!(ours.len(), theirs.samples.len(), "{name}");
        for (a, b) in ours.iter().zip(&theirs.samples) {
            use prometheus_parse::Value;
            let (Value::Counter(v) | Value::Gauge(v) | Value::Untyped(v)) = b.value else {
                unreachable!("{name} has no histograms");
            };
            let labels: BTreeMap<_, _> = a.labels.iter().map(|(n, v)| (&**n, &**v)).collect();
            let want: BTreeMap<_, _> = b.labels.iter().map(|(n, v)| (&**n, &**v)).collect();
            assert_eq!((&*a.name, a.bits, labels), (&*b.metric, bits(v), want), "{name}");
        }
    }
}

fn one(line: &str) -> Option<Owned> {
    agrees(format!("{line}\n").as_bytes());
    read(format!("{line}\n").as_bytes()).0.pop()
}

#[test]
fn values_times_and_exemplars() {
    for (text, value) in [
        ("1", 1.0),
        ("-0.5", -0.5),
        ("1e+09", 1e9),
        ("1.98e+09", 1.98e9),
        ("9223372036854775794", 9_223_372_036_854_775_794.0),
        ("000123456789012345", 123_456_789_012_345.0),
        ("+Inf", f64::INFINITY),
        ("-Inf", f64::NEG_INFINITY),
        ("NaN", f64::NAN),
    ] {
        assert_eq!(one(&format!("m {text}")).unwrap().bits, bits(value), "{text}");
        assert_eq!(one(&format!("m{{}}{text}")).unwrap().bits, bits(value), "{text}");
    }
    assert_eq!(one("m{a=\"b\"} 1 1395066363000").unwrap().timestamp, Some(1_395_066_363_000));
    assert_eq!(one("m 1 1395066363.25").unwrap().timestamp, Some(1_395_066_363_250));
    let exemplar = "m{a=\"b\"} 1 # {trace_id=\"x # }\"} 0.67 1395066363.0";
    assert_eq!(one(exemplar).unwrap().timestamp, None);
    assert_eq!(one("m\t{ a = \"b\" , }\t 7 ").unwrap().labels, [("a".into(), "b".into())]);
    for bad in
        ["m", "m{", "m{a}", "m{a=}", "m{a=\"b}", "m{a=\"b\"} x", "m 1 2 3", "m 1 soon", "é 1"]
    {
        assert_eq!(one(bad), None, "{bad}");
    }
}

#[test]
fn escapes_are_undone_and_do_not_end_a_value() {
    let line = r#"m{path="C:\\DIR\\",text="say \"hi\",\nthen {go}",odd="\x",last="é"} 1"#;
    let labels = one(line).unwrap().labels;
    let want =
        [("path", "C:\\DIR\\"), ("text", "say \"hi\",\nthen {go}"), ("odd", "\\x"), ("last", "é")];
    let labels: Vec<_> = labels.iter().map(|(n, v)| (&**n, &**v)).collect();
    assert_eq!(labels, want);
}

#[test]
fn lines_end_in_any_way_and_bad_ones_are_counted() {
    let page =
        b"# HELP m x\r\n# TYPE m gauge\r\nm 1\r\n\r\n  \nnonsense\nm{a=\"\xff\"} 2\nm 3\n# EOF\n";
    let (samples, tally) = read(page);
    assert_eq!(samples.len(), 2);
    assert_eq!((tally.errors, tally.first_error), (2, 6));
    // A page that breaks off in a number would say another one.
    let (samples, tally) = read(b"m 1\nm 12");
    assert_eq!((samples.len(), tally.errors), (1, 1));
    agrees(page);
    agrees(b"m 1\nm 12");
}

#[test]
fn nobody_asks_twice_for_the_name_of_a_family() {
    let page = capture("dcgm/h100x8.prom");
    let mut asked = Vec::new();
    let mut kept = 0;
    let tally = Reader::default().read(
        &page,
        |name| {
            asked.push(name.to_owned());
            (name == "DCGM_FI_DEV_GPU_UTIL").then_some(7)
        },
        |seven, series| {
            assert_eq!((seven, series.name), (7, "DCGM_FI_DEV_GPU_UTIL"));
            kept += 1;
        },
    );
    assert_eq!((asked.len(), kept), (27, 8));
    assert_eq!((tally.samples, tally.skipped, tally.errors), (8, 26 * 8, 0));
}

#[test]
fn a_name_that_begins_another_is_another() {
    let page = b"DCGM 1\nDCGM_FI 2\nDCGM_FI{a=\"b\"} 3\nDCGM 4\n";
    let mut kept = Vec::new();
    Reader::default().read(
        page,
        |name| (name == "DCGM").then_some(()),
        |(), series| kept.push(series.value),
    );
    assert_eq!(kept, [1.0, 4.0]);
}

#[test]
fn a_kept_sample_allocates_nothing() {
    let page = capture("dcgm/h100x8.prom");
    let escaped = b"m{a=\"x\\\\y\",b=\"c\\nd\"} 1\n".repeat(100);
    let mut reader = Reader::default();
    for page in [&page[..], &escaped[..]] {
        reader.read_all(page, |_| {});
        let mut sum = 0.0;
        let count = allocation_counter::measure(|| {
            let tally = reader.read_all(page, |series| {
                sum +=
                    series.value + series.labels.iter().map(|(n, _)| n.len()).sum::<usize>() as f64;
            });
            assert!(tally.samples >= 100);
        });
        assert_eq!(count.count_total, 0);
        assert!(sum > 0.0);
    }
}

#[test]
fn a_megabyte_in_a_label_is_read_and_not_kept() {
    let long = "x".repeat(1 << 20);
    let page = format!("m{{a=\"{long}\\n\"}} 1\nm{{a=\"y\"}} 2\n");
    let mut reader = Reader::default();
    let mut lengths: Vec<usize> = Vec::new();
    reader.read_all(page.as_bytes(), |s| lengths.push(s.labels.iter().map(|(_, v)| v.len()).sum()));
    assert_eq!(lengths, [(1 << 20) + 1, 1]);
    assert!(reader.unescaped.capacity() <= KEPT);
    let many: Vec<String> = (0..300).map(|i| format!("l{i}=\"v\"")).collect();
    assert_eq!(one(&format!("m{{{}}} 1", many.join(","))), None, "more labels than anybody has");
}

/// Parts that lines are made of, good and bad.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(&b"DCGM_FI_DEV_GPU_UTIL"[..]),
        Just(&b"m"[..]),
        Just(&b"{"[..]),
        Just(&b"}"[..]),
        Just(&b"a=\"b\""[..]),
        Just(&b"UUID=\"GPU-1\","[..]),
        Just(&b"\""[..]),
        Just(&b"\\"[..]),
        Just(&b"\\n"[..]),
        Just(&b","[..]),
        Just(&b"="[..]),
        Just(&b" "[..]),
        Just(&b"\t"[..]),
        Just(&b"\n"[..]),
        Just(&b"\r\n"[..]),
        Just(&b"\r"[..]),
        Just(&b"# "[..]),
        Just(&b"1"[..]),
        Just(&b"-2.5e3"[..]),
        Just(&b"NaN"[..]),
        Just(&b" 1395066363000"[..]),
        Just(&b"\xc3\xa9"[..]),
        Just(&b"\xff"[..]),
        Just(&b"\0"[..]),
    ];
    prop::collection::vec(part, 0..60).prop_map(|parts| parts.concat())
}

/// A capture that was cut, had bits flipped, or got a piece of another in its middle.
fn mangled() -> impl Strategy<Value = Vec<u8>> {
    let index = any::<prop::sample::Index>;
    let flips = prop::collection::vec((index(), any::<u8>()), 0..40);
    let splice = prop::option::of((0..CAPTURES.len(), index(), index(), index()));
    (0..CAPTURES.len(), index(), 0..6000_usize, flips, splice).prop_map(
        |(which, from, length, flips, splice)| {
            let page = capture(CAPTURES[which]);
            let from = from.index(page.len());
            let mut page = page[from..(from + length).min(page.len())].to_vec();
            if let Some((other, start, end, at)) = splice {
                let other = capture(CAPTURES[other]);
                let (a, b) = (start.index(other.len()), end.index(other.len()));
                let piece = &other[a.min(b)..a.max(b).min(a.min(b) + 700)];
                let at = at.index(page.len() + 1);
                page.splice(at..at, piece.iter().copied());
            }
            for (at, byte) in flips {
                if !page.is_empty() {
                    let at = at.index(page.len());
                    page[at] ^= byte;
                }
            }
            page
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_read_as_the_slow_reader_reads_them(page in prop::collection::vec(any::<u8>(), 0..300)) {
        agrees(&page);
    }

    #[test]
    fn lines_of_any_parts_too(page in soup()) {
        agrees(&page);
    }

    #[test]
    fn mangled_captures_too(page in mangled()) {
        agrees(&page);
    }

    #[test]
    fn what_is_written_is_read(
        name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,20}",
        labels in prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_]{0,8}", any::<String>()), 0..8),
        value in any::<f64>(),
        timestamp in prop::option::of(any::<i64>()),
    ) {
        let escape = |v: &str| v.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let text: Vec<_> = labels.iter().map(|(n, v)| format!("{n}=\"{}\"", escape(v))).collect();
        let at = timestamp.map(|t| format!(" {t}")).unwrap_or_default();
        let line = format!("{name}{{{}}} {value}{at}\n", text.join(","));
        let (samples, _) = read(line.as_bytes());
        prop_assert_eq!(samples, vec![Owned { name, labels, bits: bits(value), timestamp }]);
    }
}
