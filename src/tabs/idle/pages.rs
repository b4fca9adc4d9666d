//! The page that says why: evidence, counter-evidence, what was not checked, money, what would
//! be lost, the graphs.

use std::sync::Arc;

use super::picture::{EvidenceLine, Stakes, Standing, WhyPage, ask_sentences, why};
use crate::act::plan::{BY_TAG, EXPIRES_TAG, REASON_TAG};
use crate::app::App;
use crate::app::Role;
use crate::app::content::graph::{self, Plot};
use crate::app::content::{Line, columns, wrap};
use crate::app::keymap::Action;
use crate::domain::{SeriesSet, VerdictKind};
use crate::fleet::Row;
use crate::tabs::idle::picture::Field;
use crate::view::{Symbols, TableField, ViewContext, format, reasons, verdict};

/// Lines of the Why page of an instance; `series` is `None` until loaded.
pub fn lines(
    app: &App,
    instance: &Arc<str>,
    series: Option<&SeriesSet>,
    width: usize,
) -> Vec<Line> {
    let row = app.shown().and_then(|f| f.rows.iter().find(|r| r.instance.id == *instance));
    let Some(row) = row else {
        return vec![
            Line::of(Role::Warn, format!("{instance} is not in the fleet any more.")),
            Line::of(Role::Dim, "It was terminated, or its region is not read."),
        ];
    };
    let ctx = app.view_context();
    let mut page = why(row, series, app.preset(), &ctx);
    if let Some((_, source)) = app.presets().iter().find(|p| p.0 == app.preset()) {
        page = page.with_preset_source(source);
    }
    let mut lines = head(&page, app, row, &ctx, width);
    evidence(&page, app, width, &mut lines);
    money(&page.stakes, width, &mut lines);
    remedy(app, instance, width, &mut lines);
    act_hint(app, width, &mut lines);
    lines.extend(crate::tabs::gpus::pages::of_instance(app, instance, width));
    lines.push(Line::new());
    match &page.graphs {
        Some(graphs) => lines.extend(graph::lines(graphs, app.appearance(), width)),
        None if series.is_some() => {
            lines.push(Line::of(Role::Dim, "No series of this instance was ever fetched."));
        }
        None => lines.push(Line::of(Role::Dim, "Loading the series.")),
    }
    lines
}

/// How often the preset was right about what looked like this, by what it would have said some days ago.
fn looked_back(page: &WhyPage, app: &App) -> Option<String> {
    let day = app.looked_back().filter(|_| page.verdict == Some(VerdictKind::Idle))?;
    reasons::looked_so(day)
}

fn head(page: &WhyPage, app: &App, row: &Row, ctx: &ViewContext, width: usize) -> Vec<Line> {
    let role = page.verdict.map_or(Role::Dim, verdict::role);
    let mut verdict = Line::of(role, page.verdict_cell.clone());
    if let Some(since) = &page.since {
        verdict = verdict.text(format!("  {since}"));
    }
    let mut lines = Vec::new();
    paragraph(Role::Heading, &page.headline, width, &mut lines);
    // The money stands beside the verdict, where it fits: it is what one decides by.
    let mut money = Line::new().text("  ").with(
        Role::Heading,
        ctx.symbols.or_unknown(page.stakes.usd_per_hour, format::usd_per_hour),
    );
    if let Some(wasted) = page.stakes.wasted_usd {
        let usd = format::at_least(format::usd_total(wasted), page.stakes.wasted_at_least);
        money = money.with(Role::Idle, format!(", {usd} wasted so far"));
    }
    let used = |line: &Line| line.spans.iter().map(|s| columns(&s.text)).sum::<usize>();
    if used(&verdict) + used(&money) <= width {
        verdict.spans.extend(money.spans);
        lines.push(verdict);
    } else {
        lines.extend([verdict, money]);
    }
    paragraph(Role::Text, &page.reason, width, &mut lines);
    if let Some(likely) = &page.likely {
        paragraph(Role::Accent, &format!("Likely reason: {likely}"), width, &mut lines);
    }
    if let Some(said) = looked_back(page, app) {
        paragraph(Role::Dim, &said, width, &mut lines);
    }
    mark(row, width, &mut lines);
    obstacles(row, width, &mut lines);
    let mut whose = vec![page.instance_id.to_string()];
    for field in [Field::Team, Field::Project, Field::Environment] {
        let name = field.spec().name;
        if !field.value(row, ctx).is_unknown() {
            whose.push(format!("{name} {}", field.cell(row, ctx)));
        } else if field != Field::Project {
            whose.push(format!("no {name} tag"));
        }
    }
    if !page.owners.is_empty() {
        whose.push(format!("managed by {}", page.owners.join(", ")));
    }
    let separator = format!(" {} ", ctx.symbols.separator());
    paragraph(Role::Dim, &whose.join(&separator), width, &mut lines);
    if let Some(held) = row.held_by.as_deref() {
        paragraph(Role::Text, &reasons::held_by(held, ctx.now), width, &mut lines);
    }
    let gpus = app.gpus().map(|gpus| &**gpus);
    let asking = ask_sentences(row, gpus);
    for sentence in &asking {
        paragraph(Role::Text, sentence, width, &mut lines);
    }
    if row.is_worth_asking()
        && let Some(key) = app.keymap().keys(Action::CopyMessage).first()
    {
        // Where nobody is named, the message is for whoever answers for it.
        let to = row
            .ask_with(gpus)
            .map_or_else(|| "for whoever runs it".to_owned(), |ask| format!("to {}", ask.name));
        let text = format!("{key} copies a message {to}, with evidence and dollars.");
        paragraph(Role::Dim, &text, width, &mut lines);
    }
    lines
}

