//! Answers become bills.

use std::sync::Arc;

use jiff::Timestamp;

use super::answer::{Answer, CostRow};
use super::words::{COMPUTE, charge, charge_of_service, code_of};
use crate::domain::bill::cost_explorer::{PROVIDER, Pair};
use crate::domain::bill::{
    Bill, BillBuilder, BillFormat, BillHead, BillNote, BuildError, Charge, Key, Line, Month,
    NameId, OwnerId, PeriodState, Pricing, Sums, TransferPath, UsageKind, Usd,
};

/// Of whom a bill is, and when it was read.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// Account that was asked.
    pub payer: &'a Arc<str>,
    /// When it was asked.
    pub now: Timestamp,
}

/// A bill in the making.
struct Folding {
    builder: BillBuilder,
    month: Month,
    has_net: bool,
}

/// What a row is about, beside its service.
#[derive(Clone, Copy, Default)]
struct Told<'a> {
    account: &'a str,
    region: &'a str,
    usage_type: &'a str,
    tag: &'a str,
}

impl Folding {
    fn new(pair: &Pair, month: Month) -> Self {
        let tags = match pair {
            Pair::Tag(key) => vec![key.clone()],
            _ => vec![],
        };
        Self { builder: BillBuilder::new(tags), month, has_net: false }
    }

    fn key(&mut self, service: &str, unit: &str, charge: Charge, told: Told<'_>) -> Key {
        let bill = &mut self.builder;
        let kind = UsageKind {
            service: bill.name(service.as_bytes()),
            service_code: bill.name(code_of(service).as_bytes()),
            usage_type: bill.name(told.usage_type.as_bytes()),
            operation: NameId::NONE,
            family: NameId::NONE,
            unit: bill.name(unit.as_bytes()),
            path: TransferPath::of(told.usage_type, "", "", code_of(service), ""),
        };
        let tag = bill.name(told.tag.as_bytes());
        Key {
            account: bill.name(told.account.as_bytes()),
            region: bill.name(told.region.as_bytes()),
            kind: bill.kind(kind),
            charge,
            // Of use it is not told what a commitment covers.
            pricing: if told.usage_type.contains("SpotUsage") {
                Pricing::Spot
            } else {
                Pricing::Other
            },
            commitment: NameId::NONE,
            owner: if tag.is_none() { OwnerId::default() } else { bill.owner(&[tag]) },
        }
    }

    /// Day of a row; 0 where its sums are of a month, and for taxes and support, which are charged for one.
    fn day(answer: &Answer, row: &CostRow, charge: Charge) -> u8 {
        let of_month = !answer.by_day || matches!(charge, Charge::Tax | Charge::Support);
        if of_month { 0 } else { row.date.day().unsigned_abs() }
    }

    fn add(&mut self, day: u8, key: Key, resource: NameId, sums: Sums) -> Result<(), BuildError> {
        self.has_net |= sums.net != sums.effective;
        self.builder.add(&Line { day, key, resource, sums })
    }

    /// Adds a row of use, or of all charges of a service.
    fn add_use(
        &mut self,
        answer: &Answer,
        row: &CostRow,
        told: Told<'_>,
    ) -> Result<(), BuildError> {
        let [service, _] = &row.keys;
        let charge = charge_of_service(service);
        let key = self.key(service, &row.unit, charge, told);
        let without_list = u64::from(charge == Charge::Usage);
        let sums = Sums { without_list, ..row.sums };
        self.add(Self::day(answer, row, charge), key, NameId::NONE, sums)
    }

    /// Adds a row of another charge than use. What a fee costs effectively is the unused part of its commitment.
    fn add_charge(&mut self, answer: &Answer, row: &CostRow) -> Result<(), BuildError> {
        let [service, record_type] = &row.keys;
        let Some(charge) = charge(record_type) else { return Ok(()) };
        let day = Self::day(answer, row, charge);
        let key = self.key(service, "", charge, Told::default());
        let sums = Sums { quantity: 0.0, ..row.sums };
        if charge != Charge::Purchase {
            return self.add(day, key, NameId::NONE, sums);
        }
        let fee = Sums { effective: Usd::ZERO, net: Usd::ZERO, ..sums };
        self.add(day, key, NameId::NONE, fee)?;
        let unused = Sums { billed: Usd::ZERO, lines: 0, ..sums };
        if unused == Sums::default() {
            return Ok(());
        }
        let key = Key { charge: Charge::Usage, pricing: Pricing::UnusedCommitment, ..key };
        self.add(day, key, NameId::NONE, unused)
    }

