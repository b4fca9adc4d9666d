//! The bill of one period while its lines come in.

use std::sync::Arc;

use super::amounts::{self, Amounts, Unused};
use super::batch::Batch;
use super::fields::{Amount, Moment, Text};
use super::layout::Layout;
use super::odd::Odd;
use super::rules::{self, Meaning};
use super::texts::Texts;
use super::time::DAY_MS;
use crate::domain::bill::{
    Bill, BillBuilder, BillHead, BillNote, BuildError, Charge, Key, Line, Month, NameId, Pricing,
    Sums, TransferPath, UsageKind, Usd,
};
use crate::domain::hash::FastMap;

/// A line of use is that many hours long at most to count as one of a day: a day with a change of the clock.
pub(super) const DAY_AT_MOST_HOURS: i64 = 25;

const DAY_AT_MOST: i64 = DAY_AT_MOST_HOURS * 3_600_000;

/// Different lines, but for amounts, times and resources, whose meaning is remembered.
const REMEMBERED: usize = 200_000;

/// What lines with the same texts have in common.
#[derive(Clone, Copy, Debug)]
struct Known {
    key: Key,
    meaning: Meaning,
    is_utf8: bool,
    has_invoice: bool,
    /// Number of the word, where it is none that is known.
    odd_word: Option<u32>,
}

/// Fees of a commitment that do not say their unused part, and what they cover.
#[derive(Debug, Default)]
struct Pool {
    fees: Usd,
    covered: Usd,
    /// Where the unused part goes; `None` until a fee is read.
    to: Option<(Key, NameId)>,
}

/// Why a line is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Its currency is another than US dollars.
    Currency(Vec<u8>),
    /// The bill becomes too large.
    Build(BuildError),
}

impl From<BuildError> for Refusal {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

/// The bill of a period while its lines come in.
#[derive(Debug)]
pub(super) struct Slot {
    /// Period.
    pub period: Month,
    begin_ms: i64,
    end_ms: i64,
    builder: BillBuilder,
    known: FastMap<Box<[u32]>, Known>,
    numbers: Vec<u32>,
    tags: Vec<NameId>,
    pools: FastMap<(NameId, u8), Pool>,
    /// True where an invoice was issued for use.
    pub is_invoiced: bool,
    provider: NameId,
    payer: NameId,
    odd: Odd,
}

impl Slot {
    /// No lines yet.
    pub fn new(period: Month, tag_keys: &[Arc<str>]) -> Self {
        Self {
            period,
            begin_ms: period.begin().as_millisecond(),
            end_ms: period.end().as_millisecond(),
            builder: BillBuilder::new(tag_keys.to_vec()),
            known: FastMap::default(),
            numbers: vec![],
            tags: vec![],
            pools: FastMap::default(),
            is_invoiced: false,
            provider: NameId::NONE,
            payer: NameId::NONE,
            odd: Odd::default(),
        }
    }

    /// Notes a row that divides the cost of another; it is in no sum.
    pub fn add_split(&mut self, batch: &Batch, row: usize) {
        let part = |amount| batch.amount(amount, row).unwrap_or_default();
        self.odd.add_split(part(Amount::SplitCost) + part(Amount::SplitUnused));
    }

    /// Notes a line whose id another one had.
    pub fn add_duplicate(&mut self, batch: &Batch, row: usize) {
        self.odd.add_duplicate(batch.amount(Amount::Billed, row).unwrap_or_default());
    }

