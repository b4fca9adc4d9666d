//! Each kind of bad input, and properties over files made at random.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

fn options(columns: Columns) -> CsvOptions {
    CsvOptions { columns, ..CsvOptions::new("d.csv") }
}

fn read(text: &str) -> Demand {
    parse(text, &options(Columns::All)).unwrap()
}

fn wrong(text: &str) -> String {
    parse(text, &options(Columns::All)).unwrap_err().to_string()
}

fn hours(demand: &Demand, family: usize) -> Vec<Option<f64>> {
    demand.families[family].hours.iter().map(|u| (!u.is_nan()).then_some(*u)).collect()
}

fn said(demand: &Demand, part: &str) -> bool {
    demand.notes.iter().any(|note| note.contains(part))
}

#[test]
fn a_plain_file_has_no_notes() {
    let demand = read("time,a,b\n2026-01-01T00:00:00Z,1,2\n2026-01-01T01:00:00Z,3,0.5\n");
    assert_eq!(demand.start.to_string(), "2026-01-01T00:00:00Z");
    assert_eq!(demand.families[1].name, "b");
    assert_eq!(hours(&demand, 0), [Some(1.0), Some(3.0)]);
    assert_eq!(hours(&demand, 1), [Some(2.0), Some(0.5)]);
    assert!(demand.notes.is_empty(), "{:?}", demand.notes);
}

#[test]
fn one_hour_is_a_demand() {
    assert_eq!(read("t,a\n2026-01-01 00:00,7").hours(), 1);
}

#[test]
fn separators_and_decimal_commas() {
    for text in [
        "\u{FEFF}time;a;b\r\n2026-01-01 00:00;1,5;2\r\n\r\n",
        "time\ta\tb\n2026-01-01 00:00:00\t1,5\t2",
        "time,a,b\n2026-01-01 00:00,\"1.5\",2\n",
        "time,a,b,,\n2026-01-01 00:00,1.5,2,,\n",
    ] {
        let demand = read(text);
        assert_eq!([hours(&demand, 0)[0], hours(&demand, 1)[0]], [Some(1.5), Some(2.0)], "{text}");
    }
}

#[test]
fn a_line_with_another_separator_is_read_and_said() {
    let demand = read("time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 01:00;3,5;4\n");
    assert_eq!(hours(&demand, 0), [Some(1.0), Some(3.5)]);
    assert!(said(&demand, "another separator"), "{:?}", demand.notes);
    assert!(said(&demand, "line 3"), "{:?}", demand.notes);
    // A decimal comma makes as many fields as the header has, but no time.
    let demand = read("time,a\n2026-01-01 00:00,1\n2026-01-01 01:00;3,5\n");
    assert_eq!(hours(&demand, 0), [Some(1.0), Some(3.5)]);
}

#[test]
fn wrong_cells_name_line_and_column() {
    let head = "time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 01:00,";
    for (cells, want) in [
        ("-3,1", "d.csv:3:18: a: -3 is negative"),
        ("1,NaN", "d.csv:3:20: b: `NaN` is no number"),
        ("inf,1", "d.csv:3:18: a: inf is too large"),
        ("1,many", "d.csv:3:20: b: `many` is no number"),
        ("1", "d.csv:3:18: 2 fields; the header has 3"),
        ("1,2,3", "d.csv:3:22: 4 fields; the header has 3"),
        ("\"1,2", "d.csv:3:18: nothing closes this quote"),
    ] {
        let text = wrong(&format!("{head}{cells}\n"));
        assert!(text.starts_with(want), "{cells}: {text}");
    }
    assert!(wrong("time,a\nnoon,1").starts_with("d.csv:2:1: `noon` is no time"));
    assert!(wrong("time,a\n2026-01-01,1\n2026-01-02,1").contains("a day without an hour"));
}

#[test]
fn a_file_that_is_none_says_what_one_is() {
    for text in ["", "\n \n", "time\n", "2026-01-01 00:00,1\n2026-01-01 01:00,2\n", "time,a\n"] {
        assert!(wrong(text).contains("header"), "{text:?}");
    }
    assert!(wrong("time,a,a\n2026-01-01 00:00,1,2").contains("a second column `a`"));
}

#[test]
fn many_problems_are_counted() {
    let mut text = "time,a\n".to_owned();
    (0..9).for_each(|hour| writeln!(text, "2026-01-01 0{hour}:00,x").unwrap());
    let error = parse(&text, &options(Columns::All)).unwrap_err();
    assert_eq!((error.problems.len(), error.more), (TOLD, 4));
    assert!(error.to_string().ends_with("d.csv: 4 more like these"));
}