    /// Moves what a resource cost out of what its usage type cost. The sums of the bill stay.
    fn add_resource(&mut self, row: &CostRow) -> Result<(), BuildError> {
        let [resource, usage_type] = &row.keys;
        if resource == "NoResourceId" {
            return Ok(());
        }
        let key =
            self.key(COMPUTE, &row.unit, Charge::Usage, Told { usage_type, ..Told::default() });
        let resource = self.builder.name(resource.as_bytes());
        let sums = Sums { lines: 0, ..row.sums };
        let back = Sums {
            billed: -sums.billed,
            effective: -sums.effective,
            net: -sums.net,
            quantity: -sums.quantity,
            ..sums
        };
        self.add(0, key, resource, sums)?;
        self.add(0, key, NameId::NONE, back)
    }

    fn finish(self, pair: &Pair, answer: &Answer, about: About<'_>) -> Bill {
        let is_open = answer.estimated.contains(&self.month) || self.month.end() > about.now;
        self.builder.finish(BillHead {
            export: pair.export(),
            format: BillFormat::CostExplorer,
            provider: PROVIDER.into(),
            payer: about.payer.clone(),
            period: self.month,
            state: if is_open { PeriodState::Open } else { PeriodState::Closed },
            lines: 0,
            total: Sums::default(),
            has_net: self.has_net,
            has_resources: false,
            has_days: false,
            resources_folded: 0,
            last_day: 0,
            written_at: None,
            read_at: about.now,
            notes: vec![BillNote::FromCostExplorer],
        })
    }
}

/// Rows of a month.
fn rows(answer: &Answer, month: Month) -> impl Iterator<Item = &CostRow> {
    answer.rows.iter().filter(move |row| Month::of(row.date) == month)
}

/// The bill of a month by usage type: use, the other charges, and what resources cost of the use. Err when it is too
/// large.
pub fn by_usage_type(
    month: Month,
    usage: &Answer,
    charges: &Answer,
    resources: Option<&Answer>,
    about: About<'_>,
) -> Result<Bill, BuildError> {
    let mut bill = Folding::new(&Pair::UsageType, month);
    for row in rows(usage, month) {
        let usage_type = told(&row.keys[1], "NoUsageType");
        bill.add_use(usage, row, Told { usage_type, ..Told::default() })?;
    }
    for row in rows(charges, month) {
        bill.add_charge(charges, row)?;
    }
    for row in resources.into_iter().flat_map(|answer| rows(answer, month)) {
        bill.add_resource(row)?;
    }
    Ok(bill.finish(&Pair::UsageType, usage, about))
}

/// The bill of a month by another pair, all charges included. Err when it is too large.
pub fn by_pair(
    pair: &Pair,
    month: Month,
    answer: &Answer,
    about: About<'_>,
) -> Result<Bill, BuildError> {
    let mut bill = Folding::new(pair, month);
    for row in rows(answer, month) {
        let value = &row.keys[1];
        let none = Told::default();
        let told = match pair {
            Pair::UsageType => Told { usage_type: told(value, "NoUsageType"), ..none },
            Pair::Account => Told { account: value, ..none },
            Pair::Region => Told { region: told(told(value, "NoRegion"), "global"), ..none },
            // `team$vision`; without a value `team$`.
            Pair::Tag(_) => Told { tag: value.split_once('$').map_or("", |(_, tag)| tag), ..none },
        };
        bill.add_use(answer, row, told)?;
    }
    for (id, name) in &answer.account_names {
        let id = bill.builder.name(id.as_bytes());
        let name = bill.builder.name(name.as_bytes());
        bill.builder.account_name(id, name);
    }
    Ok(bill.finish(pair, answer, about))
}

