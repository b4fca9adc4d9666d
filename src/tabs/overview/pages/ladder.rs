//! The ladder on screen: from the list price of what runs to the bill now, and the bill by what it is spent on.

use super::{cut, line_columns};
use crate::app::Role;
use crate::app::content::{Line, Target, columns, wrap};
use crate::app::{SavingsList, Tab};
use crate::domain::HOURS_PER_MONTH;
use crate::fleet::PartKind;
use crate::fleet::savings::{BillKind, BillPart};
use crate::tabs::overview::picture::{Basis, Ladder, LadderRow, Money, Overview, filter};
use crate::tabs::overview::state::BillPage;
use crate::view::{Symbols, ViewContext, format, reasons};

/// Columns of the mark and the glyph, of the labels, of dollars per hour, of the share, and of dollars per month.
const MARK: usize = 4;
const LABEL: usize = 24;
const MONEY: usize = 13;
const SHARE: usize = 6;
const MONTH: usize = 13;

/// From this width on, each row has its dollars per month.
const MONTHS: usize = 110;

/// From this width on, each row has its dollars per day as well, before those per month.
const DAYS: usize = MONTHS + MONTH;

/// Columns of longer times: their heading and hours.
static LONGER: [(&str, f64); 2] = [("a day", 24.0), ("a month", HOURS_PER_MONTH)];

/// On screens with fewer rows the parts of a whole bill stand below the findings, and above them [`short`].
pub(super) const TALL: u16 = 30;

/// Rows of the ladder, and what stands below them over the whole width: what is left out, a bar of the parts.
pub(super) fn lines(
    overview: &Overview,
    ctx: &ViewContext,
    width: usize,
) -> (Vec<Line>, Vec<Line>) {
    let ladder = &overview.ladder;
    let shape = Shape::of(ladder, width, ctx);
    let mut lines = vec![shape.heading(ladder, title(ladder))];
    lines.extend(steps(overview, &shape));
    lines.extend(ladder.rows.iter().map(|row| shape.part(row, ladder.whole())));
    let mut below = net_unknown(ladder, width);
    below.push(bar(ladder, ctx, width));
    (lines, below)
}

/// The ladder of a whole bill in few rows: its steps, the waste of instances, and in a row each what else is waste and what is
/// not. Below it what is left out.
pub(super) fn short(
    overview: &Overview,
    ctx: &ViewContext,
    width: usize,
) -> (Vec<Line>, Vec<Line>) {
    let ladder = &overview.ladder;
    let shape = Shape::of(ladder, width, ctx);
    let mut lines = vec![shape.heading(ladder, title(ladder))];
    lines.extend(steps(overview, &shape));
    let is_main = |row: &&LadderRow| {
        matches!(row.kind, BillKind::Instances(PartKind::Idle | PartKind::PartlyIdle))
    };
    let main = ladder.rows.iter().filter(is_main);
    lines.extend(main.map(|row| shape.part(row, ladder.whole())));
    for (label, is_waste) in [("other waste, see below", true), ("all else, see below", false)] {
        let is_in = |row: &&LadderRow| !is_main(row) && row.kind.is_waste() == is_waste;
        let rows: Vec<&LadderRow> = ladder.rows.iter().filter(is_in).collect();
        if !rows.is_empty() {
            lines.push(shape.rest(label, is_waste, &rows, ladder.whole()));
        }
    }
    (lines, net_unknown(ladder, width))
}

/// All parts of the bill with their bar, for below the findings.
pub(super) fn parts(ladder: &Ladder, ctx: &ViewContext, width: usize) -> Vec<Line> {
    let shape = Shape::of(ladder, width, ctx);
    let rows = ladder.rows.iter().map(|row| shape.part(row, ladder.whole()));
    let heading = std::iter::once(shape.heading(ladder, "Parts of the bill"));
    heading.chain(rows).chain([bar(ladder, ctx, width)]).collect()
}

