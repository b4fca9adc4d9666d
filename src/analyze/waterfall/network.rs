//! The network: what bytes and requests cost by the newest bill, and what fixes avoid of it.

use super::Done;
use super::bill::Bill;
use crate::analyze::bill::BillSettings;
use crate::analyze::network::{NetworkPath, NetworkRow, Remedy, network, told_days};
use crate::analyze::savings::SavingsInput;
use crate::domain::TagKeys;
use crate::domain::bill::{self, NetworkSaving, NetworkSpend, Usd};
use crate::fleet::savings::{Effort, Risk, StepNote};

/// What a bill says of the network, for the waterfall.
pub fn network_spend(of: &bill::Bill) -> NetworkSpend {
    // Tags tell training from serving; they do not tell what is of the network.
    let settings = BillSettings::new(&TagKeys::default(), Vec::new(), Vec::new());
    let none: [&bill::Bill; 0] = [];
    let found = network(&[of], &none, &settings);
    let mut spend = NetworkSpend {
        period: of.head.period,
        days: told_days(std::iter::once(&of.head)).unwrap_or(1),
        usd: Usd::ZERO,
        paths: 0,
        fixes: Vec::new(),
        unknown: 0,
    };
    let mut by_fix: [Option<NetworkSaving>; Remedy::WORDS.len()] = Default::default();
    for row in &found.rows {
        let usd = counted(row);
        if usd <= Usd::ZERO {
            continue;
        }
        spend.usd += usd;
        spend.paths += 1;
        let Some(fix) = row.fix.as_ref().filter(|fix| fix.remedy != Remedy::DeleteIdle) else {
            continue;
        };
        let Some(avoidable) = fix.avoidable else {
            spend.unknown += 1;
            continue;
        };
        let (effort, risk) = levels(&fix.remedy);
        let empty = NetworkSaving { usd: Usd::ZERO, paths: 0, bounds: 0, effort, risk };
        let saving = by_fix[fix.remedy.place()].get_or_insert(empty);
        saving.usd += avoidable.min(usd);
        saving.paths += 1;
        saving.bounds += u32::from(fix.confidence != crate::analyze::network::Confidence::High);
    }
    spend.fixes = by_fix.into_iter().flatten().collect();
    spend
}

/// What of a row no resource has: requests, and what bytes cost by the bytes.
fn counted(row: &NetworkRow) -> Usd {
    match row.key.path {
        NetworkPath::Requests => row.usd,
        _ => row.bytes_usd.min(row.usd),
    }
}

/// Effort and risk of a fix.
const fn levels(remedy: &Remedy) -> (Effort, Risk) {
    match remedy {
        // A route more, and nothing moves.
        Remedy::GatewayEndpoint | Remedy::DeleteIdle => (Effort::Low, Risk::Low),
        // What is older than the retention is gone for good.
        Remedy::LogRetention => (Effort::Low, Risk::Medium),
        Remedy::InterfaceEndpoint { .. } | Remedy::Compression => (Effort::Medium, Risk::Low),
        Remedy::ReplicationRules => (Effort::Low, Risk::Medium),
        Remedy::PackObjects { .. } => (Effort::High, Risk::Low),
        // What runs moves, or survives less.
        Remedy::CoLocation | Remedy::OneZone => (Effort::High, Risk::Medium),
    }
}

/// Takes what the fixes avoid. None of it is in another step: idle gateways go by their hours, and those are resources.
pub(super) fn take(bill: &mut Bill<'_>, input: &SavingsInput<'_>) -> Done {
    let mut done = Done::default();
    let Some(spend) = input.fleet.book.network.as_deref() else { return done };
    let (mut saves, mut bounds) = (0.0, 0);
    for fix in &spend.fixes {
        let usd = spend.per_hour(fix.usd).max(0.0);
        saves += usd;
        done.items += fix.paths;
        bounds += fix.bounds;
        done.levels.add(fix.effort, fix.risk, usd);
    }
    done.gross_alone = saves;
    done.unknown = spend.unknown;
    done.notes.push(StepNote::NetworkOfBill { period: spend.period, bounds });
    bill.network = (bill.network - saves).max(0.0);
    done
}

/// The network on the bill, USD/h; 0 without an imported bill.
pub(super) fn usd_per_hour(input: &SavingsInput<'_>) -> f64 {
    input.fleet.book.network.as_deref().map_or(0.0, |spend| spend.per_hour(spend.usd))
}
