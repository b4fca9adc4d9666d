//! What may be asked: reads, each of a service that is described where it is asked.

use super::super::calls::Call;
use super::super::limit::Api;

/// An AWS service that is called without its SDK crate.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// Service id in the SDKs: names `AWS_ENDPOINT_URL_SAGEMAKER` and the `services` section of a profile.
    pub id: &'static str,
    /// How an operation is named in a request.
    pub naming: Naming,
    /// Name for signatures and IAM actions.
    pub signing_name: &'static str,
    /// Rate limit that its calls share.
    pub api: Api,
    /// Host by region and partition.
    pub host: fn(&At<'_>) -> Host,
    /// True where each request is billed: none is sent again by itself, since the ledger was charged for one.
    pub is_billed: bool,
}

/// How a request names its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    /// AWS JSON 1.1: the `X-Amz-Target` header, of which this is the first half.
    Header(&'static str),
    /// REST JSON whose operations are all `POST`: the path, this and the operation in lower case.
    Path(&'static str),
}

/// Inputs that decide the host of a service.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// AWS region of the call.
    pub region: &'a str,
    /// Domain of its partition: `amazonaws.com`; with dual stack `api.aws`.
    pub suffix: &'a str,
    /// True for endpoints validated under FIPS 140.
    pub fips: bool,
    /// True for endpoints with IPv4 and IPv6.
    pub dual_stack: bool,
}

impl At<'_> {
    /// Region of what a partition has once, such as the services of costs.
    pub fn home(&self) -> &'static str {
        let homes = [
            ("cn-", "cn-northwest-1"),
            ("us-gov-", "us-gov-west-1"),
            ("us-isob-", "us-isob-east-1"),
            ("us-isof-", "us-isof-south-1"),
            ("us-iso-", "us-iso-east-1"),
            ("eu-isoe-", "eu-isoe-west-1"),
            ("eusc-", "eusc-de-east-1"),
        ];
        let home = homes.iter().find(|(prefix, _)| self.region.starts_with(prefix));
        home.map_or("us-east-1", |(_, home)| home)
    }
}

/// Host of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Host name without the domain of the partition.
    pub name: String,
    /// Region that requests are signed for; `None` for the region of the call.
    pub signed_for: Option<&'static str>,
}

/// A read operation. Operations have no other representation, and none is made for calls that change something, so such
/// a call cannot be expressed.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    call: &'static Call,
    service: &'static Service,
    /// Name of the operation; `None` where it is that of the IAM action.
    name: Option<&'static str>,
}

impl Read {
    /// A read of `service`; evaluated in constants, so that a call that is no read does not compile.
    pub const fn of(call: &'static Call, service: &'static Service) -> Self {
        assert!(call.read_only && is_action_of(call.action, service.signing_name));
        Self { call, service, name: None }
    }

    /// The same with the name of its operation, where IAM calls that by another one.
    pub const fn named(self, operation: &'static str) -> Self {
        Self { name: Some(operation), ..self }
    }

    /// Row in the table of calls, with the IAM action.
    pub const fn call(self) -> &'static Call {
        self.call
    }

    /// Service that is called.
    pub const fn service(self) -> &'static Service {
        self.service
    }

    /// Name of the operation.
    pub fn operation(self) -> &'static str {
        let action = self.call.action;
        let of_action = || action.split_once(':').map_or(action, |(_, name)| name);
        self.name.unwrap_or_else(of_action)
    }
}

/// True for `sagemaker:ListApps` and `sagemaker`.
const fn is_action_of(action: &str, service: &str) -> bool {
    let (action, service) = (action.as_bytes(), service.as_bytes());
    if action.len() <= service.len() || action[service.len()] != b':' {
        return false;
    }
    let mut at = 0;
    while at < service.len() {
        if action[at] != service[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_of_the_service_before_the_colon() {
        assert!(is_action_of("sagemaker:ListApps", "sagemaker"));
        for (action, service) in [
            ("sagemaker:ListApps", "sagemake"),
            ("sagemaker", "sagemaker"),
            ("ec2:StopInstances", "sts"),
            ("organizations:ListAccounts", "sagemaker"),
        ] {
            assert!(!is_action_of(action, service), "{action} {service}");
        }
    }
}
