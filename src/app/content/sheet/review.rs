//! What the guards said: sums first, then each instance with its first reason, all of it on demand.

use super::instance::Cells;
use super::{LEFT_OUT, Line, SheetPage, Sign, choose, indented, left_out, paragraph};
use crate::act::plan::{CheckedRow, Finding, Severity, Verb};
use crate::app::App;
use crate::app::Role;
use crate::app::age::Age;
use crate::app::sheet::{Review, Sheet, Tally};
use crate::domain::HOURS_PER_MONTH;
use crate::view::{Symbols, format};

const GO: Sign = Sign::new("✓", "+", "go", Role::Ok);
const BLOCKED: Sign = Sign::new("✗", "x", "blocked", Role::Crit);
const UNARMED: Sign = Sign::new("·", ".", "unarmed", Role::Dim);
const WARN: Sign = Sign::new("!", "!", "warning", Role::Warn);
const NOTE: Sign = Sign::new("·", ".", "note", Role::Dim);

/// Columns of the signs of findings.
const SIGN: usize = 11;

/// The page.
pub(super) fn review(
    app: &App,
    sheet: &Sheet,
    review: &Review,
    width: usize,
    page: &mut SheetPage,
) {
    let checked = review.checked();
    let rules = app.rules();
    if crate::app::sheet::read_only(checked, rules) {
        let accounts = checked.rows.iter().map(|row| &row.item.scope.account);
        choose::read_only(app, accounts, width, &mut page.lines);
    }
    head(app, sheet, review, width, &mut page.lines);
    page.lines.push(Line::new());
    page.first = Some(page.lines.len());
    for (at, (row, checked)) in sheet.rows().iter().zip(review.rows()).enumerate() {
        let from = page.lines.len();
        let lines = &mut page.lines;
        match checked {
            Some(checked) => instance(app, checked, review.is_unfolded(at), width, lines),
            None => Cells::of_row(row).lines(app, &LEFT_OUT, None, width, lines),
        }
        if at == review.cursor() {
            page.cursor = Some(from..page.lines.len());
        }
    }
    page.lines.push(Line::new());
    let from = page.lines.len();
    button(app, sheet, review, width, &mut page.lines);
    if review.on_button() {
        page.cursor = Some(from..page.lines.len());
    }
}

/// Adds the head: what is planned, how many rows may go on, what they save.
fn head(app: &App, sheet: &Sheet, review: &Review, width: usize, lines: &mut Vec<Line>) {
    let (checked, tally) = (review.checked(), &review.tally());
    let plan = &checked.plan;
    let blocked = match tally.blocked {
        0 => "none is blocked".to_owned(),
        n => {
            format::counted(n, "is blocked and stays as it is", "are blocked and stay as they are")
        }
    };
    let mut text = format!(
        "{} {}: {}, {blocked}",
        capital(plan.verb.word()),
        super::instances(plan.items.len()),
        format::counted(tally.go, "goes", "go")
    );
    if tally.unarmed > 0 {
        text = format!("{text}, {} would go if armed", tally.unarmed);
    }
    text.push_str(&left_out(sheet));
    paragraph(Role::Heading, &text, width, lines);
    if let Some(words) = choose::verb_in_words(&plan.verb) {
        paragraph(Role::Text, &format!("{}.", capital(&words)), width, lines);
    }
    if matches!(plan.verb, Verb::Start) && tally.any() > 0 {
        paragraph(Role::Text, &cost(tally), width, lines);
    }
    if plan.verb.is_destructive() && tally.any() > 0 {
        paragraph(Role::Text, &saving(tally), width, lines);
        if tally.stays_usd_per_month > 0.0 || tally.stays_unpriced > 0 {
            let mut text = format!(
                "Volumes that stay go on billing {} per month of 730 h",
                format::usd(tally.stays_usd_per_month)
            );
            if tally.stays_unpriced > 0 {
                text = format!("{text} + {} at a price not known", tally.stays_unpriced);
            }
            paragraph(Role::Text, &format!("{text}."), width, lines);
        }
        if tally.instance_store_gb > 0 {
            paragraph(Role::Crit, &instance_store(tally), width, lines);
        }
    }
    if tally.production > 0 {
        let text = format!("{} in production.", super::instances(tally.production));
        paragraph(Role::Crit, &text, width, lines);
    }
    let counted = checked.environments();
    if !counted.is_empty() {
        paragraph(Role::Text, &choose::environments(&counted), width, lines);
    }
    if !checked.caps.is_empty() {
        let limits = checked.caps.iter().filter(|c| c.limit.is_some());
        let all: Vec<&str> = limits.map(|c| c.text.as_str()).collect();
        paragraph(Role::Dim, &format!("Caps: {}.", all.join(", ")), width, lines);
    }
    // They are counted, since whoever may do more meets the same caps with them.
    let held_back = |r: &&CheckedRow| r.may_go() && r.is_blocked() && !r.is_only_unarmed();
    let held_back = checked.rows.iter().filter(held_back).count();
    if held_back > 0 {
        let text = format!(
            "Counted with {} that only your permissions hold back.",
            super::instances(held_back)
        );
        paragraph(Role::Dim, &text, width, lines);
    }
    for breach in &checked.breaches {
        paragraph(Role::Crit, &format!("Cap: {breach}."), width, lines);
    }
    let age = Age::between(checked.checked_at, app.now());
    let callers: Vec<&str> = checked.callers.values().map(|arn| &**arn).collect();
    let by = if callers.is_empty() { "nobody".to_owned() } else { callers.join(", ") };
    paragraph(Role::Dim, &format!("Checked {age} ago as {by}."), width, lines);
}

