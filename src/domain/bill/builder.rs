//! Folds lines of a bill into the cells of a [`Bill`].

use std::sync::Arc;

use super::cube::{Bill, Cell, Key, OwnerId, ResourceCell, Sums};
use super::head::BillHead;
use super::kind::{KindId, UsageKind};
use super::names::{NameId, Names};
use super::words::Charge;
use crate::domain::hash::FastMap;

/// Cells by day at most: some 180 MiB.
pub const CELLS_AT_MOST: usize = 900_000;

/// Cells by resource at most; beyond it the cheaper half becomes one row per [`Key`].
pub const RESOURCES_AT_MOST: usize = 400_000;

/// Bytes of all texts at most.
const NAMES_AT_MOST: usize = 96 << 20;

/// Why a bill is too large to be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// More cells by day than the limit.
    #[error(
        "it has more than {CELLS_AT_MOST} days × accounts × usage types × tags, the most that are \
         kept: keep fewer tags, or read the accounts apart"
    )]
    Cells,
    /// More text than the limit.
    #[error(
        "its names and tags take more than {} MiB, the most that is kept: keep fewer tags",
        NAMES_AT_MOST >> 20
    )]
    Names,
}

/// A line of a bill, its texts interned.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Day of the month, from 1; 0 for a charge of the whole period.
    pub day: u8,
    /// What it has in common with other lines.
    pub key: Key,
    /// Resource; empty without one.
    pub resource: NameId,
    /// Amounts, with `lines` 1.
    pub sums: Sums,
}

/// Bit of the numbers that [`BillBuilder::resource`] gives, until [`BillBuilder::finish`].
const OF_RESOURCE: u32 = 1 << 31;

/// Folds lines into cells; see [`Bill`]. Memory is bounded by the number of different cells, not of lines.
#[derive(Debug)]
pub struct BillBuilder {
    names: Names,
    /// Texts of resources, apart from the others: those of folded ones are forgotten.
    resource_names: Names,
    kinds: FastMap<UsageKind, KindId>,
    all_kinds: Vec<UsageKind>,
    tag_keys: Vec<Arc<str>>,
    owners: FastMap<Box<[NameId]>, OwnerId>,
    all_owners: Vec<Box<[NameId]>>,
    account_names: FastMap<NameId, NameId>,
    cells: FastMap<(u8, Key), Sums>,
    resources: FastMap<(NameId, Key), ([u8; 2], Sums)>,
    folded: u64,
    total: Sums,
    last_day: u8,
    has_resources: bool,
}

impl BillBuilder {
    /// A bill that keeps the values of these tag keys.
    pub fn new(tag_keys: Vec<Arc<str>>) -> Self {
        let none: Box<[NameId]> = vec![NameId::NONE; tag_keys.len()].into();
        Self {
            names: Names::default(),
            resource_names: Names::default(),
            kinds: FastMap::default(),
            all_kinds: vec![],
            owners: std::iter::once((none.clone(), OwnerId(0))).collect(),
            all_owners: vec![none],
            tag_keys,
            account_names: FastMap::default(),
            cells: FastMap::default(),
            resources: FastMap::default(),
            folded: 0,
            total: Sums::default(),
            last_day: 0,
            has_resources: false,
        }
    }

    /// Number of a text; it is cleaned and cut when it is new, and may be no UTF-8.
    pub fn name(&mut self, raw: &[u8]) -> NameId {
        self.names.id(raw)
    }

    /// Number of a resource, for [`Line::resource`] of the next line alone; as [`Self::name`], but forgotten where the
    /// resource is folded: for bills with more resources than are kept.
    pub fn resource(&mut self, raw: &[u8]) -> NameId {
        let id = self.resource_names.id(raw);
        if id.is_none() { id } else { NameId(id.0 | OF_RESOURCE) }
    }

