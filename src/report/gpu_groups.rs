//! `burntop gpus --group`: one row per group of GPUs.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{List, ListField, json, sources};
use crate::domain::{GpuState, Reading, SourceId};
use crate::tabs::gpus::picture::{GpuField, GpuGroup, GpuGrouping, GroupField, group};
use crate::view::{TableField, ViewContext};

/// Where groups of GPUs come from.
#[derive(Clone, Debug)]
pub struct GroupedGpus {
    /// The GPUs, filtered.
    pub list: List<GpuField>,
    /// Field they are grouped by.
    pub by: GpuGrouping,
}

impl GroupedGpus {
    /// The groups, most dollars wasted first.
    pub fn groups(&self) -> Vec<Arc<GpuGroup>> {
        let all: Vec<u32> = (0..self.list.rows.len() as u32).collect();
        group(&self.list.rows, &all, self.by).into_iter().map(Arc::new).collect()
    }
}

impl ListField for GroupField {
    type Of = GroupedGpus;

    const VIEW: &'static str = "gpu_groups";

    const IDENTITY: &'static [Self] = &[Self::Group];

    fn basis(of: &GroupedGpus) -> String {
        GpuField::basis(&of.list.of)
    }

    const SOURCES: &'static [SourceId] = sources::GPUS;

    fn readings(of: &GroupedGpus) -> &[Reading] {
        GpuField::readings(&of.list.of)
    }

    fn heading(self, of: &GroupedGpus) -> &'static str {
        match (self, of.by) {
            (Self::Group, GpuGrouping::Node) => "NODE",
            (Self::Group, GpuGrouping::Team) => "TEAM",
            (Self::Group, GpuGrouping::Owner) => "OWNER",
            (Self::Group, GpuGrouping::Job) => "JOB",
            (Self::Group, GpuGrouping::Model) => "MODEL",
            (Self::Group, GpuGrouping::State) => "STATE",
            _ => self.spec().header,
        }
    }

    /// Sums leave out what is not known: `unpriced` GPUs have no price, and `effective` rests on `measured_gpus` GPU
    /// equivalents of `gpus`.
    fn first(row: &GpuGroup, of: &GroupedGpus, _: &ViewContext) -> Vec<(&'static str, Json)> {
        let sums = &row.sums;
        let states: Map<String, Json> = GpuState::ALL
            .into_iter()
            .map(|state| (state.name().to_owned(), json!(sums.count(state))))
            .collect();
        vec![
            ("group_by", json!(of.by.name())),
            ("group", json!(row.key)),
            ("name", json!(row.key.as_ref().map(|_| &row.label))),
            ("count", json!(sums.rows)),
            ("gpus", json::number(Some(sums.equivalents))),
            ("states", Json::Object(states)),
            ("usd_per_hour", json::number(sums.known_burn())),
            ("unpriced", json!(sums.unpriced)),
            ("effective", json::number(sums.efficiency())),
            ("measured_gpus", json::number(Some(sums.measured))),
            ("effective_usd_per_hour", json::number(sums.known_effective_burn())),
            ("waste_usd_per_hour", json::number(sums.known_waste())),
            ("wasted_usd", json::number(sums.known_wasted())),
            ("wasted_at_least", json!(sums.known_wasted().map(|_| sums.wasted_at_least))),
        ]
    }

    fn beside(list: &List<Self>, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        GpuField::beside(&list.of.list, ctx)
    }

    /// Those of the GPUs.
    fn notes(list: &List<Self>, ctx: &ViewContext) -> Vec<String> {
        GpuField::notes(&list.of.list, ctx)
    }
}
