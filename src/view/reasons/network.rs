//! What avoids a part of what the network costs.

use std::sync::Arc;

use crate::analyze::network::{Confidence, Fix, Remedy};
use crate::domain::HOURS_PER_MONTH;
use crate::domain::bill::Usd;
use crate::fleet::savings::{PathAdvice, PathRow};
use crate::view::format::{bytes_binary, counted, grouped, noun, plural, usd as dollars};

/// What is done, of all rows with the fix: a clause without a full stop.
pub const fn remedy(remedy: &Remedy) -> &'static str {
    match remedy {
        Remedy::GatewayEndpoint => {
            "S3 and DynamoDB cost nothing through a gateway endpoint; flow logs tell how much goes there"
        }
        Remedy::InterfaceEndpoint { .. } => {
            "an AWS service costs less through an interface endpoint; flow logs tell how much goes there"
        }
        Remedy::CoLocation => "the fleet and the bucket that it reads in one region",
        Remedy::ReplicationRules => "replication rules for the prefixes that need a copy alone",
        Remedy::OneZone => {
            "the fleet and what it talks to in one zone, where it need not survive one"
        }
        Remedy::Compression => "compress what is sent; how far that goes the bill does not tell",
        Remedy::PackObjects { .. } => {
            "pack small objects into larger ones: requests are billed by number"
        }
        Remedy::DeleteIdle => "nothing went through it: delete it",
        Remedy::LogRetention => "logs without a retention are kept, and paid for, for ever",
    }
}

/// What a fix avoids: `$12.00`, or `up to $12.00` where that is a bound; `None` where it avoids nothing, or nobody knows how
/// much.
pub fn avoided(avoidable: Option<Usd>, confidence: Confidence) -> Option<String> {
    let much = dollars(avoidable.filter(|usd| !usd.is_zero())?.to_f64());
    Some(if confidence == Confidence::High { much } else { format!("up to {much}") })
}

/// So many months of 730 h in days, rounded up.
pub fn days(months: f64) -> String {
    plural((months * (HOURS_PER_MONTH / 24.0)).ceil() as usize, "day")
}

/// How long it takes until a fix is paid back; `None` where it costs nothing once, and where nobody knows.
pub fn pay_back(fix: &Fix) -> Option<String> {
    let months = fix.pay_back_months().filter(|months| *months > 0.0)?;
    Some(days(months))
}

/// How much of a path the bill tells: a clause without a full stop.
pub const fn confidence(of: Confidence) -> &'static str {
    match of {
        Confidence::High => "high: usage type and resource tell path and amount",
        Confidence::UpTo => {
            "up to: the bill tells the path, and of what is avoided no more than a bound"
        }
        Confidence::Low => {
            "low: the bill has no usage type, an operation or a description told the path"
        }
    }
}

/// A fix with its figures: one sentence, without a full stop.
pub fn fix(fix: &Fix) -> String {
    let usd = |amount: Usd| dollars(amount.to_f64());
    let what = remedy(&fix.remedy);
    match (&fix.remedy, fix.own_usd, fix.once_usd) {
        (Remedy::InterfaceEndpoint { pays_from_bytes }, Some(own), _) => format!(
            "{what}; it costs {} a month itself and pays from {} a month",
            usd(own),
            bytes_binary(*pays_from_bytes)
        ),
        (Remedy::CoLocation, own, Some(once)) => {
            let own = own.filter(|own| !own.is_zero());
            let own = own.map(|own| format!(", a copy {} a month", usd(own))).unwrap_or_default();
            let back = pay_back(fix).map(|days| format!(", paid back in {days}"));
            format!(
                "{what}; moving what is stored costs {} once{}{own}",
                usd(once),
                back.unwrap_or_default()
            )
        }
        (Remedy::CoLocation, ..) => format!("{what}; what a move costs the bill does not tell"),
        (Remedy::PackObjects { mean_bytes }, ..) => {
            format!("{what}; a request reads {} in the mean", bytes_binary(*mean_bytes))
        }
        _ => what.to_owned(),
    }
}

/// What figures of live paths rest on, one sentence without a full stop.
pub const LIVE: &str = "no bill: estimates in USD per month of 730 h at list prices, of the bytes that CloudWatch counts \
                          of NAT gateways and endpoints in the last two weeks; paths that nothing counts are not there; \
                          avoidable is an upper bound";

