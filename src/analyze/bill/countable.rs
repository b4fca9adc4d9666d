//! Which bills count for a drill: of several exports of the same charges one, of Cost Explorer's the one by these keys.

use std::sync::Arc;

use super::keys::BillKey;
use super::settings::BillSettings;
use crate::domain::bill::cost_explorer::{NotAsked, Pair, counted};
use crate::domain::bill::{BillHead, selected};

/// Bills that count together, and those of other exports that tell of the same charges.
pub struct Countable {
    /// Those that count, in the order of the heads.
    pub heads: Vec<BillHead>,
    /// Those left out; what Cost Explorer was asked by other keys is not among them.
    pub others: Vec<BillHead>,
}

/// The bills that count for a drill by `keys`; of `export` alone where it is named.
///
/// # Errors
/// A month whose bills are from Cost Explorer, which was not asked by these keys.
pub fn countable(
    heads: &[BillHead],
    keys: &[&BillKey],
    settings: &BillSettings,
    export: Option<&str>,
) -> Result<Countable, NotAsked> {
    let names: Vec<String> = keys.iter().map(|key| asked_as(key, heads, settings)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let told: Vec<BillHead> = match export {
        Some(_) => heads.to_vec(),
        None => counted(heads, &names)?.into_iter().cloned().collect(),
    };
    let (heads, others) = selected(&told, export);
    let owned = |heads: Vec<&BillHead>| heads.into_iter().cloned().collect();
    Ok(Countable { heads: owned(heads), others: owned(others) })
}

/// Name of a key as Cost Explorer was asked by it: teams and the like by the tag that it has of theirs.
fn asked_as(key: &BillKey, heads: &[BillHead], settings: &BillSettings) -> String {
    let tags: &[Arc<str>] = match key {
        BillKey::Team => &settings.team,
        BillKey::Project => &settings.project,
        BillKey::Environment => &settings.environment,
        BillKey::CostCenter => &settings.cost_center,
        key => return key.name(),
    };
    let is_asked = |tag: &&Arc<str>| {
        heads.iter().filter_map(Pair::of).any(|pair| match pair {
            Pair::Tag(asked) => asked.eq_ignore_ascii_case(tag),
            _ => false,
        })
    };
    let tag = tags.iter().find(is_asked).or(tags.first());
    tag.map_or_else(|| key.name(), |tag| format!("tag:{tag}"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{LineOf, bill_of};
    use super::*;
    use crate::domain::TagKeys;
    use crate::domain::bill::BillFormat;

    #[test]
    fn a_month_counts_once_whatever_tells_of_it() {
        let head = |export: &str, payer: &str, format| {
            let bill = bill_of("2026-10", &[], &[LineOf::default()]);
            BillHead { export: export.into(), payer: payer.into(), format, ..bill.head.clone() }
        };
        let pairs = [Pair::UsageType, Pair::Account, Pair::Tag("squad".into())];
        let mut heads: Vec<BillHead> =
            pairs.iter().map(|p| head(&p.export(), "1", BillFormat::CostExplorer)).collect();
        let settings = BillSettings::new(&TagKeys::default(), vec![], vec![]);
        let exports = |heads: &[BillHead], keys: &[&BillKey], export| {
            let found = countable(heads, keys, &settings, export)?;
            Ok::<_, NotAsked>(found.heads.iter().map(|h| h.export.to_string()).collect::<Vec<_>>())
        };
        for (keys, export) in [
            (vec![], "cost-explorer/usage-type"),
            (vec![&BillKey::Account], "cost-explorer/account"),
            (vec![&BillKey::Team, &BillKey::Service], "cost-explorer/tag:squad"),
        ] {
            assert_eq!(exports(&heads, &keys, None).unwrap(), [export]);
        }
        assert!(exports(&heads, &[&BillKey::Region], None).is_err());
        heads.push(head("cur", "1", BillFormat::Cur2));
        assert_eq!(exports(&heads, &[&BillKey::Region], None).unwrap(), ["cur"]);
        let asked = "cost-explorer/account";
        assert_eq!(exports(&heads, &[&BillKey::Region], Some(asked)).unwrap(), [asked]);
    }
}
