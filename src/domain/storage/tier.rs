//! Storage classes as the S3 API names them, and the tiers in which they are billed.

use serde::{Deserialize, Serialize};

/// Storage class of an object, as the S3 API names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StorageClass {
    /// API value `STANDARD`.
    Standard,
    /// API value `INTELLIGENT_TIERING`.
    IntelligentTiering,
    /// API value `STANDARD_IA`, infrequent access.
    StandardIa,
    /// API value `ONEZONE_IA`, infrequent access in one zone.
    OnezoneIa,
    /// `GLACIER_IR`, Glacier Instant Retrieval.
    GlacierIr,
    /// `GLACIER`, Glacier Flexible Retrieval.
    Glacier,
    /// API value `DEEP_ARCHIVE`, Glacier Deep Archive.
    DeepArchive,
    /// API value `REDUCED_REDUNDANCY`, the legacy class.
    ReducedRedundancy,
    /// `EXPRESS_ONEZONE`, of directory buckets.
    ExpressOnezone,
}

impl StorageClass {
    /// All classes, in the order of declaration.
    pub const ALL: [Self; 9] = [
        Self::Standard,
        Self::IntelligentTiering,
        Self::StandardIa,
        Self::OnezoneIa,
        Self::GlacierIr,
        Self::Glacier,
        Self::DeepArchive,
        Self::ReducedRedundancy,
        Self::ExpressOnezone,
    ];

    /// The value in the API: `GLACIER_IR`.
    pub fn api(self) -> &'static str {
        match self {
            Self::Standard => "STANDARD",
            Self::IntelligentTiering => "INTELLIGENT_TIERING",
            Self::StandardIa => "STANDARD_IA",
            Self::OnezoneIa => "ONEZONE_IA",
            Self::GlacierIr => "GLACIER_IR",
            Self::Glacier => "GLACIER",
            Self::DeepArchive => "DEEP_ARCHIVE",
            Self::ReducedRedundancy => "REDUCED_REDUNDANCY",
            Self::ExpressOnezone => "EXPRESS_ONEZONE",
        }
    }

    /// Class with this value in the API; `None` for an unknown one.
    pub fn from_api(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.api() == name)
    }
}

/// Tier that bytes are billed in: the storage class, and within Intelligent-Tiering the access tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Tier {
    /// S3 Standard.
    Standard,
    /// Intelligent-Tiering, Frequent Access.
    ItFrequent,
    /// Intelligent-Tiering, Infrequent Access (after 30 days without access).
    ItInfrequent,
    /// Intelligent-Tiering, Archive Instant Access (after 90 days).
    ItArchiveInstant,
    /// Intelligent-Tiering, Archive Access (opt-in).
    ItArchive,
    /// Intelligent-Tiering, Deep Archive Access (opt-in).
    ItDeepArchive,
    /// S3 Standard-IA.
    StandardIa,
    /// S3 One Zone-IA.
    OnezoneIa,
    /// S3 Glacier Instant Retrieval.
    GlacierIr,
    /// S3 Glacier Flexible Retrieval.
    Glacier,
    /// S3 Glacier Deep Archive.
    DeepArchive,
    /// S3 Reduced Redundancy.
    ReducedRedundancy,
    /// S3 Express One Zone.
    Express,
    /// No S3 at all: a directory or a mounted file system.
    File,
    /// An unknown class: counted, not priced.
    Unknown,
}

impl Tier {
    /// Number of tiers, the length of arrays by tier.
    pub const COUNT: usize = 15;

