//! Costs by series and day.

use std::sync::Arc;

use super::calendar::Calendar;
use crate::domain::bill::{Bill, Charge, Key, NameId, Usd};
use crate::domain::hash::FastMap;

/// Of a larger bill, the least difference that counts: this part of its mean day.
const FLOOR_PART: f64 = 1.0 / 2_000.0;

/// Number of a text of any bill; 0 = none.
type TextId = u32;

/// What a series is of. Ordered so that an account is a range of series, and in it a service, and in it a usage type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct SeriesKey {
    account: TextId,
    service: TextId,
    usage_type: TextId,
    tag: TextId,
}

/// How much of a key tells a range of series from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// The account alone.
    Account,
    /// Account and service.
    Service,
    /// Account, service and usage type.
    UsageType,
    /// All of the key: one series.
    Tag,
}

impl Level {
    /// The next more specific one; `None` below the last.
    pub(super) const fn below(self) -> Option<Self> {
        match self {
            Self::Account => Some(Self::Service),
            Self::Service => Some(Self::UsageType),
            Self::UsageType => Some(Self::Tag),
            Self::Tag => None,
        }
    }
}

/// Series with the same key down to a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// How much of the key they share.
    pub level: Level,
    /// Place of the first series.
    pub from: usize,
    /// Place behind the last series.
    pub to: usize,
}

impl Node {
    /// True when all series of `other` are in this one.
    pub(super) const fn holds(&self, other: &Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }
}

/// Texts of all bills, each with one number.
#[derive(Debug)]
struct Texts {
    numbers: FastMap<Arc<str>, TextId>,
    all: Vec<Option<Arc<str>>>,
}

impl Texts {
    fn id(&mut self, text: Option<&Arc<str>>) -> TextId {
        let Some(text) = text else { return 0 };
        *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.all.push(Some(text.clone()));
            self.all.len() as TextId - 1
        })
    }
}

/// Numbers of a bill's texts among those of all bills; 0 for those that no cell of use has.
#[derive(Debug)]
struct BillTexts {
    ids: Vec<TextId>,
    /// Place of the tag key in the bill; `None` where it was not kept, or none is looked at.
    tag: Option<usize>,
}

impl BillTexts {
    fn of(bill: &Bill, tag: Option<&str>) -> Self {
        Self { ids: vec![0; bill.sizes().0], tag: tag.and_then(|key| bill.tag_key(key)) }
    }

    /// The texts of a key of a bill: account, service, usage type, tag; `None` for a kind that the bill lacks.
    fn names(&self, bill: &Bill, key: &Key) -> Option<[NameId; 4]> {
        let kind = bill.kind(key.kind)?;
        let tag = self.tag.map_or(NameId::NONE, |tag| bill.tag(key.owner, tag));
        Some([key.account, kind.service, kind.usage_type, tag])
    }

    /// Numbers the texts that are new.
    fn learn(&mut self, bill: &Bill, names: [NameId; 4], texts: &mut Texts) -> SeriesKey {
        for name in names {
            if let Some(id) = self.ids.get_mut(Bill::name_index(name)).filter(|id| **id == 0) {
                *id = texts.id(bill.shared_name(name));
            }
        }
        self.key(names)
    }

    fn key(&self, names: [NameId; 4]) -> SeriesKey {
        let [account, service, usage_type, tag] =
            names.map(|name| self.ids.get(Bill::name_index(name)).copied().unwrap_or_default());
        SeriesKey { account, service, usage_type, tag }
    }
}

/// Cost of a series on a day.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Number of the series in the order in which they were met.
    series: u32,
    day: u32,
    usd: f64,
}

/// All series, ordered by their keys.
#[derive(Debug)]
pub(super) struct AllSeries {
    keys: Vec<SeriesKey>,
    places: FastMap<SeriesKey, u32>,
    /// Place in `costs` where each series begins, and the end.
    begins: Vec<u32>,
    costs: Vec<Cost>,
    /// By account: a bit for each month of the calendar that has the account.
    months: FastMap<TextId, u16>,
    texts: Texts,
    /// In the order of the bills.
    bill_texts: Vec<BillTexts>,
    /// Number of days of the calendar.
    days: usize,
}

