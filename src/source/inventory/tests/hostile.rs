//! Pieces that are far larger inside than outside. Each ends in an error, within a budget.

use ::parquet::basic::{Compression, Encoding, GzipLevel};
use ::parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::*;
use crate::domain::records::RECORD_AT_MOST;
use crate::domain::storage::ObjectBatch;

/// What a bomb may take before it is refused: a record, buffers of files and of unpacking.
const BUDGET: u64 = 12 << 20;

const COLUMNS: &str = "message s3.inventory { required binary bucket (UTF8); \
    required binary key (UTF8); optional int64 size; }";

/// The first backtrace of a process reads the program's debug information: tens of megabytes that no
/// file costs, counted or not by which test is first.
fn load_backtraces() {
    let _ = parquet::guarded(|| panic!("so that the backtraces of the decoder find it loaded"));
}

/// Reads the one piece; its error, and the most bytes that were taken at a time.
fn refused(name: &str, format: &str, schema: &str, piece: &[u8]) -> (SourceError, u64) {
    let made = Made::new();
    made.put("inv/data/piece", piece);
    made.manifest("inv", format, schema, &[("inv/data/piece", piece)]);
    let inventory = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(opened(made.path("inv/manifest.json")))
        .unwrap();
    let mut error = None;
    load_backtraces();
    let measured = allocation_counter::measure(|| {
        let pieces = inventory.pieces(Need::ALL, b"");
        let mut piece = pieces.next().unwrap().unwrap();
        error = piece.read(&mut |_, _| ControlFlow::Continue(())).err();
    });
    (error.unwrap_or_else(|| panic!("{name} was read")), measured.bytes_max)
}

#[test]
fn no_packed_csv_takes_more_than_a_record() {
    // Members of gzip stand side by side: some hundred kilobytes of 512 MiB.
    let flood = |first: &[u8], unit: &[u8], times: usize| {
        let mut bytes = gzip(first);
        let member = gzip(&unit.repeat((1 << 20) / unit.len()));
        for _ in 0..times {
            bytes.extend_from_slice(&member);
        }
        bytes
    };
    let good = line("k", "5", "2026-11-19T02:00:00.000Z");
    let long_version = good.replace("\"v\"", &format!("\"{}\"", "v".repeat(2_000)));
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a field", flood(good.as_bytes(), b"x", 512), "longer than 1 MiB"),
        ("a quoted field", flood(b"\"", b"x\n", 512), "longer than 1 MiB"),
        ("an open quote", flood(good.as_bytes(), b"\"x\" ", 512), "longer than 1 MiB"),
        ("fields", flood(b"a", b",", 512), "more than 4096 fields"),
        ("quoted fields", flood(b"\"a\"", b",\"\"", 512), "more than 4096 fields"),
        ("a first record", flood(b"", b"y", 512), "longer than 1 MiB"),
        ("a key", gzip(line(&"k".repeat(100_000), "5", "").as_bytes()), "a key of 100000 bytes"),
        ("a version", gzip(long_version.as_bytes()), "a version id of 2000 bytes"),
        ("a field too many", gzip(format!("{},x\n", good.trim_end()).as_bytes()), "9 fields"),
        ("cut off", gzip(good.as_bytes())[..20].to_vec(), ""),
        ("no gzip", good.into_bytes(), ""),
    ];
    let inputs = cases.len();
    for (name, piece, words) in cases {
        let (error, bytes) = refused(name, "CSV", SCHEMA, &piece);
        assert!(error.message.contains(words), "{name}: {error:?}");
        assert!(error.message.contains("inv/data/piece") && !error.fix.is_empty(), "{error:?}");
        assert!(bytes <= BUDGET, "{name}: {bytes}");
    }
    assert!(RECORD_AT_MOST < BUDGET as usize);
    assert_eq!(inputs, 11);
    println!("hostile: inventory csv: {inputs} inputs");
}

