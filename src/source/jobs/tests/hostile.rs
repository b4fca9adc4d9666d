//! Files that are wrong, broken, or mean harm: the bad lines are named, and the rest is kept.

use proptest::prelude::*;

use super::*;
use crate::domain::text::hostile;

#[test]
fn clocks_and_numbers_that_make_no_sense_fail_with_their_line() {
    let line = |line: &str| {
        let found = whys(format!("{HEAD}\n{line}\n"));
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert_eq!(found[0].0, 2, "{line}");
        found.into_iter().next().unwrap().1
    };
    assert_eq!(line("a,,1795367777,1795367700,1,failed,"), LineError::Backwards { seconds: 77 });
    let future = line("a,,1895367777,1895367778,1,failed,");
    assert!(matches!(future, LineError::Future { field: "start", .. }), "{future}");
    assert_eq!(line("a,,1795367777,,1,failed,"), LineError::NoEnd("failed"));
    assert_eq!(line("a,,,1795367777,1,failed,"), LineError::NoStart("failed"));
    assert_eq!(line(",,1795367777,1795367778,1,failed,"), LineError::Empty("id"));
    assert_eq!(line("a,,1795367777,1795367778,1,,"), LineError::Empty("status"));
    assert_eq!(line("a,,1795367777,1795367778,,failed,"), LineError::NoGpus);
    for gpus in ["-8", "NaN", "1e9", "eight", "8;"] {
        let found = line(&format!("a,,1795367777,1795367778,{gpus},failed,"));
        assert!(matches!(found, LineError::Number { field: "gpus", .. }), "{gpus}: {found}");
    }
    for start in ["yesterday", "-5", "1e99", "NaN", "2026-13-01T00:00:00Z"] {
        let found = line(&format!("a,,{start},1795367778,1,failed,"));
        assert!(matches!(found, LineError::Time { field: "start", .. }), "{start}: {found}");
    }
    let fields = line("a,b");
    assert_eq!(fields, LineError::Fields { found: 2, wanted: 7 });
}

#[test]
fn slurms_numbers_for_no_moment_are_none() {
    // 2³² − 2 as a start would be −2,499,599,261 s of run time.
    let text = format!("{HEAD}\na,,4294967294,1795367777,1,cancelled,\n");
    let one = &all(text)[0];
    assert_eq!((one.started_at, one.held_ms()), (None, Some(0)));
}

#[test]
fn clocks_that_disagree_leave_the_wait_unknown() {
    let text = "id,submit,start,end,gpus,status\na,1795367790,1795367776,1795367799,1,completed\n";
    let one = &all(text)[0];
    assert_eq!((one.waited_ms(), one.held_ms()), (None, Some(23_000)));
}

#[test]
fn broken_json_and_bytes_that_are_no_text_cost_their_line_alone() {
    let good = r#"{"id":"a","start":1795367776,"end":1795367777,"gpus":1,"status":"completed"}"#;
    let text = format!("{good}\n{{\"id\":\"b\",\"sta\n[1]\n\n{good}\n");
    let file = read_text(text).unwrap();
    let lines: Vec<u64> = file.failed.iter().map(|failed| failed.line).collect();
    assert_eq!((file.attempts.len(), lines), (1, vec![2, 3]));
    let mut bytes = format!("{HEAD}\n").into_bytes();
    bytes.extend(b"\xff\xfe,,1795367776,1795367777,1,completed,\n");
    assert_eq!(&*all(bytes)[0].job, "\u{fffd}\u{fffd}");
}

#[test]
fn what_is_longer_than_the_limit_is_passed_over() {
    let huge = "x".repeat((1 << 20) + 1);
    let good = r#"{"id":"a","start":1795367776,"end":1795367777,"gpus":1,"status":"completed"}"#;
    let file = read_text(format!("{good}\n{{\"id\":\"{huge}\"}}\n{good}\n")).unwrap();
    assert_eq!((file.attempts.len(), &file.failed[0].why), (1, &LineError::Long));
    // After a record of CSV that never ends nothing has a known beginning.
    let csv = format!("{HEAD}\na,,1795367776,1795367777,1,completed,\n\"{huge}\nb\n");
    let file = read_text(csv).unwrap();
    assert!(matches!(
        file.failed[..],
        [super::super::FailedLine { line: 3, why: LineError::Cut(_) }]
    ));
    let long = "y".repeat(5_000);
    let text = format!("{HEAD}\n{long},,1795367776,1795367777,1,completed,\n");
    assert!(all(text)[0].job.chars().count() <= crate::domain::text::MAX_CHARS + 1);
}

#[test]
fn foreign_text_is_clean_wherever_it_becomes_a_value() {
    for text in hostile::TEXTS {
        let quoted = text.replace('"', "\"\"");
        let csv = format!(
            "id,name,status,reason,user,start,end,gpus,nodes\n\"{quoted}\",\"{quoted}\",\"{quoted}\",\
             \"{quoted}\",\"{quoted}\",1795367776,1795367777,1,\"{quoted}\"\n\
             b,,done,,,\"{quoted}\",1795367777,1,\n"
        );
        let file = read_text(csv).unwrap();
        hostile::said("csv", &format!("{:?}", file.attempts));
        for failed in file.failed {
            hostile::said("message", &format!("{:?}", failed.why.to_string()));
        }
        let one_line = text.replace(['\n', '\r'], " ");
        let sacct = format!(
            "JobID\u{1f}JobName\u{1f}State\u{1f}Start\u{1f}End\u{1f}NodeList\n{one_line}\u{1f}{one_line}\
             \u{1f}FAILED\u{1f}1795367776\u{1f}1795367777\u{1f}{one_line}\n"
        );
        if let Ok(file) = read_text(sacct) {
            hostile::said("sacct", &format!("{:?}", file.attempts));
        }
    }
}

proptest! {
    #[test]
    fn no_text_of_sacct_makes_it_fall(
        lines in prop::collection::vec("[0-9|a-zA-Z:=/,+_.\\[\\] \u{1f}-]{0,60}", 0..12),
    ) {
        for head in ["JobID|State|Start|End|AllocTRES|NodeList|JobName", "JobIDRaw\u{1f}State\u{1f}Start\u{1f}"] {
            let _ = read_text(format!("{head}\n{}", lines.join("\n")));
        }
    }

    #[test]
    fn no_bytes_make_it_fall(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_text(&bytes);
        let _ = read_text([HEAD.as_bytes(), b"\n", &bytes].concat());
        let _ = read_text([b"{\"id\":", &bytes[..]].concat());
    }

    #[test]
    fn each_line_is_an_attempt_or_a_failed_line(
        lines in prop::collection::vec("[a-c],[0-9]{0,2},(179536777[0-9])?,(179536777[0-9])?,[0-9]?,(failed|done|x)?,", 1..20),
    ) {
        let text = format!("{HEAD}\n{}\n", lines.join("\n"));
        match read_text(text) {
            Ok(file) => {
                let repeated = file.notes.iter().find_map(|note| match note {
                    super::super::JobNote::Repeated { lines } => Some(*lines),
                    _ => None,
                });
                let sum = file.attempts.len() as u64 + file.failed_count + repeated.unwrap_or_default();
                prop_assert_eq!(sum, lines.len() as u64);
            }
            Err(JobsFileError::NoLine { lines: failed, .. }) => prop_assert_eq!(failed, lines.len() as u64),
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