/// Heading of the ladder.
fn title(ladder: &Ladder) -> &'static str {
    if ladder.is_whole() { "Bill, USD per hour" } else { "Burn, USD per hour" }
}

/// The glyph and role of a part, so that the bar can be read without colour.
fn look(kind: BillKind, symbols: Symbols) -> (char, Role) {
    let (unicode, ascii, role) = match kind {
        BillKind::Instances(PartKind::Busy) => ('█', '#', Role::Ok),
        BillKind::Instances(PartKind::Idle) => ('░', '.', Role::Idle),
        BillKind::Instances(PartKind::PartlyIdle) => ('▒', '%', Role::Idle),
        BillKind::Instances(PartKind::Underused) => ('▞', '-', Role::Warn),
        BillKind::Instances(PartKind::Unknown) => ('?', '?', Role::Warn),
        BillKind::Instances(PartKind::TooNew) => ('+', '+', Role::Dim),
        BillKind::Instances(PartKind::Exempt) => ('x', 'x', Role::Dim),
        BillKind::Instances(PartKind::Unjudged) => ('~', '~', Role::Dim),
        BillKind::UnusedCommitments => ('▁', '_', Role::Idle),
        BillKind::UsedElsewhere => ('▅', 'e', Role::Dim),
        BillKind::EmptyCapacity => ('▂', 'o', Role::Idle),
        BillKind::IdleResources => ('▃', ',', Role::Idle),
        BillKind::OtherResources => ('▄', '=', Role::Dim),
        BillKind::Storage => ('▆', 's', Role::Dim),
        BillKind::Network => ('▇', 'n', Role::Dim),
    };
    (if symbols == Symbols::Ascii { ascii } else { unicode }, role)
}

/// What `enter` opens on a part: its rows.
pub(super) fn target(kind: BillKind) -> Target {
    let filtered = |list, text| Target::Filtered(Box::new(list), text);
    match kind {
        BillKind::Instances(_) => {
            filtered(Target::Tab(Tab::Idle), filter(kind).unwrap_or_default())
        }
        BillKind::UnusedCommitments => {
            filtered(Target::List(SavingsList::Commitments), "not kind=capacity_reservation")
        }
        BillKind::UsedElsewhere => {
            filtered(Target::List(SavingsList::Commitments), "kind=capacity_block")
        }
        BillKind::EmptyCapacity => {
            filtered(Target::List(SavingsList::Commitments), "kind=capacity_reservation")
        }
        BillKind::IdleResources => filtered(Target::List(SavingsList::Resources), "verdict=idle"),
        BillKind::OtherResources => {
            filtered(Target::List(SavingsList::Resources), "not verdict=idle")
        }
        BillKind::Storage => Target::Tab(Tab::Storage),
        BillKind::Network => Target::Tab(Tab::Network),
    }
}

/// From the list price to the bill, and what of it is waste.
fn steps(overview: &Overview, shape: &Shape<'_>) -> Vec<Line> {
    let ladder = &overview.ladder;
    let count = |n: u32| format::grouped(f64::from(n), 0);
    let few = format!("{} running", count(overview.running));
    let run = format!("{} of {} running", count(overview.running), count(overview.instances));
    let gpus = format!("{run}, {} GPUs", format::count(overview.gpus));
    let notes = match overview.unpriced {
        0 => vec![gpus, run, few],
        n => vec![
            format!("{gpus}, {n} without a price"),
            format!("{run}, {n} without a price"),
            format!("{run}, {n} unpriced"),
            few,
        ],
    };
    let list = overview.known_burn().map(|_| ladder.list());
    let running = Target::Filtered(Box::new(Target::Tab(Tab::Idle)), "state=running");
    let mut lines = vec![shape.listed("list price of what runs", list, &notes).to(running)];
    let commitments = Target::List(SavingsList::Commitments);
    match &ladder.basis {
        Basis::Net => {
            let line = shape.step("what commitments change", ladder.change(), Role::Text, &[]);
            lines.push(line.to(commitments));
        }
        Basis::List(why) => {
            let notes = [format!("not known: {}", reasons::net_unknown(why)), "not known".into()];
            let line = shape.step("what commitments change", None, Role::Warn, &notes);
            lines.push(line.to(commitments));
        }
        Basis::Instances => {}
    }
    if ladder.is_whole() {
        let line = shape.step("paid besides", Some(ladder.besides()), Role::Text, &[]);
        lines.push(line.to(Target::Bill(BillPage::Besides)));
        let line = shape.step(bill_label(ladder), Some(ladder.bill()), Role::Heading, &[]);
        lines.push(line.to(Target::Bill(BillPage::Whole)));
    }
    lines.push(shape.waste(ladder, overview.told_waste().is_some()));
    lines
}