    /// Adds a line. Err for another currency, and when the bill becomes too large.
    pub fn add(
        &mut self,
        layout: &Layout,
        texts: &Texts,
        batch: &Batch,
        row: usize,
    ) -> Result<(), Refusal> {
        let known = self.known(layout, texts, batch, row)?;
        let amounts = amounts::amounts(known.meaning, layout, batch, row);
        let resource = batch.resource(row);
        let is_utf8 =
            known.is_utf8 && (resource.is_empty() || std::str::from_utf8(resource).is_ok());
        self.odd.not_utf8 += u64::from(!is_utf8);
        // The number of a fee's resource is needed again later.
        let resource = if amounts.unused == Unused::None {
            self.builder.resource(resource)
        } else {
            self.builder.name(resource)
        };
        let day = self.day(known.meaning, batch, row);
        let is_use = known.key.charge == Charge::Usage;
        self.is_invoiced |= known.has_invoice && is_use;
        self.odd.add(layout, &known.key, known.meaning, &amounts);
        if let Some(word) = known.odd_word {
            self.odd.add_word(word);
        }
        let sums = Sums {
            billed: amounts.billed,
            effective: amounts.effective,
            list: amounts.list.unwrap_or_default(),
            net: amounts.net,
            // What takes back a cost has the quantity of the line that it belongs to.
            quantity: if known.meaning.rule == rules::Rule::PlanNothing {
                0.0
            } else {
                batch.quantity(row)
            },
            lines: 1,
            without_list: u64::from(is_use && amounts.list.is_none()),
        };
        let key = known.key;
        self.builder.add(&Line { day, key, resource, sums })?;
        self.unused(&known, &amounts, day, resource)
    }

    /// Adds what of a commitment nothing used as a line of its own, as FOCUS has it; or remembers what tells it.
    fn unused(
        &mut self,
        known: &Known,
        amounts: &Amounts,
        day: u8,
        resource: NameId,
    ) -> Result<(), Refusal> {
        let key = unused_key(known.key);
        match amounts.unused {
            Unused::Said(effective, net) if !effective.is_zero() || !net.is_zero() => {
                let sums = Sums { effective, net, ..Sums::default() };
                self.builder.add(&Line { day, key, resource, sums })?;
            }
            Unused::Rest => {
                let pool = self.pools.entry((key.commitment, pool_day(known, day))).or_default();
                pool.fees += amounts.billed;
                pool.to.get_or_insert((key, resource));
            }
            Unused::None if known.meaning.rule.is_covered() => {
                let pool = self.pools.entry((key.commitment, pool_day(known, day))).or_default();
                pool.covered += amounts.effective;
            }
            Unused::Said(..) | Unused::None => {}
        }
        Ok(())
    }

    /// Day of the month of a line, from 1; 0 for one that is longer than a day, and outside the period.
    fn day(&mut self, meaning: Meaning, batch: &Batch, row: usize) -> u8 {
        let start = batch.moment(Moment::Start, row);
        let Some(start) = start.filter(|at| (self.begin_ms..self.end_ms).contains(at)) else {
            self.odd.outside += 1;
            return 0;
        };
        let is_use = u64::from(meaning.charge == Charge::Usage);
        let end = batch.moment(Moment::End, row);
        if end.is_some_and(|end| end.saturating_sub(start) > DAY_AT_MOST) {
            self.odd.long += is_use;
            return 0;
        }
        self.odd.short += is_use;
        ((start - self.begin_ms) / DAY_MS + 1) as u8
    }

    /// What lines with these texts have in common, remembered.
    fn known(
        &mut self,
        layout: &Layout,
        texts: &Texts,
        batch: &Batch,
        row: usize,
    ) -> Result<Known, Refusal> {
        self.numbers.clear();
        batch.numbers(row, &mut self.numbers);
        if let Some(known) = self.known.get(&self.numbers[..]) {
            return Ok(*known);
        }
        let known = self.resolve(layout, texts, batch, row)?;
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(self.numbers.as_slice().into(), known);
        Ok(known)
    }

