//! The fields of a resource that is no instance.

use std::borrow::Cow;
use std::sync::Arc;

use super::words;
use crate::domain::{
    CommitmentKind, CommitmentSource, ResourceKind, SourceId, SourceSet, VerdictKind,
};
use crate::fleet::Savings;
use crate::fleet::savings::ResourceRow;
use crate::query::{Kind, Unit};
use crate::tabs::idle::picture::field_table::VERDICTS;
use crate::view::table_field::{field_table, fields};
use crate::view::{Origin, Role, TableField, Value, ViewContext, format, reasons, verdict};

/// A resource and what is left of its saving.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceItem {
    /// The resource with its verdict.
    pub row: Arc<ResourceRow>,
    /// What the bill falls by when it goes, USD/h. No commitment that is known here pays for
    /// addresses, gateways, balancers and volumes: net is gross. SageMaker Savings Plans pay for
    /// notebooks, endpoints and apps, and how is not simulated: `None` where one may.
    pub net_usd_per_hour: Option<f64>,
}

/// The resources, in their order.
pub fn resource_items(savings: &Savings) -> Vec<Arc<ResourceItem>> {
    let plans = sagemaker_plans(savings);
    let item = |row: &Arc<ResourceRow>| {
        let known = !is_sagemaker(row.resource.kind) || !plans;
        let net = row.waste_usd_per_hour.filter(|usd| known || *usd == 0.0);
        Arc::new(ResourceItem { row: row.clone(), net_usd_per_hour: net })
    };
    savings.resources.iter().map(item).collect()
}

/// True where a SageMaker Savings Plan may pay: one is held, or nobody could look.
fn sagemaker_plans(savings: &Savings) -> bool {
    let held = savings.commitments.iter().any(|row| {
        let commitment = &row.commitment;
        matches!(commitment.kind(), CommitmentKind::SageMakerPlan | CommitmentKind::OtherPlan)
            && savings.as_of.is_none_or(|at| commitment.is_in_force(at))
    });
    let unread = savings.unread.iter().any(|u| u.source == CommitmentSource::SavingsPlans);
    // Without any commitment read at all, the waterfall says so.
    let nothing = savings.commitments.is_empty() && savings.waterfall.net_unknown.is_some();
    held || unread || nothing
}

fn is_sagemaker(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::Notebook | ResourceKind::Endpoint | ResourceKind::StudioApp)
}

impl ResourceItem {
    /// True when it bills and does nothing.
    pub fn is_idle(&self) -> bool {
        is_idle(&self.row)
    }
}

/// True when a resource bills and does nothing.
pub fn is_idle(row: &ResourceRow) -> bool {
    let kind = row.verdict.as_ref().map(|v| v.kind);
    matches!(kind, Some(VerdictKind::Idle | VerdictKind::Partial))
}

const KINDS: [&str; 8] = [
    ResourceKind::Notebook.word(),
    ResourceKind::Endpoint.word(),
    ResourceKind::StudioApp.word(),
    ResourceKind::ElasticIp.word(),
    ResourceKind::NatGateway.word(),
    ResourceKind::LoadBalancer.word(),
    ResourceKind::VpcEndpoint.word(),
    ResourceKind::StoppedInstance.word(),
];