/// Name of the sum of all parts, by what it covers.
pub(super) fn bill_label(ladder: &Ladder) -> &'static str {
    if ladder.basis == Basis::Net { "the bill now" } else { "the bill at list price" }
}

/// A sentence, wrapped.
fn warning(text: &str, width: usize) -> Vec<Line> {
    wrap(text, width).into_iter().map(|part| Line::of(Role::Warn, part)).collect()
}

/// The sentence on a net that is not known.
fn net_unknown(ladder: &Ladder, width: usize) -> Vec<Line> {
    let Basis::List(why) = &ladder.basis else { return Vec::new() };
    let why = reasons::net_unknown(why);
    warning(&format!("Net of commitments unknown ({why}): savings are at list price."), width)
}

/// What no figure of the ladder has; `why` says whether a part is on its way, and what to do where it is not.
pub(super) fn unread(ladder: &Ladder, why: impl Fn(BillPart) -> String, width: usize) -> Vec<Line> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for part in &ladder.unread {
        let why = why(*part);
        match parts.last_mut() {
            Some((labels, alike)) if *alike == why => {
                labels.push_str(", ");
                labels.push_str(part.label());
            }
            _ => parts.push((part.label().to_owned(), why)),
        }
    }
    if parts.is_empty() {
        return Vec::new();
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(labels, why)| format!("{labels}: {why}")).collect();
    warning(&format!("The bill leaves out {}.", parts.join("; ")), width)
}

/// Which columns there is room for.
struct Shape<'a> {
    ctx: &'a ViewContext,
    width: usize,
    label: usize,
    /// True where the list price has a column of its own.
    list: bool,
    share: bool,
    /// Columns of longer times: their heading and hours.
    longer: &'static [(&'static str, f64)],
}

impl<'a> Shape<'a> {
    fn of(ladder: &Ladder, width: usize, ctx: &'a ViewContext) -> Self {
        // On a narrow screen the label gives way to the dollars.
        let label = LABEL.min(width.saturating_sub(MONEY + MARK)).max(8);
        let used = MARK + label + MONEY;
        let list = ladder.basis == Basis::Net && used + MONEY <= width;
        let used = used + if list { MONEY } else { 0 };
        let longer = match width {
            DAYS.. => &LONGER[..],
            MONTHS.. => &LONGER[1..],
            _ => &[],
        };
        Self { ctx, width, label, list, share: used + SHARE <= width, longer }
    }

    fn heading(&self, ladder: &Ladder, title: &str) -> Line {
        let paid = if ladder.basis == Basis::Net { "paid" } else { "list price" };
        let mut line = Line::new()
            .column(
                Role::Heading,
                &cut(title, MARK + self.label, self.ctx.symbols),
                MARK + self.label,
            )
            .number(Role::Dim, paid, MONEY);
        if self.list {
            line = line.number(Role::Dim, "list price", MONEY);
        }
        if self.share {
            line = line.number(Role::Dim, "share", SHARE);
        }
        for (heading, _) in self.longer {
            line = line.number(Role::Dim, heading, MONTH);
        }
        line
    }

    fn usd(&self, money: Option<Money>) -> String {
        self.ctx.symbols.or_unknown(money.map(Money::shown), format::usd_per_hour)
    }

