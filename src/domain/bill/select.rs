//! Which bills count, where several exports tell of the same charges.

use super::head::BillHead;
use super::words::BillFormat;

/// The bills that count: of each period, provider and paying account one export, since two of them tell of the same
/// charges. It is `export` where that is named, else one with line items before Cost Explorer, then the one that was
/// written last. The others come second. Both in the order of `heads`.
pub fn selected<'a>(
    heads: &'a [BillHead],
    export: Option<&str>,
) -> (Vec<&'a BillHead>, Vec<&'a BillHead>) {
    let same = |a: &BillHead, b: &BillHead| {
        (a.period, &a.provider, &a.payer) == (b.period, &b.provider, &b.payer)
    };
    let rank = |head: &BillHead| {
        let has_lines = head.format != BillFormat::CostExplorer;
        (has_lines, head.written_at.unwrap_or(head.read_at), head.read_at, head.export.clone())
    };
    heads.iter().partition(|head| match export {
        Some(export) => *head.export == *export,
        None => heads.iter().all(|other| !same(head, other) || rank(other) <= rank(head)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::sample;

    #[test]
    fn of_two_exports_of_the_same_month_and_payer_the_one_written_last_counts() {
        let head = |period: &str, export: &str, payer: &str, format, read_at: &str| BillHead {
            export: export.into(),
            format,
            payer: payer.into(),
            has_days: true,
            last_day: 31,
            read_at: read_at.parse().unwrap(),
            ..sample::bill_head(period)
        };
        let heads = [
            head("2026-10", "focus", "1", BillFormat::Focus12, "2026-11-01T00:00:00Z"),
            head("2026-10", "cur", "1", BillFormat::Cur2, "2026-11-02T00:00:00Z"),
            head("2026-10", "ce", "1", BillFormat::CostExplorer, "2026-11-03T00:00:00Z"),
            head("2026-10", "other", "2", BillFormat::CostExplorer, "2026-11-01T00:00:00Z"),
            head("2026-09", "focus", "1", BillFormat::Focus12, "2026-11-01T00:00:00Z"),
        ];
        let names = |export| {
            let (selected, others) = selected(&heads, export);
            assert_eq!(selected.len() + others.len(), heads.len());
            selected.iter().map(|h| format!("{} {}", h.period, h.export)).collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["2026-10 cur", "2026-10 other", "2026-09 focus"]);
        assert_eq!(names(Some("focus")), ["2026-10 focus", "2026-09 focus"]);
    }
}
