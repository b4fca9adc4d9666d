//! Which column of a piece is what: from the manifest, never assumed. Of the eighteen columns that
//! an inventory can have only bucket and key are always there.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::schema::types::SchemaDescriptor;

use super::manifest::FileFormat;
use crate::domain::storage::ObjectColumns;
use crate::source::parquet_pages::said;

/// Inventory column that burntop reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Key of the object.
    Key,
    /// Version id.
    VersionId,
    /// True for the current version.
    IsLatest,
    /// True for a delete marker.
    IsDeleteMarker,
    /// Size, bytes.
    Size,
    /// Time of the last change.
    LastModified,
    /// `ETag` of the object.
    Etag,
    /// Storage class.
    StorageClass,
    /// True for an object uploaded in parts.
    IsMultipart,
    /// Replication status.
    Replication,
    /// Encryption status.
    Encryption,
    /// End of the Object Lock retention.
    LockUntil,
    /// Legal hold status.
    LegalHold,
    /// Access tier of Intelligent-Tiering.
    AccessTier,
}

impl Column {
    /// All columns that are read, in the order of declaration.
    pub const ALL: [Self; 14] = [
        Self::Key,
        Self::VersionId,
        Self::IsLatest,
        Self::IsDeleteMarker,
        Self::Size,
        Self::LastModified,
        Self::Etag,
        Self::StorageClass,
        Self::IsMultipart,
        Self::Replication,
        Self::Encryption,
        Self::LockUntil,
        Self::LegalHold,
        Self::AccessTier,
    ];

    /// The name without case and underscores: the same in CSV (`LastModifiedDate`) and Parquet
    /// (`last_modified_date`).
    fn plain(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::VersionId => "versionid",
            Self::IsLatest => "islatest",
            Self::IsDeleteMarker => "isdeletemarker",
            Self::Size => "size",
            Self::LastModified => "lastmodifieddate",
            Self::Etag => "etag",
            Self::StorageClass => "storageclass",
            Self::IsMultipart => "ismultipartuploaded",
            Self::Replication => "replicationstatus",
            Self::Encryption => "encryptionstatus",
            Self::LockUntil => "objectlockretainuntildate",
            Self::LegalHold => "objectlocklegalholdstatus",
            Self::AccessTier => "intelligenttieringaccesstier",
        }
    }

    fn of(name: &str) -> Option<Self> {
        let plain = plain(name);
        Self::ALL.into_iter().find(|c| c.plain() == plain)
    }
}

/// Columns that S3 is known to write and nobody here needs.
const UNREAD: [&str; 7] = [
    "bucket",
    "objectlockmode",
    "bucketkeystatus",
    "checksumalgorithm",
    "objectaccesscontrollist",
    "objectowner",
    "lifecycleexpirationdate",
];

fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// The longest text of a schema, bytes, and its most groups: S3's has a thousand and one.
const TEXT_AT_MOST: usize = 64 << 10;
const GROUPS_AT_MOST: usize = 16;

/// Columns of an inventory, from its manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Names of all columns in their order.
    pub names: Vec<String>,
    places: [Option<usize>; Column::ALL.len()],
}

impl Schema {
    /// Parses `fileSchema`: a list of names for CSV, a message type for Parquet. Err, with the reason, for an invalid
    /// or oversized schema.
    pub fn parse(text: &str, format: FileFormat) -> Result<Self, String> {
        // The parser of Parquet's schemas calls itself for each group in a group.
        let groups = text.matches('{').count();
        if text.len() > TEXT_AT_MOST || groups > GROUPS_AT_MOST {
            return Err(format!(
                "fileSchema has {} bytes and {groups} groups; at most {TEXT_AT_MOST} and \
                 {GROUPS_AT_MOST} are read",
                text.len()
            ));
        }
        let names: Vec<String> = match format {
            FileFormat::Csv => text.split(',').map(|n| n.trim().to_owned()).collect(),
            FileFormat::Parquet => parquet::schema::parser::parse_message_type(text)
                .map_err(|e| format!("fileSchema is no Parquet schema: {}", said(&e)))?
                .get_fields()
                .iter()
                .map(|f| f.name().to_owned())
                .collect(),
        };
        Self::of(names)
    }

