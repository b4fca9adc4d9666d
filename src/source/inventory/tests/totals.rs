//! Sizes and classes by columns, beside the same rows one by one.

use ::parquet::basic::Compression;
use ::parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use ::parquet::file::properties::{WriterProperties, WriterVersion};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;

const MESSAGE: &str = "message s3.inventory { required binary bucket (UTF8); required binary key \
    (UTF8); optional int64 size; optional binary storage_class (UTF8); optional binary \
    intelligent_tiering_access_tier (UTF8); }";

/// A row: size, class and access tier, each perhaps missing.
type Written = (Option<i64>, Option<Vec<u8>>, Option<Vec<u8>>);

fn written(groups: &[Vec<Written>], properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(MESSAGE).unwrap());
    let mut writer = SerializedFileWriter::new(vec![], schema, properties.into()).unwrap();
    for rows in groups {
        let mut group = writer.next_row_group().unwrap();
        for (name, of) in [("b", None), ("k", None), ("", None), ("", Some(1)), ("", Some(2))] {
            let mut column = group.next_column().unwrap().unwrap();
            let present = |there: bool| i16::from(there);
            if !name.is_empty() {
                let texts = vec![ByteArray::from(name); rows.len()];
                column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
            } else if let Some(of) = of {
                let text = |row: &Written| if of == 1 { row.1.clone() } else { row.2.clone() };
                let levels: Vec<i16> = rows.iter().map(|r| present(text(r).is_some())).collect();
                let texts: Vec<ByteArray> =
                    rows.iter().filter_map(text).map(ByteArray::from).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).unwrap();
            } else {
                let levels: Vec<i16> = rows.iter().map(|r| present(r.0.is_some())).collect();
                let sizes: Vec<i64> = rows.iter().filter_map(|r| r.0).collect();
                column.typed::<Int64Type>().write_batch(&sizes, Some(&levels), None).unwrap();
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn row() -> impl Strategy<Value = Written> {
    let size = prop_oneof![
        4 => (0i64..1 << 40).prop_map(Some),
        1 => any::<i64>().prop_map(Some),
        1 => Just(None),
    ];
    let class = prop_oneof![
        8 => prop::sample::select(vec!["STANDARD", "GLACIER", "INTELLIGENT_TIERING", "", "standard"])
            .prop_map(|word| Some(word.as_bytes().to_vec())),
        1 => prop::collection::vec(any::<u8>(), 0..9).prop_map(Some),
        1 => Just(None),
    ];
    let access = prop_oneof![
        2 => prop::sample::select(vec!["FREQUENT", "INFREQUENT", "ARCHIVE_INSTANT_ACCESS", "ARCHIVE"])
            .prop_map(|word| Some(word.as_bytes().to_vec())),
        1 => Just(None),
    ];
    (size, class, access)
}

/// How a file is written: dictionaries that give out midway, small pages, both versions.
fn properties() -> impl Strategy<Value = WriterProperties> {
    let limits =
        (prop_oneof![Just(1 << 20), 8usize..200], 1usize..60, any::<bool>(), any::<bool>());
    (limits, 0..4usize).prop_map(|((dictionary, page, by_dictionary, second_version), packed)| {
        let version =
            if second_version { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
        let packed = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
        ][packed];
        WriterProperties::builder()
            .set_writer_version(version)
            .set_compression(packed)
            .set_dictionary_enabled(by_dictionary)
            .set_dictionary_page_size_limit(dictionary)
            .set_data_page_row_count_limit(page)
            .set_write_batch_size(7)
            // Where a dictionary gives out, in either version: texts as differences are not read.
            .set_encoding(::parquet::basic::Encoding::PLAIN)
            .build()
    })
}

fn all(inventory: &Inventory, need: Need) -> Vec<Row> {
    let (rows, errors) = read(&inventory.pieces(need, b""));
    assert_eq!(errors, []);
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn totals_are_those_of_the_rows_one_by_one(
        groups in prop::collection::vec(prop::collection::vec(row(), 1..200), 1..4),
        properties in properties(),
    ) {
        let bytes = written(&groups, properties);
        let made = Made::new();
        made.put("s/data/x.parquet", &bytes);
        made.manifest("s", "Parquet", MESSAGE, &[("data/x.parquet", &bytes)]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let inventory = runtime.block_on(opened(made.path("s"))).unwrap();
        let word = |text: &Option<Vec<u8>>| {
            let text = text.clone().unwrap_or_default();
            String::from_utf8(text).unwrap_or_else(|_| "?".to_owned())
        };
        let mut expected: Vec<(u64, Tier, u16)> = groups
            .iter()
            .flatten()
            .map(|(size, class, access)| {
                let tier = Tier::of_object(&word(class), &word(access));
                match size {
                    Some(size) if (0..=50 << 40).contains(size) => {
                        (*size as u64, tier, 0)
                    }
                    _ => (0, tier, ObjectFlags::BAD_SIZE),
                }
            })
            .collect();
        expected.sort_unstable();
        for need in [Need::TOTALS, Need::default(), Need::ALL] {
            let rows = all(&inventory, need);
            let mut found: Vec<(u64, Tier, u16)> =
                rows.iter().map(|r| (r.1, r.3, r.4 & ObjectFlags::BAD_SIZE)).collect();
            found.sort_unstable();
            prop_assert_eq!(&found, &expected);
            prop_assert!(rows.iter().all(|r| r.2 == i64::MIN && r.6.is_empty()));
            prop_assert!(rows.iter().all(|r| r.0.is_empty() == need.totals_only));
        }
    }
}
