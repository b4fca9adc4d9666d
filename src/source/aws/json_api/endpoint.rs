//! Where a service is asked: its host by region, partition, FIPS and dual stack, as the endpoint
//! rules of the SDK's own crate of the service have it.

use aws_config::SdkConfig;
use aws_sdk_athena::config::endpoint::{DefaultResolver, Params, ResolveEndpoint as _};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::endpoint::{
    EndpointFuture, EndpointResolverParams, ResolveEndpoint,
};
use aws_smithy_types::endpoint::{Endpoint, EndpointAuthScheme};
use aws_types::service_config::ServiceConfigKey;
use futures_util::FutureExt as _;

use super::{At, Service};

/// A service with the settings that decide its endpoint.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Service that is called.
    pub service: &'static Service,
    /// AWS region of the call.
    pub region: String,
    /// True for endpoints validated under FIPS 140.
    pub fips: bool,
    /// True for endpoints with IPv4 and IPv6.
    pub dual_stack: bool,
    /// Endpoint set by the user, in place of the service's; `None` without one. The SDK refuses it together with FIPS or
    /// dual stack.
    pub custom: Option<String>,
}

impl Rules {
    /// Endpoint settings of an account's SDK configuration for a service.
    pub fn new(sdk: &SdkConfig, service: &'static Service, region: &str) -> Self {
        Self {
            service,
            region: region.to_owned(),
            fips: sdk.use_fips().unwrap_or_default(),
            dual_stack: sdk.use_dual_stack().unwrap_or_default(),
            custom: custom(sdk, service),
        }
    }

    /// The address, and the region that it is signed for where that is another one than its own.
    ///
    /// # Errors
    /// The SDK's words: a region that is no host's label, a partition without FIPS or dual stack,
    /// either of them beside an address of the user's.
    fn place(&self) -> Result<(String, Option<&'static str>), BoxError> {
        let url = self.url_of_athena()?;
        if self.custom.is_some() {
            return Ok((url, None));
        }
        let suffix = url
            .strip_prefix("https://athena-fips.")
            .or_else(|| url.strip_prefix("https://athena."))
            .and_then(|rest| rest.strip_prefix(&*self.region)?.strip_prefix('.'))
            .ok_or_else(|| format!("no partition of {} in {url}", self.region))?;
        let Self { service, ref region, fips, dual_stack, .. } = *self;
        let host = (service.host)(&At { region, suffix, fips, dual_stack });
        Ok((format!("https://{}.{suffix}", host.name), host.signed_for))
    }

    /// The address of Athena for the same settings. The table of partitions is private to each of
    /// the SDK's crates; Athena's rules are nothing but that table.
    fn url_of_athena(&self) -> Result<String, BoxError> {
        let params = Params::builder()
            .region(&*self.region)
            .use_fips(self.fips)
            .use_dual_stack(self.dual_stack)
            .set_endpoint(self.custom.clone())
            .build()?;
        let found = DefaultResolver::new().resolve_endpoint(&params).now_or_never();
        Ok(found.ok_or("the rules of endpoints wait for something")??.url().to_owned())
    }
}

/// The address that the environment or the profile gives the service: its own before that of all.
fn custom(sdk: &SdkConfig, service: &Service) -> Option<String> {
    let of_all = sdk.endpoint_url().map(str::to_owned);
    if sdk.get_origin("endpoint_url").is_client_config() {
        return of_all;
    }
    let key = ServiceConfigKey::builder()
        .service_id(service.id)
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build()
        .ok();
    let own = key.and_then(|key| sdk.service_config()?.load_config(key));
    own.or(of_all)
}

