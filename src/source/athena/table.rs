//! An inventory as an external table: made for a query, and dropped after it. Dropping an external
//! table deletes no data.

use super::sql::{Columns, Layout};
use crate::domain::sql::quoted;

/// Location of the files of an inventory snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Files {
    /// A folder with S3's `symlink.txt` that names the files of one snapshot,
    /// `s3://…/hive/dt=2026-11-20-01-00/`.
    Symlink(String),
    /// A folder with these files and no others.
    Folder(String),
}

/// Column name of the table for a name in the manifest's schema: `ETag` → `e_tag`.
pub fn column(name: &str) -> String {
    match name {
        "ETag" => return "e_tag".to_owned(),
        "IsMultipartUploaded" => return "is_multipart_uploaded".to_owned(),
        _ => {}
    }
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && i > 0 && !out.ends_with('_') {
            out.push('_');
        }
        // Whatever else stands in a manifest: no part of the statement.
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    out
}

/// Columns of a manifest's schema that the queries use.
pub fn columns(names: &[String]) -> Columns {
    let has = |wanted: &str| names.iter().any(|n| column(n) == wanted);
    Columns {
        size: has("size"),
        modified: has("last_modified_date"),
        etag: has("e_tag"),
        class: has("storage_class"),
        access_tier: has("intelligent_tiering_access_tier"),
        latest: has("is_latest"),
        marker: has("is_delete_marker"),
        encryption: has("encryption_status"),
        replication: has("replication_status"),
    }
}

/// `CREATE EXTERNAL TABLE` statement for the columns of a manifest and one snapshot (Amazon S3 User Guide, "Querying
/// Amazon S3 Inventory with Amazon Athena").
pub fn create(table: &str, names: &[String], layout: Layout, files: &Files) -> String {
    let kind = |name: &str| match (layout, name) {
        (Layout::Csv, _) => "string",
        (_, "size") => "bigint",
        (_, "is_latest" | "is_delete_marker" | "is_multipart_uploaded") => "boolean",
        (_, "last_modified_date" | "object_lock_retain_until_date") => "timestamp",
        _ => "string",
    };
    let columns: Vec<String> =
        names.iter().map(|n| column(n)).map(|name| format!("  `{name}` {}", kind(&name))).collect();
    let serde = match layout {
        Layout::Parquet => "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
        Layout::Csv => "org.apache.hadoop.hive.serde2.OpenCSVSerde",
    };
    let (input, output, location) = match (files, layout) {
        (Files::Symlink(at), _) => (
            "org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat",
            "org.apache.hadoop.hive.ql.io.IgnoreKeyTextOutputFormat",
            at,
        ),
        (Files::Folder(at), Layout::Parquet) => (
            "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
            "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
            at,
        ),
        (Files::Folder(at), Layout::Csv) => (
            "org.apache.hadoop.mapred.TextInputFormat",
            "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            at,
        ),
    };
    format!(
        "CREATE EXTERNAL TABLE IF NOT EXISTS {table} (\n{}\n)\nROW FORMAT SERDE {}\nSTORED AS \
         INPUTFORMAT {}\nOUTPUTFORMAT {}\nLOCATION {}",
        columns.join(",\n"),
        quoted(serde),
        quoted(input),
        quoted(output),
        quoted(location),
    )
}

/// `DROP TABLE` statement of the external table; it deletes no data.
pub fn drop(table: &str) -> String {
    format!("DROP TABLE IF EXISTS {table}")
}

/// True for a name that needs no quotes in any dialect.
pub fn is_plain(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_manifests_are_the_same_columns() {
        for (csv, parquet) in [
            ("Bucket", "bucket"),
            ("Key", "key"),
            ("VersionId", "version_id"),
            ("IsLatest", "is_latest"),
            ("IsDeleteMarker", "is_delete_marker"),
            ("Size", "size"),
            ("LastModifiedDate", "last_modified_date"),
            ("ETag", "e_tag"),
            ("StorageClass", "storage_class"),
            ("IsMultipartUploaded", "is_multipart_uploaded"),
            ("ReplicationStatus", "replication_status"),
            ("EncryptionStatus", "encryption_status"),
            ("IntelligentTieringAccessTier", "intelligent_tiering_access_tier"),
        ] {
            assert_eq!((column(csv).as_str(), column(parquet).as_str()), (parquet, parquet));
        }
        assert_eq!(column("x`) --"), "x_____");
    }

    #[test]
    fn the_statement_names_each_column_with_its_type() {
        let names = ["Key", "Size", "IsLatest", "LastModifiedDate"].map(str::to_owned);
        let files = Files::Symlink("s3://inv/it's/hive/dt=2026-11-20-01-00/".to_owned());
        let text = create("d.t", &names, Layout::Parquet, &files);
        for part in [
            "`key` string",
            "`size` bigint",
            "`is_latest` boolean",
            "`last_modified_date` timestamp",
            "SymlinkTextInputFormat",
            "'s3://inv/it''s/hive/",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = create("d.t", &names, Layout::Csv, &Files::Folder("s3://a/".to_owned()));
        assert!(text.contains("`size` string") && text.contains("OpenCSVSerde"));
        assert!(is_plain("burntop_1") && !is_plain("a.b") && !is_plain("1a") && !is_plain("A"));
    }
}