    fn resolve(
        &mut self,
        layout: &Layout,
        texts: &Texts,
        batch: &Batch,
        row: usize,
    ) -> Result<Known, Refusal> {
        let raw = |text: Text| texts.get(batch.text(text, row)).trim_ascii();
        let word = |text: Text| std::str::from_utf8(raw(text)).unwrap_or("");
        let currency = raw(Text::Currency);
        if !currency.is_empty() && !currency.eq_ignore_ascii_case(b"USD") {
            return Err(Refusal::Currency(currency.to_vec()));
        }
        let meaning = if layout.is_focus() { rules::of_focus(word) } else { rules::of_cur(word) };
        let builder = &mut self.builder;
        let mut name = |text: Text| builder.name(raw(text));
        let or = |first: NameId, other: NameId| if first.is_none() { other } else { first };
        let service_code = name(Text::ServiceCode);
        let kind = UsageKind {
            service: or(name(Text::Service), service_code),
            service_code,
            usage_type: name(Text::UsageType),
            operation: name(Text::Operation),
            family: name(Text::Family),
            unit: name(Text::Unit),
            path: TransferPath::of(
                word(Text::UsageType),
                word(Text::Operation),
                word(Text::Family),
                word(Text::ServiceCode),
                word(Text::Description),
            )
            .filter(|_| meaning.charge == Charge::Usage),
        };
        let region = if raw(Text::Region).eq_ignore_ascii_case(b"global") {
            NameId::NONE
        } else {
            name(Text::Region)
        };
        let account = name(Text::Account);
        let account_name = name(Text::AccountName);
        let commitment = or(name(Text::Commitment), name(Text::Reservation));
        self.provider = or(self.provider, name(Text::Provider));
        self.payer = or(self.payer, name(Text::Payer));
        builder.account_name(account, account_name);
        let tags = &self.numbers[Text::COUNT..];
        self.tags.clear();
        self.tags.extend(tags.iter().map(|number| builder.name(texts.get(*number))));
        let key = Key {
            account,
            region,
            kind: builder.kind(kind),
            charge: meaning.charge,
            pricing: meaning.pricing,
            commitment,
            owner: builder.owner(&self.tags),
        };
        let is_utf8 =
            self.numbers.iter().all(|number| std::str::from_utf8(texts.get(*number)).is_ok());
        let has_invoice = !raw(Text::Invoice).is_empty();
        let odd_word = (!meaning.is_known).then(|| batch.text(Text::Charge, row));
        Ok(Known { key, meaning, is_utf8, has_invoice, odd_word })
    }

    /// Number of lines.
    pub const fn lines(&self) -> u64 {
        self.builder.total().lines
    }

    /// Adds the unused parts that only sums tell.
    pub fn add_unused(&mut self) -> Result<(), BuildError> {
        for ((_, day), pool) in std::mem::take(&mut self.pools) {
            let rest = pool.fees - pool.covered;
            let Some((key, resource)) = pool.to.filter(|_| rest > Usd::ZERO) else { continue };
            let sums = Sums { effective: rest, net: rest, ..Sums::default() };
            self.builder.add(&Line { day, key, resource, sums })?;
        }
        Ok(())
    }

    /// What is odd, but for the delivery as a whole; most important first.
    pub fn notes(&self, layout: &Layout, texts: &Texts) -> Vec<BillNote> {
        self.odd.notes(layout, texts, &|id| self.builder.text(id).into())
    }

    /// Provider and paying account; empty where no line says them.
    pub fn provider_and_payer(&self) -> (Arc<str>, Arc<str>) {
        (self.builder.text(self.provider).into(), self.builder.text(self.payer).into())
    }

    /// The bill.
    pub fn finish(self, head: BillHead) -> Bill {
        self.builder.finish(head)
    }
}

/// Key of the unused part of a commitment.
const fn unused_key(fee: Key) -> Key {
    Key { charge: Charge::Usage, pricing: Pricing::UnusedCommitment, ..fee }
}

/// Day by which fees and use of a commitment are compared; 0 for the whole period.
const fn pool_day(known: &Known, day: u8) -> u8 {
    if known.meaning.rule.is_of_period() { 0 } else { day }
}
