//! Tags: names of their columns and keys, and cells that hold several.

use std::sync::Arc;

use super::fields::squash;

/// Prefix of a chosen key that is a cost category.
pub(super) const CATEGORY: &str = "costCategory:";

/// What a map of a bill holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapKind {
    /// Attributes of the product, CUR 2.0.
    Product,
    /// Tags of the resource.
    Tags,
    /// Cost categories.
    Categories,
}

/// A chosen tag that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// Place among the chosen keys.
    pub tag: usize,
    /// True where the name is the key in this very spelling.
    pub exact: bool,
}

/// The chosen key that a key of a map stands for.
pub(super) fn of_key(kind: MapKind, key: &str, chosen: &[Arc<str>]) -> Option<Match> {
    match kind {
        MapKind::Product => None,
        MapKind::Tags => of_tag(key, chosen),
        MapKind::Categories => of_category(key, chosen),
    }
}

/// The chosen key that a column of its own stands for, such as `resourceTags/user:team` or `cost_category_unit`.
pub(super) fn of_column(name: &str, chosen: &[Arc<str>]) -> Option<Match> {
    if let Some(tag) = name.strip_prefix("resourceTags/") {
        return of_tag(tag, chosen);
    }
    if let Some(tag) = name.strip_prefix("resource_tags_") {
        return of_tag(tag, chosen);
    }
    let category = name.strip_prefix("costCategory/").or(name.strip_prefix("cost_category_"))?;
    of_category(category, chosen)
}

/// A tag of the user with or without its prefix; a tag of AWS keeps its own, `aws:createdBy`.
fn of_tag(name: &str, chosen: &[Arc<str>]) -> Option<Match> {
    let name = name.strip_prefix("user:").unwrap_or(name);
    if let Some(found) = plain(name, chosen.iter().map(|key| &**key)) {
        return Some(found);
    }
    // Tables write `CostCenter` and `cost-center` as `cost_center`.
    let name = name.strip_prefix("user_").unwrap_or(name);
    let squashed = squash(name);
    let spelled = |key: &Arc<str>| !key.starts_with(CATEGORY) && squash(key) == squashed;
    let tag = chosen.iter().position(spelled)?;
    let is_table = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (is_table && !squashed.is_empty()).then(|| Match { tag, exact: *chosen[tag] == *name })
}

fn of_category(name: &str, chosen: &[Arc<str>]) -> Option<Match> {
    let keys = || chosen.iter().map(|key| key.strip_prefix(CATEGORY).unwrap_or(""));
    plain(name, keys()).or_else(|| {
        let squashed = squash(name);
        let tag = keys().position(|key| !key.is_empty() && squash(key) == squashed)?;
        Some(Match { tag, exact: false })
    })
}

fn plain<'a>(name: &str, keys: impl Iterator<Item = &'a str> + Clone) -> Option<Match> {
    let exact = keys.clone().position(|key| key == name);
    let other = || keys.clone().position(|key| key.eq_ignore_ascii_case(name));
    let tag = exact.or_else(other).filter(|_| !name.is_empty())?;
    Some(Match { tag, exact: exact.is_some() })
}

/// Calls `each` with every key and value of a cell: JSON (`{"team":"x"}`, or without its braces), or a list as tables
/// print it (`{team=x, env=prod}`, `team=x;env=prod`). Values that are no text are passed over.
pub(super) fn entries(cell: &[u8], each: &mut dyn FnMut(&[u8], &[u8])) {
    let cell = cell.trim_ascii();
    if cell.is_empty() {
        return;
    }
    let braced;
    let json = if cell.starts_with(b"\"") {
        braced = [b"{", cell, b"}"].concat();
        &braced
    } else {
        cell
    };
    if let Ok(object) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(json) {
        for (key, value) in &object {
            if let Some(value) = value.as_str() {
                each(key.as_bytes(), value.as_bytes());
            }
        }
        return;
    }
    let list = cell.strip_prefix(b"{").and_then(|c| c.strip_suffix(b"}")).unwrap_or(cell);
    for entry in list.split(|b| matches!(b, b',' | b';')) {
        if let Some(at) = memchr::memchr(b'=', entry) {
            each(entry[..at].trim_ascii(), entry[at + 1..].trim_ascii());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen() -> Vec<Arc<str>> {
        ["team", "CostCenter", "aws:createdBy", "costCategory:Unit"].map(Arc::from).to_vec()
    }

    #[test]
    fn names_of_a_tag_are_found_under_all_prefixes() {
        let at = |tag, exact| Some(Match { tag, exact });
        for (name, found) in [
            ("resourceTags/user:team", at(0, true)),
            ("resourceTags/user:Team", at(0, false)),
            ("resource_tags_user_team", at(0, true)),
            ("resource_tags_user_cost_center", at(1, false)),
            ("resource_tags_aws_created_by", at(2, false)),
            ("costCategory/Unit", at(3, true)),
            ("cost_category_unit", at(3, false)),
            ("resourceTags/user:unit", None),
            ("resourceTags/user:teams", None),
            ("team", None),
        ] {
            assert_eq!(of_column(name, &chosen()), found, "{name}");
        }
        for (key, found) in [
            ("team", at(0, true)),
            ("user:TEAM", at(0, false)),
            ("user_cost_center", at(1, false)),
            ("aws:createdBy", at(2, true)),
            ("", None),
        ] {
            assert_eq!(of_key(MapKind::Tags, key, &chosen()), found, "{key}");
        }
        assert_eq!(of_key(MapKind::Categories, "Unit", &chosen()), at(3, true));
    }

    #[test]
    fn cells_with_several_tags_are_read_in_each_form() {
        for cell in [
            r#"{"team":"x","env":"a=b"}"#,
            r#""team": "x","env": "a=b""#,
            "{team=x, env=a=b}",
            "team=x;env=a=b",
        ] {
            let mut found = vec![];
            entries(cell.as_bytes(), &mut |k, v| found.push([k, v].map(<[u8]>::to_vec)));
            let wanted: [[&[u8]; 2]; 2] = [[b"team", b"x"], [b"env", b"a=b"]];
            assert_eq!(found, wanted, "{cell}");
        }
        for cell in ["", "{}", "null", "[1]", "\"", "{\"a\":1}", "\u{feff}"] {
            entries(cell.as_bytes(), &mut |_, _| panic!("{cell}"));
        }
    }
}