field_table! {
    /// A field of a resource.
    pub enum ResourceField => FIELDS {
        Waste number(UsdPerHour) "waste_usd_per_hour" ["waste", "gross"] "WASTE/h" 8 by('s')
            "What removing or stopping it saves at list price.";
        Net number(UsdPerHour) "net_usd_per_hour" ["net"] "NET/h" 8 by('n')
            "What the bill falls by, commitments considered; unknown where a SageMaker Savings Plan may pay.";
        Wasted number(Usd) "wasted_usd" ["wasted"] "WASTED" 8 unit("$") by('w')
            "Dollars since it began to idle.";
        UsdPerHour number(UsdPerHour) "usd_per_hour" ["$", "usd", "burn"] "$/h" 8 by('h')
            "What it bills now, list price.";
        Verdict choice(VERDICTS) "verdict" ["status"] "VERDICT" 12 by('v')
            "What burntop concludes.";
        Since number(Seconds) "idle_since" ["idle", "since"] "SINCE" 6 by('i')
            "How long the idle stretch has lasted; in exports, when it began.";
        Kind choice(KINDS) "kind" ["type"] "KIND" 16 by('k') "What it is.";
        Pattern choice(words::PATTERNS) "pattern" ["why"] "PATTERN" 24 by('p')
            "Why it idles, where its hours tell: never_used in all that are seen, forgotten after some use (the Idle list calls both forgotten), or by its rhythm.";
        Name text "name" [] "NAME" 18 key wide by('a') "Its name, or its id.";
        Team text "team" [] "TEAM" 8 wide by('t') "Team, from its tags.";
        Fix text "fix" [] "FIX" 30 wide "What to do.";
        Coverage number(Percent) "coverage" ["cov"] "COV" 4 by('o')
            "Datapoints that came over those that should have.";
        State text "state" [] "STATE" 10 "Its state, in AWS's word.";
        Bills text "bills" ["units"] "BILLS" 18 "What it bills for.";
        Serves number(Count) "serves" [] "SERVES" 6 "How many things it is attached to or serves.";
        Age number(Seconds) "age" [] "AGE" 6 by('g') "Since it was made.";
        Created time "created" [] "CREATED" 16 "When it was made.";
        Used time "used" ["last_used"] "LAST USED" 16 "When it was last used, where AWS says it.";
        Reason text "reason" [] "REASON" 30 wide "Why the verdict is what it is.";
        Id text "id" ["arn"] "ID" 24 by('d') "Its id or ARN.";
        Account text "account" [] "ACCOUNT" 12 "Account id.";
        Region text "region" [] "REGION" 14 by('r') "Region.";
    }
}

use ResourceField as F;

impl TableField for ResourceField {
    type Row = ResourceItem;

    const NOUNS: [&'static str; 2] = ["resource", "resources"];

    const SCREEN_COLUMNS: &'static [Self] = &[
        F::Waste,
        F::Net,
        F::Wasted,
        F::Verdict,
        F::Since,
        F::Kind,
        F::Pattern,
        F::Team,
        F::Name,
        F::Fix,
    ];
    const DROPPED_FIRST: &'static [Self] = &[F::Fix, F::Team, F::Wasted, F::Pattern, F::Since];

    fields!(FIELDS);