#[test]
fn gaps_are_gaps_and_said() {
    let demand = read("t,a,b\n2026-01-01T00:00Z,1,\n2026-01-01T04:00Z,2,3\n");
    assert_eq!(hours(&demand, 0), [Some(1.0), None, None, None, Some(2.0)]);
    assert_eq!(hours(&demand, 1), [None, None, None, None, Some(3.0)]);
    assert!(said(&demand, "3 hours have no row (60.0%)"), "{:?}", demand.notes);
    assert!(
        said(&demand, "b: 4 hours are not known (80.0%), the longest gap is 4 h from 2026-01-01"),
        "{:?}",
        demand.notes
    );
    let demand = read("t,a\n2026-01-01T00:00Z,1\n2026-01-01T02:00Z,2\n2026-01-01T05:00Z,2\n");
    assert!(
        said(&demand, "the longest gap is 2 h from 2026-01-01T03:00:00Z"),
        "{:?}",
        demand.notes
    );
}

#[test]
fn order_does_not_matter_and_is_said() {
    let demand = read("t,a\n2026-01-01T01:00Z,2\n2026-01-01T00:00Z,1\n2026-01-01T02:00Z,3\n");
    assert_eq!(hours(&demand, 0), [Some(1.0), Some(2.0), Some(3.0)]);
    assert!(said(&demand, "sorted"), "{:?}", demand.notes);
}

#[test]
fn equal_duplicates_are_merged_and_others_are_an_error() {
    let head = "t,a,b\n2026-01-01T00:00Z,1,2\n2026-01-01T01:00Z,1,\n";
    let demand = read(&format!("{head}2026-01-01T01:00Z,1,5\n"));
    assert_eq!(hours(&demand, 1), [Some(2.0), Some(5.0)]);
    assert!(said(&demand, "1 time is said again"), "{:?}", demand.notes);
    let text = wrong(&format!("{head}2026-01-01T00:00Z,1,9\n"));
    assert!(
        text.starts_with("d.csv:4:1: b: 9 at 2026-01-01T00:00:00Z, but line 2 says 2"),
        "{text}"
    );
}

#[test]
fn parts_of_an_hour_are_averaged() {
    let demand = read("t,a\n2026-01-01T00:00Z,1\n2026-01-01T00:30Z,2\n2026-01-01T01:15Z,5\n");
    assert_eq!(hours(&demand, 0), [Some(1.5), Some(5.0)]);
    assert!(said(&demand, "3 rows averaged to 2 hours"), "{:?}", demand.notes);
    let demand = read("t,a\n2026-01-01T00:30Z,1\n2026-01-01T01:30Z,2\n");
    assert!(said(&demand, "2 times are not on the hour"), "{:?}", demand.notes);
}

#[test]
fn a_clock_that_skips_and_repeats_is_understood() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let berlin = CsvOptions { zone, ..options(Columns::All) };
    let file = |day: &str, hours: &[&str]| {
        let mut text = "t,a\n".to_owned();
        for (units, hour) in hours.iter().enumerate() {
            writeln!(text, "{day} {hour},{units}").unwrap();
        }
        text
    };
    let autumn = file("2026-10-25", &["01:00", "02:00", "02:00", "03:00"]);
    let demand = parse(&autumn, &berlin).unwrap();
    assert_eq!(demand.start.to_string(), "2026-10-24T23:00:00Z");
    assert_eq!(hours(&demand, 0), [Some(0.0), Some(1.0), Some(2.0), Some(3.0)]);
    assert!(said(&demand, "show twice"), "{:?}", demand.notes);
    // In UTC the same file says two things of one hour.
    assert!(wrong(&autumn).contains("--zone"));
    let demand = parse(&file("2026-10-25", &["01:00", "02:00", "03:00"]), &berlin).unwrap();
    assert_eq!(hours(&demand, 0), [Some(0.0), Some(1.0), None, Some(2.0)]);
    assert!(said(&demand, "stand here once"), "{:?}", demand.notes);
    let demand = parse(&file("2026-03-29", &["01:00", "03:00"]), &berlin).unwrap();
    assert_eq!(hours(&demand, 0), [Some(0.0), Some(1.0)]);
    let demand = parse(&file("2026-03-29", &["01:00", "02:00", "03:00"]), &berlin).unwrap();
    assert_eq!(hours(&demand, 0), [Some(0.0), Some(2.0)]);
    assert!(said(&demand, "skip (line 3): left out"), "{:?}", demand.notes);
}

