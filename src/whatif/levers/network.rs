//! Data transfer: each way at its own price, the internet by tier, and reductions that work one after the other.

use serde::{Deserialize, Serialize};

use super::corrections;
use super::field::{Field, Inputs, Knob, fields, knobs};
use super::sheet::{Sheet, Unit};
use super::words::{clean_text, number, rate, share, usd};
use super::{LeverError, LeverKind};

/// Inputs of the network simulator: data transfer, and what reduces it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// Data transfers, priced one by one.
    #[serde(rename = "flow")]
    pub flows: Vec<Flow>,
    /// Reductions, applied one after the other to all flows.
    #[serde(rename = "cut")]
    pub cuts: Vec<Cut>,
}

/// Data transfer over one route; `None` = not given.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Flow {
    /// Name of the flow. Clean text.
    #[serde(deserialize_with = "clean_text")]
    pub name: String,
    /// Route, which sets the price.
    pub way: Way,
    /// Gigabytes per month; needed.
    pub gb: Option<f64>,
    /// USD per gigabyte; `None` = list price of us-east-1.
    pub usd_per_gb: Option<f64>,
}

/// Route of a transfer. AWS charges only for what leaves, except behind a NAT gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// To the internet or to another cloud, by price tier.
    #[default]
    InternetOut,
    /// From the internet or another cloud: free.
    InternetIn,
    /// To another region; the price depends on the pair and must be given.
    RegionToRegion,
    /// Between availability zones: charged on both sides.
    CrossZone,
    /// Through a NAT gateway: its processing charge alone.
    NatGateway,
    /// Through a gateway endpoint (S3, DynamoDB): free.
    GatewayEndpoint,
}

impl Way {
    /// All routes, in the order shown.
    pub const ALL: [Self; 6] = [
        Self::InternetOut,
        Self::InternetIn,
        Self::RegionToRegion,
        Self::CrossZone,
        Self::NatGateway,
        Self::GatewayEndpoint,
    ];

    /// Name in commands and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::InternetOut => "internet-out",
            Self::InternetIn => "internet-in",
            Self::RegionToRegion => "region-to-region",
            Self::CrossZone => "cross-zone",
            Self::NatGateway => "nat-gateway",
            Self::GatewayEndpoint => "gateway-endpoint",
        }
    }

    /// The route of this name; `None` for another word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.word() == word)
    }
}

/// A measure that reduces data transfer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cut {
    /// Name of the measure, such as compression, a cache, co-location. Clean text.
    #[serde(deserialize_with = "clean_text")]
    pub name: String,
    /// Share of the bytes reaching it that it saves, 0–1; needed.
    pub share: Option<f64>,
}

pub(super) const FLOW: &[Field<Flow>] = fields! { Flow;
    gb "a month" GbPerMonth 0.0..f64::INFINITY, 1_000.0, "from the bill's usage, by direction";
    usd_per_gb "price" UsdPerGb 0.0..10.0, 0.005, "leave out for the list price; between regions it depends on the pair: 0.02, in some pairs 0.01";
};

pub(super) const CUT: &[Field<Cut>] = fields! { Cut;
    share "saves" Share 0.0..1.0, 0.01, "part of the bytes that reach it; measured on a day of them";
};

/// Internet out of us-east-1: from how many gigabytes a month on, and USD per gigabyte (AWS price
/// list). The first 100 GB, free once per organisation, are not taken off.
pub const INTERNET_TIERS: [(f64, f64); 4] =
    [(0.0, 0.09), (10_240.0, 0.085), (51_200.0, 0.07), (153_600.0, 0.05)];

/// USD per gigabyte between zones, in each direction.
pub const CROSS_ZONE: f64 = 0.01;

/// USD per gigabyte that a NAT gateway processes.
pub const NAT: f64 = 0.045;

/// USD for `gb` gigabytes to the internet in a month, by price tier.
pub fn internet_usd(gb: f64) -> f64 {
    let ends = INTERNET_TIERS.iter().skip(1).map(|(from, _)| *from).chain([f64::INFINITY]);
    let tier = |((from, usd), end): (&(f64, f64), f64)| (gb.min(end) - from).max(0.0) * usd;
    INTERNET_TIERS.iter().zip(ends).map(tier).sum()
}

/// Share that is left after cuts (each 0–1) one after the other: ∏ (1 − s).
pub fn left(cuts: impl IntoIterator<Item = f64>) -> f64 {
    cuts.into_iter().map(|share| 1.0 - share).product()
}

impl Flow {
    /// USD per month for `part` (0–1) of its bytes, price tiers counted from the first. Fails where bytes or a
    /// price are missing.
    pub fn usd(&self, part: f64) -> Result<f64, LeverError> {
        let inputs = Inputs::new(LeverKind::Network, self, FLOW);
        let gb = inputs.need("gb")? * part;
        if let Some(price) = inputs.maybe("usd_per_gb")? {
            return Ok(gb * price);
        }
        Ok(match self.way {
            Way::InternetOut => internet_usd(gb),
            Way::InternetIn | Way::GatewayEndpoint => 0.0,
            Way::RegionToRegion => gb * inputs.need("usd_per_gb")?,
            Way::CrossZone => gb * 2.0 * CROSS_ZONE,
            Way::NatGateway => gb * NAT,
        })
    }

