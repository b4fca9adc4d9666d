//! The first pages: what can be done to these, and what is being checked.

use std::sync::Arc;

use super::instance::Cells;
use super::{LEFT_OUT, Line, SheetPage, Sign, accounts, indented, instances, left_out, paragraph};
use crate::act::plan::policy::chosen;
use crate::act::plan::{EnvironmentCount, Plan, Verb, by_environment};
use crate::app::Role;
use crate::app::sheet::{Choice, Offer, Sheet, VerbKind, why_read_only};
use crate::app::{Action, App, Mode};
use crate::fleet::Row;
use crate::view::format;

/// Columns of the verbs.
const VERB: usize = 12;

const CHOSEN: Sign = Sign::new("·", ".", "chosen", Role::Dim);
const WAITING: Sign = Sign::new("…", "~", "checking", Role::Dim);

/// Lines of the sheet's first step: which action for the chosen rows.
pub(super) fn choose(
    app: &App,
    sheet: &Sheet,
    choice: &Choice,
    width: usize,
    page: &mut SheetPage,
) {
    let rows: Vec<&Arc<Row>> = sheet.rows_in().collect();
    let lines = &mut page.lines;
    let rules = app.rules();
    // Whoever may do nothing learns it before anything is chosen.
    if !rows.iter().any(|r| rules.account(&r.instance.scope.account).may_act()) {
        read_only(app, rows.iter().map(|r| &r.instance.scope.account), width, lines);
    }
    let priced: Vec<f64> = rows.iter().filter_map(|r| r.usd_per_hour()).collect();
    let usd = match (priced.len(), rows.len() - priced.len()) {
        _ if rows.iter().all(|r| !r.instance.state.is_billed()) => "not running".to_owned(),
        (0, _) => "price not known".to_owned(),
        (_, 0) => format::usd_per_hour(priced.iter().sum()),
        (_, unpriced) => {
            format!("{} + {unpriced} unpriced", format::usd_per_hour(priced.iter().sum()))
        }
    };
    let head = format!("{}{}, {usd}", instances(rows.len()), left_out(sheet));
    let whose = accounts(app, rows.iter().map(|r| &r.instance.scope.account));
    paragraph(Role::Heading, &format!("{head}, {whose}"), width, lines);
    let production =
        rows.iter().filter(|r| rules.is_production(&r.instance.scope.account, &r.instance.tags));
    match production.count() {
        0 => {}
        count => {
            paragraph(Role::Crit, &format!("{} in production", instances(count)), width, lines);
        }
    }
    let counted = by_environment(rows.iter().map(|row| chosen(row, rules)));
    paragraph(Role::Text, &environments(&counted), width, lines);
    if let Some(search) = sheet.search() {
        let text = format!(
            "Chosen in a table filtered by the search `{search}`, which takes in more than it says: look \
             at each row."
        );
        paragraph(Role::Warn, &text, width, lines);
    }
    lines.push(Line::new());
    page.first = Some(lines.len());
    for (at, offer) in choice.offers().iter().enumerate() {
        let from = lines.len();
        verb(offer, choice, rows.len(), width, lines);
        if at == choice.cursor() {
            page.cursor = Some(from..lines.len());
        }
    }
    lines.push(Line::new());
    let key = app.keymap().keys(Action::LeaveOut).first().filter(|_| sheet.rows().len() > 1);
    if let Some(key) = key {
        let text = format!("{key} on a row leaves it out, and takes it back in.");
        paragraph(Role::Dim, &text, width, lines);
    }
    for (at, row) in sheet.rows().iter().enumerate() {
        let from = lines.len();
        let sign = if sheet.is_left_out(&row.instance.id) { &LEFT_OUT } else { &CHOSEN };
        // What blocks a stop before what is lost by it.
        let blocks = row.blocked_by().and_then(|mut all| all.next());
        let first = blocks.or_else(|| row.against_stop().and_then(|mut all| all.next()));
        let remark = first.map(|obstacle| {
            let head = match (obstacle.blocks, obstacle.is_sure) {
                (true, true) => "no stop now",
                (true, false) => "maybe no stop now",
                (false, _) => "if stopped",
            };
            format!("{head}: {}", obstacle.text)
        });
        let remark = remark.as_deref().map(|text| (text, Role::Warn));
        Cells::of_row(row).lines(app, sign, remark, width, lines);
        if choice.row() == Some(at) {
            page.cursor = Some(from..lines.len());
        }
    }
}

