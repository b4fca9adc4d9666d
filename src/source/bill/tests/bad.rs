use std::io::Write as _;
use std::sync::Arc;

use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;

use super::*;
use crate::domain::bill::{BillFormat, BillNote, Charge, Usd};
use crate::domain::text::hostile;

const HEADER: &str = "identity/LineItemId,bill/PayerAccountId,bill/BillingPeriodStartDate,lineItem/UsageAccountId,lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/CurrencyCode,lineItem/UnblendedCost";

/// A line of CUR.
fn line(id: &str, kind: &str, resource: &str, currency: &str, cost: &str) -> String {
    format!(
        "{id},9,2026-10-01T00:00:00Z,1,{kind},2026-10-02T00:00:00Z,2026-10-03T00:00:00Z,AmazonEC2,BoxUsage,{resource},{currency},{cost}"
    )
}

fn cur(lines: &[String]) -> String {
    format!("{HEADER}\n{}\n", lines.join("\n"))
}

fn good_line(id: &str) -> String {
    line(id, "Usage", "i-1", "USD", "1.5")
}

/// Error of a file with these bytes.
fn error(bytes: &[u8]) -> BillFileError {
    read_text(bytes, &[]).unwrap_err()
}

fn usd(text: &str) -> Usd {
    Usd::parse(text.as_bytes()).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(vec![], Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A zip archive of one member.
fn zip(bytes: &[u8], deflated: bool) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let packed = if deflated {
        let mut packed = DeflateEncoder::new(vec![], Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    } else {
        bytes.to_vec()
    };
    let method = if deflated { 8_u16 } else { 0 };
    let mut shared = vec![20, 0, 0, 0];
    shared.extend(method.to_le_bytes());
    shared.extend([0; 4]);
    for number in [crc.sum(), packed.len() as u32, bytes.len() as u32] {
        shared.extend(number.to_le_bytes());
    }
    shared.extend([8, 0, 0, 0]);
    let mut file = [b"PK\x03\x04", &shared[..], b"bill.csv", &packed].concat();
    let at = file.len() as u32;
    file.extend([b"PK\x01\x02\x14\0", &shared[..], &[0; 14], b"bill.csv"].concat());
    let length = file.len() as u32 - at;
    file.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    file.extend(length.to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A Parquet file with optional columns of texts and of numbers, by their first letters `t` and `n`, in one group of
/// rows.
fn parquet(columns: &[(&str, &[Option<&[u8]>])], dictionary: bool) -> Vec<u8> {
    let is_number = |name: &str| name.ends_with("cost");
    let fields: String = columns
        .iter()
        .map(|(name, _)| match is_number(name) {
            true => format!("optional double {name};"),
            false => format!("optional binary {name} (UTF8);"),
        })
        .collect();
    let schema = Arc::new(parse_message_type(&format!("message m {{ {fields} }}")).unwrap());
    let properties = WriterProperties::builder().set_dictionary_enabled(dictionary).build();
    let mut writer = SerializedFileWriter::new(vec![], schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for (name, values) in columns {
        let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
        let mut column = group.next_column().unwrap().unwrap();
        if is_number(name) {
            let numbers: Vec<f64> = values
                .iter()
                .flatten()
                .map(|v| std::str::from_utf8(v).unwrap().parse().unwrap())
                .collect();
            column.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None).unwrap();
        } else {
            let texts: Vec<ByteArray> =
                values.iter().flatten().map(|v| ByteArray::from(v.to_vec())).collect();
            column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap();
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

/// CUR 2.0 of one line with these costs and resource, and further columns.
fn cur2(cost: Option<&'static str>, resource: &[u8], further: usize) -> Vec<u8> {
    let names: Vec<String> = (0..further).map(|i| format!("resource_tags_user_{i}")).collect();
    let mut columns: Vec<(&str, Vec<Option<&[u8]>>)> = [
        ("bill_payer_account_name", "payer"),
        ("bill_billing_period_start_date", "2026-10-01"),
        ("line_item_usage_account_id", "1"),
        ("line_item_line_item_type", "Usage"),
        ("line_item_usage_start_date", "2026-10-05"),
        ("line_item_product_code", "AmazonEC2"),
        ("line_item_usage_type", "BoxUsage"),
        ("line_item_currency_code", "USD"),
    ]
    .map(|(name, value)| (name, vec![Some(value.as_bytes())]))
    .to_vec();
    columns.push(("line_item_resource_id", vec![Some(resource)]));
    columns.push(("line_item_unblended_cost", vec![cost.map(str::as_bytes)]));
    columns.extend(names.iter().map(|name| (&**name, vec![Some(&b"x"[..])])));
    let columns: Vec<_> = columns.iter().map(|(name, values)| (*name, &values[..])).collect();
    parquet(&columns, true)
}

#[test]
fn packed_files_are_read_and_cut_ones_are_refused() {
    let lines: Vec<String> = (0..2_000).map(|i| good_line(&format!("{i:032x}"))).collect();
    let text = cur(&lines);
    let files = [
        text.clone().into_bytes(),
        gzip(text.as_bytes()),
        zip(text.as_bytes(), true),
        zip(text.as_bytes(), false),
    ];
    for (at, file) in files.iter().enumerate() {
        let bill = read_text(file, &[]).unwrap();
        assert_eq!(bill.head.total.billed, usd("3000"), "{at}");
        assert_eq!(bill.cells.len(), 1);
    }
    for file in &files[1..] {
        for cut in [file.len() / 2, file.len() - 3] {
            let error = error(&file[..cut]);
            assert!(matches!(error, BillFileError::Damaged { .. }), "{error}");
            assert!(error.to_string().contains("bill.csv"), "{error}");
        }
    }
    // A member that is longer than its list says.
    let mut bomb = zip(text.as_bytes(), true);
    let at = bomb.len() - 22 - 54 + 24;
    bomb[at..at + 4].copy_from_slice(&9_u32.to_le_bytes());
    let error = error(&bomb);
    assert!(error.to_string().contains("not what its list says"), "{error}");
}

#[test]
fn what_is_no_bill_says_so() {
    for bytes in [&b"a,b,c\n1,2,3\n"[..], b"\x00\xff\xfe random \n\n bytes", b"{\"json\":1}"] {
        assert!(matches!(error(bytes), BillFileError::NotABill { .. }));
    }
    for bytes in [&b""[..], b"\n", HEADER.as_bytes()] {
        assert!(matches!(error(bytes), BillFileError::NoLines { .. }));
    }
    let missing = error(b"lineItem/UsageType,lineItem/UnblendedCost\nx,1\n").to_string();
    for column in ["lineItem/LineItemType", "lineItem/UsageStartDate", "lineItem/ProductCode"] {
        assert!(missing.contains(column), "{missing}");
    }
    let missing =
        error(&parquet(&[("billed_cost", &[Some(b"1")]), ("effective_cost", &[Some(b"1")])], true));
    assert!(missing.to_string().contains("ChargeCategory"), "{missing}");
    assert!(matches!(missing, BillFileError::MissingColumns { format: BillFormat::Focus10, .. }));
    let short = error(format!("{}1,2\n", cur(&[good_line("a")])).as_bytes());
    assert!(short.to_string().contains("line 3 has 2 fields"), "{short}");
    let nothing = read(&[PathBuf::from("/nonexistent/bill.csv")], &options(&[]), &mut |_| {
        ControlFlow::Continue(())
    });
    assert!(matches!(nothing, Err(BillFileError::Unreadable { .. })));
}

#[test]
fn other_currencies_are_refused_and_named() {
    let euros = line("b", "Usage", "", "EUR", "1");
    let mixed = error(cur(&[good_line("a"), euros.clone()]).as_bytes());
    let BillFileError::Currency { column, currency, mixed, .. } = mixed else { panic!() };
    assert_eq!((&*column, &*currency, mixed), ("lineItem/CurrencyCode", "EUR", true));
    let alone = error(cur(&[euros]).as_bytes());
    assert!(matches!(alone, BillFileError::Currency { mixed: false, .. }));
}

#[test]
fn odd_lines_are_counted_and_told() {
    let lines = [
        good_line("a"),
        good_line("a"),
        line("b", "Usage", "i-2", "USD", ""),
        line("c", "Credit", "", "USD", "-2.25"),
        line("d", "LaterUsage", "", "", "1e-3"),
        good_line("").replace("2026-10-02T", "2026-09-30T"),
        good_line("e").replace("2026-10-03T", "2026-10-30T"),
    ];
    let bill = read_text(cur(&lines).as_bytes(), &[]).unwrap();
    assert_eq!(bill.head.total.billed, usd("3.751"));
    let notes = &bill.head.notes;
    for note in [
        BillNote::DuplicateIds { lines: 1, billed: usd("1.5") },
        BillNote::NullAmounts { column: "lineItem/UnblendedCost".into(), lines: 1 },
        BillNote::UnknownWord {
            column: "lineItem/LineItemType".into(),
            word: "LaterUsage".into(),
            lines: 1,
        },
        BillNote::OutsidePeriod { lines: 1 },
        BillNote::LongLines { lines: 1 },
        BillNote::ColumnMissing {
            column: "lineItem/UsageAmount".into(),
            unknown: "quantities".into(),
        },
    ] {
        assert!(notes.contains(&note), "{note:?} in {notes:?}");
    }
    let credit = bill.cells.iter().find(|cell| cell.key.charge == Charge::Credit).unwrap();
    assert!(credit.sums.effective.is_negative());
    let word = error(cur(&[line("a", "Usage", "", "USD", "12 USD")]).as_bytes()).to_string();
    assert!(word.contains("lineItem/UnblendedCost") && word.contains("line 2"), "{word}");
    let time = error(cur(&[good_line("a").replace("2026-10-02T", "10/02/2026 ")]).as_bytes());
    assert!(time.to_string().contains("lineItem/UsageStartDate"), "{time}");
}

#[test]
fn split_cost_rows_are_in_no_sum() {
    let header = format!(
        "{HEADER},splitLineItem/ParentResourceId,splitLineItem/SplitCost,splitLineItem/UnusedCost"
    );
    let whole = format!("{},,,", good_line("a"));
    let part = format!("{},i-1,0.5,0.25", line("b", "Usage", "pod", "USD", ""));
    let bill = read_text(format!("{header}\n{whole}\n{part}\n").as_bytes(), &[]).unwrap();
    assert_eq!((bill.head.lines, bill.head.total.billed), (1, usd("1.5")));
    assert!(bill.head.notes.contains(&BillNote::SplitRows { lines: 1, cost: usd("0.75") }));
}

#[test]
fn the_rules_of_focus_are_checked() {
    let header = "BillingCurrency,BilledCost,EffectiveCost,ChargeCategory,ChargePeriodStart,ServiceName,CommitmentDiscountId\n";
    let lines = "USD,2,0,Usage,2026-10-01,S,\nUSD,10,1,Purchase,2026-10-01,S,plan\nUSD,0,4,Usage,2026-10-01,S,plan\n";
    let bill = read_text(format!("{header}{lines}").as_bytes(), &[]).unwrap();
    for note in [
        BillNote::EffectiveZero { lines: 1, billed: usd("2") },
        BillNote::PurchaseEffective { lines: 1, effective: usd("1") },
        BillNote::CommitmentDiffers {
            commitment: "plan".into(),
            billed: usd("10"),
            effective: usd("4"),
        },
    ] {
        assert!(bill.head.notes.contains(&note), "{note:?} in {:?}", bill.head.notes);
    }
}

#[test]
fn the_exact_spelling_of_a_tag_counts_and_then_the_first() {
    let header =
        format!("{HEADER},resourceTags/user:Team,resourceTags/user:TEAM,resourceTags/user:team");
    let lines = [",,x", "y,,x", "y,z,", ",z,"].map(|tags| format!("{},{tags}", good_line("")));
    let text = format!("{header}\n{}\n", lines.join("\n"));
    let bill = read_text(text.as_bytes(), &["team"]).unwrap();
    let mut found: Vec<_> =
        bill.cells.iter().map(|c| (bill.name(bill.tag(c.key.owner, 0)), c.sums.lines)).collect();
    found.sort_unstable();
    assert_eq!(found, [("x", 2), ("y", 1), ("z", 1)]);
    let header = "BillingCurrency,BilledCost,EffectiveCost,ChargeCategory,ChargePeriodStart,ServiceName,Tags\n";
    for cell in
        [r#""{""Team"":""y"",""user:team"":""x""}""#, "\"{team=x, TEAM=y}\"", "TEAM=y;team=x"]
    {
        let text = format!("{header}USD,1,1,Usage,2026-10-01,S,{cell}\n");
        let bill = read_text(text.as_bytes(), &["team"]).unwrap();
        assert_eq!(bill.name(bill.tag(bill.cells[0].key.owner, 0)), "x", "{cell}");
    }
}

#[test]
fn a_bill_may_be_wide_and_a_field_may_not_be_huge() {
    let tags: String = (0..1_200).map(|i| format!(",resourceTags/user:t{i}")).collect();
    let text = format!("{HEADER}{tags}\n{}{}\n", good_line("a"), ",v".repeat(1_200));
    let bill = read_text(text.as_bytes(), &["t1199"]).unwrap();
    assert_eq!(bill.name(bill.tag(bill.cells[0].key.owner, 0)), "v");
    let bill = read_text(&cur2(Some("1.5"), b"i-1", 1_200), &["1199"]).unwrap();
    assert_eq!(bill.name(bill.tag(bill.cells[0].key.owner, 0)), "x");
    let huge = "x".repeat(20 << 20);
    let error = error(cur(&[line("a", "Usage", &huge, "USD", "1")]).as_bytes());
    assert!(matches!(error, BillFileError::Beyond { .. }), "{error}");
    assert!(error.to_string().contains("begins in line 2"), "{error}");
    let kept = read_text(&cur2(Some("1.5"), &huge.into_bytes(), 0), &[]);
    match kept {
        Ok(bill) => assert!(bill.name(bill.resources[0].resource).len() < 2_048),
        Err(error) => assert!(matches!(error, BillFileError::Beyond { .. }), "{error}"),
    }
}

#[test]
fn texts_that_are_no_utf_8_are_told() {
    let bill = read_text(&cur2(Some("1.5"), b"i-\xff", 0), &[]).unwrap();
    assert!(bill.head.notes.contains(&BillNote::NotUtf8 { lines: 1 }), "{:?}", bill.head.notes);
    assert_eq!(bill.name(bill.resources[0].resource), "i-\u{fffd}");
    let mut text = cur(&[good_line("a")]).into_bytes();
    let at = text.windows(8).rposition(|w| w == b"BoxUsage").unwrap();
    text[at] = 0xff;
    let bill = read_text(&text, &[]).unwrap();
    assert!(bill.head.notes.contains(&BillNote::NotUtf8 { lines: 1 }));
}

#[test]
fn nulls_and_amounts_of_parquet_are_read() {
    let bill = read_text(&cur2(None, b"", 0), &[]).unwrap();
    let note = BillNote::NullAmounts { column: "line_item_unblended_cost".into(), lines: 1 };
    assert!(bill.head.notes.contains(&note), "{:?}", bill.head.notes);
    assert!(!bill.head.has_resources);
    let bill = read_text(&cur2(Some("-0.1"), b"", 0), &[]).unwrap();
    assert_eq!(bill.head.total.billed, usd("-0.1"));
    assert!(matches!(error(&cur2(Some("inf"), b"", 0)), BillFileError::Value { .. }));
    let nan = read_text(&cur2(Some("NaN"), b"", 0), &[]).unwrap();
    assert!(nan.head.notes.contains(&note));
}

#[test]
fn a_caller_ends_it() {
    let file = [data("synthetic-cur2.parquet")];
    let ended = read(&file, &options(&[]), &mut |_| ControlFlow::Break(()));
    assert_eq!(ended, Err(BillFileError::Cancelled));
}

#[test]
fn no_text_of_a_bill_is_unclean() {
    for text in hostile::TEXTS {
        let quoted = format!("\"{}\"", text.replace('"', "\"\""));
        let line = line("a", &quoted, &quoted, "USD", "1").replace("AmazonEC2", &quoted);
        let bill = read_text(cur(&[line]).as_bytes(), &[]).unwrap();
        hostile::said("a bill", &format!("{bill:?}"));
        for bytes in [
            format!("{quoted},{quoted}\n"),
            cur(&[line_of_currency(&quoted)]),
            cur(&[good_line("a").replace("1.5", &quoted)]),
            cur(&[good_line("a").replace("2026-10-02T00:00:00Z", &quoted)]),
        ] {
            if let Err(error) = read_text(bytes.as_bytes(), &[]) {
                hostile::said("an error", &format!("{error:?}"));
            }
        }
    }
}

fn line_of_currency(currency: &str) -> String {
    line("a", "Usage", "", currency, "1")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any bytes, and any change to a good file, are read or refused; no panic reaches the caller.
    #[test]
    fn damaged_files_are_read_or_refused(
        which in 0_usize..4,
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..40),
        cut: bool,
    ) {
        let mut file = match which {
            0 => cur2(Some("1.5"), b"i-1", 3),
            1 => zip(cur(&[good_line("a")]).as_bytes(), true),
            2 => gzip(cur(&[good_line("a")]).as_bytes()),
            _ => std::fs::read(data("synthetic-focus-1.0-aws.parquet")).unwrap(),
        };
        let at = at.index(file.len());
        if cut {
            file.truncate(at);
        } else {
            let end = (at + bytes.len()).min(file.len());
            file.splice(at..end, bytes);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bill");
        std::fs::write(&path, file).unwrap();
        if let Ok(bills) = read(&[path], &options(&["team"]), &mut |_| ControlFlow::Continue(())) {
            prop_assert!(bills.iter().all(Bill::is_whole));
        }
    }
}
