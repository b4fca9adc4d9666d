//! Text in place of a list without a row: how to get a bill, or why there is nothing.

use crate::app::content::Line;
use crate::app::{App, Role};
use crate::tabs::storage::pages::parts::paragraph;

/// What makes a Data Export of AWS whose files burntop reads.
const CREATE_EXPORT: &str = "aws bcm-data-exports create-export --export file://export.json";

/// Ways to a bill: what each needs, and the command.
const WAYS: [(&str, &str); 3] = [
    (
        "Files of a bill, or a folder of them: a Cost and Usage Report, CUR 2.0 or FOCUS 1.0 and 1.2, of AWS or another \
         provider.",
        "burntop bill import PATH",
    ),
    (
        "The bucket that a Data Export of your account writes to. Name it as `exports` in [bill] of the configuration, and \
         later imports need no path.",
        "burntop bill import s3://BUCKET/PREFIX",
    ),
    (
        "No export yet? This makes one, a file a day; `burntop doctor` prints it with what has to stand in export.json.",
        CREATE_EXPORT,
    ),
];

/// Lines shown in place of a list without rows.
pub fn empty(app: &App, width: usize) -> Vec<Line> {
    let tab = app.bill_tab();
    if let Some(why) = tab.asking.trouble() {
        let mut lines = vec![Line::of(Role::Heading, "The bill cannot be read")];
        paragraph(Role::Crit, why, width, &mut lines);
        return lines;
    }
    let Some(bill) = app.bill() else { return vec![Line::of(Role::Dim, "Reading the bills.")] };
    if bill.period.is_none() {
        let what = "A bill says what was really paid: discounts, tax, credits and services that no other tab knows.";
        return ways_to_a_bill(what, width);
    }
    let mut lines = super::strip(app, width);
    let text = if tab.is_behind() { "Reading." } else { tab.look().spec().empty };
    paragraph(Role::Text, text, width, &mut lines);
    lines
}

/// What a bill would tell, and how to get one.
pub(crate) fn ways_to_a_bill(what: &str, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::of(Role::Heading, "No bill is kept yet")];
    let text = format!("{what} Once imported it needs no account.");
    paragraph(Role::Text, &text, width, &mut lines);
    for (what, command) in WAYS {
        lines.push(Line::new());
        paragraph(Role::Text, what, width, &mut lines);
        lines.push(Line::new().text("    ").with(Role::Accent, command));
    }
    lines.push(Line::new());
    paragraph(Role::Dim, "r looks again whether one was imported.", width, &mut lines);
    lines
}
