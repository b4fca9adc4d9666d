//! How an account's calls travel, for `doctor`.

use aws_config::SdkConfig;
use url::Url;

use super::config;
use crate::domain::text;
use crate::source::provider::{Named, Network};
use crate::source::proxy::{Proxies, SettingError, is_of_this_machine};

/// Network settings in force for a profile (`None` = `AWS_PROFILE` or `default`).
pub fn facts(profile: Option<&str>, sdk: &SdkConfig) -> Network {
    let proxies = Proxies::of_process();
    let mut facts = Network {
        fips: sdk.use_fips().unwrap_or(false),
        dual_stack: sdk.use_dual_stack().unwrap_or(false),
        ..Network::default()
    };
    let region = sdk.region().map_or(config::FALLBACK_REGION, |r| r.as_ref());
    let aws = format!("https://sts.{region}.amazonaws.com/");
    let url = Url::parse(sdk.endpoint_url().unwrap_or(&aws)).or_else(|_| Url::parse(&aws)).ok();
    let scheme = url.as_ref().map_or("https", Url::scheme);
    match proxies.for_scheme(scheme) {
        Err(error) => facts.wrong.push(said(error)),
        Ok(None) => {}
        // An emulator on this machine.
        Ok(Some(_)) if url.as_ref().is_some_and(is_of_this_machine) => {}
        Ok(Some(proxy)) => {
            facts.proxy = Some(named(proxy.variable, &proxy.shown));
            let direct = url.is_some_and(|url| matches!(proxies.way(&url), Ok(None)));
            facts.spared_by = proxies.exceptions.filter(|_| direct).map(str::to_owned);
        }
    }
    if let Some(bundle) = config::bundle(config::sections(profile).as_ref()) {
        match bundle.read() {
            Ok((_, number)) => facts.authorities = number,
            Err(error) => facts.wrong.push(said(&error)),
        }
        facts.bundle = Some(named(&bundle.setting, &bundle.path.to_string_lossy()));
    }
    facts
}

fn named(setting: &str, value: &str) -> Named {
    Named { setting: text::clean(setting).into_owned(), value: text::clean(value).into_owned() }
}

fn said(error: &SettingError) -> (String, String) {
    (text::clean(&error.to_string()).into_owned(), error.fix.clone())
}