/// Lines with the chosen rows by environment.
pub(super) fn environments(counted: &[EnvironmentCount]) -> String {
    let all: Vec<String> = counted.iter().map(EnvironmentCount::head).collect();
    format!("By environment: {}.", all.join(", "))
}

fn verb(offer: &Offer, choice: &Choice, all: usize, width: usize, lines: &mut Vec<Line>) {
    let mut doc = offer.verb.doc().to_owned();
    if offer.verb == VerbKind::Mark {
        let until = choice.expires().strftime("%Y-%m-%d %H:%M UTC");
        doc = format!("{doc} Until {until}; :mark 7d gives another time.");
    }
    if offer.fits > 0 && offer.fits < all {
        let why = "the check says why not for the others";
        doc = format!("{doc} Makes sense for {} of {all}; {why}.", offer.fits);
    }
    let (name, role) = match offer.objection {
        Some(objection) => {
            doc = format!("not now: {objection}.");
            (Role::Dim, Role::Dim)
        }
        None => (Role::Accent, Role::Text),
    };
    let beside = width >= VERB + 40;
    if !beside {
        lines.push(Line::of(name, offer.verb.word()));
        return indented(role, &doc, 2, width, lines);
    }
    for (i, part) in super::wrap(&doc, width - VERB).into_iter().enumerate() {
        let word = if i == 0 { offer.verb.word() } else { "" };
        lines.push(Line::new().column(name, word, VERB).with(role, part));
    }
}

/// What a session says that may act in none of these accounts, and how to get one that may.
pub(super) fn read_only<'a>(
    app: &App,
    ids: impl Iterator<Item = &'a Arc<str>>,
    width: usize,
    lines: &mut Vec<Line>,
) {
    if app.mode() == Mode::Offline {
        let text = "Offline: nothing can be checked or changed.";
        return paragraph(Role::Warn, text, width, lines);
    }
    let why = match why_read_only(app.rules(), ids) {
        Some(why) => format!(": {why}."),
        None => {
            ". To arm, start burntop with --allow-actions, or set allow_actions = true for the \
                 account."
                .to_owned()
        }
    };
    let text = format!("Read-only: the checks are made, and nothing can be run{why}");
    paragraph(Role::Warn, &text, width, lines);
}

/// The plan, while its facts are being read.
pub(super) fn checking(app: &App, sheet: &Sheet, plan: &Plan, width: usize, page: &mut SheetPage) {
    let lines = &mut page.lines;
    let mut what = plan.verb.word().to_owned();
    if let Some(words) = verb_in_words(&plan.verb) {
        what = format!("{what}, {words}");
    }
    let count = instances(plan.items.len());
    let what = format!("Checking {count}{} before: {what}", left_out(sheet));
    paragraph(Role::Heading, &what, width, lines);
    let text = "Owners, protection, volumes, addresses, load balancers, permission, and what each \
                did in the last minutes. Nothing is changed; esc goes back.";
    paragraph(Role::Dim, text, width, lines);
    lines.push(Line::new());
    let mut items = plan.items.iter().peekable();
    for row in sheet.rows() {
        match items.next_if(|item| item.id == row.instance.id) {
            Some(item) => Cells::of_item(item).lines(app, &WAITING, None, width, lines),
            None => Cells::of_row(row).lines(app, &LEFT_OUT, None, width, lines),
        }
    }
}

/// `stop 3 instances`, with what belongs to the verb.
pub(super) fn plan_in_words(plan: &Plan) -> String {
    let what = format!("{} {}", plan.verb.word(), instances(plan.items.len()));
    match verb_in_words(&plan.verb) {
        Some(words) => format!("{what}, {words}"),
        None => what,
    }
}

/// Addition to a verb, such as its end or reason; `None` where there is nothing to add.
pub(super) fn verb_in_words(verb: &Verb) -> Option<String> {
    match verb {
        Verb::Mark { expires, reason } => {
            let until = expires.strftime("%Y-%m-%d %H:%M UTC");
            Some(format!("until {until}, reason: {reason}"))
        }
        Verb::Terminate { decrement: true } => {
            Some("Auto Scaling groups want one instance less for each".to_owned())
        }
        _ => None,
    }
}