impl ResolveEndpoint for Rules {
    fn resolve_endpoint<'a>(&'a self, _: &'a EndpointResolverParams) -> EndpointFuture<'a> {
        EndpointFuture::ready(self.place().map(|(url, signed_for)| {
            let endpoint = Endpoint::builder().url(url);
            let Some(region) = signed_for else { return endpoint.build() };
            let scheme = EndpointAuthScheme::with_capacity("sigv4", 1).put("signingRegion", region);
            endpoint.auth_scheme(scheme).build()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::batch::{BATCH, ECS};
    use super::super::super::budgets::BUDGETS;
    use super::super::super::organization::ORGANIZATIONS;
    use super::super::super::sagemaker::wire::SAGEMAKER;
    use super::*;

    fn url(region: &str, fips: bool, dual_stack: bool) -> Result<String, String> {
        let service = &SAGEMAKER;
        Rules { service, region: region.into(), fips, dual_stack, custom: None }
            .place()
            .map(|(url, _)| url)
            .map_err(|e| e.to_string())
    }

    /// From the tests of the rules in the SDK's crate of SageMaker.
    #[test]
    fn hosts_of_sagemaker_are_those_of_the_sdk() {
        for (region, fips, dual_stack, host) in [
            ("eu-west-1", false, false, "api.sagemaker.eu-west-1.amazonaws.com"),
            ("us-east-1", true, false, "api-fips.sagemaker.us-east-1.amazonaws.com"),
            ("us-east-1", true, true, "api.sagemaker-fips.us-east-1.api.aws"),
            ("us-east-1", false, true, "api.sagemaker.us-east-1.api.aws"),
            ("cn-north-1", false, false, "api.sagemaker.cn-north-1.amazonaws.com.cn"),
            ("cn-north-1", true, false, "api.sagemaker-fips.cn-north-1.amazonaws.com.cn"),
            (
                "cn-north-1",
                true,
                true,
                "api.sagemaker-fips.cn-north-1.api.amazonwebservices.com.cn",
            ),
            ("cn-north-1", false, true, "api.sagemaker.cn-north-1.api.amazonwebservices.com.cn"),
            ("us-gov-west-1", false, false, "api.sagemaker.us-gov-west-1.amazonaws.com"),
            ("us-gov-west-1", true, false, "api-fips.sagemaker.us-gov-west-1.amazonaws.com"),
            ("us-gov-east-1", true, true, "api.sagemaker-fips.us-gov-east-1.api.aws"),
            ("us-iso-east-1", false, false, "api.sagemaker.us-iso-east-1.c2s.ic.gov"),
            ("us-iso-east-1", true, false, "api.sagemaker-fips.us-iso-east-1.c2s.ic.gov"),
            ("us-isob-east-1", false, false, "api.sagemaker.us-isob-east-1.sc2s.sgov.gov"),
        ] {
            let host = format!("https://{host}");
            assert_eq!(url(region, fips, dual_stack), Ok(host), "{region} {fips} {dual_stack}");
        }
    }

    /// From the endpoint rules of Organizations in botocore 1.43.
    #[test]
    fn organizations_has_one_host_in_a_partition_and_is_signed_for_its_region() {
        for (region, fips, dual_stack, host, signed_for) in [
            ("eu-west-1", false, false, "organizations.us-east-1.amazonaws.com", Some("us-east-1")),
            (
                "eu-west-1",
                true,
                false,
                "organizations-fips.us-east-1.amazonaws.com",
                Some("us-east-1"),
            ),
            ("eu-west-1", false, true, "organizations.eu-west-1.api.aws", None),
            ("eu-west-1", true, true, "organizations-fips.eu-west-1.api.aws", None),
            (
                "cn-north-1",
                false,
                false,
                "organizations.cn-northwest-1.amazonaws.com.cn",
                Some("cn-northwest-1"),
            ),
            ("cn-north-1", true, false, "organizations-fips.cn-north-1.amazonaws.com.cn", None),
            (
                "us-gov-east-1",
                false,
                false,
                "organizations.us-gov-west-1.amazonaws.com",
                Some("us-gov-west-1"),
            ),
            (
                "us-gov-east-1",
                true,
                false,
                "organizations.us-gov-west-1.amazonaws.com",
                Some("us-gov-west-1"),
            ),
            (
                "us-iso-west-1",
                false,
                false,
                "organizations.us-iso-east-1.c2s.ic.gov",
                Some("us-iso-east-1"),
            ),
        ] {
            let (service, custom) = (&ORGANIZATIONS, None);
            let rules = Rules { service, region: region.into(), fips, dual_stack, custom };
            let place = (format!("https://{host}"), signed_for);
            assert_eq!(rules.place().unwrap(), place, "{region} {fips} {dual_stack}");
        }
    }

    /// From the endpoint rules of Batch and of ECS in botocore 1.43.
    #[test]
    fn hosts_of_batch_and_ecs_are_those_of_the_sdk() {
        for (service, region, fips, dual_stack, host) in [
            (&BATCH, "eu-west-1", false, false, "batch.eu-west-1.amazonaws.com"),
            (&BATCH, "us-east-1", true, false, "fips.batch.us-east-1.amazonaws.com"),
            (&BATCH, "us-east-1", true, true, "batch-fips.us-east-1.api.aws"),
            (&BATCH, "us-east-1", false, true, "batch.us-east-1.api.aws"),
            (&BATCH, "us-gov-west-1", true, false, "batch.us-gov-west-1.amazonaws.com"),
            (&BATCH, "cn-north-1", true, false, "batch-fips.cn-north-1.amazonaws.com.cn"),
            (&BATCH, "cn-north-1", false, false, "batch.cn-north-1.amazonaws.com.cn"),
            (&ECS, "eu-west-1", false, false, "ecs.eu-west-1.amazonaws.com"),
            (&ECS, "us-east-1", true, false, "ecs-fips.us-east-1.amazonaws.com"),
            (&ECS, "us-east-1", true, true, "ecs-fips.us-east-1.api.aws"),
        ] {
            let rules = Rules { service, region: region.into(), fips, dual_stack, custom: None };
            let place = (format!("https://{host}"), None);
            assert_eq!(rules.place().unwrap(), place, "{region} {fips} {dual_stack}");
        }
    }

    /// From the endpoint rules of Budgets in botocore 1.43.
    #[test]
    fn budgets_has_one_host_in_a_partition_and_is_signed_for_its_region() {
        for (region, fips, dual_stack, host, signed_for) in [
            ("eu-west-1", false, false, "budgets.amazonaws.com", "us-east-1"),
            ("eu-west-1", false, true, "budgets.us-east-1.api.aws", "us-east-1"),
            ("eu-west-1", true, false, "budgets-fips.amazonaws.com", "us-east-1"),
            ("cn-north-1", false, false, "budgets.amazonaws.com.cn", "cn-northwest-1"),
            ("us-gov-east-1", false, false, "budgets.amazonaws.com", "us-gov-west-1"),
            ("us-iso-west-1", false, false, "budgets.c2s.ic.gov", "us-iso-east-1"),
            ("us-isob-east-1", false, false, "budgets.global.sc2s.sgov.gov", "us-isob-east-1"),
        ] {
            let (service, custom) = (&BUDGETS, None);
            let rules = Rules { service, region: region.into(), fips, dual_stack, custom };
            let place = (format!("https://{host}"), Some(signed_for));
            assert_eq!(rules.place().unwrap(), place, "{region} {fips} {dual_stack}");
        }
    }

    #[test]
    fn what_cannot_be_had_is_refused_in_the_words_of_the_sdk() {
        assert!(url("no host", false, false).unwrap_err().contains("host label"));
        assert!(url("evil.example/", false, false).is_err());
        let custom = Rules {
            service: &SAGEMAKER,
            region: "us-east-1".into(),
            fips: true,
            dual_stack: false,
            custom: Some("https://sagemaker.example".into()),
        };
        let words = custom.place().unwrap_err().to_string();
        assert!(words.contains("FIPS and custom endpoint"), "{words}");
        let plain = Rules { fips: false, ..custom };
        assert_eq!(plain.place().unwrap(), ("https://sagemaker.example".to_owned(), None));
    }
}
