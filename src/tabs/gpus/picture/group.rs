//! GPUs in groups: by node, team, owner, job, model or state, each with its sums, the costliest waste
//! first.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use super::order::Rank;
use super::rollup::RollUp;
use super::words;
use crate::fleet::GpuRow;

/// Field that GPUs are grouped by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GpuGrouping {
    /// By host.
    #[default]
    Node,
    /// By team.
    Team,
    /// By person: the user whose work runs, else whom a tag or the launch of the instance names, else the namespace.
    Owner,
    /// By what runs: namespace and pod, job with its user.
    Job,
    /// By model of the GPU.
    Model,
    /// By state.
    State,
    /// No groups.
    Flat,
}

impl GpuGrouping {
    /// All groupings, in the order of the key that cycles through them.
    pub const ALL: [Self; 7] =
        [Self::Node, Self::Team, Self::Owner, Self::Job, Self::Model, Self::State, Self::Flat];

    /// Name on the command line and in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Team => "team",
            Self::Owner => "owner",
            Self::Job => "job",
            Self::Model => "model",
            Self::State => "state",
            Self::Flat => "flat",
        }
    }

    /// The grouping of this name, ignoring ASCII case; `None` for another word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|g| g.name().eq_ignore_ascii_case(name))
    }

    /// The next grouping in the cycle.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|g| *g == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    /// Label of the group of GPUs without a value for the field.
    pub fn nobody(self) -> &'static str {
        match self {
            Self::Team => "no team",
            Self::Owner => "no owner named",
            Self::Job => "no job named",
            Self::Model => "model not known",
            Self::Node | Self::State | Self::Flat => "not known",
        }
    }

    /// Grouping of the heat map beside a list that is grouped so. Cells stand by host within a group and hold still while states
    /// change: beside one by host, by state or without groups the map is by team.
    #[must_use]
    pub fn of_map(self) -> Self {
        match self {
            Self::Owner | Self::Job | Self::Model => self,
            Self::Node | Self::Team | Self::State | Self::Flat => Self::Team,
        }
    }

    /// The group that `row` belongs to; `None` when it does not say.
    pub fn key(self, row: &GpuRow) -> Option<Cow<'_, str>> {
        let key = match self {
            Self::Node => Cow::Borrowed(node_id(row)),
            Self::Team => Cow::Borrowed(&**row.team.as_ref()?),
            Self::Owner => owner(row)?,
            Self::Job => Cow::Owned(row.sample.owner.words()?),
            Self::Model => Cow::Borrowed(&*row.model),
            Self::State => Cow::Borrowed(row.verdict.state.name()),
            Self::Flat => return Some("".into()),
        };
        Some(key).filter(|key| !key.is_empty())
    }
}

/// Whose a GPU is; `None` where nobody is named.
fn owner(row: &GpuRow) -> Option<Cow<'_, str>> {
    let owner = &*row.sample.owner;
    if let Some(user) = owner.user.as_deref() {
        return Some(Cow::Borrowed(user));
    }
    let asked = row.node.instance.as_ref().and_then(|instance| instance.ask());
    match (asked, owner.namespace.as_deref()) {
        (Some(ask), _) => Some(Cow::Owned(ask.name.to_string())),
        (None, Some(namespace)) => Some(Cow::Owned(format!("namespace {namespace}"))),
        (None, None) => None,
    }
}

/// True where `by` puts all GPUs `shown` (indices in `rows`) into one group: it tells nothing apart. False without GPUs.
pub fn is_single_group(rows: &[Arc<GpuRow>], shown: &[u32], by: GpuGrouping) -> bool {
    let mut keys =
        shown.iter().filter_map(|index| rows.get(*index as usize)).map(|row| by.key(row));
    let Some(first) = keys.next() else { return false };
    keys.all(|key| key == first)
}

/// Key of a GPU's host: id of the instance where known, else the node's name, which is not unique across
/// networks.
pub fn node_id(row: &GpuRow) -> &str {
    row.node.instance.as_deref().map_or(&*row.node.name, |r| &*r.instance.id)
}

