//! The fields of a node: what it cost in runs, idle time, and what no run held of it.

use std::sync::Arc;

use super::attempts::usd;
use crate::analyze::jobs::{NodeCost, PriceFrom, TypeFrom};
use crate::domain::bill::Usd;
use crate::domain::jobs::JobSource;
use crate::view::table_field::{field_table, fields};
use crate::view::{TableField, Value, ViewContext};

/// A node of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRow {
    /// Source, cluster and name; unique among the rows of a list.
    pub id: Arc<str>,
    /// The node with its costs.
    pub of: NodeCost,
}

/// Rows of nodes, the costliest first.
pub fn node_rows(of: Vec<NodeCost>) -> Arc<[Arc<NodeRow>]> {
    let mut of = of;
    of.sort_by(|a, b| {
        b.usd.cmp(&a.usd).then_with(|| (&a.cluster, &a.name).cmp(&(&b.cluster, &b.name)))
    });
    let row = |of: NodeCost| {
        let id = format!("{} {} {}", of.source.word(), of.cluster, of.name).into();
        Arc::new(NodeRow { id, of })
    };
    of.into_iter().map(row).collect()
}

field_table! {
    /// A field of a node that ran jobs.
    pub enum NodeField => FIELDS {
        Source choice(JobSource::WORDS) "source" [] "SOURCE" 10 "Where its jobs were read.";
        Cluster text "cluster" [] "CLUSTER" 10 "Cluster; none where none is named.";
        Node text "node" ["name"] "NODE" 16 key wide by('n') "Name of the node.";
        InstanceType text "instance_type" ["type"] "TYPE" 14 by('t') "Instance type behind the name; of several the last.";
        TypeFrom choice(TypeFrom::WORDS) "type_from" [] "TYPE BY" 9 "What tells the type; rule = by queue, an estimate.";
        PriceFrom choice(PriceFrom::WORDS) "price_from" [] "PRICE" 7 "Kind of price: list, spot, bill, private.";
        Attempts number(Count) "attempts" [] "ATTEMPTS" 8 by('m') "Attempts that held it.";
        From time "from" [] "FROM" 16 "First moment that is counted.";
        Until time "until" [] "UNTIL" 16 "Last moment that is counted.";
        Hours number(Count) "hours" [] "HOURS" 8 by('h') "Hours that are counted: it was up, or somebody held it.";
        IdleHours number(Count) "idle_hours" ["idle"] "IDLE" 8 by('i')
            "Hours in which it was up and nobody held it; none where nobody tells when it was up.";
        Usd number(Usd) "usd" ["$"] "COST" 12 unit("$") by('c') "What it cost: jobs, idle, unallocated.";
        JobsUsd number(Usd) "jobs_usd" ["jobs"] "JOBS" 12 unit("$") by('j') "What attempts held of it.";
        IdleUsd number(Usd) "idle_usd" [] "IDLE COST" 12 unit("$") by('d') "What it cost while nobody held it.";
        UnallocatedUsd number(Usd) "unallocated_usd" ["unallocated"] "UNALLOCATED" 12 unit("$") by('u')
            "What was left of it beside attempts that held a part.";
        ScaledHours number(Count) "scaled_hours" [] "SCALED" 8
            "Hours in which attempts asked for more than it has: each pays its part of one node.";
        UnpricedHours number(Count) "unpriced_hours" [] "NO PRICE" 8 "Hours without a known price: they are in no dollars.";
    }
}

use NodeField as F;

fn hours(ms: u64) -> Value<'static> {
    Value::Number(ms as f64 / 3.6e6)
}

impl TableField for NodeField {
    type Row = NodeRow;

    const NOUNS: [&'static str; 2] = ["node", "nodes"];

    const SCREEN_COLUMNS: &'static [Self] =
        &[F::Node, F::InstanceType, F::Hours, F::Usd, F::JobsUsd, F::IdleUsd, F::UnallocatedUsd];
    const DROPPED_FIRST: &'static [Self] = &[F::InstanceType, F::Hours, F::Usd];

    fields!(FIELDS);

    fn value<'a>(self, row: &'a NodeRow, _: &ViewContext) -> Value<'a> {
        let of = &row.of;
        let known = |amount: Usd| usd((!of.is_unpriced()).then_some(amount));
        let is_up_known =
            |value: Value<'static>| if of.is_up_known { value } else { Value::Unknown };
        match self {
            F::Source => Value::text(of.source.word()),
            F::Cluster => Value::text(&of.cluster),
            F::Node => Value::text(&of.name),
            F::InstanceType => Value::maybe(of.instance_type.as_deref()),
            F::TypeFrom => Value::maybe(of.type_from.map(TypeFrom::word)),
            F::PriceFrom => Value::maybe(of.price_from.map(PriceFrom::word)),
            F::Attempts => Value::Number(of.attempts.into()),
            F::From => Value::time(Some(of.from)),
            F::Until => Value::time(Some(of.until)),
            F::Hours => hours(of.ms),
            F::IdleHours => is_up_known(hours(of.idle_ms)),
            F::Usd => known(of.usd),
            F::JobsUsd => known(of.runs_usd),
            F::IdleUsd => is_up_known(known(of.idle_usd)),
            F::UnallocatedUsd => known(of.unallocated_usd),
            F::ScaledHours => hours(of.scaled_ms),
            F::UnpricedHours => hours(of.unpriced_ms),
        }
    }

    fn id(row: &NodeRow) -> &Arc<str> {
        &row.id
    }

    fn usd_per_hour(_: &NodeRow) -> Option<f64> {
        None
    }

    fn any_text(row: &NodeRow, mut holds: impl FnMut(&str) -> bool) -> bool {
        let of = &row.of;
        holds(&of.name) || holds(&of.cluster) || of.instance_type.iter().any(|text| holds(text))
    }
}
