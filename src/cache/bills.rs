//! Imported bills, in a file of their own beside the cache.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};
use serde::Serialize;

use super::checksum::RowSum;
use super::decode::{column, decode};
use super::file;
use super::imported::{Imported, ImportedError};
use super::schema::BILLS;
use crate::domain::bill::{
    Bill, BillHead, BilledRate, BilledRates, Month, NetworkSpend, NewestBill, ResourceCosts,
    selected,
};
use crate::domain::text::clean;

/// Version of what the blobs hold. To be raised whenever [`Bill`] or [`BillHead`] changes.
const LAYOUT: i64 = 1;

/// Bytes of a bill before it was deflated at most; the largest that is kept takes about a third.
const BILL_AT_MOST: u64 = 1 << 30;

/// Why bills cannot be read or kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BillsError {
    /// The file cannot be opened, read or written.
    #[error(transparent)]
    File(#[from] ImportedError),
    /// The bill is not as it was written.
    #[error("the kept bill of {period} of {export} is damaged: import it again")]
    Damaged {
        /// Name of the export.
        export: String,
        /// Its billing period.
        period: String,
    },
    /// The bill was written by another version of burntop.
    #[error(
        "the kept bill of {period} of {export} was written by another version of burntop: import \
         it again"
    )]
    OtherLayout {
        /// Name of the export.
        export: String,
        /// Its billing period.
        period: String,
    },
    /// There is no such bill.
    #[error("no bill of {period} of {export} is kept: import it with `burntop bill import`")]
    Absent {
        /// Name of the export.
        export: String,
        /// The billing period that was asked for.
        period: Month,
    },
}

/// What is worked out of a bill and kept beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BesideBill {
    /// Rates that it shows.
    pub rates: Vec<BilledRate>,
    /// What bytes and requests cost on it; `None` for one that was imported before this was kept.
    pub network: Option<NetworkSpend>,
}

/// What is kept beside the bills of a period: their costs by resource, one each, all of their rates, and what the network
/// costs, one each; `None` where one of them lacks it.
type BesideBills = (Vec<ResourceCosts>, Vec<BilledRate>, Option<Vec<NetworkSpend>>);

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeptBills {
    /// Heads of the bills, by export and then by period, oldest first.
    pub heads: Vec<BillHead>,
    /// Errors of those that cannot be read, one each.
    pub unreadable: Vec<BillsError>,
}

/// The file of imported bills. Each request opens it anew and blocks: for threads other than the screen's.
#[derive(Clone, Debug)]
pub struct Bills {
    file: Imported,
}