#[test]
fn columns_are_picked_by_name() {
    let text = "time,a,region,b\n2026-01-01T00:00Z,1,us-east-1,2\n";
    let one = parse(text, &options(Columns::One("b".into()))).unwrap();
    assert_eq!((one.families.len(), hours(&one, 0)), (1, vec![Some(2.0)]));
    let error = parse(text, &options(Columns::Single)).unwrap_err().to_string();
    assert!(error.ends_with("pick one with --column: a, region, b"), "{error}");
    let error = parse(text, &options(Columns::One("c".into()))).unwrap_err().to_string();
    assert!(error.ends_with("there is no column `c`; there are: a, region, b"), "{error}");
}

#[test]
fn families_below_each_other_are_put_beside_each_other() {
    let long = Columns::Long { value: "gpus".into(), family: "vc".into() };
    let text = "time,vc,gpus\n2026-01-01 00:00,x,1\n2026-01-01 00:00,y,2\n2026-01-01 01:00,y,4\n";
    let demand = parse(text, &options(long.clone())).unwrap();
    assert_eq!(hours(&demand, 0), [Some(1.0), None]);
    assert_eq!(hours(&demand, 1), [Some(2.0), Some(4.0)]);
    let twice = format!("{text}2026-01-01 00:00,y,3\n");
    let error = parse(&twice, &options(long)).unwrap_err().to_string();
    assert!(error.starts_with("d.csv:5:1: y: 3 at"), "{error}");
    assert!(error.contains("line 3 says 2"), "{error}");
}

/// Facts of the file, counted with other tools: 16 clusters over the 744 hours of May 2020.
#[test]
fn a_real_cluster_is_read() {
    let text = include_str!("../../../../tests/data/whatif/helios_earth_vc_hourly_2020-05.csv");
    let long = Columns::Long { value: "running_gpus".into(), family: "vc".into() };
    let demand = parse(text, &options(long)).unwrap();
    assert_eq!((demand.families.len(), demand.hours()), (16, 744));
    assert_eq!(demand.families[0].name, "vc3sl");
    assert_eq!(demand.families[0].hours[0], 58.317);
    assert_eq!(demand.notes, ["times without an offset are taken for UTC"]);
}

#[test]
fn long_and_wide_files_are_fine() {
    let start: jiff::Timestamp = "2016-01-01T00:00:00Z".parse().unwrap();
    let mut text = "time,a\n".to_owned();
    for hour in 0..87_600_i64 {
        writeln!(text, "{},{}", start.as_second() + 3600 * hour, hour % 24).unwrap();
    }
    let demand = read(&text);
    assert_eq!((demand.hours(), demand.families[0].mean()), (87_600, Some(11.5)));
    let names: Vec<String> = (0..200).map(|at| format!("f{at}")).collect();
    let cells: Vec<String> = (0..200).map(|at| at.to_string()).collect();
    let text = format!("time,{}\n2026-01-01 00:00,{}\n", names.join(","), cells.join(","));
    let demand = read(&text);
    assert_eq!((demand.families.len(), demand.families[199].hours[0]), (200, 199.0));
}

#[test]
fn a_mistyped_year_is_not_four_gigabytes_of_gaps() {
    let text = wrong("t,a\n2024-01-01T00:00Z,1\n2204-01-01T01:00Z,1\n");
    assert!(text.starts_with("d.csv:3:1: 180 years from 2024-01-01T00:00:00Z (line 2)"), "{text}");
}

#[test]
fn hostile_names_are_cleaned() {
    let demand = read("time,a\u{1b}[31m\n2026-01-01 00:00,1\n");
    assert_eq!(demand.families[0].name, "a\u{FFFD}[31m");
    assert!(!wrong("time,a\n2026-01-01 00:00,\u{202E}x").contains('\u{202E}'));
}