    /// Mark, label and dollars; what follows is aligned to the columns.
    fn begin(&self, mark: Line, role: Role, label: &str, money: Option<Money>) -> Line {
        mark.column(role, &cut(label, self.label, self.ctx.symbols), self.label).number(
            role,
            &self.usd(money),
            MONEY,
        )
    }

    /// Dollars per day and per month in their columns, as far as there are any.
    fn end(&self, line: Line, money: Option<Money>, notes: &[String]) -> Line {
        let line = self.longer.iter().fold(line, |line, (_, hours)| {
            let usd = money.map(|m| m.usd * hours);
            line.number(Role::Dim, &self.ctx.symbols.or_unknown(usd, format::usd_total), MONTH)
        });
        let room = self.width.saturating_sub(line_columns(&line));
        let note = notes.iter().find(|note| columns(note) + 2 <= room);
        match note {
            Some(note) => line.with(Role::Dim, format!("  {note}")),
            None => line,
        }
    }

    fn blank(&self, line: Line) -> Line {
        let list = if self.list { MONEY } else { 0 };
        let share = if self.share { SHARE } else { 0 };
        line.text(" ".repeat(list + share))
    }

    /// A step of the ladder, from the list price to the bill.
    fn step(&self, label: &str, money: Option<Money>, role: Role, notes: &[String]) -> Line {
        let line = self.begin(Line::new().text(" ".repeat(MARK)), role, label, money);
        let is_total = role == Role::Heading && self.longer.is_empty();
        let month = money
            .filter(|_| is_total)
            .map(|m| format!("{}/month", format::usd_total(m.usd * HOURS_PER_MONTH)));
        let notes: Vec<String> = month.into_iter().chain(notes.iter().cloned()).collect();
        self.end(self.blank(line), money, &notes)
    }

    /// The step that the ladder begins with: nobody pays it, so that it stands among the list prices where they have a column.
    fn listed(&self, label: &str, money: Option<Money>, notes: &[String]) -> Line {
        if !self.list {
            return self.step(label, money, Role::Text, notes);
        }
        let label = cut(label, self.label, self.ctx.symbols);
        let share = if self.share { SHARE } else { 0 };
        let line = Line::new()
            .text(" ".repeat(MARK))
            .column(Role::Text, &label, self.label)
            .text(" ".repeat(MONEY))
            .number(Role::Text, &self.usd(money), MONEY)
            .text(" ".repeat(share));
        self.end(line, money, notes)
    }

    /// The sum of the marked rows.
    fn waste(&self, ladder: &Ladder, is_known: bool) -> Line {
        let whole = ladder.whole();
        let of = |money: Money| Some(money).filter(|_| is_known);
        let mark = Line::new().with(Role::Idle, "!   ");
        let label = if ladder.is_whole() { "of it waste, marked !" } else { "waste, marked !" };
        let line = self.begin(mark, Role::Idle, label, of(ladder.waste()));
        let line = self.columns(line, of(ladder.waste_at_list()), of(ladder.waste()), whole);
        let notes = if self.longer.is_empty() {
            let month = of(ladder.waste()).map(|m| m.usd * HOURS_PER_MONTH);
            month.map(|usd| format!("{}/month", format::usd_total(usd))).into_iter().collect()
        } else {
            Vec::new()
        };
        let line = self.end(line, of(ladder.waste()), &notes);
        line.to(Target::Filtered(
            Box::new(Target::Tab(Tab::Idle)),
            "verdict=idle or verdict=partial",
        ))
    }

    /// List price and share of the whole, as far as they have columns.
    fn columns(&self, line: Line, list: Option<Money>, paid: Option<Money>, whole: Money) -> Line {
        let mut line = line;
        if self.list {
            line = match list {
                Some(list) => line.number(Role::Dim, &self.usd(Some(list)), MONEY),
                None => line.text(" ".repeat(MONEY)),
            };
        }
        if self.share {
            let share = paid.filter(|_| whole.usd > 0.0).map(|m| m.usd / whole.usd * 100.0);
            line = line.number(
                Role::Dim,
                &self.ctx.symbols.or_unknown(share, |p| format::percent(p, 0)),
                SHARE,
            );
        }
        line
    }