    fn value<'a>(self, item: &'a ResourceItem, ctx: &ViewContext) -> Value<'a> {
        let row = &*item.row;
        let of = &*row.resource;
        let judged = row.verdict.as_deref();
        let since = |at| Value::since(at, ctx.now);
        match self {
            F::Waste => Value::number(row.waste_usd_per_hour),
            F::Net => Value::number(item.net_usd_per_hour),
            F::Wasted => Value::number(row.wasted_usd),
            F::UsdPerHour => Value::number(of.usd_per_hour()),
            F::Verdict => Value::maybe(judged.map(|v| v.kind.name())),
            F::Since => since(judged.and_then(|v| v.idle_since)),
            F::Kind => Value::text(of.kind.word()),
            F::Pattern => Value::maybe(row.pattern.map(crate::fleet::savings::Pattern::word)),
            F::Name => Value::text(&of.name),
            F::Team => Value::maybe(row.team.as_deref()),
            F::Fix => Value::made(reasons::resource_fix(&row.fix)),
            F::Coverage => Value::number(judged.map(|v| f64::from(v.coverage) * 100.0)),
            F::State => Value::text(&of.state),
            F::Bills if of.units.is_empty() => Value::Unknown,
            F::Bills => Value::Text(Cow::Owned(bills(item))),
            F::Serves => Value::number(of.serves.as_ref().map(|s| s.len() as f64)),
            F::Age => since(of.created_at),
            F::Created => Value::time(of.created_at),
            F::Used => Value::time(of.used_at),
            F::Reason => {
                judged.map_or(Value::Unknown, |v| Value::made(reasons::verdict(&v.reason)))
            }
            F::Id => Value::text(&of.id),
            F::Account => Value::text(&of.scope.account),
            F::Region => Value::text(&of.scope.region),
        }
    }

    /// The moment an idle stretch began instead of its length; else as everywhere.
    fn exported<'a>(self, item: &'a ResourceItem, ctx: &ViewContext) -> Value<'a> {
        if self == F::Since {
            let since = item.row.verdict.as_deref().and_then(|v| v.idle_since);
            return Value::time(since);
        }
        self.value(item, ctx).exported(self.spec().kind)
    }

    fn role(self, item: &ResourceItem) -> Role {
        match (self, item.row.verdict.as_ref()) {
            (F::Verdict, Some(judged)) => verdict::role(judged.kind),
            (F::Waste, _) if item.is_idle() => Role::Idle,
            _ => Role::Text,
        }
    }

    fn origin(item: &ResourceItem) -> Origin<'_> {
        Origin::of(&item.row.resource.scope)
    }

    fn rests_on(self, _: &ResourceItem) -> SourceSet {
        let is_itself = matches!(self, F::Name | F::Id | F::Kind);
        SourceSet::of(if is_itself { &[] } else { &[SourceId::Resources] })
    }

    fn cell(self, item: &ResourceItem, ctx: &ViewContext) -> String {
        match (self, item.row.verdict.as_deref()) {
            (F::Verdict, Some(judged)) => verdict::cell(judged, ctx.symbols),
            (F::Since | F::Wasted, Some(judged)) => {
                let value = self.value(item, ctx);
                let at_least = judged.idle_since_at_least && !value.is_unknown();
                format::bound(value.shown(self.spec().kind, ctx), at_least, ctx.symbols)
            }
            (F::Pattern, _) => match item.row.pattern {
                Some(pattern) => pattern.label().to_owned(),
                None => ctx.symbols.unknown().to_owned(),
            },
            _ => match self.value(item, ctx) {
                // An address costs half a cent: two digits would double it.
                Value::Number(usd)
                    if self.spec().kind == Kind::Number(Unit::UsdPerHour) && usd.abs() < 0.995 =>
                {
                    format::grouped(usd, 3)
                }
                value => value.shown(self.spec().kind, ctx),
            },
        }
    }

    /// Verdicts worst first.
    fn ranked<'a>(self, item: &'a ResourceItem, ctx: &ViewContext) -> Value<'a> {
        match self {
            F::Verdict => Value::number(item.row.verdict.as_ref().map(|v| f64::from(v.kind as u8))),
            _ => self.value(item, ctx),
        }
    }

    fn id(item: &ResourceItem) -> &Arc<str> {
        &item.row.resource.id
    }

    fn usd_per_hour(item: &ResourceItem) -> Option<f64> {
        item.row.waste_usd_per_hour
    }

    fn labels() -> Vec<[&'static str; 2]> {
        let verdicts = VerdictKind::ALL.map(|kind| [verdict::word(kind), kind.name()]);
        verdicts.into_iter().chain(words::PATTERN_LABELS).collect()
    }

    fn tag<'a>(item: &'a ResourceItem, key: &str) -> Option<&'a str> {
        item.row.resource.tags.get(key)
    }

    fn any_text(item: &ResourceItem, mut holds: impl FnMut(&str) -> bool) -> bool {
        let of = &*item.row.resource;
        holds(&of.name)
            || holds(&of.id)
            || holds(of.kind.word())
            || holds(of.kind.label())
            || item.row.team.as_ref().is_some_and(|team| holds(team))
            || item.row.pattern.is_some_and(|p| holds(p.label()))
            || holds(&of.scope.region)
            || holds(&of.scope.account)
            || of.units.iter().any(|u| holds(&u.what))
    }
}

/// Billed units: `2 × ml.g5.xlarge`.
fn bills(item: &ResourceItem) -> String {
    let units = item.row.resource.units.iter();
    let one = |u: &crate::domain::BilledUnit| format!("{} x {}", format::count(u.count), u.what);
    units.map(one).collect::<Vec<_>>().join(", ")
}
