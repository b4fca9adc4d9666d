//! Elastic IP addresses, and what they are associated with.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_ec2::types as ec2;

use super::AwsProvider;
use super::calls::{DESCRIBE_ADDRESSES, DESCRIBE_NETWORK_INTERFACES};
use super::inspect::filter;
use super::inventory::clean;
use super::limit::Api;
use super::resources::name;
use crate::domain::text::is_id;
use crate::domain::{
    BilledUnit, NOT_WORKING, PUBLIC_IPV4_USD_PER_HOUR, Resource, ResourceKind, Scope, SourceError,
    Tags,
};

/// Values of one filter, half of what EC2 takes.
const PER_CALL: usize = 100;

/// All Elastic IP addresses of a region. Err when a call fails.
pub async fn read(aws: &AwsProvider, scope: &Scope) -> Result<Vec<Resource>, SourceError> {
    let region = &scope.region;
    let addresses = {
        let _permit = aws.enter(Api::Ec2, region, 0).await;
        let client = aws.clients().await.ec2(region);
        // EC2 pages this list never.
        let answer = client
            .describe_addresses()
            .send()
            .await
            .map_err(|e| aws.failed(&DESCRIBE_ADDRESSES, region, &e))?;
        answer.addresses.unwrap_or_default()
    };
    let alone: Vec<&str> = addresses
        .iter()
        .filter(|a| a.instance_id().unwrap_or_default().is_empty())
        .filter_map(ec2::Address::network_interface_id)
        .filter(|id| is_id(id))
        .collect();
    let interfaces = match interfaces(aws, region, &alone).await {
        Ok(interfaces) => Some(interfaces),
        Err(error) => {
            // Those on an interface are unknown then, and the rest are not.
            tracing::warn!(%region, %error.message, "network interfaces cannot be read");
            None
        }
    };
    Ok(addresses.iter().filter_map(|a| address(a, scope, interfaces.as_ref())).collect())
}

/// Network interfaces by id, true for one that something uses.
type Interfaces = HashMap<String, bool>;

async fn interfaces(
    aws: &AwsProvider,
    region: &Arc<str>,
    ids: &[&str],
) -> Result<Interfaces, SourceError> {
    let client = aws.clients().await.ec2(region);
    let mut out = Interfaces::new();
    for ids in ids.chunks(PER_CALL) {
        let ask = |token| {
            // By filter and not by id: one that is gone would fail the call.
            let ids = filter("network-interface-id", ids.iter().copied());
            client.describe_network_interfaces().filters(ids).set_next_token(token).send()
        };
        aws.each_page((Api::Ec2, &DESCRIBE_NETWORK_INTERFACES), region, ask, |page| {
            for interface in page.network_interfaces() {
                let in_use = interface.status() != Some(&ec2::NetworkInterfaceStatus::Available);
                if let Some(id) = interface.network_interface_id() {
                    out.insert(id.to_owned(), in_use);
                }
            }
            Ok(page.next_token)
        })
        .await?;
    }
    Ok(out)
}

/// `None` for an address without an id.
fn address(raw: &ec2::Address, scope: &Scope, known: Option<&Interfaces>) -> Option<Resource> {
    let some = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(ToOwned::to_owned);
    let ip = clean(raw.public_ip());
    let id = clean(some(raw.allocation_id()).as_deref().or(raw.public_ip()));
    if id.is_empty() {
        return None;
    }
    let tags = Tags::from_raw(raw.tags().iter().filter_map(|t| Some((t.key()?, t.value()?))));
    let serves: Option<Vec<Arc<str>>> =
        match (some(raw.instance_id()), some(raw.network_interface_id())) {
            (Some(instance), _) => Some(vec![clean(Some(&instance))]),
            (None, Some(interface)) => known.and_then(|k| k.get(&interface)).map(|in_use| {
                let tail = if *in_use { "" } else { NOT_WORKING };
                vec![format!("{}{tail}", clean(Some(&interface))).into()]
            }),
            (None, None) => Some(Vec::new()),
        };
    let is_associated = some(raw.association_id()).is_some() || raw.instance_id().is_some();
    // Brought along (BYOIP), or of an Outpost: AWS charges nothing for the address.
    let is_own = raw.public_ipv4_pool().is_some_and(|pool| !pool.is_empty() && pool != "amazon")
        || raw.customer_owned_ip().is_some_and(|ip| !ip.is_empty());
    Some(Resource {
        kind: ResourceKind::ElasticIp,
        name: match name(&tags, &id) {
            named if named != id => named,
            _ => ip,
        },
        id,
        scope: scope.clone(),
        state: if is_associated { "associated" } else { "not associated" }.into(),
        is_billed: !is_own,
        created_at: None,
        changed_at: None,
        used_at: None,
        units: vec![BilledUnit {
            what: "PublicIPv4".into(),
            count: 1.0,
            usd_per_hour: Some(PUBLIC_IPV4_USD_PER_HOUR),
        }],
        serves,
        tags,
    })
}