    /// All tiers, in the order of their indices.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Standard,
        Self::ItFrequent,
        Self::ItInfrequent,
        Self::ItArchiveInstant,
        Self::ItArchive,
        Self::ItDeepArchive,
        Self::StandardIa,
        Self::OnezoneIa,
        Self::GlacierIr,
        Self::Glacier,
        Self::DeepArchive,
        Self::ReducedRedundancy,
        Self::Express,
        Self::File,
        Self::Unknown,
    ];

    /// Index into arrays by tier, from 0 to [`Tier::COUNT`] − 1.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The storage class; `None` for [`Tier::File`] and [`Tier::Unknown`].
    pub fn class(self) -> Option<StorageClass> {
        Some(match self {
            Self::Standard => StorageClass::Standard,
            Self::ItFrequent
            | Self::ItInfrequent
            | Self::ItArchiveInstant
            | Self::ItArchive
            | Self::ItDeepArchive => StorageClass::IntelligentTiering,
            Self::StandardIa => StorageClass::StandardIa,
            Self::OnezoneIa => StorageClass::OnezoneIa,
            Self::GlacierIr => StorageClass::GlacierIr,
            Self::Glacier => StorageClass::Glacier,
            Self::DeepArchive => StorageClass::DeepArchive,
            Self::ReducedRedundancy => StorageClass::ReducedRedundancy,
            Self::Express => StorageClass::ExpressOnezone,
            Self::File | Self::Unknown => return None,
        })
    }

    /// Tier of new objects in a class; for Intelligent-Tiering, Frequent Access.
    pub fn of(class: StorageClass) -> Self {
        match class {
            StorageClass::Standard => Self::Standard,
            StorageClass::IntelligentTiering => Self::ItFrequent,
            StorageClass::StandardIa => Self::StandardIa,
            StorageClass::OnezoneIa => Self::OnezoneIa,
            StorageClass::GlacierIr => Self::GlacierIr,
            StorageClass::Glacier => Self::Glacier,
            StorageClass::DeepArchive => Self::DeepArchive,
            StorageClass::ReducedRedundancy => Self::ReducedRedundancy,
            StorageClass::ExpressOnezone => Self::Express,
        }
    }

    /// Names of access tiers within Intelligent-Tiering; any other one is Frequent Access.
    pub const ACCESS_TIERS: [(&'static str, Self); 8] = [
        ("INFREQUENT", Self::ItInfrequent),
        ("INFREQUENT_ACCESS", Self::ItInfrequent),
        ("ARCHIVE_INSTANT_ACCESS", Self::ItArchiveInstant),
        ("ARCHIVE_INSTANT", Self::ItArchiveInstant),
        ("ARCHIVE_ACCESS", Self::ItArchive),
        ("ARCHIVE", Self::ItArchive),
        ("DEEP_ARCHIVE_ACCESS", Self::ItDeepArchive),
        ("DEEP_ARCHIVE", Self::ItDeepArchive),
    ];

    /// Tier of a row in an inventory or listing, by its class and, if given, the name of its access tier in
    /// [`Tier::ACCESS_TIERS`]. An empty class is Standard (listings omit it); an unknown one is [`Tier::Unknown`].
    pub fn of_object(class: &str, access_tier: &str) -> Self {
        if class.is_empty() {
            return Self::Standard;
        }
        match StorageClass::from_api(class) {
            Some(StorageClass::IntelligentTiering) => {
                let named = Self::ACCESS_TIERS.iter().find(|(name, _)| *name == access_tier);
                named.map_or(Self::ItFrequent, |(_, tier)| *tier)
            }
            Some(class) => Self::of(class),
            None => Self::Unknown,
        }
    }

    /// Short name in columns and JSON: `standard`, `it_fa`, `glacier_ir`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::ItFrequent => "it_fa",
            Self::ItInfrequent => "it_ia",
            Self::ItArchiveInstant => "it_aia",
            Self::ItArchive => "it_aa",
            Self::ItDeepArchive => "it_daa",
            Self::StandardIa => "standard_ia",
            Self::OnezoneIa => "onezone_ia",
            Self::GlacierIr => "glacier_ir",
            Self::Glacier => "glacier",
            Self::DeepArchive => "deep_archive",
            Self::ReducedRedundancy => "reduced_redundancy",
            Self::Express => "express_onezone",
            Self::File => "file",
            Self::Unknown => "unknown",
        }
    }
}