proptest! {
    /// No text makes it panic, and every error has a place.
    #[test]
    fn any_text_ends_well(text in "(time,a\n)?[0-9a-zT:;,.\t \"\n+Z-]{0,200}") {
        if let Err(error) = parse(&text, &options(Columns::All)) {
            prop_assert!(!error.problems.is_empty());
            prop_assert!(error.problems.iter().all(|p| p.line >= 1 && p.column >= 1));
        }
    }

    /// What is written is read, whatever the order of the rows, with gaps where rows are missing.
    #[test]
    fn written_and_read(
        units in proptest::collection::vec(proptest::option::weighted(0.8, 0_u32..1000), 1..200),
        semicolon in proptest::bool::ANY,
        seed in 0_usize..1000,
    ) {
        let separator = if semicolon { ';' } else { ',' };
        let start: jiff::Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        let mut lines = Vec::new();
        for (hour, units) in units.iter().enumerate() {
            if let Some(units) = units {
                let at = start + jiff::SignedDuration::from_hours(hour as i64);
                let number = format!("{units}.5");
                let number = if semicolon { number.replace('.', ",") } else { number };
                lines.push(format!("{at}{separator}{number}\n"));
            }
        }
        prop_assume!(!lines.is_empty());
        let turn = seed % lines.len();
        lines.rotate_left(turn);
        let text = format!("time{separator}a\n{}", lines.concat());
        let demand = read(&text);
        let first = units.iter().position(Option::is_some).unwrap();
        let last = units.iter().rposition(Option::is_some).unwrap();
        let want: Vec<Option<f64>> =
            units[first..=last].iter().map(|u| u.map(|u| f64::from(u) + 0.5)).collect();
        prop_assert_eq!(hours(&demand, 0), want);
        prop_assert_eq!(said(&demand, "sorted"), turn != 0);
        prop_assert_eq!(said(&demand, "no row"), units[first..=last].iter().any(Option::is_none));
    }
}

/// Files that are larger than a demand.
mod hostile {
    use super::*;

    #[test]
    fn no_file_takes_much_more_than_itself() {
        const BYTES: usize = 2 << 20;
        let fill = |unit: &str| unit.repeat(BYTES / unit.len());
        let head = "t,a\n2026-01-01T00:00Z,1\n";
        let wide = format!("t{}\n", ",x".repeat(3_000));
        let families: String = (0..MAX_FAMILIES).map(|i| format!(",f{i}")).collect();
        let long = |n: usize, family: &dyn Fn(usize) -> usize| {
            let mut text = "t,v,f\n".to_owned();
            for i in 0..n {
                let (hour, day) = (i % 24, i / 24 % 28 + 1);
                let (month, year) = (i / 672 % 12 + 1, 2000 + i / 8_064);
                let family = family(i);
                writeln!(text, "{year}-{month:02}-{day:02}T{hour:02}:00Z,1,{family}").unwrap();
            }
            text
        };
        let cases = [
            ("header", fill(","), Columns::All),
            ("quoted header", format!("\"{}", fill("x,")), Columns::All),
            ("names", format!("t{}", fill(",a")), Columns::All),
            ("wide", wide, Columns::All),
            ("no numbers", format!("t,a\n{}", fill("2026-01-01T00:00Z,x\n")), Columns::All),
            ("a line", format!("{head}{}", fill(",")), Columns::All),
            ("a line of semicolons", format!("{head}{}", fill(";")), Columns::All),
            ("an empty tail", format!("{head}2026-01-01T01:00Z,1{},x\n", fill(",")), Columns::All),
            ("quotes", format!("{head}{}", fill("\"")), Columns::All),
            ("pairs of quotes", format!("{head}\"{}", fill("\"\"")), Columns::All),
            ("lines", format!("{head}{}", fill("x\n")), Columns::All),
            (
                "years",
                format!(
                    "t{families}\n2000-01-01T00:00Z{0}\n2019-06-01T00:00Z{0}\n",
                    ",1".repeat(MAX_FAMILIES)
                ),
                Columns::All,
            ),
            (
                "families below each other",
                long(25_000, &|i| i % MAX_FAMILIES),
                Columns::Long { value: "v".into(), family: "f".into() },
            ),
            (
                "too many families",
                long(3_000, &|i| i),
                Columns::Long { value: "v".into(), family: "f".into() },
            ),
        ];
        let inputs = cases.len();
        for (what, text, columns) in cases {
            let mut error = None;
            let measured = allocation_counter::measure(|| {
                error = parse(&text, &options(columns)).err();
            });
            let error = error.unwrap_or_else(|| panic!("{what} was read")).to_string();
            assert!(error.len() < 100_000, "{what}: {} bytes", error.len());
            // A line of the longest that may be, and cells up to their limit.
            assert!(measured.bytes_max <= 350 << 20, "{what}: {}", measured.bytes_max);
        }
        assert_eq!(inputs, 14);
        println!("hostile: demands: {inputs} inputs");
    }
}
