//! Paths without a bill, for tests.

use std::sync::Arc;

use crate::domain::Scope;
use crate::fleet::savings::{PathAdvice, PathKind, PathRow};

fn path(id: &str, kind: PathKind, advice: PathAdvice, usd: Option<f64>) -> Arc<PathRow> {
    let is_finding = !matches!(advice, PathAdvice::Unread);
    Arc::new(PathRow {
        id: id.into(),
        name: id.into(),
        kind,
        scope: Scope::new("123456789012", "us-east-1"),
        to: (kind == PathKind::FarBucket).then(|| "us-west-2".into()),
        team: None,
        hours: (kind == PathKind::Nat).then_some(730.0),
        bytes: usd.map(|usd| usd / 0.045 * 1_073_741_824.0),
        bytes_usd: usd,
        usd: usd.map(|usd| usd + 32.85),
        at_most_usd: None,
        price_of: None,
        avoidable_usd: usd.filter(|_| is_finding),
        once_usd: Some(if kind == PathKind::FarBucket { 102.4 } else { 0.0 }),
        advice,
    })
}

/// Three gateways, one without a price and one without routes, and a bucket far from the GPUs.
pub fn live() -> Vec<Arc<PathRow>> {
    let tables = vec!["rtb-1".into(), "rtb-2".into()];
    let add = PathAdvice::AddEndpoint { vpc: "vpc-1".into(), tables: tables.clone() };
    let extend = PathAdvice::ExtendEndpoint { endpoint: "vpce-1".into(), tables };
    let far = PathAdvice::MoveTogether { devices: 8 };
    vec![
        path("nat-1", PathKind::Nat, add, Some(328.5)),
        path("nat-2", PathKind::Nat, extend, None),
        path("nat-3", PathKind::Nat, PathAdvice::Unread, Some(45.0)),
        path("corpus", PathKind::FarBucket, far, None),
    ]
}