    fn part(&self, row: &LadderRow, whole: Money) -> Line {
        let (glyph, role) = look(row.kind, self.ctx.symbols);
        let mark = if row.kind.is_waste() { "! " } else { "  " };
        let mark = Line::new().with(Role::Idle, mark).with(role, format!("{glyph} "));
        let paid = row.known_paid();
        let line = self.begin(mark, Role::Text, row.kind.label(), paid);
        let line = self.columns(line, row.known_list(), paid, whole);
        let count = format::grouped(f64::from(row.count), 0);
        let noun = match row.kind {
            BillKind::Instances(_) => "inst",
            BillKind::UnusedCommitments => "in force",
            _ => "",
        };
        let counted = format!("{count} {noun}");
        let counted = counted.trim_end();
        let notes = match row.unpriced {
            0 => vec![counted.to_owned()],
            n => vec![
                format!("{counted}, {n} without a price"),
                format!("{n} without a price"),
                format!("{n} unpriced"),
            ],
        };
        self.end(line, paid, &notes).to(target(row.kind))
    }

    /// The sum of several parts, which leads to all of the bill.
    fn rest(&self, label: &str, is_waste: bool, rows: &[&LadderRow], whole: Money) -> Line {
        let mark = if is_waste { "!   " } else { "    " };
        let paid: Option<Money> = Some(rows.iter().map(|row| row.paid).sum());
        let line = self.begin(Line::new().with(Role::Idle, mark), Role::Text, label, paid);
        let list = rows.iter().filter_map(|row| row.list).reduce(|sum, list| sum + list);
        let line = self.columns(line, list, paid, whole);
        let notes = match rows.iter().map(|row| row.unpriced).sum::<u32>() {
            0 => Vec::new(),
            n => vec![format!("{n} without a price"), format!("{n} unpriced")],
        };
        self.end(line, paid, &notes).to(Target::Bill(BillPage::Whole))
    }
}

/// The parts of the ladder as one bar of `width` columns.
fn bar(ladder: &Ladder, ctx: &ViewContext, width: usize) -> Line {
    let usd: Vec<f64> = ladder.rows.iter().map(|row| row.paid.usd).collect();
    let cells = apportion(&usd, width);
    ladder.rows.iter().zip(cells).filter(|(_, cells)| *cells > 0).fold(
        Line::new(),
        |bar, (row, n)| {
            let (glyph, role) = look(row.kind, ctx.symbols);
            bar.with(role, glyph.to_string().repeat(n))
        },
    )
}