/// A piece with these keys.
fn piece(keys: &[Vec<u8>], properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(COLUMNS).unwrap());
    let mut writer = SerializedFileWriter::new(vec![], schema, properties.into()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let texts: Vec<ByteArray> = keys.iter().map(|k| ByteArray::from(k.clone())).collect();
    let bucket = vec![ByteArray::from("b"); keys.len()];
    for texts in [&bucket, &texts] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(texts, None, None).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    let present = vec![1; keys.len()];
    let sizes = vec![5; keys.len()];
    column.typed::<Int64Type>().write_batch(&sizes, Some(&present), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_dictionary_enabled(false)
}

/// A number as thrift writes it.
fn number(n: i64) -> Vec<u8> {
    let mut n = (n << 1 ^ n >> 63) as u64;
    let mut out = vec![];
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
    out
}

/// A length as thrift writes it.
fn length(n: u64) -> Vec<u8> {
    number((n / 2) as i64 ^ -((n % 2) as i64))
}

/// A file with this footer.
fn with_footer(footer: &[u8], said: u32) -> Vec<u8> {
    let tail = [footer, &said.to_le_bytes(), b"PAR1"].concat();
    [b"PAR1".as_slice(), &tail].concat()
}

/// The header of a first page with other numbers in it: the second and third field of the header,
/// and the first of the structure within.
fn lying(good: &[u8], unpacked: i64, packed: i64, values: i64) -> Vec<u8> {
    // The key's page is the second one whose header is `15 00 15 n 15 m 2c 15 v`.
    let end_of = |at: usize| {
        let mut end = at;
        for mark in [&[0x15, 0, 0x15][..], &[0x15], &[0x2c, 0x15]] {
            end += good[end..].strip_prefix(mark).map(|_| mark.len())?;
            end += good[end..].iter().take_while(|b| **b & 0x80 != 0).count() + 1;
        }
        Some(end)
    };
    let (at, end) = (4..good.len() - 20).filter_map(|at| Some((at, end_of(at)?))).nth(1).unwrap();
    let header = [
        &[0x15, 0, 0x15][..],
        &number(unpacked),
        &[0x15],
        &number(packed),
        &[0x2c, 0x15],
        &number(values),
    ]
    .concat();
    // No longer than before: what comes behind must stay where the footer says.
    let old = end - at;
    let mut file = good.to_vec();
    if header.len() <= old {
        file.splice(at..end, header);
    } else {
        file.splice(at..at + header.len(), header);
    }
    file
}

#[test]
fn no_parquet_piece_takes_what_it_says() {
    let keys = |n: usize| (0..n).map(|i| format!("a/{i:06}").into_bytes()).collect::<Vec<_>>();
    let long = |n: usize, bytes: usize| vec![vec![b'k'; bytes]; n];
    let good = piece(&keys(100), plain().build());
    let groups = |n: u64| {
        // The fourth field of the footer is the groups of rows; there are none.
        let list = [&[0x15, 2, 0x19, 0x1c, 0x48, 1, b'x', 0x15, 0, 0, 0x16, 0][..], &[0x19, 0xfc]];
        let footer = [list.concat(), length(n)].concat();
        with_footer(&footer, footer.len() as u32)
    };
    let columns = |n: usize| {
        // A schema whose columns lie in each other.
        let element = [0x48, 1, b'x', 0x15, 2, 0];
        let list = [&[0x15, 2, 0x19, 0xfc][..], &length(n as u64), &element.repeat(n)].concat();
        with_footer(&[list, vec![0]].concat(), 0)
    };
    let sized = |mut file: Vec<u8>| {
        let said = (file.len() - 12) as u32;
        let at = file.len() - 8;
        file[at..at + 4].copy_from_slice(&said.to_le_bytes());
        file
    };
    let zstd = Compression::ZSTD(Default::default());
    let page = |pages: usize| plain().set_data_page_size_limit(pages).set_write_batch_size(1);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a page of 2 GB", lying(&good, i64::from(i32::MAX), 1_200, 100)),
        ("a page of no size", lying(&good, -1, 1_200, 100)),
        ("a packed page of 2 GB", lying(&good, 1_200, i64::from(i32::MAX), 100)),
        ("2 billion values", lying(&good, 1_200, 1_200, i64::from(i32::MAX))),
        ("values below nothing", lying(&good, 1_200, 1_200, -5)),
        ("long keys", piece(&long(3, 100_000), plain().set_compression(zstd).build())),
        (
            "a dictionary of 20 MB",
            piece(
                &long(1, 20 << 20),
                WriterProperties::builder()
                    .set_compression(zstd)
                    .set_dictionary_page_size_limit(1 << 30)
                    .build(),
            ),
        ),
        ("pages that add up", piece(&long(40, 4 << 20), page(1).set_compression(zstd).build())),
        (
            "differences",
            piece(
                &keys(100),
                plain().set_column_encoding("key".into(), Encoding::DELTA_BYTE_ARRAY).build(),
            ),
        ),
        (
            "lengths as differences",
            piece(
                &keys(100),
                plain()
                    .set_column_encoding("key".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
                    .build(),
            ),
        ),
        ("a footer of 4 GB", with_footer(b"x", u32::MAX)),
        ("a footer of 1 GB", with_footer(b"x", 1 << 30)),
        ("no footer", b"PAR1".to_vec()),
        ("nothing", vec![]),
        ("2 billion groups", groups(0x7fff_ffff)),
        ("a million groups", groups(1_000_000)),
        ("more groups than numbers have", groups(u64::MAX)),
        ("300 columns", sized(columns(300))),
        ("100,000 columns in each other", sized(columns(100_000))),
        ("depth", {
            let footer = vec![0x1c; 100_000];
            with_footer(&footer, footer.len() as u32)
        }),
    ];
    let inputs = cases.len();
    for (name, piece) in cases {
        let (error, bytes) = refused(name, "Parquet", COLUMNS, &piece);
        assert!(error.message.contains("inv/data/piece") && !error.fix.is_empty(), "{error:?}");
        // What adds up is stopped at 128 MiB, everything else at a page of at most 4 MiB.
        let most = if name == "pages that add up" { 200 << 20 } else { BUDGET };
        assert!(bytes <= most, "{name}: {bytes}, {error:?}");
    }
    assert_eq!(inputs, 20);
    println!("hostile: inventory parquet: {inputs} inputs");
}

/// A header of gzip that says little, before a page that unpacks to much.
#[test]
fn a_packed_page_cannot_be_larger_than_its_header_says() {
    let gz = Compression::GZIP(GzipLevel::default());
    let good = piece(&vec![vec![b'k'; 8_000]; 2_000], plain().set_compression(gz).build());
    let packed = good.len() as i64;
    let mut inputs = 0;
    for unpacked in [0, 1, 1_000, 100_000] {
        let (error, bytes) =
            refused("gzip", "Parquet", COLUMNS, &lying(&good, unpacked, packed / 2, 2_000));
        assert!(bytes <= BUDGET, "{unpacked}: {bytes} {error:?}");
        inputs += 1;
    }
    assert_eq!(inputs, 4);
    println!("hostile: inventory gzip pages: {inputs} inputs");
}

/// Every byte of a good piece, changed: an error or rows, never an end of the process, and never
/// more memory than a piece may take.
#[test]
fn a_changed_byte_never_costs_more_than_a_page() {
    let keys: Vec<Vec<u8>> = (0..50).map(|i| format!("a/{i:03}").into_bytes()).collect();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let good = piece(&keys, properties);
    let file = tempfile::NamedTempFile::new().unwrap();
    let schema = Schema::parse(COLUMNS, FileFormat::Parquet).unwrap();
    let making = Making {
        listed_ms: LISTED,
        need: Need::ALL,
        prefix: vec![],
        has_sizes: true,
        has_dates: false,
    };
    let mut inputs = 0;
    let mut worst = (0, 0, 0);
    load_backtraces();
    for at in 0..good.len() {
        for value in [0x00, 0xff, good[at] ^ 0x80] {
            let mut changed = good.clone();
            changed[at] = value;
            fs::write(file.path(), &changed).unwrap();
            let measured = allocation_counter::measure(|| {
                let bytes = changed.len() as u64;
                let mut none = |_: &ObjectBatch, _| ControlFlow::Continue(());
                let _ = parquet::guarded(|| {
                    parquet::read(file.path(), bytes, &schema, &making, &mut none)
                });
            });
            worst = worst.max((measured.bytes_max, at, value));
            inputs += 1;
        }
    }
    assert!(worst.0 <= 70 << 20, "{worst:?}");
    assert!(inputs >= 1_500, "{inputs}");
    println!("hostile: inventory parquet bytes: {inputs} inputs");
}

#[tokio::test]
async fn a_manifest_is_bounded_as_well() {
    let nested = format!("message m {{ {} }}", "required group g { ".repeat(50_000));
    let wide = vec!["Key"; 50_000].join(",");
    let cases: Vec<(&str, &str, String)> = vec![
        ("Parquet", "groups in groups", nested),
        (
            "Parquet",
            "a long text",
            format!("message m {{ {} }}", "required binary k; ".repeat(9_000)),
        ),
        ("CSV", "a long list", wide),
        ("CSV", "one name", "k".repeat(1 << 20)),
    ];
    let mut inputs = 0;
    for (format, name, schema) in cases {
        let made = Made::new();
        made.manifest("inv", format, &schema, &[]);
        let error = opened(made.path("inv/manifest.json")).await.unwrap_err();
        assert!(error.to_string().contains("at most"), "{name}: {error}");
        inputs += 1;
    }
    for depth in [200, 100_000] {
        let made = Made::new();
        made.put("inv/manifest.json", "[".repeat(depth).as_bytes());
        opened(made.path("inv/manifest.json")).await.unwrap_err();
        let files = format!("{{\"files\":{}", "[".repeat(depth));
        made.put("inv/manifest.json", files.as_bytes());
        opened(made.path("inv/manifest.json")).await.unwrap_err();
        inputs += 2;
    }
    assert_eq!(inputs, 8);
    println!("hostile: inventory manifests: {inputs} inputs");
}
