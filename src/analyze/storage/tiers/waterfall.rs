//! Which class lifecycle rules can move objects from and to.

use crate::domain::storage::StorageClass as C;

/// True when a lifecycle rule can move objects from one class to the other (S3 User Guide, "Transitioning
/// objects using Amazon S3 Lifecycle"). Otherwise they must be copied: read, written, the old object deleted.
pub fn by_lifecycle(from: C, to: C) -> bool {
    use C::{DeepArchive, Glacier, GlacierIr, IntelligentTiering, OnezoneIa, Standard, StandardIa};
    match from {
        Standard => matches!(
            to,
            StandardIa | IntelligentTiering | OnezoneIa | GlacierIr | Glacier | DeepArchive
        ),
        StandardIa => {
            matches!(to, IntelligentTiering | OnezoneIa | GlacierIr | Glacier | DeepArchive)
        }
        IntelligentTiering => matches!(to, OnezoneIa | GlacierIr | Glacier | DeepArchive),
        OnezoneIa | GlacierIr => matches!(to, Glacier | DeepArchive),
        Glacier => to == DeepArchive,
        DeepArchive | C::ReducedRedundancy | C::ExpressOnezone => false,
    }
}

/// True when objects of the class are read within milliseconds; the others must be restored first, which takes
/// minutes to two days.
pub fn is_instant(class: C) -> bool {
    !matches!(class, C::Glacier | C::DeepArchive)
}
