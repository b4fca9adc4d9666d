//! Who shares commitments with whom.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Whom a commitment serves, in the order in which it does: the owner first, then the owner's group, then the rest of the
/// organization (AWS Billing User Guide, "Reserved Instances and Savings Plans discount sharing", read 2026-11-23).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Beneficiary {
    /// The account that owns the commitment.
    Owner,
    /// Another account of the owner's group.
    Group,
    /// Any account outside the owner's group.
    Others,
}

impl Beneficiary {
    /// All of them, first served first.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Group, Self::Others];
}

/// Groups of accounts that share commitments before, or only with, each other. Without groups all accounts are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharingGroups {
    /// The group of each account that is in one.
    of: BTreeMap<Arc<str>, u32>,
    /// Commitments serve nobody outside the owner's group: "No sharing occurs outside designated groups, even with
    /// unused capacity". An account that is in no group shares with nobody then.
    restricted: bool,
}

impl SharingGroups {
    /// Groups of account ids; an account belongs to the first group that names it. With `restricted` nothing is shared
    /// outside a group.
    pub fn new<'a>(
        groups: impl IntoIterator<Item = impl IntoIterator<Item = &'a str>>,
        restricted: bool,
    ) -> Self {
        let mut of = BTreeMap::new();
        for (group, accounts) in (0_u32..).zip(groups) {
            for account in accounts {
                of.entry(account.into()).or_insert(group);
            }
        }
        Self { of, restricted }
    }

    /// Id of the pool that `account` shares with in the end: the first account of its group, `account` itself when
    /// sharing is restricted and it has no group, empty for all accounts.
    pub(super) fn pool(&self, account: &Arc<str>) -> Arc<str> {
        if !self.restricted {
            return "".into();
        }
        let Some(group) = self.of.get(account) else { return account.clone() };
        let first = self.of.iter().find(|(_, of)| *of == group);
        first.map_or_else(|| account.clone(), |(first, _)| first.clone())
    }

    /// When usage of `user` is served by a commitment of `owner`; `None` for never. Where nothing is
    /// shared at all, nobody has to ask.
    fn beneficiary(&self, owner: &str, user: &str) -> Option<Beneficiary> {
        match (self.of.get(owner), self.of.get(user)) {
            _ if owner == user => Some(Beneficiary::Owner),
            (Some(one), Some(other)) if one == other => Some(Beneficiary::Group),
            _ => (!self.restricted).then_some(Beneficiary::Others),
        }
    }
}

/// Order in which a commitment of `owner` serves `user`; `None` = never. Without `sharing` an account serves itself
/// alone.
pub(super) fn beneficiary(
    sharing: bool,
    groups: &SharingGroups,
    owner: &str,
    user: &str,
) -> Option<Beneficiary> {
    if sharing {
        groups.beneficiary(owner, user)
    } else {
        (owner == user).then_some(Beneficiary::Owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: [[&str; 2]; 2] = [["a", "b"], ["c", "d"]];

    #[test]
    fn the_owner_then_the_group_then_the_rest_or_nobody() {
        let open = SharingGroups::default();
        let prioritized = SharingGroups::new(GROUPS, false);
        let restricted = SharingGroups::new(GROUPS, true);
        for (owner, user, without, first, only) in [
            (
                "a",
                "a",
                Some(Beneficiary::Owner),
                Some(Beneficiary::Owner),
                Some(Beneficiary::Owner),
            ),
            (
                "a",
                "b",
                Some(Beneficiary::Others),
                Some(Beneficiary::Group),
                Some(Beneficiary::Group),
            ),
            ("a", "c", Some(Beneficiary::Others), Some(Beneficiary::Others), None),
            // In no group.
            ("a", "x", Some(Beneficiary::Others), Some(Beneficiary::Others), None),
            ("x", "a", Some(Beneficiary::Others), Some(Beneficiary::Others), None),
            ("x", "y", Some(Beneficiary::Others), Some(Beneficiary::Others), None),
            (
                "x",
                "x",
                Some(Beneficiary::Owner),
                Some(Beneficiary::Owner),
                Some(Beneficiary::Owner),
            ),
        ] {
            let of = |groups| beneficiary(true, groups, owner, user);
            assert_eq!(
                (of(&open), of(&prioritized), of(&restricted)),
                (without, first, only),
                "{owner} {user}"
            );
            let alone = (owner == user).then_some(Beneficiary::Owner);
            assert_eq!(beneficiary(false, &prioritized, owner, user), alone, "{owner} {user}");
        }
    }
}
