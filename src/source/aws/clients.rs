//! The SDK clients of one account, made when first needed and kept: one per service and region.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use aws_config::retry::RetryConfig;
use aws_config::{Region, SdkConfig};

use super::config::Patience;
use super::json_api::{self, Service};

/// Region of the Price List API's endpoint: it serves the prices of every commercial region.
pub const PRICING_REGION: &str = "us-east-1";

/// SDK configuration and clients of one account.
#[derive(Debug)]
pub struct Clients {
    sdk: SdkConfig,
    home: Arc<str>,
    label: Arc<str>,
    ec2: Mutex<HashMap<Arc<str>, aws_sdk_ec2::Client>>,
    cloudwatch: Mutex<HashMap<Arc<str>, aws_sdk_cloudwatch::Client>>,
    auto_scaling: Mutex<HashMap<Arc<str>, aws_sdk_autoscaling::Client>>,
    load_balancing: Mutex<HashMap<Arc<str>, aws_sdk_elasticloadbalancingv2::Client>>,
    s3: Mutex<HashMap<Arc<str>, aws_sdk_s3::Client>>,
    athena: Mutex<HashMap<Arc<str>, aws_sdk_athena::Client>>,
    json_apis: Mutex<HashMap<(&'static str, Arc<str>), json_api::Client>>,
}

/// A client of an SDK's crate in a region, with a retry quota of its own.
macro_rules! client {
    ($of:ident, $sdk:ident, $quota:literal, $region:expr $(, $set:ident($to:expr))*) => {{
        use $sdk::config::{Builder, retry::RetryPartition};
        let config = Builder::from(&$of.sdk)
            .region(Region::new($region.to_string()))
            $(.$set($to))*
            .retry_partition(RetryPartition::new($of.quota($quota, $region)));
        $sdk::Client::from_conf(config.build())
    }};
}

/// The same for calls that change something, see [`Clients::ec2_once`].
macro_rules! once {
    ($of:ident, $sdk:ident, $region:expr, $patience:expr $(, $set:ident($to:expr))*) => {{
        let config = $sdk::config::Builder::from(&$of.sdk)
            .region(Region::new($region.to_string()))
            $(.$set($to))*
            .retry_config(RetryConfig::disabled())
            .timeout_config($patience.once());
        $sdk::Client::from_conf(config.build())
    }};
}

impl Clients {
    /// No clients yet; the home region is that of `sdk`.
    pub fn new(sdk: SdkConfig, label: Arc<str>) -> Self {
        let home = sdk.region().map_or(super::config::FALLBACK_REGION, |r| r.as_ref()).into();
        Self {
            sdk,
            home,
            label,
            ec2: Mutex::default(),
            cloudwatch: Mutex::default(),
            auto_scaling: Mutex::default(),
            load_balancing: Mutex::default(),
            s3: Mutex::default(),
            athena: Mutex::default(),
            json_apis: Mutex::default(),
        }
    }

    /// SDK configuration of the account.
    pub fn sdk(&self) -> &SdkConfig {
        &self.sdk
    }

    /// Home region, which STS and `DescribeRegions` are called in.
    pub fn home(&self) -> &Arc<str> {
        &self.home
    }

    /// The name of a retry quota. The SDK's own default is shared by all accounts of the process,
    /// so that one throttled account would use up the retries of the others.
    fn quota(&self, service: &str, region: &str) -> String {
        format!("{service}-{region}-{}", self.label)
    }

    /// EC2 client of a region.
    pub fn ec2(&self, region: &Arc<str>) -> aws_sdk_ec2::Client {
        cached(&self.ec2, region, || client!(self, aws_sdk_ec2, "ec2", region))
    }

    /// CloudWatch client of a region.
    pub fn cloudwatch(&self, region: &Arc<str>) -> aws_sdk_cloudwatch::Client {
        cached(&self.cloudwatch, region, || client!(self, aws_sdk_cloudwatch, "cloudwatch", region))
    }

    /// Auto Scaling client of a region.
    pub fn auto_scaling(&self, region: &Arc<str>) -> aws_sdk_autoscaling::Client {
        cached(&self.auto_scaling, region, || {
            client!(self, aws_sdk_autoscaling, "autoscaling", region)
        })
    }

    /// Elastic Load Balancing (version 2) client of a region.
    pub fn load_balancing(&self, region: &Arc<str>) -> aws_sdk_elasticloadbalancingv2::Client {
        cached(&self.load_balancing, region, || {
            client!(self, aws_sdk_elasticloadbalancingv2, "elb", region)
        })
    }

    /// S3 client of a region.
    pub fn s3(&self, region: &Arc<str>) -> aws_sdk_s3::Client {
        // Endpoints of their own (emulators, gateways) rarely resolve a bucket's name as a host.
        let by_path = self.sdk.endpoint_url().is_some();
        cached(&self.s3, region, || {
            client!(self, aws_sdk_s3, "s3", region, force_path_style(by_path))
        })
    }

    /// Athena client of a region.
    pub fn athena(&self, region: &Arc<str>) -> aws_sdk_athena::Client {
        cached(&self.athena, region, || client!(self, aws_sdk_athena, "athena", region))
    }

    /// Client of a service without an SDK crate, in a region.
    pub fn json_api(&self, service: &'static Service, region: &Arc<str>) -> json_api::Client {
        cached(&self.json_apis, &(service.id, Arc::clone(region)), || {
            let quota = self.quota(service.signing_name, region);
            json_api::Client::new(&self.sdk, service, region, quota)
        })
    }

    /// EC2 client for calls that change something: a single attempt, with the time that reads have for all of theirs. A
    /// retry by the SDK would act again without checking what the first attempt did. Not cached: such calls are rare.
    pub fn ec2_once(&self, region: &Arc<str>, patience: Patience) -> aws_sdk_ec2::Client {
        once!(self, aws_sdk_ec2, region, patience)
    }

    /// Auto Scaling client for calls that change something, like [`Clients::ec2_once`].
    pub fn auto_scaling_once(
        &self,
        region: &Arc<str>,
        patience: Patience,
    ) -> aws_sdk_autoscaling::Client {
        once!(self, aws_sdk_autoscaling, region, patience)
    }

    /// S3 client for calls that change something, like [`Clients::ec2_once`].
    pub fn s3_once(&self, region: &Arc<str>, patience: Patience) -> aws_sdk_s3::Client {
        once!(
            self,
            aws_sdk_s3,
            region,
            patience,
            force_path_style(self.sdk.endpoint_url().is_some())
        )
    }

    /// STS client of the home region.
    pub fn sts(&self) -> aws_sdk_sts::Client {
        use aws_sdk_sts::config::{Builder, retry::RetryPartition};
        let config = Builder::from(&self.sdk)
            .retry_partition(RetryPartition::new(self.quota("sts", &self.home)));
        aws_sdk_sts::Client::from_conf(config.build())
    }

    /// Price List client in [`PRICING_REGION`].
    pub fn pricing(&self) -> aws_sdk_pricing::Client {
        client!(self, aws_sdk_pricing, "pricing", PRICING_REGION)
    }

    /// Savings Plans client in [`PRICING_REGION`], the region of its only endpoint.
    pub fn savings_plans(&self) -> aws_sdk_savingsplans::Client {
        client!(self, aws_sdk_savingsplans, "savingsplans", PRICING_REGION)
    }
}

fn cached<K: Clone + Eq + Hash, C: Clone>(
    kept: &Mutex<HashMap<K, C>>,
    key: &K,
    make: impl FnOnce() -> C,
) -> C {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(key.clone()).or_insert_with(make).clone()
}
