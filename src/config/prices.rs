//! `[prices]`: what one's own contract with AWS says, and what was paid for Capacity Blocks.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::file::AccountSection;
use super::named_account;
use super::validate::unknown_name;
use super::vocabulary::Vocabulary;
use crate::domain::{Discount, PricedFor, PrivatePrices, PrivateRate, text};

/// Prices that no API tells. A misspelt key is an error, as in all that decides what is said to be saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PricesSection {
    /// Parts off the on-demand list price. Of those that fit the one that names most holds, alone.
    pub discounts: Option<Vec<DiscountSection>>,
    /// On-demand rates of types, Linux on shared hardware, in place of the list price and of discounts.
    pub rates: Option<Vec<RateSection>>,
    /// What was paid for a Capacity Block in all, USD, by its id: "cr-…" = 12345.67.
    pub capacity_blocks: BTreeMap<String, f64>,
}

/// A part off the on-demand list price.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscountSection {
    /// Percent off, above 0 and below 100.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub percent: f64,
    /// Of this account alone: its 12-digit id, or the name of an entry of `accounts` whose id is known.
    pub account: Option<String>,
    /// Of this family of instance types alone: `p5`.
    pub family: Option<String>,
    /// In this region alone.
    pub region: Option<String>,
}

/// A rate of a type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateSection {
    /// Instance type.
    pub r#type: String,
    /// USD per instance-hour, above 0.
    #[schemars(range(min = 0.0, max = 100_000.0))]
    pub usd_per_hour: f64,
    /// Of this account alone, as in `discounts`.
    pub account: Option<String>,
    /// In this region alone.
    pub region: Option<String>,
}

/// `[prices]`, checked. Accounts are named by their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PricesConfig {
    section: PricesSection,
}

impl PricesSection {
    /// This layer over `under`.
    pub(super) fn over(self, under: Self) -> Self {
        let mut capacity_blocks = under.capacity_blocks;
        capacity_blocks.extend(self.capacity_blocks);
        Self {
            discounts: self.discounts.or(under.discounts),
            rates: self.rates.or(under.rates),
            capacity_blocks,
        }
    }
}

impl PricesConfig {
    /// From checked values; `accounts` are those that a name may be of.
    pub(super) fn of(mut section: PricesSection, accounts: &[AccountSection]) -> Self {
        let discounts = section.discounts.iter_mut().flatten().map(|d| &mut d.account);
        let rates = section.rates.iter_mut().flatten().map(|r| &mut r.account);
        for account in discounts.chain(rates).flatten() {
            if let Ok(id) = named_account(account, accounts) {
                *account = id;
            }
        }
        Self { section }
    }

    /// Back to the form of the file.
    pub(super) fn section(&self) -> PricesSection {
        self.section.clone()
    }

    /// What is priced by.
    pub fn private(&self) -> PrivatePrices {
        let said = &self.section;
        let part = |text: &Option<String>| text.as_deref().map(Into::into);
        let discounts = said.discounts.iter().flatten().map(|d| Discount {
            of: PricedFor {
                account: part(&d.account),
                family: part(&d.family),
                region: part(&d.region),
            },
            percent: d.percent,
        });
        let rates = said.rates.iter().flatten().map(|r| PrivateRate {
            instance_type: r.r#type.as_str().into(),
            of: PricedFor { account: part(&r.account), family: None, region: part(&r.region) },
            usd_per_hour: r.usd_per_hour,
        });
        let blocks = said.capacity_blocks.iter().map(|(id, usd)| (id.as_str().into(), *usd));
        PrivatePrices::new(discounts.collect(), rates.collect(), blocks.collect())
    }
}

/// The most that is taken for the price of a Capacity Block, USD.
const LARGEST_BLOCK: f64 = 1e9;