/// A value; nothing where it is the word for none.
fn told<'a>(value: &'a str, none: &str) -> &'a str {
    if value == none { "" } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month() -> Month {
        "2026-10".parse().unwrap()
    }

    fn payer() -> Arc<str> {
        "123456789012".into()
    }

    fn about(payer: &Arc<str>) -> About<'_> {
        About { payer, now: "2026-11-10T00:00:00Z".parse().unwrap() }
    }

    fn usd(text: &str) -> Usd {
        Usd::parse(text.as_bytes()).unwrap()
    }

    fn row(date: &str, keys: [&str; 2], billed: &str, effective: &str) -> CostRow {
        CostRow {
            date: date.parse().unwrap(),
            keys: keys.map(str::to_owned),
            unit: "Hrs".to_owned(),
            sums: Sums {
                billed: usd(billed),
                effective: usd(effective),
                net: usd(effective),
                quantity: 2.0,
                lines: 1,
                ..Sums::default()
            },
        }
    }

    fn answer(rows: Vec<CostRow>) -> Answer {
        Answer { by_day: true, rows, ..Answer::default() }
    }

    #[test]
    fn a_month_by_usage_type_has_all_charges_once_and_its_resources_within_them() {
        let usage = answer(vec![
            row("2026-10-01", [COMPUTE, "BoxUsage:p5.48xlarge"], "10.5", "7.25"),
            row("2026-10-02", [COMPUTE, "BoxUsage:p5.48xlarge"], "10.5", "7.25"),
            row("2026-10-02", ["EC2 - Other", "USE1-NatGateway-Hours"], "0.1", "0.1"),
            row("2026-11-02", ["Amazon FSx", "x"], "99", "99"),
        ]);
        let plans = "Savings Plans for AWS Compute usage";
        let charges = answer(vec![
            row("2026-10-01", [plans, "SavingsPlanRecurringFee"], "5", "1.5"),
            row("2026-10-01", ["Tax", "Tax"], "2", "2"),
            row("2026-10-03", [COMPUTE, "Credit"], "-3", "-3"),
            row("2026-10-03", [COMPUTE, "Usage"], "21", "14.5"),
        ]);
        let resources = answer(vec![
            row("2026-10-01", ["i-1", "BoxUsage:p5.48xlarge"], "6", "4"),
            row("2026-10-01", ["NoResourceId", "BoxUsage:p5.48xlarge"], "1", "1"),
        ]);
        let bill =
            by_usage_type(month(), &usage, &charges, Some(&resources), about(&payer())).unwrap();
        assert!(bill.is_whole() && bill.head.has_days && bill.head.has_resources);
        assert_eq!(bill.head.state, PeriodState::Closed);
        assert_eq!(bill.head.total.billed, usd("25.1"));
        assert_eq!(bill.head.total.effective, usd("15.1"));
        assert_eq!((bill.head.lines, bill.head.total.without_list), (6, 3));
        let resources: Sums = bill.resources.iter().map(|cell| &cell.sums).sum();
        assert_eq!(resources.billed, bill.head.total.billed);
        let i = bill.find("i-1").unwrap();
        let cell = bill.resources.iter().find(|cell| cell.resource == i).unwrap();
        assert_eq!((cell.sums.effective, cell.sums.quantity), (usd("4"), 2.0));
        let by = |charge: Charge, pricing: Pricing| -> Sums {
            let cells = bill.cells.iter();
            let cells = cells.filter(|c| c.key.charge == charge && c.key.pricing == pricing);
            cells.map(|c| &c.sums).sum()
        };
        assert_eq!(by(Charge::Usage, Pricing::UnusedCommitment).effective, usd("1.5"));
        let nat = bill.kinds().iter().find(|kind| bill.name(kind.service) == "EC2 - Other");
        assert_eq!(nat.unwrap().path, Some(TransferPath::Nat));
        let fee = by(Charge::Purchase, Pricing::Other);
        assert_eq!((fee.billed, fee.effective), (usd("5"), usd("0")));
        let tax = bill.cells.iter().find(|c| c.key.charge == Charge::Tax).unwrap();
        assert_eq!(tax.day, 0);
        let credit = bill.cells.iter().find(|c| c.key.charge == Charge::Credit).unwrap();
        assert_eq!((credit.day, credit.sums.billed), (3, usd("-3")));
    }

    #[test]
    fn each_pair_tells_its_own_key_and_the_same_total() {
        let s3 = "Amazon Simple Storage Service";
        let bill = |pair: Pair, values: [&str; 2]| {
            let mut answer = answer(vec![
                row("2026-10-01", [s3, values[0]], "1", "1"),
                row("2026-10-01", ["Tax", values[1]], "0.5", "0.5"),
            ]);
            answer.by_day = false;
            answer.account_names.insert("1".to_owned(), "data\u{1b}[2J".to_owned());
            answer.estimated.push(month());
            by_pair(&pair, month(), &answer, about(&payer())).unwrap()
        };
        let account = bill(Pair::Account, ["1", "2"]);
        let one = account.find("1").unwrap();
        assert_eq!(account.account_name(one), Some("data\u{fffd}[2J"));
        assert!(!account.head.has_days && account.cells.iter().all(|cell| cell.day == 0));
        assert_eq!(account.head.state, PeriodState::Open);
        assert_eq!(account.head.notes, [BillNote::FromCostExplorer]);
        let region = bill(Pair::Region, ["us-east-1", "NoRegion"]);
        assert!(region.find("us-east-1").is_some() && region.find("NoRegion").is_none());
        let team = bill(Pair::Tag("team".into()), ["team$vision", "team$"]);
        let tags: Vec<_> =
            team.cells.iter().map(|cell| team.name(team.tag(cell.key.owner, 0))).collect();
        assert!(tags.contains(&"vision") && tags.contains(&""));
        for bill in [account, region, team] {
            assert_eq!(bill.head.total.billed, usd("1.5"));
            assert_eq!(Pair::of(&bill.head).unwrap().export(), bill.head.export);
        }
    }

    #[test]
    fn a_month_that_goes_on_is_open() {
        let payer = payer();
        let about = About { now: "2026-10-20T00:00:00Z".parse().unwrap(), ..about(&payer) };
        let bill = by_pair(&Pair::Account, month(), &Answer::default(), about).unwrap();
        assert_eq!((bill.head.state, bill.head.lines), (PeriodState::Open, 0));
    }
}