fn evidence(page: &WhyPage, app: &App, width: usize, lines: &mut Vec<Line>) {
    lines.push(Line::new());
    if page.tests.is_empty() && page.counters.is_empty() {
        lines.push(Line::of(Role::Dim, format!("No evidence was taken, preset {}.", page.preset)));
    }
    let table = Table::of(page, app, width);
    if !page.tests.is_empty() {
        let preset = format!(", preset {}", page.preset);
        lines.push(Line::of(Role::Heading, "Evidence").with(Role::Dim, preset));
        if let Some(source) = &page.preset_source {
            bullet(Role::Dim, source, width, lines);
        }
        if let Some(text) = counted(page, app.appearance().symbols) {
            bullet(Role::Dim, &text, width, lines);
        }
        lines.extend(page.tests.iter().map(|row| table.line(row)));
    }
    if !page.counters.is_empty() {
        lines.push(Line::of(Role::Heading, "Counter-evidence"));
        lines.extend(page.counters.iter().map(|row| table.line(row)));
    }
    lines.extend(table.axis());
    let both = || page.tests.iter().chain(&page.counters);
    if both().any(|row| row.standing == Standing::NotAlone) {
        let names: Vec<&str> = both().filter(|r| r.joint).map(|r| &*r.label).collect();
        if names.len() > 1 {
            let names = names.join(" and ");
            let text = format!(
                "One at its limit alone is no use: {names} would have to reach theirs together."
            );
            bullet(Role::Dim, &text, width, lines);
        }
    }
    if !page.not_checked.is_empty() {
        lines.push(Line::of(Role::Heading, "Not checked"));
        for what in &*page.not_checked {
            bullet(Role::Dim, &reasons::unchecked(what), width, lines);
        }
    }
}

/// What the points are of, and what is quiet, where the window begins before the idle stretch; `None` elsewhere.
fn counted(page: &WhyPage, symbols: Symbols) -> Option<String> {
    let graphs = page.graphs.as_ref()?;
    let idle = graphs.idle.filter(|idle| idle.from > graphs.window.from)?;
    page.quiet_for.as_ref()?;
    let sign = graph::stretch(symbols);
    Some(format!(
        "n/n: datapoints read of those of the window. Value and quiet: of the idle stretch alone, its last {} h, \
         {sign} below the graphs; what they show before it is over.",
        idle.len()
    ))
}

/// Columns of the sign between value and threshold, and of `got/expected`.
const SIGN: usize = 4;
const POINTS: usize = 9;

/// How evidence lines up: label, value and threshold, datapoints, what it says; the statistic and
/// the graph where there is room.
struct Table<'a> {
    page: &'a WhyPage,
    label: usize,
    statistic: usize,
    value: usize,
    threshold: usize,
    standing: usize,
    /// What is said of a signal that speaks for idle: `quiet`, with the length of the stretch where use was seen before it.
    quiet: String,
    symbols: Symbols,
    plot: Option<Plot>,
    /// Columns before the graphs.
    margin: usize,
}