    /// The clean text of a number; empty for a number of another bill.
    pub fn text(&self, id: NameId) -> &str {
        let names = if id.0 & OF_RESOURCE == 0 { &self.names } else { &self.resource_names };
        names.all.get((id.0 & !OF_RESOURCE) as usize).map_or("", |name| name)
    }

    /// Number of a kind of use.
    pub fn kind(&mut self, kind: UsageKind) -> KindId {
        *self.kinds.entry(kind).or_insert_with(|| {
            self.all_kinds.push(kind);
            KindId(self.all_kinds.len() as u32 - 1)
        })
    }

    /// Number of a set of tag values, one per key of [`Self::tag_keys`]; missing ones are empty, further ones ignored.
    pub fn owner(&mut self, values: &[NameId]) -> OwnerId {
        let values = &values[..values.len().min(self.tag_keys.len())];
        if let Some(id) = self.owners.get(values) {
            return *id;
        }
        let mut all = values.to_vec();
        all.resize(self.tag_keys.len(), NameId::NONE);
        let all: Box<[NameId]> = all.into();
        *self.owners.entry(all.clone()).or_insert_with(|| {
            self.all_owners.push(all);
            OwnerId(self.all_owners.len() as u32 - 1)
        })
    }

    /// Notes the name of an account; the last one stays.
    pub fn account_name(&mut self, account: NameId, name: NameId) {
        if !account.is_none() && !name.is_none() {
            self.account_names.insert(account, name);
        }
    }

    /// Adds a line to its cells. Err when the bill becomes too large.
    pub fn add(&mut self, line: &Line) -> Result<(), BuildError> {
        self.total += &line.sums;
        if line.key.charge == Charge::Usage {
            self.last_day = self.last_day.max(line.day);
        }
        *self.cells.entry((line.day, line.key)).or_default() += &line.sums;
        self.has_resources |= !line.resource.is_none();
        let (days, sums) = self.resources.entry((line.resource, line.key)).or_default();
        if line.day > 0 {
            *days = match *days {
                [0, _] => [line.day; 2],
                [first, last] => [first.min(line.day), last.max(line.day)],
            };
        }
        *sums += &line.sums;
        if self.resources.len() > RESOURCES_AT_MOST {
            self.fold_cheapest();
        }
        if self.cells.len() > CELLS_AT_MOST {
            return Err(BuildError::Cells);
        }
        if self.names.bytes + self.resource_names.bytes > NAMES_AT_MOST {
            return Err(BuildError::Names);
        }
        Ok(())
    }

    /// Moves the cheaper half of the resources into the rows without one.
    fn fold_cheapest(&mut self) {
        let mut costs: Vec<_> =
            self.resources.values().map(|(_, sums)| sums.effective.abs()).collect();
        let middle = costs.len() / 2;
        let (_, limit, _) = costs.select_nth_unstable(middle);
        let limit = *limit;
        let mut rest: FastMap<Key, ([u8; 2], Sums)> = FastMap::default();
        let mut folded = 0;
        // Where many cost the same, as many as it takes.
        let mut to_go = middle;
        self.resources.retain(|(resource, key), (days, sums)| {
            if resource.is_none() || sums.effective.abs() > limit || to_go == 0 {
                return true;
            }
            to_go -= 1;
            folded += 1;
            let (all_days, all) = rest.entry(*key).or_default();
            *all_days = match (*all_days, *days) {
                (all, [0, _]) => all,
                ([0, _], days) => days,
                ([a, b], [c, d]) => [a.min(c), b.max(d)],
            };
            *all += sums;
            false
        });
        self.folded += folded;
        for (key, (days, sums)) in rest {
            let (all_days, all) = self.resources.entry((NameId::NONE, key)).or_default();
            *all_days = match (*all_days, days) {
                (all, [0, _]) => all,
                ([0, _], days) => days,
                ([a, b], [c, d]) => [a.min(c), b.max(d)],
            };
            *all += &sums;
        }
        self.forget_folded();
    }

