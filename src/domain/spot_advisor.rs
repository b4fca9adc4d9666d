//! How often Spot is taken back, as the Spot Instance Advisor published it: a dated table in the
//! binary, because the Advisor has no API.
//!
//! Where the rows come from is told in `assets/README.md`.

use std::sync::LazyLock;

use jiff::civil::Date;

use super::spot::Interruption;

const CSV: &str = include_str!("../../assets/spot-advisor.csv");

/// What the Advisor said of the month before `date`, Linux.
struct Advice {
    region: &'static str,
    instance_type: &'static str,
    band: Interruption,
    date: Date,
}

static ROWS: LazyLock<Vec<Advice>> = LazyLock::new(|| {
    let mut rows: Vec<Advice> = CSV.lines().skip(1).filter_map(read).collect();
    rows.sort_by(|a, b| key(a).cmp(&key(b)));
    rows
});

/// Region, type, band, source, date. The text is part of the binary, and a test holds every line
/// against this.
fn read(line: &'static str) -> Option<Advice> {
    let mut fields = line.split(',');
    let mut next = || fields.next().filter(|field| !field.is_empty());
    let (region, instance_type) = (next()?, next()?);
    let band = Interruption::from_label(next()?)?;
    let (_source, date) = (next()?, next()?.parse().ok()?);
    Some(Advice { region, instance_type, band, date })
}

/// Interruption band of an instance type in a region, with the date of the figure; `None` for types without
/// accelerators and newer than the table.
pub fn interruption(region: &str, instance_type: &str) -> Option<(Interruption, Date)> {
    let found = ROWS.binary_search_by(|row| key(row).cmp(&(region, instance_type)));
    found.ok().map(|i| (ROWS[i].band, ROWS[i].date))
}

fn key(row: &Advice) -> (&'static str, &'static str) {
    (row.region, row.instance_type)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn every_row_holds_and_stands_once() {
        assert_eq!(ROWS.len(), CSV.lines().count() - 1, "a row does not parse");
        assert!(ROWS.is_sorted_by(|a, b| key(a) < key(b)), "a row stands twice");
        let bands = |band| ROWS.iter().filter(|row| row.band == band).count();
        // Counted in the source with another tool.
        assert_eq!(Interruption::ALL.map(bands), [203, 81, 81, 83, 376]);
        // Each type with accelerators that the data have.
        for kind in ["dl1.24xlarge", "dl2q.24xlarge", "p2.xlarge", "trn1n.32xlarge"] {
            assert!(ROWS.iter().any(|row| row.instance_type == kind), "{kind}");
        }
    }

    #[test]
    fn figures_are_those_of_the_fact_sheet() {
        let at = |region, kind| interruption(region, kind).map(|(band, _)| band);
        assert_eq!(at("us-east-1", "p4d.24xlarge"), Some(Interruption::From10To15));
        assert_eq!(at("us-east-1", "p4de.24xlarge"), Some(Interruption::Below5));
        assert_eq!(at("us-east-1", "p5.48xlarge"), Some(Interruption::Above20));
        assert_eq!(at("us-east-1", "p5en.48xlarge"), Some(Interruption::Below5));
        assert_eq!(at("us-east-1", "m7i.4xlarge"), None);
        assert_eq!(at("mars-north-1", "p4d.24xlarge"), None);
        assert_eq!(interruption("us-east-1", "g5.xlarge").unwrap().1, date(2025, 6, 28));
    }
}
