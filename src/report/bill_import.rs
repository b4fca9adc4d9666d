//! What an import of bills brought.

use serde_json::{Value as Json, json};

use super::exact_json::exact;
use super::sheet::{Cell, Column, Sheet};
use super::write::{Notes, Report};
use crate::domain::SourceError;
use crate::domain::bill::{BillHead, Usd};
use crate::view::format::{count, counted, usd_total};
use crate::view::{Align, Value, ViewContext, reasons};

/// A period of an export after an import.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// Head of the bill that is kept now.
    pub head: BillHead,
    /// True where the delivery was read before, and was not read again.
    pub is_unchanged: bool,
}

/// Result of `burntop bill import`.
#[derive(Clone, Copy, Debug)]
pub struct BillImportReport<'a> {
    /// Periods, by place, export and period.
    pub rows: &'a [ImportRow],
    /// Deliveries and places that could not be imported.
    pub failed: &'a [SourceError],
}

impl Report for BillImportReport<'_> {
    fn view(&self) -> &'static str {
        "bill-import"
    }

    fn basis(&self) -> String {
        "Sums of all line items of a billing period, as the bill has them.".into()
    }

    fn rows(&self, _: &ViewContext, most: usize) -> Vec<Json> {
        self.rows.iter().take(most).map(row).collect()
    }

    fn errors(&self) -> Vec<Json> {
        let error = |e: &SourceError| json!({"source": "bill", "message": e.to_string(), "fix": e.advice()});
        self.failed.iter().map(error).collect()
    }

    fn records(&self, _: &ViewContext) -> Sheet {
        let columns = [
            ("export", "EXPORT", Align::Left),
            ("format", "FORMAT", Align::Left),
            ("provider", "PROVIDER", Align::Left),
            ("period", "PERIOD", Align::Left),
            ("state", "STATE", Align::Left),
            ("line_items", "LINES", Align::Right),
            ("billed_usd", "BILLED", Align::Right),
            ("effective_usd", "EFFECTIVE", Align::Right),
            ("list_usd", "LIST", Align::Right),
            ("unchanged", "READ", Align::Left),
        ];
        let columns = columns.map(|(name, header, align)| Column { name, header, align });
        Sheet { columns: columns.into(), rows: self.rows.iter().map(cells).collect() }
    }

    fn notes(&self, _: &ViewContext) -> Notes {
        let mut lines = vec![];
        for ImportRow { head, .. } in self.rows {
            for note in &head.notes {
                lines.push(format!(
                    "{} {}: {}",
                    head.export,
                    head.period,
                    reasons::bill_note(note)
                ));
            }
        }
        if !self.failed.is_empty() {
            let failed = counted(self.failed.len(), "delivery", "deliveries");
            lines.push(format!("PARTIAL: {failed} could not be imported"));
        }
        Notes::Apart(lines)
    }
}

/// Sum at list prices; `None` where no line says one.
fn list(head: &BillHead) -> Option<Usd> {
    let sums = &head.total;
    (!sums.list.is_zero() || sums.without_list == 0).then_some(sums.list)
}

fn row(ImportRow { head, is_unchanged }: &ImportRow) -> Json {
    json!({
        "export": head.export,
        "format": head.format.word(),
        "provider": head.provider,
        "period": head.period.to_string(),
        "state": head.state.word(),
        "line_items": head.lines,
        "billed_usd": exact(head.total.billed),
        "effective_usd": exact(head.total.effective),
        "list_usd": list(head).map(exact),
        "unchanged": is_unchanged,
        "notes": head.notes.iter().map(reasons::bill_note).collect::<Vec<_>>(),
    })
}

fn cells(ImportRow { head, is_unchanged }: &ImportRow) -> Vec<Cell> {
    let amount = |amount: Option<Usd>| match amount {
        Some(amount) => Cell { shown: usd_total(amount.to_f64()), value: Value::Usd(amount) },
        None => Cell { shown: "–".into(), value: Value::Unknown },
    };
    let lines =
        Cell { shown: count(head.lines as f64), value: Value::Text(head.lines.to_string().into()) };
    let read = if *is_unchanged { "unchanged" } else { "imported" };
    vec![
        Cell::text(&*head.export),
        Cell::text(head.format.word()),
        Cell::text(&*head.provider),
        Cell::text(head.period.to_string()),
        Cell::text(head.state.word()),
        lines,
        amount(Some(head.total.billed)),
        amount(Some(head.total.effective)),
        amount(list(head)),
        Cell { shown: read.into(), value: Value::Text(is_unchanged.to_string().into()) },
    ]
}