/// What is wrong with the section: the key below `prices.` and the reason.
pub(super) fn problems(
    section: &PricesSection,
    accounts: &[AccountSection],
    words: &Vocabulary,
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut bad = |key: String, why: String| out.push((key, why));
    let mut seen = BTreeSet::new();
    let account =
        |key: &str, account: &Option<String>, bad: &mut dyn FnMut(String, String)| match account
            .as_deref()
            .map(|name| named_account(name, accounts))
        {
            Some(Err(why)) => {
                bad(format!("{key}.account"), why);
                None
            }
            Some(Ok(id)) => Some(id),
            None => None,
        };
    let known = |what: &str, name: &str, all: &[String]| {
        (!all.is_empty() && !all.iter().any(|k| k == name)).then(|| unknown_name(what, name, all))
    };
    for (i, discount) in section.discounts.iter().flatten().enumerate() {
        let key = format!("discounts[{i}]");
        if !(discount.percent > 0.0 && discount.percent < 100.0) {
            bad(
                format!("{key}.percent"),
                format!("{} is no discount; accepted: above 0, below 100", discount.percent),
            );
        }
        let id = account(&key, &discount.account, &mut bad);
        if let Some(why) =
            discount.region.as_deref().and_then(|r| known("region", r, &words.regions))
        {
            bad(format!("{key}.region"), why);
        }
        if let Some(why) =
            discount.family.as_deref().and_then(|f| known("family", f, &words.families))
        {
            bad(format!("{key}.family"), why);
        }
        if !seen.insert((id, discount.family.as_deref(), None, discount.region.as_deref())) {
            bad(key, "a discount above is for the same; take one away".into());
        }
    }
    for (i, rate) in section.rates.iter().flatten().enumerate() {
        let key = format!("rates[{i}]");
        if !(rate.usd_per_hour > 0.0 && rate.usd_per_hour.is_finite()) {
            bad(
                format!("{key}.usd_per_hour"),
                format!("{} is no rate; accepted: above 0", rate.usd_per_hour),
            );
        }
        let id = account(&key, &rate.account, &mut bad);
        if let Some(why) = rate.region.as_deref().and_then(|r| known("region", r, &words.regions)) {
            bad(format!("{key}.region"), why);
        }
        match rate.r#type.split_once('.').filter(|(_, size)| is_size(size)) {
            Some((family, _)) => {
                if let Some(why) = known("family", family, &words.families) {
                    bad(format!("{key}.type"), why);
                }
            }
            None => {
                let name = text::clean(&rate.r#type);
                bad(
                    format!("{key}.type"),
                    format!("\"{name}\" is no instance type; accepted: `p5.48xlarge`"),
                );
            }
        }
        if !seen.insert((id, None, Some(rate.r#type.as_str()), rate.region.as_deref())) {
            bad(key, "a rate above is for the same; take one away".into());
        }
    }
    for (id, usd) in &section.capacity_blocks {
        let key = format!("capacity_blocks.{id}");
        let plain = id.strip_prefix("cr-").is_some_and(|rest| {
            (8..=32).contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_hexdigit())
        });
        if !plain {
            let id = text::clean(id);
            bad(
                key.clone(),
                format!("\"{id}\" is no Capacity Block; accepted: `cr-` and its digits"),
            );
        }
        if !(*usd > 0.0 && *usd <= LARGEST_BLOCK) {
            bad(key, format!("{usd} is no price; accepted: dollars in all, above 0"));
        }
    }
    out
}

/// The part of a type's name after its family.
fn is_size(size: &str) -> bool {
    let words = ["nano", "micro", "small", "medium", "large", "xlarge", "metal"];
    let of = |text: &str, end: &str| {
        text.strip_suffix(end)
            .is_some_and(|n| (1..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()))
    };
    words.contains(&size)
        || of(size, "xlarge")
        || size.strip_prefix("metal-").is_some_and(|rest| of(rest, "xl"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Platform, PriceBasis, Provenance, Rate, Scope, Tenancy};

    fn section(text: &str) -> PricesSection {
        toml::from_str(text).unwrap()
    }

    fn words() -> Vocabulary {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        Vocabulary {
            regions: list(&["us-east-1", "eu-west-1"]),
            families: list(&["g5", "p5", "p6-b200", "m5"]),
            ..Vocabulary::default()
        }
    }

    fn accounts() -> Vec<AccountSection> {
        let role_arn = Some("arn:aws:iam::222222222222:role/r".to_owned());
        vec![AccountSection { name: "ml".into(), role_arn, ..AccountSection::default() }]
    }

    const ALL: &str = "discounts = [{ percent = 12.5 }, { percent = 30, family = 'p5', account = 'ml' }]\n\
        [[rates]]\ntype = 'p6-b200.48xlarge'\nusd_per_hour = 80.5\nregion = 'eu-west-1'\n\
        account = '111111111111'\n[capacity_blocks]\n'cr-0123456789abcdef0' = 14_000";

    #[test]
    fn what_is_said_is_what_is_paid() {
        assert_eq!(problems(&section(ALL), &accounts(), &words()), []);
        let config = PricesConfig::of(section(ALL), &accounts());
        let prices = config.private();
        let list = Rate {
            usd_per_hour: 100.0,
            basis: PriceBasis::OnDemandList,
            provenance: Provenance::Demo,
        };
        for (account, region, of, want) in [
            ("333333333333", "us-east-1", "p5.48xlarge", 87.5),
            ("222222222222", "us-east-1", "p5.48xlarge", 70.0),
            ("111111111111", "eu-west-1", "p6-b200.48xlarge", 80.5),
            ("111111111111", "us-east-1", "p6-b200.48xlarge", 87.5),
        ] {
            let scope = Scope::new(account, region);
            let rate = prices.rate(&scope, of, Platform::Linux, Tenancy::Shared, Some(&list));
            assert!((rate.unwrap().usd_per_hour - want).abs() < 1e-9, "{account} {region} {of}");
        }
        assert_eq!(prices.block_usd("cr-0123456789abcdef0"), Some(14_000.0));
        // What is printed has ids, and reads back as the same.
        assert_eq!(PricesConfig::of(config.section(), &[]), config);
        assert!(PricesConfig::default().private().is_list());
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, key) in [
            ("discounts = [{ percent = 0 }]", "discounts[0].percent"),
            ("discounts = [{ percent = 100 }]", "discounts[0].percent"),
            ("discounts = [{ percent = 5, family = 'p55' }]", "discounts[0].family"),
            ("discounts = [{ percent = 5, region = 'us-east-9' }]", "discounts[0].region"),
            ("discounts = [{ percent = 5, account = '123' }]", "discounts[0].account"),
            ("discounts = [{ percent = 5, account = 'mll' }]", "discounts[0].account"),
            ("discounts = [{ percent = 5 }, { percent = 6 }]", "discounts[1]"),
            (
                "discounts = [{ percent = 5, account = 'ml' }, { percent = 6, account = '222222222222' }]",
                "discounts[1]",
            ),
            ("rates = [{ type = 'p5.48xlarge', usd_per_hour = 0 }]", "rates[0].usd_per_hour"),
            ("rates = [{ type = 'p55.48xlarge', usd_per_hour = 1 }]", "rates[0].type"),
            ("rates = [{ type = 'p5', usd_per_hour = 1 }]", "rates[0].type"),
            ("rates = [{ type = 'p5.huge', usd_per_hour = 1 }]", "rates[0].type"),
            (
                "rates = [{ type = 'g5.xlarge', usd_per_hour = 1 }, { type = 'g5.xlarge', usd_per_hour = 2 }]",
                "rates[1]",
            ),
            ("[capacity_blocks]\n'i-0123456789abcdef0' = 1", "capacity_blocks.i-0123456789abcdef0"),
            (
                "[capacity_blocks]\n'cr-0123456789abcdef0' = -1",
                "capacity_blocks.cr-0123456789abcdef0",
            ),
        ] {
            let found = problems(&section(text), &accounts(), &words());
            assert_eq!(found.iter().map(|(k, _)| k.as_str()).collect::<Vec<_>>(), [key], "{text}");
        }
        for text in [
            "discount = []",
            "discounts = [{ percnt = 5 }]",
            "discounts = [{ family = 'p5' }]",
            "rates = [{ type = 'g5.xlarge', usd_per_hour = 1, az = 'a' }]",
            "rates = [{ usd_per_hour = 1 }]",
        ] {
            assert!(toml::from_str::<PricesSection>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_those_that_aws_has() {
        for size in ["nano", "large", "xlarge", "2xlarge", "112xlarge", "metal", "metal-24xl"] {
            assert!(is_size(size), "{size}");
        }
        for size in ["", "x", "0001xlarge", "-1xlarge", "metal-", "metal-xl", "large2"] {
            assert!(!is_size(size), "{size}");
        }
    }
}