/// Cells of a bar of `width` for each value: proportional, by largest remainder, so that they sum
/// up to `width` (or to nothing when all are nothing).
fn apportion(values: &[f64], width: usize) -> Vec<usize> {
    let total: f64 = values.iter().sum();
    if total <= 0.0 {
        return vec![0; values.len()];
    }
    let exact: Vec<f64> = values.iter().map(|value| value / total * width as f64).collect();
    let mut cells: Vec<usize> = exact.iter().map(|e| e.floor() as usize).collect();
    let mut by_remainder: Vec<usize> = (0..values.len()).collect();
    by_remainder.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = width.saturating_sub(cells.iter().sum());
    for i in by_remainder.into_iter().take(missing) {
        cells[i] += 1;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::overview::picture::overview;
    use crate::tabs::savings::picture::fixture::{denied, savings};
    use crate::view::fixture::{ctx, fleet};

    #[test]
    fn a_bar_is_as_long_as_it_should_be() {
        let parts = [1.0, 1.0, 1.0, 0.0];
        assert_eq!(apportion(&parts, 10), [4, 3, 3, 0]);
        assert_eq!(apportion(&[0.0], 10), [0]);
        for width in 0..200 {
            assert_eq!(apportion(&parts, width).iter().sum::<usize>(), width);
        }
    }

    /// Text of a line.
    fn text(line: &Line) -> String {
        line.spans.iter().map(|span| &*span.text).collect()
    }

    /// Dollars of a line, in cents: the first amount in it.
    fn cents(line: &Line) -> Option<i64> {
        let text = text(line);
        let amount = text.split_whitespace().find(|word| word.ends_with("/h"))?;
        let digits: String = amount.chars().filter(char::is_ascii_digit).collect();
        let sign = if amount.contains(['-', '−']) { -1 } else { 1 };
        digits.parse::<i64>().ok().map(|cents| sign * cents)
    }

    #[test]
    fn what_is_shown_adds_up() {
        let savings = savings();
        let o = overview(&fleet(), &ctx()).with_savings(&savings);
        let (lines, _) = lines(&o, &ctx(), 78);
        let of = |label: &str| {
            cents(lines.iter().find(|line| text(line).contains(label)).unwrap()).unwrap()
        };
        let bill = of("the bill now");
        assert_eq!(bill, 40_000);
        let steps = ["list price of what runs", "what commitments change", "paid besides"];
        assert_eq!(steps.map(of).iter().sum::<i64>(), bill);
        let parts = &lines[6..6 + o.ladder.rows.len()];
        assert_eq!(parts.iter().filter_map(cents).sum::<i64>(), bill);
        let marked = parts.iter().filter(|line| text(line).starts_with('!'));
        assert_eq!(marked.filter_map(cents).sum::<i64>(), of("of it waste"));
    }

    #[test]
    fn in_few_rows_it_adds_up_too_and_the_parts_follow() {
        for savings in [savings(), denied()] {
            let o = overview(&fleet(), &ctx()).with_savings(&savings);
            let rows = short(&o, &ctx(), 78).0;
            // With the strip, a blank line, the heading and three findings no more than the 18 rows of 24.
            assert!(rows.len() + 6 <= 18, "{} rows", rows.len());
            let of = |label: &str| {
                cents(rows.iter().find(|line| text(line).contains(label)).unwrap()).unwrap()
            };
            let waste = rows.iter().position(|line| text(line).contains("of it waste")).unwrap();
            let below = &rows[waste + 1..];
            assert_eq!(below.iter().filter_map(cents).sum::<i64>(), o.ladder.bill().cents);
            assert_eq!(of(bill_label(&o.ladder)), o.ladder.bill().cents);
            let marked = below.iter().filter(|line| text(line).starts_with('!'));
            assert_eq!(marked.filter_map(cents).sum::<i64>(), of("of it waste"));
            assert!(rows[1..].iter().all(|line| line.target.is_some()));
            let parts = parts(&o.ladder, &ctx(), 78);
            assert_eq!(parts.len(), 1 + o.ladder.rows.len() + 1, "a heading and the bar");
            assert_eq!(parts.iter().filter_map(cents).sum::<i64>(), o.ladder.bill().cents);
            for width in 20..220 {
                for line in short(&o, &ctx(), width).0 {
                    let columns = line_columns(&line);
                    assert!(columns <= width.max(MARK + 8 + MONEY), "{width}: {line:?}");
                }
            }
        }
    }

    #[test]
    fn the_list_price_stands_among_list_prices_where_they_have_a_column() {
        let o = overview(&fleet(), &ctx()).with_savings(&savings());
        for width in [60, 78, 120, 200] {
            let rows: Vec<String> = lines(&o, &ctx(), width).0.iter().map(text).collect();
            let ends = |row: &str, word: &str| row.find(word).map(|at| at + word.len());
            let list = rows.iter().find(|row| row.contains("list price of what runs")).unwrap();
            assert_eq!(ends(list, "/h"), ends(&rows[0], "list price"), "{width}: {rows:#?}");
        }
        let narrow: Vec<String> = lines(&o, &ctx(), 45).0.iter().map(text).collect();
        assert!(!narrow[0].contains("list price") && narrow[1].contains("/h"), "{narrow:#?}");
    }

    #[test]
    fn where_there_is_room_each_row_is_by_the_day_too() {
        let o = overview(&fleet(), &ctx()).with_savings(&savings());
        let shown =
            |width: usize| -> Vec<String> { lines(&o, &ctx(), width).0.iter().map(text).collect() };
        let bill = |rows: &[String]| {
            rows.iter().find(|row| row.contains("the bill now")).cloned().unwrap_or_default()
        };
        // $400.00 an hour.
        let wide = shown(DAYS);
        assert!(wide[0].contains("a day") && wide[0].contains("a month"), "{wide:#?}");
        assert!(bill(&wide).contains("$9,600") && bill(&wide).contains("$292,000"), "{wide:#?}");
        let narrower = shown(DAYS - 1);
        assert!(!narrower[0].contains("a day") && narrower[0].contains("a month"));
        assert!(!bill(&narrower).contains("$9,600"));
    }

    #[test]
    fn enter_on_each_row_leads_somewhere() {
        for savings in [Some(savings()), Some(denied()), None] {
            let mut o = overview(&fleet(), &ctx());
            if let Some(savings) = &savings {
                o = o.with_savings(savings);
            }
            let (lines, _) = lines(&o, &ctx(), 78);
            let (heading, rows) = lines.split_first().unwrap();
            assert_eq!(heading.target, None);
            assert!(rows.len() > o.ladder.rows.len());
            for row in rows {
                assert!(row.target.is_some(), "{}", text(row));
            }
        }
    }

    #[test]
    fn the_ladder_fits_into_any_width_and_on_the_first_screen() {
        for savings in [Some(savings()), Some(denied()), None] {
            let mut o = overview(&fleet(), &ctx());
            if let Some(savings) = &savings {
                o = o.with_savings(savings);
            }
            for width in 20..220 {
                let (rows, below) = lines(&o, &ctx(), width);
                for line in rows.iter().chain(&below) {
                    let columns = line_columns(line);
                    assert!(columns <= width.max(MARK + 8 + MONEY), "{width}: {line:?}");
                }
            }
            // While verdicts come in there is a row more.
            let rows = lines(&o, &ctx(), 78).0;
            assert!(rows.len() <= 18 + 1, "{} rows", rows.len());
        }
    }

    #[test]
    fn parts_that_were_not_read_say_what_becomes_of_each() {
        let ladder = Ladder {
            basis: Basis::Net,
            rows: Vec::new(),
            unread: vec![BillPart::Buckets, BillPart::Volumes],
        };
        let said = |why: fn(BillPart) -> String| -> String {
            unread(&ladder, why, 200).iter().map(text).collect()
        };
        assert_eq!(
            said(|_| "not read yet".to_owned()),
            "The bill leaves out buckets, volumes and snapshots: not read yet."
        );
        let apart = said(|part| match part {
            BillPart::Buckets => "not read: !".to_owned(),
            BillPart::Volumes => "not read yet".to_owned(),
        });
        assert_eq!(
            apart,
            "The bill leaves out buckets: not read: !; volumes and snapshots: not read yet."
        );
        let all_read = Ladder { unread: Vec::new(), ..ladder };
        assert!(unread(&all_read, |_| String::new(), 200).is_empty());
    }

    #[test]
    fn a_net_that_is_not_known_is_no_net() {
        let o = overview(&fleet(), &ctx()).with_savings(&denied());
        let (rows, below) = lines(&o, &ctx(), 78);
        let all: Vec<String> = rows.iter().chain(&below).map(text).collect();
        let all = all.join("\n");
        assert!(all.contains("the bill at list price") && !all.contains("paid  "), "{all}");
        assert!(
            all.contains("Net of commitments unknown (Savings Plans could not be read)"),
            "{all}"
        );
    }
}
