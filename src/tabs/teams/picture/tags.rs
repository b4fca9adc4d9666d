//! The fields of resources without the tags that each shall have.

use std::borrow::Cow;
use std::sync::Arc;

use crate::analyze::teams::{Compliance, MissingTags};
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// A resource of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct TagItem {
    /// Which resource it is; unique among the rows of a list.
    pub id: Arc<str>,
    /// The tags that it lacks, in words.
    pub missing: String,
    /// The command that tags it; empty where its id does not tell how.
    pub command: String,
    /// The resource.
    pub of: MissingTags,
}

/// Rows of resources, in their order.
pub fn tag_rows(of: &Compliance) -> Arc<[Arc<TagItem>]> {
    let row = |of: &MissingTags| {
        let words = [&of.account, &of.region, &of.service, &of.resource];
        let words: Vec<&str> = words.into_iter().map(|w| w.as_deref().unwrap_or("–")).collect();
        Arc::new(TagItem {
            id: words.join(" ").into(),
            missing: of.missing.join(", "),
            command: of.place.as_ref().map(|p| p.command(&of.missing)).unwrap_or_default(),
            of: of.clone(),
        })
    };
    of.missing.iter().map(row).collect()
}

field_table! {
    /// A field of a resource without some tag.
    pub enum TagField => FIELDS {
        Resource text "resource" [] "RESOURCE" 24 key wide by('r')
            "Id or ARN; none of what a bill tells without a resource.";
        Name text "name" [] "NAME" 16 wide by('n') "Its tag Name, of instances that are seen live.";
        Account text "account" [] "ACCOUNT" 12 by('a') "Account.";
        Region text "region" [] "REGION" 14 by('e') "Region.";
        Service text "service" [] "SERVICE" 24 wide by('s') "Name of the service.";
        Usd number(Usd) "usd" ["$"] "COST" 12 unit("$") by('c') "What it cost in the period, or costs in a month.";
        Missing text "missing" [] "MISSING" 18 wide by('m') "Required tags that it lacks.";
        Command text "command" [] "COMMAND" 40 wide
            "The command that tags it, with placeholders for the values; none where the id does not tell how.";
    }
}

use TagField as F;

impl TableField for TagField {
    type Row = TagItem;

    const NOUNS: [&'static str; 2] = ["resource", "resources"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Resource, F::Account, F::Service, F::Usd, F::Missing];
    const DROPPED_FIRST: &'static [Self] = &[F::Account, F::Service];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a TagItem, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        match self {
            F::Resource => Value::maybe(of.resource.as_deref()),
            F::Name => Value::maybe(of.name.as_deref()),
            F::Account => Value::maybe(of.account.as_deref()),
            F::Region => Value::maybe(of.region.as_deref()),
            F::Service => Value::maybe(of.service.as_deref()),
            F::Usd => Value::Usd(of.usd),
            F::Missing => Value::text(&row.missing),
            F::Command => Value::text(&row.command),
        }
    }

    fn several(self, row: &TagItem) -> Option<impl Iterator<Item = Cow<'_, str>>> {
        (self == F::Missing).then(|| row.of.missing.iter().map(|tag| Cow::Borrowed(&**tag)))
    }

    fn id(row: &TagItem) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &TagItem) -> Option<f64> {
        None
    }

    fn any_text(row: &TagItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        holds(&row.id) || holds(&row.missing) || row.of.name.iter().any(|name| holds(name))
    }
}