    /// Keeps the texts of those resources alone that are left.
    fn forget_folded(&mut self) {
        let before = std::mem::take(&mut self.resource_names);
        let resources = std::mem::take(&mut self.resources).into_iter();
        self.resources = resources
            .map(|((id, key), value)| {
                if id.0 & OF_RESOURCE == 0 {
                    return ((id, key), value);
                }
                let text = before.all.get((id.0 & !OF_RESOURCE) as usize).map_or("", |text| text);
                let id = self.resource_names.clean(text);
                ((NameId(id.0 | OF_RESOURCE), key), value)
            })
            .collect();
    }

    /// Sums over all lines so far.
    pub const fn total(&self) -> &Sums {
        &self.total
    }

    /// The bill; of `head`, what the builder counted itself is set by it (`lines`, `total`, `has_resources`,
    /// `has_days`, `resources_folded`, `last_day`).
    pub fn finish(mut self, head: BillHead) -> Bill {
        let mut cells: Vec<Cell> =
            self.cells.into_iter().map(|((day, key), sums)| Cell { day, key, sums }).collect();
        let order = |key: &Key| {
            (key.account, key.kind, key.region, key.charge, key.pricing, key.commitment, key.owner)
        };
        cells.sort_unstable_by_key(|cell| (cell.day, order(&cell.key)));
        let mut resources: Vec<ResourceCell> = if self.has_resources {
            let (names, all) = (&mut self.names, self.resources.into_iter());
            let texts = &self.resource_names.all;
            all.map(|((id, key), ([first, last], sums))| {
                let own = (id.0 & OF_RESOURCE != 0).then_some((id.0 & !OF_RESOURCE) as usize);
                let text = own.and_then(|at| texts.get(at));
                let resource = text.map_or(id, |text| names.clean(text));
                ResourceCell { resource, key, days: (first, last), sums }
            })
            .collect()
        } else {
            vec![]
        };
        resources.sort_unstable_by(|a, b| {
            let by_cost = b.sums.effective.cmp(&a.sums.effective);
            by_cost.then_with(|| (a.resource, order(&a.key)).cmp(&(b.resource, order(&b.key))))
        });
        let mut account_names: Vec<_> = self.account_names.into_iter().collect();
        account_names.sort_unstable();
        let head = BillHead {
            lines: self.total.lines,
            total: self.total,
            has_resources: self.has_resources,
            has_days: cells.iter().any(|c| c.day > 0 && c.key.charge == Charge::Usage),
            resources_folded: self.folded,
            last_day: self.last_day,
            ..head
        };
        Bill {
            head,
            tag_keys: self.tag_keys,
            cells,
            resources,
            names: self.names.all,
            kinds: self.all_kinds,
            owners: self.all_owners,
            account_names,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::usd::Usd;
    use super::super::words::Pricing;
    use super::*;
    use crate::domain::sample;

    fn head() -> BillHead {
        sample::bill_head("2026-10")
    }

    fn key(bill: &mut BillBuilder, account: &str, usage_type: &str) -> Key {
        let kind = UsageKind {
            service: bill.name(b"EC2"),
            service_code: NameId::NONE,
            usage_type: bill.name(usage_type.as_bytes()),
            operation: NameId::NONE,
            family: NameId::NONE,
            unit: NameId::NONE,
            path: None,
        };
        Key {
            account: bill.name(account.as_bytes()),
            region: NameId::NONE,
            kind: bill.kind(kind),
            charge: Charge::Usage,
            pricing: Pricing::OnDemand,
            commitment: NameId::NONE,
            owner: OwnerId::default(),
        }
    }

    fn cents(cents: u64) -> Sums {
        let usd = Usd::parse(format!("{}.{:02}", cents / 100, cents % 100).as_bytes()).unwrap();
        Sums {
            billed: usd,
            effective: usd,
            list: usd,
            net: usd,
            quantity: 1.0,
            lines: 1,
            without_list: 0,
        }
    }

    #[test]
    fn cells_and_resources_add_up_to_the_same_total_and_only_the_cheapest_are_folded() {
        let mut bill = BillBuilder::new(vec!["team".into()]);
        let key = key(&mut bill, "1", "BoxUsage:p5.48xlarge");
        let lines = RESOURCES_AT_MOST as u64 + 5_000;
        for i in 0..lines {
            let resource = bill.name(format!("i-{i:08x}").as_bytes());
            let line = Line { day: (i % 31) as u8 + 1, key, resource, sums: cents(i) };
            bill.add(&line).unwrap();
        }
        let bill = bill.finish(head());
        let cents_in_all = lines * (lines - 1) / 2;
        assert_eq!(bill.head.total.billed, cents(cents_in_all).billed);
        assert_eq!(bill.total().effective, bill.head.total.effective);
        let by_resource: Sums = bill.resources.iter().map(|cell| &cell.sums).sum();
        assert_eq!(by_resource.billed, bill.head.total.billed);
        assert_eq!(by_resource.lines, lines);
        assert_eq!(bill.cells.len(), 31);
        assert!(bill.head.resources_folded > 0);
        let rest: Vec<_> = bill.resources.iter().filter(|c| c.resource.is_none()).collect();
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0].sums.lines, bill.head.resources_folded);
        assert_eq!(bill.name(bill.resources[1].resource), format!("i-{:08x}", lines - 1));
        assert!(bill.is_whole());
        let stored = postcard::to_stdvec(&bill).unwrap();
        assert_eq!(postcard::from_bytes::<Bill>(&stored).unwrap(), bill);
    }

