//! Which class may follow which, and for how long each is billed at least.

use crate::domain::storage::StorageClass as C;

/// Days that objects must stay before a move to an IA class, and between such a class and an archive.
pub const IA_DAYS: i64 = 30;

/// True when lifecycle may move objects from one class to the other (S3 User Guide, "Supported transitions").
pub fn allows(from: C, to: C) -> bool {
    let below: &[C] = match from {
        C::Standard | C::ReducedRedundancy => &[
            C::StandardIa,
            C::IntelligentTiering,
            C::OnezoneIa,
            C::GlacierIr,
            C::Glacier,
            C::DeepArchive,
        ],
        C::StandardIa => {
            &[C::IntelligentTiering, C::OnezoneIa, C::GlacierIr, C::Glacier, C::DeepArchive]
        }
        C::IntelligentTiering => &[C::OnezoneIa, C::GlacierIr, C::Glacier, C::DeepArchive],
        C::OnezoneIa | C::GlacierIr => &[C::Glacier, C::DeepArchive],
        C::Glacier => &[C::DeepArchive],
        C::DeepArchive | C::ExpressOnezone => &[],
    };
    below.contains(&to)
}

/// True for the two IA classes, which have a waiting time of [`IA_DAYS`].
pub fn once_ia(class: C) -> bool {
    matches!(class, C::StandardIa | C::OnezoneIa)
}

/// Minimum storage duration of a class, days; objects that leave earlier are charged for the rest.
pub fn minimum_days(class: C) -> i64 {
    match class {
        C::StandardIa | C::OnezoneIa => 30,
        C::GlacierIr | C::Glacier => 90,
        C::DeepArchive => 180,
        C::Standard | C::IntelligentTiering | C::ReducedRedundancy | C::ExpressOnezone => 0,
    }
}

/// What people write and what they mean. Compared without case, spaces, dashes and underscores, and
/// without `S3` and `AMAZON` in front.
const NICKNAMES: &[(&str, C)] = &[
    ("GLACIERINSTANTRETRIEVAL", C::GlacierIr),
    ("GLACIERINSTANT", C::GlacierIr),
    ("INSTANTRETRIEVAL", C::GlacierIr),
    ("GIR", C::GlacierIr),
    ("GLACIERFLEXIBLERETRIEVAL", C::Glacier),
    ("GLACIERFLEXIBLE", C::Glacier),
    ("FLEXIBLERETRIEVAL", C::Glacier),
    ("GFR", C::Glacier),
    ("GLACIERDEEPARCHIVE", C::DeepArchive),
    ("GDA", C::DeepArchive),
    ("IA", C::StandardIa),
    ("SIA", C::StandardIa),
    ("INFREQUENTACCESS", C::StandardIa),
    ("STANDARDINFREQUENTACCESS", C::StandardIa),
    ("ZIA", C::OnezoneIa),
    ("ONEZONEINFREQUENTACCESS", C::OnezoneIa),
    ("ONEZONE", C::OnezoneIa),
    ("IT", C::IntelligentTiering),
    ("INTELLIGENT", C::IntelligentTiering),
    ("RRS", C::ReducedRedundancy),
];

/// The class that a misspelled name most likely means; `None` where none is close.
pub fn closest_class(name: &str) -> Option<C> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_uppercase())
        .take(64)
        .collect();
    let plain = plain.strip_prefix("AMAZON").unwrap_or(&plain);
    let plain = plain.strip_prefix("S3").unwrap_or(plain);
    if let Some((_, class)) = NICKNAMES.iter().find(|(nick, _)| *nick == plain) {
        return Some(*class);
    }
    let of = |class: C| class.api().replace('_', "");
    if let Some(class) = C::ALL.into_iter().find(|c| of(*c) == plain) {
        return Some(class);
    }
    let near =
        C::ALL.into_iter().map(|c| (strsim::levenshtein(plain, &of(c)), c)).min_by_key(|(d, _)| *d);
    near.filter(|(d, _)| *d <= 2 && plain.len() > 4).map(|(_, class)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waterfall_is_that_of_the_user_guide() {
        // Rows: from; columns in the order of the list: to.
        let order = [
            C::Standard,
            C::StandardIa,
            C::IntelligentTiering,
            C::OnezoneIa,
            C::GlacierIr,
            C::Glacier,
            C::DeepArchive,
        ];
        let want = ["0111111", "0011111", "0001111", "0000011", "0000011", "0000001", "0000000"];
        for (from, row) in order.into_iter().zip(want) {
            let have: String =
                order.iter().map(|to| if allows(from, *to) { '1' } else { '0' }).collect();
            assert_eq!(have, row, "from {}", from.api());
        }
        for class in C::ALL {
            assert!(!allows(class, C::Standard) && !allows(class, C::ReducedRedundancy));
            assert!(!allows(class, C::ExpressOnezone) && !allows(C::ExpressOnezone, class));
        }
    }

    #[test]
    fn wrong_names_are_understood() {
        for (wrong, want) in [
            ("GLACIER_INSTANT_RETRIEVAL", Some(C::GlacierIr)),
            ("glacier_ir", Some(C::GlacierIr)),
            ("GlacierInstantRetrieval", Some(C::GlacierIr)),
            ("S3 Glacier Flexible Retrieval", Some(C::Glacier)),
            ("STANDARD-IA", Some(C::StandardIa)),
            ("STANDRD_IA", Some(C::StandardIa)),
            ("DEEP_ARCHVE", Some(C::DeepArchive)),
            ("GLACIER_DEEP_ARCHIVE", Some(C::DeepArchive)),
            ("INTELIGENT_TIERING", Some(C::IntelligentTiering)),
            ("IA", Some(C::StandardIa)),
            ("COLD", None),
            ("", None),
        ] {
            assert_eq!(closest_class(wrong), want, "{wrong}");
        }
    }
}