impl AllSeries {
    /// Cells of use with a day.
    pub(super) fn of(bills: &[Arc<Bill>], calendar: &Calendar, tag: Option<&str>) -> Self {
        let mut texts = Texts { numbers: FastMap::default(), all: vec![None] };
        let mut places: FastMap<SeriesKey, u32> = FastMap::default();
        let mut series_months: Vec<u16> = Vec::new();
        let cells = bills.iter().map(|bill| bill.cells.len()).sum();
        let mut met: Vec<Cost> = Vec::with_capacity(cells);
        let mut bill_texts = Vec::with_capacity(bills.len());
        for bill in bills {
            let mut ids = BillTexts::of(bill, tag);
            let month = calendar.month(bill.head.period);
            for cell in bill.cells.iter().filter(|cell| cell.key.charge == Charge::Usage) {
                let Some(month) = month else { break };
                let Some(day) = calendar.day(month, cell.day) else { continue };
                let Some(names) = ids.names(bill, &cell.key) else { continue };
                let new = places.len() as u32;
                let series = *places.entry(ids.learn(bill, names, &mut texts)).or_insert(new);
                if series == new {
                    series_months.push(0);
                }
                series_months[series as usize] |= 1 << month;
                met.push(Cost { series, day: day as u32, usd: cell.sums.effective.to_f64() });
            }
            bill_texts.push(ids);
        }
        let mut keys: Vec<(SeriesKey, u32)> = places.into_iter().collect();
        keys.sort_unstable();
        let mut order = vec![0_u32; keys.len()];
        for (place, (_, series)) in keys.iter().enumerate() {
            order[*series as usize] = place as u32;
        }
        let mut months: FastMap<TextId, u16> = FastMap::default();
        for (key, series) in &keys {
            *months.entry(key.account).or_default() |= series_months[*series as usize];
        }
        // Counted, then placed.
        let mut begins = vec![0_u32; keys.len() + 1];
        for cost in &met {
            begins[order[cost.series as usize] as usize + 1] += 1;
        }
        for place in 1..begins.len() {
            begins[place] += begins[place - 1];
        }
        let mut next = begins.clone();
        let mut costs = vec![Cost::default(); met.len()];
        for cost in met {
            let at = &mut next[order[cost.series as usize] as usize];
            costs[*at as usize] = cost;
            *at += 1;
        }
        let keys: Vec<SeriesKey> = keys.into_iter().map(|(key, _)| key).collect();
        let places = keys.iter().enumerate().map(|(place, key)| (*key, place as u32)).collect();
        Self { keys, places, begins, costs, months, texts, bill_texts, days: calendar.days.len() }
    }

    /// Least difference of a day that counts, USD: `floor`, or of a larger bill a part of its mean day.
    pub(super) fn floor(&self, floor: Usd) -> f64 {
        let total: f64 = self.costs.iter().map(|cost| cost.usd).sum();
        (total / self.days.max(1) as f64 * FLOOR_PART).max(floor.to_f64()).max(0.01)
    }

    /// All series of an account each.
    pub(super) fn accounts(&self) -> Vec<Node> {
        self.split(0, self.keys.len(), Level::Account)
    }

    /// The nodes of the next level in a node; empty for a single series.
    pub(super) fn children(&self, of: &Node) -> Vec<Node> {
        of.level.below().map_or_else(Vec::new, |level| self.split(of.from, of.to, level))
    }

    fn split(&self, from: usize, to: usize, level: Level) -> Vec<Node> {
        let part = |key: &SeriesKey| match level {
            Level::Account => key.account,
            Level::Service => key.service,
            Level::UsageType => key.usage_type,
            Level::Tag => key.tag,
        };
        let keys = self.keys.get(from..to).unwrap_or_default();
        let mut at = from;
        keys.chunk_by(|a, b| part(a) == part(b))
            .map(|same| {
                let node = Node { level, from: at, to: at + same.len() };
                at = node.to;
                node
            })
            .collect()
    }

    /// Sums by day of a node into `values`, one per day of the calendar; false where they are too small for a
    /// difference of `floor`, and `values` are not filled.
    pub(super) fn values(&self, node: &Node, floor: f64, values: &mut Vec<f64>) -> bool {
        let costs = &self.costs[self.begins[node.from] as usize..self.begins[node.to] as usize];
        if costs.iter().map(|cost| cost.usd.abs()).sum::<f64>() < floor {
            return false;
        }
        values.clear();
        values.resize(self.days, 0.0);
        for cost in costs {
            values[cost.day as usize] += cost.usd;
        }
        true
    }

    /// For each day, whether bills cover the account of a node. A month without any line of an account is not covered:
    /// its bill may not have been read.
    pub(super) fn covered(&self, node: &Node, calendar: &Calendar) -> Vec<bool> {
        let months = self.keys.get(node.from).and_then(|key| self.months.get(&key.account));
        let months = months.copied().unwrap_or_default();
        calendar.days.iter().map(|day| months >> day.month & 1 == 1).collect()
    }

    /// Values of a node's key down to its level: account, service, usage type, tag.
    pub(super) fn key(&self, node: &Node) -> [Option<Arc<str>>; 4] {
        let Some(key) = self.keys.get(node.from) else { return [const { None }; 4] };
        let text = |id: TextId, level| {
            self.texts.all.get(id as usize).cloned().flatten().filter(|_| node.level >= level)
        };
        [
            text(key.account, Level::Account),
            text(key.service, Level::Service),
            text(key.usage_type, Level::UsageType),
            text(key.tag, Level::Tag),
        ]
    }

    /// Place of the series that a key of bill number `number` belongs to; `None` where no cell of use has it.
    pub(super) fn place(&self, number: usize, bill: &Bill, key: &Key) -> Option<usize> {
        let ids = self.bill_texts.get(number).filter(|_| key.charge == Charge::Usage)?;
        let key = ids.key(ids.names(bill, key)?);
        self.places.get(&key).map(|place| *place as usize)
    }
}
