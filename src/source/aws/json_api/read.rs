//! What may be asked: reads, each of a service that is described where it is asked.

use super::super::calls::Call;
use super::super::limit::Api;

/// A service that is asked without its crate.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// How the SDKs call it: `AWS_ENDPOINT_URL_SAGEMAKER` and the `services` section of a profile
    /// are found by it.
    pub id: &'static str,
    /// The first half of the header that names the operation.
    pub target: &'static str,
    /// The service for which a signature is good, and of which its IAM actions are.
    pub signing_name: &'static str,
    /// How fast it may be asked; its calls share the limit.
    pub api: Api,
    /// Where it lies.
    pub host: fn(&At<'_>) -> Host,
}

/// What decides about the host of a service.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The region.
    pub region: &'a str,
    /// The domain of its partition: `amazonaws.com`; with dual stack `api.aws`.
    pub suffix: &'a str,
    /// Endpoints validated under FIPS 140.
    pub fips: bool,
    /// Endpoints that have IPv6 as well.
    pub dual_stack: bool,
}

/// Where a service lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The host without the domain of the partition.
    pub name: String,
    /// The region that a request is signed for, where that is another one than its own.
    pub signed_for: Option<&'static str>,
}

/// A read. There is no other way to name an operation, and none is made of a call that changes
/// something, so nothing of the kind can be asked.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    call: &'static Call,
    service: &'static Service,
}

impl Read {
    /// A read of `service`; for constants, so that what is none does not compile.
    pub const fn of(call: &'static Call, service: &'static Service) -> Self {
        assert!(call.read_only && is_action_of(call.action, service.signing_name));
        Self { call, service }
    }

    /// Its row in the table of calls, with the IAM action.
    pub const fn call(self) -> &'static Call {
        self.call
    }

    /// Who is asked.
    pub const fn service(self) -> &'static Service {
        self.service
    }

    /// The name of the operation. Of these, IAM knows every one by its own name.
    pub fn operation(self) -> &'static str {
        let action = self.call.action;
        action.split_once(':').map_or(action, |(_, name)| name)
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
