//! The demand of a subcommand: a file, or what the cache saw running.

use std::io::{BufRead as _, BufReader, Read, Seek as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use jiff::tz::TimeZone;

use super::args::DemandArgs;
use super::first::us_east_1;
use super::{CliError, Ctx, Exit};
use crate::cli::{named_file, past, session};
use crate::domain::text::clean;
use crate::files;
use crate::whatif::demand::csv::{self, Columns, CsvOptions, LoadSeries};
use crate::whatif::{Demand, Family, bill};

/// The largest file that is read: 200 families over 10 years take half of it.
const LARGEST: u64 = 512 << 20;

/// The longest header of a bill: some hundred columns with long tag keys.
const HEADER_AT_MOST: u64 = 1 << 18;

/// How many families a subcommand wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// One: several are an error that lists them.
    One,
    /// Any number.
    All,
}

/// Reads the demand that was asked for.
pub(super) fn read(args: &DemandArgs, want: Want, ctx: &Ctx<'_>) -> Result<Demand, CliError> {
    let demand = match &args.demand {
        Some(path) => of_file(path, args, want)?,
        None => of_history(ctx)?,
    };
    let demand = match &args.family {
        Some(name) => only(demand, name)?,
        None => demand,
    };
    if want == Want::One && demand.families.len() > 1 {
        let flag = if args.family_column.is_some() { "--family" } else { "--column" };
        let flag = if args.demand.is_none() { "--family" } else { flag };
        return Err(CliError::Usage(format!(
            "several families; pick one with {flag}: {}",
            names(&demand)
        )));
    }
    Ok(demand)
}

fn names(demand: &Demand) -> String {
    demand.families.iter().map(|family| &*family.name).collect::<Vec<_>>().join(", ")
}

/// The demand with this family alone.
fn only(mut demand: Demand, name: &str) -> Result<Demand, CliError> {
    let known = names(&demand);
    let found: Vec<Family> = demand.families.drain(..).filter(|f| f.name == name).collect();
    if found.is_empty() {
        let name = clean(name);
        return Err(CliError::Usage(format!("there is no family {name}; there are: {known}")));
    }
    Ok(Demand { families: found, ..demand })
}

/// Reads a file; `-` is standard input.
fn of_file(path: &Path, args: &DemandArgs, want: Want) -> Result<Demand, CliError> {
    let name = path.display().to_string();
    if let Some(bill) = bill_of(path) {
        let made = bill::demand(bill, &name, &us_east_1);
        let made = made.map_err(|e| CliError::Usage(format!("{name}: {e}")))?;
        return args.column.as_ref().map_or(Ok(made.clone()), |column| only(made, column));
    }
    let columns = match (&args.column, &args.family_column, want) {
        (Some(value), Some(family), _) => {
            Columns::Long { value: value.clone(), family: family.clone() }
        }
        (Some(column), None, _) => Columns::One(column.clone()),
        (None, _, Want::One) => Columns::Single,
        (None, _, Want::All) => Columns::All,
    };
    let zone = TimeZone::get(&args.zone).map_err(|_| {
        let zone = clean(&args.zone);
        CliError::Usage(format!("--zone: there is no zone {zone}; for example Europe/Berlin"))
    })?;
    let options = CsvOptions { columns, zone, ..CsvOptions::new(&name) };
    csv::parse(&text(path)?, &options).map_err(|e| CliError::Usage(e.to_string()))
}

/// A bill from its first byte on; `None` for every other file. Bills may be large and packed: they
/// are read as a stream.
fn bill_of(path: &Path) -> Option<Box<dyn Read>> {
    let open = || -> Option<Box<dyn Read>> {
        let mut file = files::named(path).ok()?;
        let mut magic = [0; 2];
        let is_packed = file.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
        file.rewind().ok()?;
        let file = BufReader::new(file);
        Some(if is_packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
    };
    let mut header = Vec::new();
    BufReader::new(open()?.take(HEADER_AT_MOST)).read_until(b'\n', &mut header).ok()?;
    if bill::is_bill(std::str::from_utf8(&header).ok()?) { open() } else { None }
}

/// Demand of all families of a file, times without an offset in UTC. Fails where the file cannot be read.
pub(crate) fn demand_of_file(path: &Path) -> Result<Demand, CliError> {
    let args = DemandArgs { zone: "UTC".to_owned(), ..DemandArgs::default() };
    of_file(path, &args, Want::All)
}

/// A column of a file as a load.
pub(super) fn load(path: &Path, column: Option<&str>) -> Result<LoadSeries, CliError> {
    let columns = column.map_or(Columns::Single, |name| Columns::One(name.to_owned()));
    let name = path.display().to_string();
    let options = CsvOptions { columns, ..CsvOptions::new(&name) };
    csv::series(&text(path)?, &options).map_err(|e| CliError::Usage(e.to_string()))
}

/// The text of a file; `-` is standard input.
pub(super) fn text(path: &Path) -> Result<String, CliError> {
    let name = path.display();
    let bytes = named_file::read(path, LARGEST)?;
    if bytes.len() as u64 > LARGEST {
        return Err(CliError::Usage(format!("{name} is larger than {} MiB", LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|e| {
        let good = e.utf8_error().valid_up_to();
        let line = memchr::memchr_iter(b'\n', &e.as_bytes()[..good]).count() + 1;
        CliError::Usage(format!("{name}:{line}: not UTF-8; save the file as UTF-8"))
    })
}

/// Demand from the instances that the cache saw running.
fn of_history(ctx: &Ctx<'_>) -> Result<Demand, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (cache, _) = session::open_cache(ctx.invocation);
    let found = runtime.block_on(async {
        let found = past::demand(ctx.invocation, &cache).await;
        session::close_aloud(cache).await;
        found
    });
    found.map(|(demand, _)| demand).ok_or_else(|| {
        let text = "burntop has not yet seen a whole hour of the fleet: give the demand with \
                    --demand FILE.csv, or let the cockpit run for a while";
        CliError::Failed { exit: Exit::Unreadable, message: text.to_owned() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_bill_is_a_demand_and_a_demand_is_no_bill() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/whatif");
        let bill = demand_of_file(&data.join("bill-cur1.csv.gz")).unwrap();
        let names: Vec<&str> = bill.families.iter().map(|f| &*f.name).collect();
        // By what they cost: 5,928 h at $55.04, 5,640 h at $21.96, 6,288 h at less.
        assert_eq!(names, ["p5.48xlarge", "p4d.24xlarge", "g6e.12xlarge"]);
        assert!(bill.notes[0].contains("by the day"), "{:?}", bill.notes);
        let one = DemandArgs {
            column: Some("p4d.24xlarge".into()),
            zone: "UTC".into(),
            ..DemandArgs::default()
        };
        let path = data.join("bill-cur1.csv.gz");
        assert_eq!(of_file(&path, &one, Want::One).unwrap().families.len(), 1);
        assert!(bill_of(&data.join("snowflake_regions_1-2.csv")).is_none());
        assert!(bill_of(Path::new("-")).is_none());
    }
}
