//! The bills that are there: imported ones, or those of the demo.

use std::sync::Arc;

use crate::analyze::bill::{BillKey, BillSettings, Countable, countable};
use crate::cache::{Bills, BillsError};
use crate::cli::exit::{CliError, Exit};
use crate::cli::invocation::Invocation;
use crate::cli::tell::tell;
use crate::domain::bill::{Bill, BillHead, Month};
use crate::domain::text::clean;
use crate::source::demo::bill;

/// Bills that are there, before those of a period are read.
pub(in crate::cli) struct Kept {
    place: Place,
    /// Heads of the bills that count, by period.
    heads: Vec<BillHead>,
    /// Periods that cannot be read.
    unreadable: Vec<BillsError>,
}

/// Where bills are read from.
enum Place {
    Demo(Vec<Arc<Bill>>),
    Store(Bills),
}

impl Kept {
    /// What is kept, of `export` alone where it is named. Says which exports are left out since others tell of the same
    /// charges. Fails where there is none, with what to do.
    pub(in crate::cli) fn of(
        invocation: &Invocation,
        export: Option<&str>,
        keys: &[BillKey],
        settings: &BillSettings,
    ) -> Result<Self, CliError> {
        let demo = invocation.reach.demo_fleet(&invocation.config, &invocation.options);
        let (place, all, unreadable) = if let Some(demo) = demo {
            let bills: Vec<Arc<Bill>> = bill::bills(&demo).into_iter().map(Arc::new).collect();
            let heads = bills.iter().map(|bill| bill.head.clone()).collect();
            (Place::Demo(bills), heads, vec![])
        } else {
            let store = Bills::beside(&invocation.cache_file()?);
            let kept = store.heads().map_err(unreadable)?;
            (Place::Store(store), kept.heads, kept.unreadable)
        };
        let keys: Vec<&BillKey> = keys.iter().collect();
        let found = countable(&all, &keys, settings, export);
        let Countable { mut heads, others } =
            found.map_err(|error| CliError::Usage(format!("--by: {error}")))?;
        if heads.is_empty() {
            return Err(absent(&all, export, &unreadable));
        }
        if export.is_none() && !others.is_empty() {
            let mut names: Vec<&str> = others.iter().map(|head| &*head.export).collect();
            names.sort_unstable();
            names.dedup();
            tell(format_args!(
                "left out, since another export tells of the same charges: {}; --export chooses",
                names.join(", ")
            ));
        }
        heads.sort_by(|a, b| (a.period, &a.export).cmp(&(b.period, &b.export)));
        Ok(Self { place, heads, unreadable })
    }

    /// True where no bill is there, and none that cannot be read. Fails where that cannot be told.
    pub(in crate::cli) fn is_empty(invocation: &Invocation) -> Result<bool, CliError> {
        if invocation.reach.demo_fleet(&invocation.config, &invocation.options).is_some() {
            return Ok(false);
        }
        let kept = Bills::beside(&invocation.cache_file()?).heads().map_err(unreadable)?;
        Ok(kept.heads.is_empty() && kept.unreadable.is_empty())
    }

    /// True where every bill that is kept can be read.
    pub(in crate::cli) fn are_all_readable(invocation: &Invocation) -> bool {
        if invocation.reach.demo_fleet(&invocation.config, &invocation.options).is_some() {
            return true;
        }
        let heads = invocation.cache_file().ok().map(|file| Bills::beside(&file).heads());
        heads.is_some_and(|heads| heads.is_ok_and(|kept| kept.unreadable.is_empty()))
    }

    /// The newest period.
    pub(in crate::cli) fn newest(&self) -> Month {
        self.heads.last().map_or(Month::of(jiff::civil::Date::ZERO), |head| head.period)
    }

    /// Bills of a period. Fails where there is none, with the periods that there are, and where one cannot be read.
    pub(in crate::cli) fn bills(&self, period: Month) -> Result<Vec<Arc<Bill>>, CliError> {
        let bills = self.read(|of| of == period)?;
        if bills.is_empty() {
            let mut periods: Vec<String> =
                self.heads.iter().map(|h| h.period.to_string()).collect();
            periods.dedup();
            let message = format!(
                "there is no bill of {period}; there are those of {}: `burntop bill import` brings others",
                periods.join(", ")
            );
            return Err(CliError::Failed { exit: Exit::Unreadable, message });
        }
        Ok(bills)
    }

    /// Bills of the `months` months before a period, oldest first; those that are not kept are left out. Fails where one
    /// cannot be read.
    pub(in crate::cli) fn before(
        &self,
        period: Month,
        months: i32,
    ) -> Result<Vec<Arc<Bill>>, CliError> {
        self.read(|of| (1..=months).contains(&period.since(of)))
    }

    fn read(&self, is_wanted: impl Fn(Month) -> bool) -> Result<Vec<Arc<Bill>>, CliError> {
        let heads = self.heads.iter().filter(|head| is_wanted(head.period));
        let read = |head: &BillHead| match &self.place {
            Place::Demo(bills) => {
                let of = |bill: &&Arc<Bill>| bill.head == *head;
                Ok(bills.iter().find(of).cloned().into_iter().collect::<Vec<_>>())
            }
            Place::Store(store) => {
                store.bill(&head.export, head.period).map(|bill| vec![Arc::new(bill)])
            }
        };
        let bills = heads.map(read).collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
        Ok(bills.into_iter().flatten().collect())
    }

    /// How a report ends that rests on what is kept: says which periods could not be read.
    pub(in crate::cli) fn ended(&self) -> Exit {
        self.unreadable.iter().for_each(tell);
        if self.unreadable.is_empty() { Exit::Ok } else { Exit::Partial }
    }
}

/// Heads of bills, in their order.
pub(in crate::cli) fn heads(bills: &[Arc<Bill>]) -> Vec<BillHead> {
    bills.iter().map(|bill| bill.head.clone()).collect()
}

fn unreadable(error: BillsError) -> CliError {
    CliError::Failed { exit: Exit::Unreadable, message: error.to_string() }
}

fn absent(all: &[BillHead], export: Option<&str>, broken: &[BillsError]) -> CliError {
    let message = match export.filter(|_| !all.is_empty()) {
        Some(export) => {
            let mut names: Vec<&str> = all.iter().map(|head| &*head.export).collect();
            names.sort_unstable();
            names.dedup();
            let (export, names) = (clean(export), names.join(", "));
            format!("--export: no bill of {export} is kept; there are those of {names}")
        }
        None if broken.is_empty() => "no bill is imported: `burntop bill import PATH` reads a Cost \
                                      and Usage Report, CUR 2.0 or FOCUS; `burntop doctor` says how \
                                      an export is made"
            .to_owned(),
        None => broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    CliError::Failed { exit: Exit::Unreadable, message }
}