    #[test]
    fn resources_beyond_the_limit_leave_no_texts() {
        let mut bill = BillBuilder::new(vec![]);
        let key = key(&mut bill, "1", "BoxUsage");
        let lines = RESOURCES_AT_MOST as u64 + 250_000;
        for i in 0..lines {
            let resource = bill.resource(format!("i-{i:064x}").as_bytes());
            assert!(!bill.text(resource).is_empty());
            bill.add(&Line { day: 1, key, resource, sums: cents(i) }).unwrap();
        }
        let bill = bill.finish(head());
        assert!(bill.is_whole());
        assert_eq!(bill.name(bill.resources[1].resource), format!("i-{:064x}", lines - 1));
        assert!(bill.names.len() <= RESOURCES_AT_MOST + 5);
        let by_resource: Sums = bill.resources.iter().map(|cell| &cell.sums).sum();
        assert_eq!((by_resource.billed, by_resource.lines), (bill.head.total.billed, lines));
    }

    #[test]
    fn names_are_clean_and_shared_and_sets_of_tags_have_one_value_per_key() {
        let mut bill = BillBuilder::new(vec!["team".into(), "project".into()]);
        assert_eq!(bill.name(b"  "), NameId::NONE);
        let (a, b) = (bill.name(b"a\x1b[2J"), bill.name(b"a\xff"));
        assert_eq!(bill.name(b" a\x1b[2J"), a);
        assert!(!bill.text(a).contains('\u{1b}'));
        assert_eq!(bill.text(b), "a\u{fffd}");
        let owner = bill.owner(&[a]);
        assert_eq!(bill.owner(&[a, NameId::NONE, b]), owner);
        assert_eq!(bill.owner(&[]), OwnerId(0));
        assert_ne!(owner, OwnerId(0));
        let key = Key { owner, ..key(&mut bill, "1", "x") };
        bill.add(&Line { day: 0, key, resource: NameId::NONE, sums: cents(1) }).unwrap();
        let bill = bill.finish(head());
        assert_eq!(bill.name(bill.tag(owner, 0)), bill.name(a));
        assert_eq!(bill.tag(owner, 1), NameId::NONE);
        assert_eq!(bill.tag_key("TEAM"), Some(0));
        assert!(!bill.head.has_days && !bill.head.has_resources && bill.resources.is_empty());
    }
}