impl<'a> Table<'a> {
    fn of(page: &'a WhyPage, app: &App, width: usize) -> Self {
        let widest = |text: fn(&EvidenceLine) -> &str| {
            page.tests.iter().chain(&page.counters).map(|r| columns(text(r))).max().unwrap_or(0)
        };
        let label = widest(|r| &r.label) + 2;
        let statistic = if width >= 110 { widest(|r| &r.statistic) + 2 } else { 0 };
        let value = widest(|r| &r.value);
        let threshold = widest(|r| &r.threshold);
        let quiet =
            page.quiet_for.as_ref().map_or_else(|| "quiet".to_owned(), |f| format!("quiet {f}"));
        let said = page.tests.iter().chain(&page.counters).map(|r| standing(r.standing, &quiet));
        let standing = said.map(columns).max().unwrap_or(0) + 2;
        let margin = 2 + label + statistic + value + SIGN + threshold + POINTS + 2 + standing;
        let symbols = app.appearance().symbols;
        let graphs = page.graphs.as_ref();
        let room = width.saturating_sub(margin);
        let plot = graphs.and_then(|g| Plot::of(g, app.appearance(), room));
        Self { page, label, statistic, value, threshold, standing, quiet, symbols, plot, margin }
    }

    fn line(&self, row: &EvidenceLine) -> Line {
        let role = match row.standing {
            Standing::ForIdle | Standing::NotAlone => Role::Idle,
            Standing::AgainstIdle => Role::Ok,
            Standing::TooFew | Standing::NoData => Role::Warn,
        };
        let mut line = Line::new().text("  ").column(Role::Text, &row.label, self.label);
        if self.statistic > 0 {
            line = line.column(Role::Dim, &row.statistic, self.statistic);
        }
        let line = line
            .number(role, &row.value, self.value)
            .number(Role::Dim, row.sign(self.symbols), SIGN - 1)
            .text(" ")
            .number(Role::Dim, &row.threshold, self.threshold)
            .number(Role::Dim, &format!("{}/{}", row.got, row.expected), POINTS)
            .text("  ")
            .column(role, standing(row.standing, &self.quiet), self.standing);
        let mut graphs = self.page.graphs.iter().flat_map(|g| &g.graphs);
        match (&self.plot, graphs.find(|g| g.signal == row.signal)) {
            (Some(plot), Some(graph)) => plot.draw(line, &graph.values, graph.ceiling),
            _ => line,
        }
    }

    fn axis(&self) -> Vec<Line> {
        self.plot.as_ref().map(|p| p.axis(self.margin).to_vec()).unwrap_or_default()
    }
}

/// What a signal says, in a word or two; `quiet` of one that speaks for idle.
fn standing(standing: Standing, quiet: &str) -> &str {
    match standing {
        Standing::ForIdle => quiet,
        Standing::AgainstIdle => "in use",
        Standing::NotAlone | Standing::TooFew | Standing::NoData => standing.word(),
    }
}

fn money(stakes: &Stakes, width: usize, lines: &mut Vec<Line>) {
    lines.push(Line::new());
    let mut price = Line::of(Role::Heading, "Money");
    if let Some(usd) = stakes.usd_per_hour {
        price = price.text(format!("  {}", format::usd_per_hour(usd)));
    }
    lines.push(price.with(Role::Dim, format!("  {}", stakes.price_basis)));
    if let Some(wasted) = stakes.wasted_usd {
        let rate = stakes.waste_usd_per_hour.map(format::usd_per_hour).unwrap_or_default();
        let usd = format::at_least(format::usd_total(wasted), stakes.wasted_at_least);
        let text = format!("Wasted so far {usd}, {rate} of it now.");
        bullet(Role::Idle, &text, width, lines);
    }
    bullet(Role::Text, &stakes.saving, width, lines);
    bullet(Role::Text, &stakes.net, width, lines);
    if !stakes.losses.is_empty() {
        lines.push(Line::of(Role::Heading, "What a stop would lose or meet"));
        for loss in &stakes.losses {
            bullet(Role::Text, &format!("{}: {}", loss.what, loss.text), width, lines);
        }
    }
}

/// What the savings in turn do with a partly idle node.
fn remedy(app: &App, instance: &Arc<str>, width: usize, lines: &mut Vec<Line>) {
    let nodes = app.savings().map_or(&[][..], |savings| &savings.waterfall.nodes);
    if let Some(node) = nodes.iter().find(|node| node.id == *instance) {
        let text = format!("For its idle GPUs: {}.", reasons::node_remedy(node));
        bullet(Role::Text, &text, width, lines);
    }
}