    fn arithmetic(&self) -> String {
        let gb = number(self.gb.unwrap_or(0.0));
        match (self.usd_per_gb, self.way) {
            (Some(price), _) => format!("{gb} GB × {}", rate(price)),
            (None, Way::InternetOut) => {
                format!("{gb} GB by tier: $0.09, $0.085 from 10 TiB, $0.07 from 50, $0.05 from 150")
            }
            (None, Way::InternetIn) => format!("{gb} GB in: free"),
            (None, Way::GatewayEndpoint) => format!("{gb} GB by a gateway endpoint: free"),
            (None, Way::CrossZone) => format!("{gb} GB × $0.01 in each direction"),
            (None, Way::NatGateway) => format!("{gb} GB × $0.045"),
            (None, Way::RegionToRegion) => format!("{gb} GB"),
        }
    }
}

impl Network {
    /// USD per month before and after all cuts. Fails without a flow, or where an input is missing or out of
    /// its range.
    pub fn saved(&self) -> Result<(f64, f64), LeverError> {
        if self.flows.is_empty() {
            return Err(LeverError::Missing {
                lever: LeverKind::Network,
                input: "flow",
                hint: "at least one: gigabytes a month and their way",
            });
        }
        let left = left(self.shares()?);
        let sum = |part: f64| self.flows.iter().map(|flow| flow.usd(part)).sum::<Result<f64, _>>();
        Ok((sum(1.0)?, sum(left)?))
    }

    fn shares(&self) -> Result<Vec<f64>, LeverError> {
        let share = |cut| Inputs::new(LeverKind::Network, cut, CUT).need("share");
        self.cuts.iter().map(share).collect()
    }

    /// The answer as a sheet: inputs, arithmetic, results, notes. Fails as [`Network::saved`].
    pub fn sheet(&self) -> Result<Sheet, LeverError> {
        let (before, after) = self.saved()?;
        let shares = self.shares()?;
        let mut sheet =
            Sheet::new(LeverKind::Network, self.knobs().iter().map(Knob::quantity).collect());
        for flow in &self.flows {
            let name = if flow.name.is_empty() { "flow" } else { &flow.name };
            sheet = sheet.line(name, flow.arithmetic(), flow.usd(1.0)?, Unit::UsdPerMonth);
        }
        let mut so_far = Vec::new();
        for (cut, share_cut) in self.cuts.iter().zip(&shares) {
            let reached = left(so_far.iter().copied());
            so_far.push(*share_cut);
            let name = if cut.name.is_empty() { "cut" } else { &cut.name };
            sheet = sheet.line(
                format!("{name} leaves"),
                format!("{} × (1 − {})", share(reached), share(*share_cut)),
                left(so_far.iter().copied()),
                Unit::Share,
            );
        }
        let part = if before > 0.0 { 1.0 - after / before } else { 0.0 };
        let naive: f64 = shares.iter().sum();
        Ok(sheet
            .line("left to pay", "each flow at what the cuts leave", after, Unit::UsdPerMonth)
            .result("saved_usd_per_month", "saved", before - after, Unit::UsdPerMonth)
            .result(
                "saved_usd_per_year",
                "saved in a year",
                12.0 * (before - after),
                Unit::UsdPerYear,
            )
            .result("saved_share", "of today's spend", part, Unit::Share)
            .result("before_usd_per_month", "today", before, Unit::UsdPerMonth)
            .result("after_usd_per_month", "left to pay", after, Unit::UsdPerMonth)
            .result("naive_share", "a naive sum claims", naive, Unit::Share)
            .note(corrections::naive_sum(naive, 1.0 - left(shares)))
            .note(self.gateway()))
    }

    /// The free way that a paid one could take.
    fn gateway(&self) -> Option<String> {
        let nat = self.flows.iter().find(|flow| flow.way == Way::NatGateway)?;
        let cost = nat.usd(1.0).ok().filter(|usd| *usd > 0.0)?;
        Some(format!(
            "{} a month go through a NAT gateway: what is for S3 in the same region is free by a gateway \
             endpoint.",
            usd(cost)
        ))
    }

    /// The inputs of all flows and cuts.
    pub(super) fn knobs(&self) -> Vec<Knob> {
        let flows = self.flows.iter().enumerate();
        let cuts = self.cuts.iter().enumerate();
        flows
            .flat_map(|(at, of)| knobs(of, FLOW, Some(("flow", at + 1))))
            .chain(cuts.flat_map(|(at, of)| knobs(of, CUT, Some(("cut", at + 1)))))
            .collect()
    }
}
