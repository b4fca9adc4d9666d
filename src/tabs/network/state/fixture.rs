//! A cockpit over bills of a network, for tests.

use std::sync::Arc;

use crate::analyze::bill::fixture::{LineOf, bill_of};
use crate::app::{App, AppInit};
use crate::domain::bill::{Bill, TransferPath};
use crate::tabs::bill::state::fixture::answer;
use crate::tabs::network::picture::fixture::live;
use crate::tabs::savings::picture::fixture::savings_of;
use crate::tabs::savings::state::fixture::heard;
use crate::tabs::storage::state::fixture::init;

/// A month with a path of each kind that has a fix, and some that have none.
pub fn month(period: &str, factor: f64) -> Arc<Bill> {
    let usds: Vec<String> = [45.0, 32.4, 34.56, 100.0, 57.5, 0.4, 3.0, 3.0, 18.0, 0.4, 6.0]
        .iter()
        .map(|usd| format!("{:.4}", usd * factor))
        .collect();
    let line = |at: usize, service, usage_type, operation, (quantity, unit)| LineOf {
        service,
        usage_type,
        operation,
        unit,
        quantity,
        usd: &usds[at],
        day: 30,
        path: TransferPath::of(usage_type, operation, "", "", ""),
        ..LineOf::default()
    };
    let (ec2, s3) = ("Amazon Elastic Compute Cloud", "Amazon Simple Storage Service");
    let of = |resource, line| LineOf { resource, ..line };
    let gb = |quantity: f64| (quantity * factor, "GB");
    let hours = |hours| (hours, "Hrs");
    bill_of(
        period,
        &[],
        &[
            of("nat-0a1b2c3d", line(0, ec2, "NatGateway-Bytes", "NatGateway", gb(1_000.0))),
            of("nat-0a1b2c3d", line(1, ec2, "NatGateway-Hours", "NatGateway", hours(720.0))),
            of("nat-0d4e5f60", line(2, ec2, "EU-NatGateway-Hours", "NatGateway", hours(720.0))),
            of("corpus", line(3, s3, "USE1-USW2-AWS-Out-Bytes", "GetObject", gb(5_000.0))),
            of("corpus", line(4, s3, "TimedStorage-ByteHrs", "", (2_500.0, "GB-Mo"))),
            of("corpus", line(5, s3, "Requests-Tier2", "GetObject", (1e6, "Requests"))),
            line(6, ec2, "DataTransfer-Regional-Bytes", "InterZone-Out", gb(300.0)),
            line(7, ec2, "DataTransfer-Regional-Bytes", "InterZone-In", gb(300.0)),
            line(8, ec2, "DataTransfer-Out-Bytes", "RunInstances", gb(200.0)),
            line(9, "Amazon Route 53", "DNS-Queries", "", (1e6, "Queries")),
            of("vpce-1", line(10, ec2, "VpcEndpoint-Bytes", "VpcEndpoint", gb(600.0))),
        ],
    )
}

/// September and October.
pub fn bills() -> Vec<Arc<Bill>> {
    vec![month("2026-09", 0.8), month("2026-10", 1.0)]
}

/// Presses keys, each answered before the next.
pub fn go(app: &mut App, keys: &[&str]) {
    let bills = bills();
    for keys in keys {
        let effects = crate::app::fixture::press(app, keys);
        answer(app, &effects, &bills);
        app.prepare();
    }
}

/// A cockpit of `init` on the Network tab, over two months of bills.
pub fn on_network(init: AppInit) -> App {
    let mut app = App::new(init);
    go(&mut app, &["5"]);
    app
}

/// The same, of a size.
pub fn app(size: (u16, u16)) -> App {
    on_network(init(size))
}

/// A cockpit of `init` on the Network tab that has read the account, without a bill.
pub fn without_a_bill(init: AppInit) -> App {
    let mut app = heard(init, savings_of(|savings| savings.paths = live()));
    let effects = crate::app::fixture::press(&mut app, "5");
    answer(&mut app, &effects, &[]);
    app.prepare();
    app
}
