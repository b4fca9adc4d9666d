//! One picture of all that could be saved.

use jiff::Timestamp;

use crate::analyze::rightsize::SizeRules;
use crate::analyze::spot::SpotRules;
use crate::domain::{SavingsFacts, TagKeys};
use crate::fleet::gpu::GpuFleet;
use crate::fleet::{Fleet, Savings, StorageFleet};

/// Rules by which savings are judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavingsRules {
    /// Which work may run on Spot.
    pub spot: SpotRules,
    /// How much room a smaller size keeps.
    pub size: SizeRules,
}

/// Input of the picture of savings.
pub struct SavingsInput<'a> {
    /// Version of the result.
    pub version: u64,
    /// The present moment.
    pub now: Timestamp,
    /// The fleet, with the prices, types and commitments that it was joined with.
    pub fleet: &'a Fleet,
    /// The GPUs; empty without telemetry.
    pub gpus: &'a GpuFleet,
    /// Storage, where it was read.
    pub storage: Option<&'a StorageFleet>,
    /// Commitments, prices over time and resources that were read.
    pub facts: &'a SavingsFacts,
    /// Rules by which savings are judged.
    pub rules: &'a SavingsRules,
    /// Tag keys that mean team, project, environment, cost center.
    pub tag_keys: &'a TagKeys,
    /// The picture before this one: rows of Spot that are as they were are shared with it. `None` for the first.
    pub before: Option<&'a Savings>,
}

/// Makes the picture. Pure; for 10,000 instances some hundred milliseconds: not for the thread of the
/// screen.
pub fn picture(input: &SavingsInput<'_>) -> Savings {
    let (commitments, sums) = super::commitments::table(input);
    let proposals = super::rightsize::proposals(input);
    let spot = super::spot::rows(input);
    let mixed_fleets = super::spot::mixed_fleets(input, &spot);
    let resources = super::resources::rows(input);
    let paths = super::network::live::live(input, &resources);
    let (models, models_left_out) = super::models::models(input, &proposals, &spot);
    let waterfall =
        super::waterfall::waterfall(input, &proposals, &spot, &resources, &paths, &models);
    Savings {
        version: input.version,
        as_of: Some(input.now),
        commitments,
        sums,
        proposals,
        spot,
        mixed_fleets,
        resources,
        paths,
        waterfall,
        models,
        models_left_out,
        unread: input.facts.holdings.as_ref().map(|h| h.unread.clone()).unwrap_or_default(),
        readings: input.facts.readings.clone(),
    }
}
