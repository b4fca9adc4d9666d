//! What is allocated: lines of a bill, or what runs at its live price.

use std::sync::Arc;

use crate::analyze::bill::{BillKey, BillSettings, Categories, items};
use crate::domain::bill::{Bill, Charge, Key, Pricing, TransferPath, Usd, running_type};
use crate::domain::{HOURS_PER_MONTH, Tags};
use crate::fleet::Row;

/// GPUs of an instance type by its name; `None` for a type that is not known.
pub type GpusOf<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// Why a line has no value of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lack {
    /// It could be tagged.
    Untagged,
    /// Nothing could be tagged: taxes, support, transfer that names no resource.
    Untaggable,
}

impl Lack {
    /// Words, in the order of the variants.
    pub const WORDS: [&'static str; 2] = ["untagged", "untaggable"];

    /// Word in JSON, CSV and filters.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

/// Tags with a value: key and value.
pub type LineTags = Arc<[(Arc<str>, Arc<str>)]>;

/// One line of money.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Effective cost, US dollars.
    pub usd: Usd,
    /// GPU-hours; 0 for what has no GPUs, and for types that are not known.
    pub gpu_hours: f64,
    /// Day of the month, from 1; 0 where it is of the whole month.
    pub day: u8,
    /// Why it has no tags, where it has none.
    pub lack: Lack,
    /// Account id; `None` where not said.
    pub account: Option<Arc<str>>,
    /// Region code; `None` of global services and where not said.
    pub region: Option<Arc<str>>,
    /// Name of the service.
    pub service: Option<Arc<str>>,
    /// Usage type.
    pub usage_type: Option<Arc<str>>,
    /// Id or ARN of the resource.
    pub resource: Option<Arc<str>>,
    /// Id of the commitment.
    pub commitment: Option<Arc<str>>,
    /// Name of the resource, where it has another than its id: the tag `Name`.
    pub name: Option<Arc<str>>,
    /// Word of its category.
    pub category: Option<&'static str>,
    /// What it charges for.
    pub charge: Charge,
    /// How it is priced.
    pub pricing: Pricing,
    /// Tags with a value: key and value.
    pub tags: LineTags,
}

impl Line {
    /// Value of the first of these tag keys that it has, ignoring ASCII case of keys; `None` without any.
    pub fn tag<S: AsRef<str>>(&self, keys: &[S]) -> Option<&Arc<str>> {
        keys.iter().find_map(|want| {
            let is_it = |(key, _): &&(Arc<str>, Arc<str>)| key.eq_ignore_ascii_case(want.as_ref());
            self.tags.iter().find(is_it).map(|(_, value)| value)
        })
    }

