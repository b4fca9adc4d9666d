//! CloudWatch's storage types, and the tiers in which they are billed.

use super::tier::Tier;

/// Tier of a `StorageType` in `BucketSizeBytes` of `AWS/S3`, and whether it is overhead rather than content; `None` as
/// the tier for an unknown one. Source: S3 user guide, "Metrics and dimensions"; the overheads of Intelligent-Tiering's
/// archive tiers occur in CloudWatch and are not listed there.
pub fn tier_of(storage_type: &str) -> (Option<Tier>, bool) {
    let (tier, overhead) = match storage_type {
        "StandardStorage" => (Tier::Standard, false),
        // Names and metadata of archived objects: 8 KB of each are billed as Standard.
        "GlacierS3ObjectOverhead"
        | "DeepArchiveS3ObjectOverhead"
        | "IntAAS3ObjectOverhead"
        | "IntDAAS3ObjectOverhead" => (Tier::Standard, true),
        // Parts of uploads that are to become archived objects: billed as Standard until then.
        "GlacierStagingStorage" | "DeepArchiveStagingStorage" => (Tier::Standard, false),
        "IntelligentTieringFAStorage" => (Tier::ItFrequent, false),
        "IntelligentTieringIAStorage" => (Tier::ItInfrequent, false),
        "IntelligentTieringAIAStorage" => (Tier::ItArchiveInstant, false),
        "IntelligentTieringAAStorage" => (Tier::ItArchive, false),
        "IntelligentTieringDAAStorage" => (Tier::ItDeepArchive, false),
        // 32 KB of index for each archived object.
        "IntAAObjectOverhead" => (Tier::ItArchive, true),
        "IntDAAObjectOverhead" => (Tier::ItDeepArchive, true),
        "StandardIAStorage" => (Tier::StandardIa, false),
        // What is missing to 128 KB.
        "StandardIASizeOverhead" | "StandardIAObjectOverhead" => (Tier::StandardIa, true),
        "OneZoneIAStorage" => (Tier::OnezoneIa, false),
        "OneZoneIASizeOverhead" | "OneZoneIAObjectOverhead" => (Tier::OnezoneIa, true),
        "GlacierInstantRetrievalStorage" | "GlacierIRStorage" => (Tier::GlacierIr, false),
        "GlacierInstantRetrievalSizeOverhead" | "GlacierIRSizeOverhead" => (Tier::GlacierIr, true),
        "GlacierStorage" => (Tier::Glacier, false),
        "GlacierObjectOverhead" => (Tier::Glacier, true),
        "DeepArchiveStorage" => (Tier::DeepArchive, false),
        "DeepArchiveObjectOverhead" => (Tier::DeepArchive, true),
        "ReducedRedundancyStorage" => (Tier::ReducedRedundancy, false),
        "ExpressOneZoneStorage" | "ExpressOneZone" => (Tier::Express, false),
        other => return (None, other.ends_with("Overhead")),
    };
    (Some(tier), overhead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tier_of_s3_has_a_storage_type_and_a_new_one_is_kept_without_a_tier() {
        let types = [
            "StandardStorage",
            "IntelligentTieringFAStorage",
            "IntelligentTieringIAStorage",
            "IntelligentTieringAIAStorage",
            "IntelligentTieringAAStorage",
            "IntelligentTieringDAAStorage",
            "StandardIAStorage",
            "OneZoneIAStorage",
            "GlacierInstantRetrievalStorage",
            "GlacierStorage",
            "DeepArchiveStorage",
            "ReducedRedundancyStorage",
            "ExpressOneZoneStorage",
        ];
        let tiers: Vec<Tier> = types.iter().map(|t| tier_of(t).0.unwrap()).collect();
        let all = Tier::ALL.into_iter().filter(|t| !matches!(t, Tier::File | Tier::Unknown));
        assert_eq!(tiers, all.collect::<Vec<_>>());
        assert!(types.iter().all(|t| !tier_of(t).1));
        // Of an archived object 8 KB are Standard and 32 KB are of its own tier.
        assert_eq!(tier_of("DeepArchiveS3ObjectOverhead"), (Some(Tier::Standard), true));
        assert_eq!(tier_of("DeepArchiveObjectOverhead"), (Some(Tier::DeepArchive), true));
        assert_eq!(tier_of("GlacierStagingStorage"), (Some(Tier::Standard), false));
        assert_eq!(tier_of("HolographicStorage"), (None, false));
        assert_eq!(tier_of("HolographicSizeOverhead"), (None, true));
    }
}
