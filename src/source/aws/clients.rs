//! The SDK clients of one account, made when first needed and kept: one per service and region.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use aws_config::{Region, SdkConfig};

/// The Price List API has few endpoints; this one knows the prices of every commercial region.
pub const PRICING_REGION: &str = "us-east-1";

/// One account's configuration and clients.
#[derive(Debug)]
pub struct Clients {
    sdk: SdkConfig,
    home: Arc<str>,
    label: Arc<str>,
    ec2: Mutex<HashMap<Arc<str>, aws_sdk_ec2::Client>>,
    cloudwatch: Mutex<HashMap<Arc<str>, aws_sdk_cloudwatch::Client>>,
}

impl Clients {
    /// No client yet; `sdk` names the home region.
    pub fn new(sdk: SdkConfig, label: Arc<str>) -> Self {
        let home = sdk.region().map_or(super::config::FALLBACK_REGION, |r| r.as_ref()).into();
        Self { sdk, home, label, ec2: Mutex::default(), cloudwatch: Mutex::default() }
    }

    /// The region that STS and `DescribeRegions` are asked in.
    pub fn home(&self) -> &Arc<str> {
        &self.home
    }

    /// The name of a retry quota. The SDK's own default is shared by all accounts of the process,
    /// so that one throttled account would use up the retries of the others.
    fn quota(&self, service: &str, region: &str) -> String {
        format!("{service}-{region}-{}", self.label)
    }

    /// EC2 in a region.
    pub fn ec2(&self, region: &Arc<str>) -> aws_sdk_ec2::Client {
        use aws_sdk_ec2::config::{Builder, retry::RetryPartition};
        cached(&self.ec2, region, || {
            let config = Builder::from(&self.sdk)
                .region(Region::new(region.to_string()))
                .retry_partition(RetryPartition::new(self.quota("ec2", region)));
            aws_sdk_ec2::Client::from_conf(config.build())
        })
    }

    /// CloudWatch in a region.
    pub fn cloudwatch(&self, region: &Arc<str>) -> aws_sdk_cloudwatch::Client {
        use aws_sdk_cloudwatch::config::{Builder, retry::RetryPartition};
        cached(&self.cloudwatch, region, || {
            let config = Builder::from(&self.sdk)
                .region(Region::new(region.to_string()))
                .retry_partition(RetryPartition::new(self.quota("cloudwatch", region)));
            aws_sdk_cloudwatch::Client::from_conf(config.build())
        })
    }

    /// STS in the home region.
    pub fn sts(&self) -> aws_sdk_sts::Client {
        use aws_sdk_sts::config::{Builder, retry::RetryPartition};
        let config = Builder::from(&self.sdk)
            .retry_partition(RetryPartition::new(self.quota("sts", &self.home)));
        aws_sdk_sts::Client::from_conf(config.build())
    }

    /// The Price List API in [`PRICING_REGION`].
    pub fn pricing(&self) -> aws_sdk_pricing::Client {
        use aws_sdk_pricing::config::{Builder, retry::RetryPartition};
        let config = Builder::from(&self.sdk)
            .region(Region::from_static(PRICING_REGION))
            .retry_partition(RetryPartition::new(self.quota("pricing", PRICING_REGION)));
        aws_sdk_pricing::Client::from_conf(config.build())
    }
}

fn cached<C: Clone>(
    kept: &Mutex<HashMap<Arc<str>, C>>,
    region: &Arc<str>,
    make: impl FnOnce() -> C,
) -> C {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(Arc::clone(region)).or_insert_with(make).clone()
}