    /// Value of a key that is no dimension; `None` where it has none.
    pub fn value(&self, key: &BillKey) -> Option<&str> {
        match key {
            BillKey::Category => self.category,
            BillKey::Service => self.service.as_deref(),
            BillKey::Account => self.account.as_deref(),
            BillKey::Region => self.region.as_deref(),
            BillKey::UsageType => self.usage_type.as_deref(),
            BillKey::Resource => self.resource.as_deref(),
            BillKey::Charge => Some(self.charge.word()),
            BillKey::Pricing => Some(self.pricing.word()),
            BillKey::Commitment => self.commitment.as_deref(),
            BillKey::Tag(key) => self.tag(&[key]).map(|value| &**value),
            BillKey::Day
            | BillKey::Team
            | BillKey::Project
            | BillKey::Environment
            | BillKey::CostCenter => None,
        }
    }
}

/// Lines of a bill: of its resources for the whole month, or of its days where `by_day` and where it has no resources.
pub fn lines(bill: &Bill, by_day: bool, settings: &BillSettings, gpus: GpusOf<'_>) -> Vec<Line> {
    let categories = Categories::new(bill, settings);
    let tags: Vec<LineTags> = bill
        .owner_ids()
        .map(|owner| {
            let keys = bill.tag_keys.iter().enumerate();
            let tag = |(at, key): (usize, &Arc<str>)| {
                let value = bill.shared_name(bill.tag(owner, at))?;
                (!value.trim().is_empty()).then(|| (key.clone(), value.clone()))
            };
            keys.filter_map(tag).collect()
        })
        .collect();
    let per_hour: Vec<f64> = bill
        .kinds()
        .iter()
        .map(|kind| {
            let running = running_type(bill.name(kind.usage_type));
            running.and_then(|(_, instance_type)| gpus(instance_type)).unwrap_or(0.0)
        })
        .collect();
    let has_resources = !bill.resources.is_empty() && !by_day;
    let none: Arc<[(Arc<str>, Arc<str>)]> = Arc::new([]);
    let name = |id| bill.shared_name(id).cloned();
    items(bill, !by_day)
        .map(|item| {
            let key = item.key;
            let kind = bill.kind(key.kind);
            let rate = per_hour.get(Bill::kind_index(key.kind)).copied().unwrap_or(0.0);
            let is_use = key.charge == Charge::Usage && !key.pricing.is_unused();
            let gpu_hours = if is_use { rate * item.sums.quantity } else { 0.0 };
            let is_transfer = kind.and_then(|kind| kind.path).is_some_and(is_transfer);
            let names_one = !item.resource.is_none();
            Line {
                usd: item.sums.effective,
                gpu_hours,
                day: item.day,
                lack: lack(key, is_transfer, names_one, has_resources),
                account: name(key.account),
                region: name(key.region),
                service: kind.and_then(|kind| name(kind.service)),
                usage_type: kind.and_then(|kind| name(kind.usage_type)),
                resource: name(item.resource),
                commitment: name(key.commitment),
                name: None,
                category: Some(categories.of(key).word()),
                charge: key.charge,
                pricing: key.pricing,
                tags: tags.get(Bill::owner_index(key.owner)).unwrap_or(&none).clone(),
            }
        })
        .collect()
}

/// True for bytes on their way, which are billed beside the resource that sends them.
const fn is_transfer(path: TransferPath) -> bool {
    use TransferPath::{InterAz, InterRegion, Internet};
    matches!(path, Internet | InterRegion | InterAz)
}

/// Why a line without tags has none.
const fn lack(key: &Key, is_transfer: bool, names_one: bool, has_resources: bool) -> Lack {
    let is_of_use = matches!(key.charge, Charge::Usage | Charge::Purchase | Charge::Discount);
    // Where a bill tells resources, what names none has nothing that could be tagged.
    let can = is_of_use && (names_one || !has_resources && !is_transfer);
    if can { Lack::Untagged } else { Lack::Untaggable }
}

/// Lines of what runs: each instance at its live price for a month of 730 hours. Those without a known price are left
/// out; their number is the second value.
pub fn fleet_lines<'a>(rows: impl IntoIterator<Item = &'a Row>) -> (Vec<Line>, usize) {
    let mut unpriced = 0;
    let mut lines = Vec::new();
    for row in rows.into_iter().filter(|row| row.instance.state.is_billed()) {
        let cents = |rate: f64| (rate * HOURS_PER_MONTH * 100.0).round() / 100.0;
        match row.usd_per_hour().map(cents).and_then(Usd::from_f64) {
            Some(usd) => lines.push(line_of(row, usd)),
            None => unpriced += 1,
        }
    }
    (lines, unpriced)
}

/// The line of an instance that costs `usd` in a month.
pub(super) fn line_of(row: &Row, usd: Usd) -> Line {
    let instance = &row.instance;
    Line {
        usd,
        gpu_hours: row.gpus().unwrap_or(0.0) * HOURS_PER_MONTH,
        resource: Some(instance.id.clone()),
        name: instance.tags.find(&["Name"]).cloned(),
        tags: with_values(&instance.tags),
        account: Some(instance.scope.account.clone()),
        ..of_ec2(&instance.instance_type, &instance.scope.region)
    }
}

/// A line of EC2 use without anything else.
pub(super) fn of_ec2(instance_type: &str, region: &str) -> Line {
    Line {
        usd: Usd::ZERO,
        gpu_hours: 0.0,
        day: 0,
        lack: Lack::Untagged,
        account: None,
        region: Some(region.into()),
        service: Some(EC2.into()),
        usage_type: Some(format!("BoxUsage:{instance_type}").into()),
        resource: None,
        commitment: None,
        name: None,
        category: None,
        charge: Charge::Usage,
        pricing: Pricing::OnDemand,
        tags: Arc::new([]),
    }
}

/// The service of instances, as bills name it.
const EC2: &str = "Amazon Elastic Compute Cloud";

fn with_values(tags: &Tags) -> Arc<[(Arc<str>, Arc<str>)]> {
    let tags = tags.iter().filter(|(_, value)| !value.trim().is_empty());
    tags.map(|(key, value)| (key.into(), value.into())).collect()
}