impl Bills {
    /// Bills beside the cache at `cache`: `bills.db` in the same directory. Opens nothing.
    pub fn beside(cache: &Path) -> Self {
        Self { file: Imported::beside(cache, "bills", &BILLS) }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Bytes of the file and of what SQLite keeps beside it; `None` while nothing was imported.
    pub fn size(&self) -> Option<u64> {
        let main = std::fs::metadata(self.path()).ok()?.len();
        let wal = std::fs::metadata(file::beside(self.path(), "-wal")).map_or(0, |m| m.len());
        Some(main + wal)
    }

    /// Heads of all kept bills. Err when the file cannot be used.
    pub fn heads(&self) -> Result<KeptBills, BillsError> {
        let found = self.file.read(|conn| {
            let sql = "SELECT export, period, layout, digest, head, head_checksum FROM bill
                       ORDER BY export, period";
            let mut statement = conn.prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut kept = KeptBills::default();
            while let Some(row) = rows.next()? {
                match head(row)? {
                    Ok(head) => kept.heads.push(head),
                    Err(error) => kept.unreadable.push(error),
                }
            }
            Ok(kept)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Heads of the bills of `export` that a delivery with this digest left: it need not be read again. Empty where one of
    /// them cannot be read. Err when the file cannot be used.
    pub fn delivered(&self, export: &str, digest: &str) -> Result<Vec<BillHead>, BillsError> {
        let found = self.file.read(|conn| {
            let sql = "SELECT export, period, layout, digest, head, head_checksum FROM bill
                       WHERE export = ?1 AND digest = ?2 ORDER BY period";
            let mut statement = conn.prepare(sql)?;
            let mut rows = statement.query([export, digest])?;
            let mut heads = Vec::new();
            while let Some(row) = rows.next()? {
                match head(row)? {
                    Ok(head) => heads.push(head),
                    Err(_) => return Ok(vec![]),
                }
            }
            Ok(heads)
        })?;
        Ok(found.unwrap_or_default())
    }

    /// The bill of a period. Err when there is none, it is not as it was written, or the file cannot be used.
    pub fn bill(&self, export: &str, period: Month) -> Result<Bill, BillsError> {
        let absent = || BillsError::Absent { export: clean(export).into_owned(), period };
        let found = self.file.read(|conn| {
            let sql =
                "SELECT export, period, layout, digest, head, head_checksum, bill, bill_checksum
                       FROM bill WHERE export = ?1 AND period = ?2";
            let of_row = |row: &Row<'_>| {
                let head = head(row)?;
                let (blob, sum): (Vec<u8>, i64) = (row.get(6)?, row.get(7)?);
                Ok(head.map(|head| (head, blob, sum)))
            };
            conn.query_row(sql, [export, &period.to_string()], of_row).optional()
        })?;
        let (head, blob, sum) = found.flatten().ok_or_else(absent)??;
        inflated(&blob)
            .filter(|_| sum == blob_sum(export, &period.to_string(), &blob))
            .and_then(|bytes| decode::<Bill>(&bytes))
            .filter(|bill| bill.head == head && bill.is_whole())
            .ok_or_else(|| BillsError::Damaged {
                export: clean(export).into_owned(),
                period: period.to_string(),
            })
    }

    /// What instances, volumes and buckets cost on the bills of the newest period that count ([`selected`]), and the rates and
    /// the network of the newest period with enough days ([`BilledRates::DAYS_AT_LEAST`]); `None` where none is kept or one
    /// of them cannot be read. Err when the file cannot be used.
    pub fn newest(&self) -> Result<Option<NewestBill>, BillsError> {
        let heads = self.heads()?.heads;
        let Some(newest) = heads.iter().map(|head| head.period).max() else { return Ok(None) };
        let has_rates = |head: &&BillHead| head.last_day >= BilledRates::DAYS_AT_LEAST;
        let of_rates = heads.iter().filter(has_rates).map(|h| h.period).max().unwrap_or(newest);
        let Some((costs, mut rates, mut network)) = self.beside_bills(&heads, newest)? else {
            return Ok(None);
        };
        if of_rates != newest {
            let Some(older) = self.beside_bills(&heads, of_rates)? else { return Ok(None) };
            (rates, network) = (older.1, older.2);
        }
        let rates = BilledRates::new(of_rates, rates);
        let network = network.and_then(NetworkSpend::sum);
        Ok(ResourceCosts::sum(costs).map(|costs| NewestBill {
            costs,
            rates,
            network,
            units: Vec::new(),
        }))
    }

    /// What is kept beside the bills of a period that count; `None` where one of them cannot be read.
    fn beside_bills(
        &self,
        heads: &[BillHead],
        period: Month,
    ) -> Result<Option<BesideBills>, BillsError> {
        let (mut costs, mut rates, mut network) = (Vec::new(), Vec::new(), Some(Vec::new()));
        for head in selected(heads, None).0.into_iter().filter(|head| head.period == period) {
            let found = self.file.read(|conn| {
                let sql =
                    "SELECT costs, costs_checksum FROM bill WHERE export = ?1 AND period = ?2";
                let of_row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
                conn.query_row(sql, [&*head.export, &period.to_string()], of_row).optional()
            })?;
            let both = found.flatten().and_then(|(blob, sum): (Vec<u8>, i64)| {
                let is_whole = sum == blob_sum(&head.export, &period.to_string(), &blob);
                let bytes = is_whole.then(|| inflated(&blob)).flatten()?;
                // One that was imported before the network was kept has two parts.
                decode::<(ResourceCosts, Vec<BilledRate>, Option<NetworkSpend>)>(&bytes).or_else(
                    || {
                        let (costs, rates) = decode(&bytes)?;
                        Some((costs, rates, None))
                    },
                )
            });
            // A part of what they cost would look like all of it.
            let Some((of_resources, of_rates, of_network)) = both else { return Ok(None) };
            costs.push(of_resources);
            rates.extend(of_rates);
            network = network.zip(of_network).map(|(mut network, of)| {
                network.push(of);
                network
            });
        }
        Ok(Some((costs, rates, network)))
    }

    /// Keeps the bills of a delivery with this digest, all or none of them: each replaces the one of its export and period.
    /// `beside` works out what is kept beside a bill.
    /// Err when the file cannot be written; what was kept stays then.
    pub fn put(
        &self,
        bills: &[Bill],
        digest: &str,
        beside: fn(&Bill) -> BesideBill,
    ) -> Result<(), BillsError> {
        let rows: Vec<NewRow> =
            bills.iter().filter_map(|bill| NewRow::of(bill, &beside(bill))).collect();
        if rows.len() < bills.len() {
            let advice = "import it with fewer tags".to_owned();
            return Err(self.file.failed("a bill cannot be encoded", advice).into());
        }
        self.file.write(|conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for row in &rows {
                let (export, period) = (&row.export, &row.period);
                let head_sum = head_sum(export, period, LAYOUT, digest, &row.head);
                tx.execute(
                    "INSERT OR REPLACE INTO bill
                     (export, period, layout, digest, head, head_checksum,
                      costs, costs_checksum, bill, bill_checksum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    params![
                        export,
                        period,
                        LAYOUT,
                        digest,
                        row.head,
                        head_sum,
                        row.costs,
                        blob_sum(export, period, &row.costs),
                        row.bill,
                        blob_sum(export, period, &row.bill),
                    ],
                )?;
            }
            tx.commit()
        })?;
        Ok(())
    }
}

/// A row that is to be written.
struct NewRow {
    export: String,
    period: String,
    head: Vec<u8>,
    costs: Vec<u8>,
    bill: Vec<u8>,
}

impl NewRow {
    fn of(bill: &Bill, beside: &BesideBill) -> Option<Self> {
        Some(Self {
            export: bill.head.export.to_string(),
            period: bill.head.period.to_string(),
            head: postcard::to_stdvec(&bill.head).ok()?,
            costs: deflated(&(ResourceCosts::of(bill), &beside.rates, &beside.network))?,
            bill: deflated(bill)?,
        })
    }
}

fn head_sum(export: &str, period: &str, layout: i64, digest: &str, head: &[u8]) -> i64 {
    RowSum::new().text(export).text(period).int(layout).text(digest).blob(head).finish()
}

pub(super) fn blob_sum(export: &str, period: &str, blob: &[u8]) -> i64 {
    RowSum::new().text(export).text(period).blob(blob).finish()
}

/// Head of a row with the columns export, period, layout, digest, head and `head_checksum`.
fn head(row: &Row<'_>) -> rusqlite::Result<Result<BillHead, BillsError>> {
    let (export, period) = (column(row, 0)?, column(row, 1)?);
    let (layout, blob, sum): (i64, Vec<u8>, i64) = (row.get(2)?, row.get(4)?, row.get(5)?);
    let digest: String = column(row, 3)?;
    if layout != LAYOUT {
        return Ok(Err(BillsError::OtherLayout { export, period }));
    }
    let head = decode::<BillHead>(&blob)
        .filter(|_| sum == head_sum(&export, &period, layout, &digest, &blob))
        .filter(|head| *head.export == *export && head.period.to_string() == period);
    Ok(head.ok_or(BillsError::Damaged { export, period }))
}

pub(super) fn deflated(value: &impl Serialize) -> Option<Vec<u8>> {
    let deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Numbers are written byte by byte.
    let mut buffered = std::io::BufWriter::with_capacity(1 << 16, deflate);
    postcard::to_io(value, &mut buffered).ok()?;
    buffered.flush().ok()?;
    buffered.into_inner().ok()?.finish().ok()
}

fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    let read = DeflateDecoder::new(bytes).take(BILL_AT_MOST).read_to_end(&mut all).ok()?;
    ((read as u64) < BILL_AT_MOST).then_some(all)
}