    fn of(names: Vec<String>) -> Result<Self, String> {
        let mut places = [None; Column::ALL.len()];
        for (i, name) in names.iter().enumerate() {
            if let Some(column) = Column::of(name) {
                let place: &mut Option<usize> = &mut places[column as usize];
                if place.replace(i).is_some() {
                    return Err(format!("the column {name} is named twice"));
                }
            }
        }
        if places[Column::Key as usize].is_none() {
            return Err("the schema names no column Key".into());
        }
        Ok(Self { names, places })
    }

    /// Index of a column; `None` when the inventory lacks it.
    pub fn place(&self, column: Column) -> Option<usize> {
        self.places[column as usize]
    }

    /// Optional columns that the inventory has.
    pub fn columns(&self) -> ObjectColumns {
        let has = |c| self.place(c).is_some();
        ObjectColumns {
            sizes: has(Column::Size),
            dates: has(Column::LastModified),
            classes: has(Column::StorageClass),
            etags: has(Column::Etag),
            versions: has(Column::VersionId) && has(Column::IsLatest),
            encryption: has(Column::Encryption),
            lock: has(Column::LockUntil) && has(Column::LegalHold),
            replication: has(Column::Replication),
        }
    }

    /// Remarks on unknown and missing columns, one sentence each.
    pub fn notes(&self) -> Vec<String> {
        let unknown = self
            .names
            .iter()
            .filter(|n| Column::of(n).is_none() && !UNREAD.contains(&plain(n).as_str()));
        let unknown: Vec<&str> = unknown.map(String::as_str).collect();
        let mut notes = Vec::new();
        if !unknown.is_empty() {
            notes.push(format!("columns that this version does not know: {}", unknown.join(", ")));
        }
        let missing = [Column::Size, Column::LastModified, Column::StorageClass]
            .into_iter()
            .filter(|c| self.place(*c).is_none());
        for column in missing {
            let (name, effect) = match column {
                Column::Size => ("Size", "every object counts as 0 bytes"),
                Column::LastModified => ("LastModifiedDate", "no age is known"),
                _ => ("StorageClass", "every object counts as Standard"),
            };
            notes.push(format!("the inventory has no column {name}: {effect}"));
        }
        notes
    }
}

/// Decoding of a Parquet column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Byte array.
    Text,
    /// Boolean.
    Bool,
    /// 64-bit integer.
    Int,
    /// Time in units of this many nanoseconds.
    Time(i64),
    /// Time in the legacy 96-bit form.
    Int96,
}

/// Index and decoding of a column in a Parquet file. Err, with the reason, when it is missing or of an unexpected type.
pub(super) fn leaf(
    file: &SchemaDescriptor,
    name: &str,
    column: Column,
) -> Result<(usize, Kind), String> {
    let found = file
        .columns()
        .iter()
        .enumerate()
        .find(|(_, c)| c.path().parts().len() == 1 && plain(c.name()) == plain(name));
    let Some((i, descr)) = found else {
        return Err(format!("the file has no column {name}, the manifest's schema has"));
    };
    if descr.max_rep_level() > 0 || descr.max_def_level() > 1 {
        return Err(format!("the column {name} is nested"));
    }
    let kind = match (column, descr.physical_type()) {
        (Column::Size, Physical::INT64) => Kind::Int,
        (Column::IsLatest | Column::IsDeleteMarker | Column::IsMultipart, Physical::BOOLEAN) => {
            Kind::Bool
        }
        (Column::LastModified | Column::LockUntil, Physical::INT96) => Kind::Int96,
        (Column::LastModified | Column::LockUntil, Physical::INT64) => {
            let unit = match (descr.logical_type_ref(), descr.converted_type()) {
                (Some(LogicalType::Timestamp(t)), _) => match t.unit {
                    TimeUnit::MILLIS => 1_000_000,
                    TimeUnit::MICROS => 1_000,
                    TimeUnit::NANOS => 1,
                },
                (_, ConvertedType::TIMESTAMP_MILLIS) => 1_000_000,
                (_, ConvertedType::TIMESTAMP_MICROS) => 1_000,
                _ => return Err(format!("the column {name} is a number and no time")),
            };
            Kind::Time(unit)
        }
        (
            Column::Key
            | Column::VersionId
            | Column::Etag
            | Column::StorageClass
            | Column::Replication
            | Column::Encryption
            | Column::LegalHold
            | Column::AccessTier
            | Column::LastModified
            | Column::LockUntil,
            Physical::BYTE_ARRAY,
        ) => Kind::Text,
        (_, physical) => return Err(format!("the column {name} is of type {physical}")),
    };
    Ok((i, kind))
}