/// Until when it is marked, and by whom.
fn mark(row: &Row, width: usize, lines: &mut Vec<Line>) {
    let tags = &row.instance.tags;
    let Some(expires) = tags.get(EXPIRES_TAG) else { return };
    let mut text = match expires.trim().parse::<jiff::Timestamp>() {
        Ok(at) => format!("Marked: may be stopped from {} on", at.strftime("%Y-%m-%d %H:%M UTC")),
        Err(_) => format!("Marked, until a date that cannot be read: {expires}"),
    };
    if let Some(by) = tags.get(BY_TAG) {
        text = format!("{text}, by {by}");
    }
    if let Some(reason) = tags.get(REASON_TAG) {
        text = format!("{text}: {reason}");
    }
    paragraph(Role::Warn, &text, width, lines);
}

/// What would keep it from being stopped now, as far as it is known before it is checked.
fn obstacles(row: &Row, width: usize, lines: &mut Vec<Line>) {
    for obstacle in row.obstacles.iter().flat_map(|all| all.iter()) {
        let (role, head) = match (obstacle.blocks, obstacle.is_sure) {
            (true, true) => (Role::Crit, "Would not be stopped now"),
            (true, false) => (Role::Warn, "May not be stopped now"),
            (false, _) => (Role::Warn, "Before a stop"),
        };
        paragraph(role, &format!("{head}: {}.", obstacle.text), width, lines);
    }
}

/// Where what would be lost is checked, fact by fact.
fn act_hint(app: &App, width: usize, lines: &mut Vec<Line>) {
    if let Some(key) = app.keymap().keys(Action::Act).first() {
        let text = format!("{key} checks every fact anew, before anything is done.");
        bullet(Role::Dim, &text, width, lines);
    }
}

fn paragraph(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    lines.extend(wrap(text, width).into_iter().map(|l| Line::of(role, l)));
}