/// One group of GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuGroup {
    /// Key of the group, to which its folding belongs: an instance id (or a node's name), a team, an owner, a job, a
    /// model, a state; `None` for GPUs without a value.
    pub key: Option<Arc<str>>,
    /// Label of the group.
    pub label: Arc<str>,
    /// Indices in the fleet's rows, in the order given.
    pub rows: Vec<u32>,
    /// Sums over its GPUs.
    pub sums: RollUp,
    /// Common facts for the heading, the most important first: name, type and place of a node.
    pub notes: Vec<Arc<str>>,
}

impl GpuGroup {
    /// Rank of the group: the most dollars wasted since its GPUs became idle; of those without any the most waste an hour, then
    /// the highest burn.
    pub fn rank(&self) -> Rank {
        let sums = &self.sums;
        let figures = [sums.wasted_usd, sums.waste_usd_per_hour, sums.usd_per_hour];
        let class = figures.iter().position(|usd| *usd > 0.0).unwrap_or(figures.len() - 1);
        Rank { class: class as u32, figure: figures[class] }
    }
}

/// A line of a grouped list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupLine {
    /// Heading of a group, by its index.
    Head(u32),
    /// GPU, by its index in the fleet's rows.
    Gpu(u32),
}

/// Groups the GPUs `shown` (indices in `rows`). Groups are ordered by dollars wasted, then waste per hour, then
/// burn, then name, the largest first. GPUs keep the order of `shown`.
pub fn group(rows: &[Arc<GpuRow>], shown: &[u32], by: GpuGrouping) -> Vec<GpuGroup> {
    let mut at: HashMap<Option<Cow<'_, str>>, usize> = HashMap::new();
    let mut groups: Vec<GpuGroup> = Vec::new();
    for index in shown {
        let Some(row) = rows.get(*index as usize) else { continue };
        let key = by.key(row);
        let place = if let Some(place) = at.get(&key) {
            *place
        } else {
            groups.push(start(by, key.as_deref(), row));
            at.insert(key, groups.len() - 1);
            groups.len() - 1
        };
        groups[place].rows.push(*index);
        groups[place].sums.add(row);
    }
    groups.sort_by(|a, b| {
        let (x, y) = (&a.sums, &b.sums);
        y.wasted_usd
            .total_cmp(&x.wasted_usd)
            .then(y.waste_usd_per_hour.total_cmp(&x.waste_usd_per_hour))
            .then(y.usd_per_hour.total_cmp(&x.usd_per_hour))
            .then_with(|| a.label.cmp(&b.label))
    });
    groups
}

fn start(by: GpuGrouping, key: Option<&str>, row: &GpuRow) -> GpuGroup {
    let label = match (by, key) {
        (GpuGrouping::State, Some(_)) => words::plain(row.verdict.state),
        (GpuGrouping::Flat, _) => "all",
        (GpuGrouping::Node, Some(_)) => row.node.short_name(),
        (_, Some(key)) => key,
        (_, None) => by.nobody(),
    };
    let notes = match (by, row.node.instance.as_deref()) {
        (GpuGrouping::Node, Some(row)) => {
            let instance = &row.instance;
            [&instance.name, &instance.instance_type, &instance.scope.region, &instance.id]
                .into_iter()
                .filter(|text| !text.is_empty() && ***text != *label)
                .cloned()
                .collect()
        }
        (GpuGrouping::Node, None) => vec!["no instance of the accounts read".into()],
        _ => Vec::new(),
    };
    GpuGroup {
        key: key.map(Into::into),
        label: label.into(),
        rows: Vec::new(),
        sums: RollUp::default(),
        notes,
    }
}

/// Lines of a grouped list: a heading per group and, unless it is folded, its GPUs. Without grouping there are
/// no headings.
pub fn lines<S: BuildHasher>(
    by: GpuGrouping,
    groups: &[GpuGroup],
    folded: &HashSet<Option<Arc<str>>, S>,
) -> Vec<GroupLine> {
    let count = groups.iter().map(|g| g.rows.len() + 1).sum();
    let mut lines = Vec::with_capacity(count);
    for (i, group) in groups.iter().enumerate() {
        let flat = by == GpuGrouping::Flat;
        if !flat {
            lines.push(GroupLine::Head(i as u32));
        }
        if flat || !folded.contains(&group.key) {
            lines.extend(group.rows.iter().map(|row| GroupLine::Gpu(*row)));
        }
    }
    lines
}