/// What is so of a path that was read live, and what is done: one sentence, without a full stop.
pub fn live(row: &PathRow) -> String {
    let tables = |tables: &[Arc<str>]| {
        format!("{} ({})", plural(tables.len(), "route table"), tables.join(", "))
    };
    let said = match &row.advice {
        PathAdvice::AddEndpoint { vpc, tables: of } => format!(
            "{} of {vpc} lead to a NAT gateway and have no gateway endpoint of S3, which costs nothing; \
             flow logs tell how much goes there",
            tables(of)
        ),
        PathAdvice::ExtendEndpoint { endpoint, tables: of } => format!(
            "{} lead to a NAT gateway and are left out by {endpoint}, the gateway endpoint of S3 that is there; \
             flow logs tell how much goes there",
            tables(of)
        ),
        PathAdvice::FreeGateway { service, vpc, .. } => format!(
            "interfaces of {service} in {vpc}, which has no gateway endpoint of it: that costs nothing; what comes over a \
             peering, a VPN or Direct Connect needs the interfaces"
        ),
        PathAdvice::Interface { service: Some(service) } => {
            format!(
                "interfaces of {service}: each zone costs by the hour, and each byte in either direction"
            )
        }
        PathAdvice::Interface { service: None } => {
            "its service lies in another region, or is not told: CloudWatch counts no bytes of it"
                .to_owned()
        }
        PathAdvice::Idle => remedy(&Remedy::DeleteIdle).to_owned(),
        PathAdvice::Covered => {
            "what goes to S3 takes an endpoint, by each route table in use that leads here"
                .to_owned()
        }
        PathAdvice::Exempt => "exempt by a tag".to_owned(),
        PathAdvice::Unread => {
            "route tables or endpoints could not be read: nothing is claimed".to_owned()
        }
        PathAdvice::KeepFor { created_at } => {
            let since = created_at.map(|at| format!(" since {}", at.strftime("%F")));
            format!(
                "no retention: all of it is kept{}; a retention keeps what is younger",
                since.unwrap_or_default()
            )
        }
        PathAdvice::MoveTogether { devices } => {
            let to = row.to.as_deref().unwrap_or_default();
            let once = row.once_usd.map(|usd| format!("; a copy costs {} once", dollars(usd)));
            format!(
                "nothing is seen to run in {}, and {} in {to}: who reads it there pays for each byte; {}{}",
                row.scope.region,
                counted(*devices as usize, "GPU runs", "GPUs run"),
                match row.bytes {
                    Some(_) => "access logs tell where those go that request metrics count",
                    None => "request metrics or access logs tell how many",
                },
                once.unwrap_or_default()
            )
        }
        PathAdvice::Exported { updates, created_at } => {
            let since = created_at.map(|at| format!(" since {}", at.strftime("%F")));
            let much = match updates {
                Some(updates) => format!(
                    "{} {} a month",
                    grouped(*updates as f64, 0),
                    noun(*updates as usize, "metric update")
                ),
                None => "how many updates CloudWatch does not tell".to_owned(),
            };
            format!(
                "a metric stream sends metrics out of CloudWatch{}: {much}, before what Firehose and the receiver charge; its \
                 filters say which metrics",
                since.unwrap_or_default()
            )
        }
        PathAdvice::Anywhere { told, running } => {
            let most = row.at_most_usd.map(|usd| {
                format!(
                    ": from {} within a zone or to S3 in the region to {} to the internet",
                    dollars(0.0),
                    dollars(usd)
                )
            });
            format!(
                "CloudWatch counts what leaves instances and not where it goes{}; in no total; read of {} of {} that run{}",
                most.unwrap_or_default(),
                told,
                plural(*running as usize, "instance"),
                if told < running {
                    ": of the others verdicts needed no network, or too few hours are known"
                } else {
                    ""
                }
            )
        }
    };
    match &row.price_of {
        Some(other) => format!(
            "{said}; an estimate at the price of {other}, for that of {} is not embedded",
            row.scope.region
        ),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixes_read_as_sentences_with_their_own_price() {
        let of = |remedy, own: Option<i64>, once: Option<i64>| {
            fix(&Fix {
                remedy,
                avoidable: Some(Usd::whole(100)),
                confidence: Confidence::UpTo,
                own_usd: own.map(Usd::whole),
                once_usd: once.map(Usd::whole),
            })
        };
        let endpoint = Remedy::InterfaceEndpoint { pays_from_bytes: 212.0 * 1024f64.powi(3) };
        assert!(
            of(endpoint, Some(17), Some(0))
                .ends_with("; it costs $17.00 a month itself and pays from 212 GiB a month")
        );
        assert!(of(Remedy::CoLocation, Some(57), Some(50)).ends_with(
            "; moving what is stored costs $50.00 once, paid back in 16 days, a copy $57.00 a month"
        ));
        assert!(of(Remedy::CoLocation, Some(0), None).ends_with("the bill does not tell"));
        let small = Remedy::PackObjects { mean_bytes: 131_072.0 };
        assert!(of(small, Some(0), None).ends_with("; a request reads 128 KiB in the mean"));
        assert!(of(Remedy::GatewayEndpoint, Some(0), Some(0)).starts_with("S3 and DynamoDB"));
    }
}