/// What it saves, gross, and what of it is left where commitments are paid on.
pub(super) fn saving(tally: &Tally) -> String {
    if tally.unpriced == tally.any() {
        return "What it saves is not known: no price is known.".to_owned();
    }
    let saves = if tally.go > 0 { "Saves" } else { "Would save" };
    let sum = sum(saves, tally.saves_usd_per_hour, " gross", tally.unpriced);
    match tally.net_usd_per_hour {
        None => format!("{sum}; net of commitments: not known."),
        Some(net) => {
            let month = format::usd_total(net * HOURS_PER_MONTH);
            let net = format::usd_per_hour(net);
            format!("{sum}; net of commitments {net}, {month} per month.")
        }
    }
}

/// Dollars per hour and month, and how many rows are not among them.
fn sum(verb: &str, usd_per_hour: f64, basis: &str, unpriced: usize) -> String {
    let hour = format::usd_per_hour(usd_per_hour);
    let month = format::usd_total(usd_per_hour * HOURS_PER_MONTH);
    let text = format!("{verb} {hour}{basis}, {month} per month of 730 h");
    if unpriced > 0 { format!("{text}, + {unpriced} unpriced") } else { text }
}

/// What a start costs, at list price.
pub(super) fn cost(tally: &Tally) -> String {
    if tally.rate_unknown == tally.any() {
        return "What it costs is not known: no price is known.".to_owned();
    }
    let sum = sum("Costs", tally.rate_usd_per_hour, " from then on", tally.rate_unknown);
    format!("{sum}.")
}

pub(super) fn instance_store(tally: &Tally) -> String {
    format!(
        "{} GB of instance-store data on {} are lost.",
        format::grouped(tally.instance_store_gb as f64, 0),
        super::instances(tally.losing)
    )
}

fn instance(app: &App, row: &CheckedRow, unfolded: bool, width: usize, lines: &mut Vec<Line>) {
    let sign = match row.is_blocked() {
        false => &GO,
        true if row.is_only_unarmed() => &UNARMED,
        true => &BLOCKED,
    };
    let first = |severity| row.findings.iter().find(|f: &&Finding| f.severity == severity);
    // That it is not armed stands above, once.
    let reason = row.own_reason().filter(|finding| !row.is_about_arming(finding));
    let remark = match (reason, first(Severity::Warn)) {
        _ if unfolded => None,
        (Some(block), _) => Some((block.text.clone(), Role::Crit)),
        (None, Some(warning)) => {
            let more = row.findings.iter().filter(|f| f.severity == Severity::Warn).count() - 1;
            let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
            Some((format!("! {}{more}", warning.text), Role::Warn))
        }
        (None, None) => None,
    };
    let remark = remark.as_ref().map(|(text, role)| (text.as_str(), *role));
    Cells::of_item(&row.item).lines(app, sign, remark, width, lines);
    if !unfolded {
        return;
    }
    let symbols = app.appearance().symbols;
    for finding in &row.findings {
        let sign = match finding.severity {
            Severity::Block => &BLOCKED,
            Severity::Warn => &WARN,
            Severity::Note => &NOTE,
        };
        entry(sign, &format!("{}  [{}]", finding.text, finding.source), symbols, width, lines);
    }
}

/// A sign with its sentence, below an instance.
fn entry(sign: &Sign, text: &str, symbols: Symbols, width: usize, lines: &mut Vec<Line>) {
    let head = sign.text(symbols);
    if width < 50 {
        lines.push(Line::new().text("  ").with(sign.role, head.trim().to_owned()));
        return indented(Role::Text, text, 4, width, lines);
    }
    for (i, part) in super::wrap(text, width - 2 - SIGN).into_iter().enumerate() {
        let head = if i == 0 { head.trim() } else { "" };
        lines.push(Line::new().text("  ").column(sign.role, head, SIGN).text(part));
    }
}

/// Adds the button of the next step, or the reason why there is none.
fn button(app: &App, sheet: &Sheet, review: &Review, width: usize, lines: &mut Vec<Line>) {
    if let Some(obstacle) = sheet.obstacle(review, app.rules()) {
        return paragraph(Role::Dim, &format!("Cannot go on: {obstacle}"), width, lines);
    }
    let tally = review.tally();
    let verb = review.checked().plan.verb.word();
    let text = format!("[ {} {} ]", capital(verb), super::instances(tally.go));
    let left = match tally.blocked {
        0 => String::new(),
        1 => "; the blocked one is left out".to_owned(),
        blocked => format!("; the {blocked} blocked are left out"),
    };
    let key = app.keymap().keys(crate::app::Action::GoOn).first();
    let goes_on = key.map_or_else(|| "enter".to_owned(), ToString::to_string);
    let left = format!("  {goes_on} goes on to the last question{left}");
    lines.push(
        Line::new().with(button_role(&review.checked().plan.verb), text).with(Role::Dim, left),
    );
}

fn button_role(verb: &Verb) -> Role {
    if verb.is_destructive() { Role::Crit } else { Role::Accent }
}

/// With a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