/// An indented paragraph.
fn bullet(role: Role, text: &str, width: usize, lines: &mut Vec<Line>) {
    for part in wrap(text, width.saturating_sub(2)) {
        lines.push(Line::new().text("  ").with(role, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::idle::backtest::DayCount;
    use crate::app::Msg;
    use crate::app::fixture::{fleet, init, now, series};
    use crate::domain::{Instance, Tags};

    #[test]
    fn an_idle_instance_says_what_became_of_others_that_looked_so() {
        let fleet = fleet();
        let verdict = |row: &Row| row.verdict.as_ref().map(|verdict| verdict.kind);
        let with = |idle: bool| {
            let is = |row: &&Arc<Row>| (verdict(row) == Some(VerdictKind::Idle)) == idle;
            fleet.rows.iter().find(is).unwrap().instance.id.clone()
        };
        let (idle, busy) = (with(true), with(false));
        let mut app = App::new(init(None, (160, 50)));
        app.update(Msg::Fleet(Arc::new(fleet)));
        let says = |app: &App, id: &Arc<str>| {
            let said = "Of 41 that looked so 7 days ago, 39 stayed idle, 2 woke up.";
            let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
            lines(app, id, None, 160).iter().any(|line| text(line).contains(said))
        };
        assert!(!says(&app, &idle), "nobody looked back yet");
        let day = DayCount { days_ago: 7, called: 41, idle: 39, woke: 2, ..DayCount::default() };
        app.update(Msg::LookedBack { preset: "mean-cpu".into(), day });
        assert!(!says(&app, &idle), "another preset's");
        let preset = app.preset().to_owned();
        app.update(Msg::LookedBack { preset, day });
        assert!(says(&app, &idle) && !says(&app, &busy));
    }

    #[test]
    fn a_stretch_shorter_than_the_window_says_what_is_quiet_and_for_how_long() {
        let mut fleet = fleet();
        let row = Arc::make_mut(&mut fleet.rows[0]);
        let id = row.instance.id.clone();
        let verdict = Arc::make_mut(row.verdict.as_mut().unwrap());
        verdict.idle_since = Some(now() - jiff::SignedDuration::from_hours(84));
        verdict.idle_since_at_least = false;
        let page = |app: &App, id: &Arc<str>| -> String {
            let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
            let page = lines(app, id, Some(&series()), 200);
            page.iter().map(text).collect::<Vec<_>>().join(" ")
        };
        let mut app = App::new(init(None, (200, 50)));
        app.update(Msg::Fleet(Arc::new(fleet.clone())));
        let short = page(&app, &id);
        assert!(short.contains("quiet 3d11h") && short.contains("its last 83 h"), "{short}");
        // Where the whole window is quiet there is nothing to tell apart.
        fleet.version += 1;
        let row = Arc::make_mut(&mut fleet.rows[0]);
        Arc::make_mut(row.verdict.as_mut().unwrap()).idle_since_at_least = true;
        app.update(Msg::Fleet(Arc::new(fleet)));
        let whole = page(&app, &id);
        assert!(!whole.contains("quiet 3d11h") && !whole.contains("hours read of"), "{whole}");
    }

    #[test]
    fn a_tag_of_team_or_environment_that_is_missing_is_said() {
        let page = |team: Option<&str>, environment: Option<&str>| -> String {
            let mut fleet = fleet();
            let row = Arc::make_mut(&mut fleet.rows[0]);
            let id = row.instance.id.clone();
            (row.team, row.environment) = (team.map(Arc::from), environment.map(Arc::from));
            let mut app = App::new(init(None, (160, 50)));
            app.update(Msg::Fleet(Arc::new(fleet)));
            let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
            lines(&app, &id, None, 160).iter().map(text).collect::<Vec<_>>().join(" ")
        };
        let none = page(None, None);
        assert!(none.contains("no team tag") && none.contains("no environment tag"), "{none}");
        let one = page(Some("nlp"), None);
        assert!(one.contains("team nlp") && !one.contains("no team tag"), "{one}");
        assert!(one.contains("no environment tag"), "{one}");
    }

    #[test]
    fn a_message_to_a_person_is_offered_where_somebody_is_named() {
        let fleet = fleet();
        let row = fleet.rows.iter().find(|row| row.is_worth_asking()).unwrap();
        let id = row.instance.id.clone();
        let with = |fleet: &crate::fleet::Fleet, owner: &str| {
            let mut fleet = fleet.clone();
            let row = fleet.rows.iter_mut().find(|row| row.instance.id == id).unwrap();
            let row = Arc::make_mut(row);
            let tags = Tags::from_raw([("owner", owner)]);
            row.instance = Arc::new(Instance { tags, ..(*row.instance).clone() });
            row.launch = None;
            let mut app = App::new(init(None, (160, 50)));
            app.update(Msg::Fleet(Arc::new(fleet)));
            let text = |line: &Line| line.spans.iter().map(|s| &*s.text).collect::<String>();
            let page = lines(&app, &id, None, 160);
            page.iter().map(text).find(|line| line.contains("copies a message")).unwrap()
        };
        assert!(with(&fleet, "ana").contains("a message to ana, with evidence"));
        assert!(with(&fleet, "").contains("a message for whoever runs it"));
    }

    #[test]
    fn of_two_limits_that_hold_together_one_alone_is_no_use() {
        let mut fleet = fleet();
        let row = Arc::make_mut(&mut fleet.rows[0]);
        let (id, verdict) = (row.instance.id.clone(), row.verdict.as_mut().unwrap());
        for signal in &mut Arc::make_mut(verdict).signals {
            match &*signal.label {
                "CPU mean" => (signal.value, signal.joint) = (Some(19.0), true),
                "network per day" => signal.joint = true,
                _ => {}
            }
        }
        let mut app = App::new(init(None, (160, 50)));
        app.update(Msg::Fleet(Arc::new(fleet)));
        let page: Vec<String> = lines(&app, &id, None, 160)
            .iter()
            .map(|line| line.spans.iter().map(|span| &*span.text).collect())
            .collect();
        let line = |text: &str| page.iter().find(|line| line.contains(text)).unwrap();
        let cpu = line("CPU mean");
        assert!(cpu.contains("19%  ≥") && cpu.contains("no use alone"), "{cpu}");
        assert!(line("network per day").contains("quiet"));
        line("alone is no use: CPU mean and network per day would have to reach theirs together.");
        // At 80 columns there is room for twelve columns of a graph behind it: 2 + 17 + 10 + 4 + 8 + 9 + 2 + 14 are 66 of 78.
        let page = lines(&app, &id, Some(&series()), 78);
        let text = |line: &Line| line.spans.iter().map(|span| &*span.text).collect::<String>();
        let gpu = page.iter().map(text).find(|line| line.contains("GPU 0 max")).unwrap();
        assert_eq!(columns(&gpu), 78, "{gpu}");
    }
}
