//! The lines between header and footer that are not the body: tabs, burn, rules.

use ratatui::style::Modifier;

use super::canvas::Canvas;
use super::footer;
use crate::app::content::{columns, wrap};
use crate::app::{App, Layout, Level, List, Mode, PromptKind, Role, SourceStatus, tab_gap};
use crate::domain::{SourceId, VerdictKind};
use crate::fleet::Totals;
use crate::tabs;
use crate::tabs::overview::picture::{Basis, Ladder};
use crate::view::complete::last_term;
use crate::view::{Symbols, format};

/// Draws the line of tabs, such as ` 1 Overview  3 Idle › Why`, with the state of the table on the right.
pub fn tabs(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    let gap = tab_gap(canvas.width());
    // Where no colour tells the tab that is on, an underline is too little.
    let here = if canvas.has_colours() { Modifier::UNDERLINED } else { Modifier::REVERSED };
    let mut x = 1;
    for (tab, label) in app.tab_labels() {
        let style = if tab == app.tab() {
            canvas.style(Role::Accent).add_modifier(here)
        } else {
            canvas.style(Role::Dim)
        };
        x = canvas.put(x, y, u16::MAX, &label, style) + gap;
    }
    if let Some(title) = app.title() {
        let into = canvas.glyph("›", ">");
        let style = canvas.style(Role::Heading);
        x = canvas.put(x, y, u16::MAX, &format!("{into} {title}"), style) + 2;
    }
    let width = canvas.width();
    let mut end = width.saturating_sub(1);
    // The most important stands at the edge; what has no room is left out.
    let drawn = app.is_drawn_by_screen();
    let state = if drawn { tabs::screen_on(app).state(app) } else { Vec::new() };
    for (text, role) in state {
        let needed = u16::try_from(columns(&text)).unwrap_or(u16::MAX);
        if end.saturating_sub(needed) < x {
            break;
        }
        let style = canvas.style(role);
        end = canvas.put_right(end, y, needed, &text, style).saturating_sub(2);
    }
}

/// How many rows of `all` the list shows, by which filter and in which order; `order` are the words for
/// the order of the rows as they come.
pub fn table_state(list: &List, all: usize, order: &str) -> Vec<(String, Role)> {
    let mut parts = Vec::new();
    let shown = list.order().len();
    if list.filter_text().is_empty() {
        let noun = list.table().nouns()[usize::from(all != 1)];
        parts.push((format!("{} {noun}", count(all)), Role::Dim));
    } else {
        parts.push((format!("{} of {}", count(shown), count(all)), Role::Warn));
        parts.push((format!("/ {}", list.filter_text()), Role::Accent));
    }
    let sort = match (list.sort.field, list.sort.descending) {
        (None, _) => order.to_owned(),
        (Some(field), true) => format!("by {}, largest first", field.name),
        (Some(field), false) => format!("by {}, smallest first", field.name),
    };
    parts.push((sort, Role::Dim));
    parts
}

/// Draws the line of costs, such as `burn $412.30/h · waste $96.10/h (23%) · 12 unpriced`; unknown amounts are never
/// `$0.00`.
pub fn burn(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    if app.is_empty() && app.no_credentials().is_some() {
        return;
    }
    let width = usize::from(canvas.width());
    let separator = format!(" {} ", canvas.symbols().separator());
    let mut x = 1;
    for (i, (text, role)) in burn_parts(app, canvas.symbols(), width).iter().enumerate() {
        let needed = columns(text) + if i > 0 { columns(&separator) } else { 0 };
        if i > 0 && usize::from(x) + needed > width {
            break;
        }
        if i > 0 {
            let style = canvas.style(Role::Dim);
            x = canvas.put(x, y, u16::MAX, &separator, style);
        }
        let style = canvas.style(*role);
        x = canvas.put(x, y, u16::MAX, text, style);
    }
}

/// What the waste at what is paid has that the one at list price has not.
const PAID_BESIDES: &str = " with unused commitments and resources";

/// The parts of the burn line, most important first.
fn burn_parts(app: &App, symbols: Symbols, width: usize) -> Vec<(String, Role)> {
    let none = Totals::default();
    let totals = app.shown().map_or(&none, |f| &f.totals);
    let sources = app.sources();
    let progress = sources.progress;
    let stale = |s: &SourceStatus| s.stale && matches!(s.source, SourceId::Ec2 | SourceId::Prices);
    let old = sources.by_source.iter().any(stale);
    let about = if old { "~" } else { "" };
    let plain = if old { Role::Dim } else { Role::Heading };
    let loss = if old { Role::Dim } else { Role::Idle };

    let read = totals.instances > 0 || !progress.is_nothing();
    let priced = totals.running == 0 || totals.unpriced < totals.running;
    let burn = Some(totals.burn).filter(|_| read && priced);
    let silent = [VerdictKind::Unknown, VerdictKind::TooNew].map(|k| totals.verdict(k).count);
    let spoken = totals.running - totals.unjudged.count - silent[0] - silent[1];
    // While verdicts are missing, nothing found is no nothing.
    let told =
        |found: bool| totals.running == 0 || (spoken > 0 && (found || totals.unjudged.count == 0));
    let waste = Some(totals.waste).filter(|usd| burn.is_some() && told(*usd > 0.0));
    // While verdicts come in, the waste only grows.
    let loading = sources.is_loading(SourceId::CloudWatch);
    let growing = loading || totals.unjudged.count > 0;
    let so_far = if growing && waste.is_some() { " so far" } else { "" };
    let share = totals
        .waste_share()
        .filter(|_| waste.is_some() && !loading)
        .map(|s| format!(" ({})", format::percent(s * 100.0, 0)))
        .unwrap_or_default();
    // Net of commitments the waste is more and less: what is paid for and unused is in it, what is paid at less than the
    // list price is less. Both stand where both are known.
    let ladder =
        app.savings().filter(|_| waste.is_some() && !growing).and_then(|s| Ladder::of_bill(s));
    let paid = ladder.filter(|ladder| ladder.basis == Basis::Net).map(|ladder| ladder.waste());
    let paid =
        paid.map(|waste| format!(" list, {about}{} paid", format::usd_per_hour(waste.shown())));
    let both = paid.map(|paid| format!("{share}{paid}"));
    let pair = |rate: fn(f64) -> String, share: &str| {
        let rate = |usd: Option<f64>| match usd {
            Some(usd) => format!("{about}{}", rate(usd)),
            None => symbols.unknown().to_owned(),
        };
        (format!("burn {}", rate(burn)), format!("waste {}{share}{so_far}", rate(waste)))
    };
    // Where both do not fit, first the share goes, then the cents.
    let fits = |(burn, waste): &(String, String)| columns(burn) + columns(waste) + 4 <= width;
    let whole = |usd: f64| format!("{}/h", format::usd_total(usd));
    let shares = both.iter().chain([&share]).map(|share| &**share).chain([""]);
    let (burn, waste) = shares
        .map(|share| pair(format::usd_per_hour, share))
        .find(fits)
        .unwrap_or_else(|| pair(whole, ""));

    let has_both = both.is_some_and(|both| waste.ends_with(&both));
    let mut parts = vec![(burn, plain), (waste, loss)];
    // Where nothing was read, the body says so.
    if progress.unread > 0 && !progress.is_nothing() {
        let text = format!("{} unread: !", progress.unread_words());
        parts.push((text, Role::Warn));
    }
    if progress.waiting > 0 || (progress.scopes == 0 && app.mode() != Mode::Offline) {
        let text = match progress.scopes {
            0 => "reading".to_owned(),
            1 => "reading 1 region".to_owned(),
            all => format!("reading {} of {all} regions", progress.waiting),
        };
        parts.push((text, Role::Accent));
    }
    if totals.unpriced > 0 {
        parts.push((format!("{} unpriced", count(totals.unpriced as usize)), Role::Warn));
    }
    if totals.unjudged.count > 0 {
        let unjudged = count(totals.unjudged.count as usize);
        parts.push((format!("{unjudged} not judged yet"), Role::Dim));
    }
    if read {
        let idle = Some(totals.idle_gpus).filter(|n| told(*n > 0.0));
        let idle = symbols.or_unknown(idle, format::count);
        parts.push((format!("{idle} idle GPUs of {}", format::count(totals.gpus)), Role::Dim));
    }
    // Why the one is not the other, where no other part goes for it.
    let used: usize = parts.iter().map(|(text, _)| columns(text) + 3).sum();
    if has_both && used + columns(PAID_BESIDES) <= width {
        parts[1].0.push_str(PAID_BESIDES);
    }
    parts
}

/// Draws the rule above the body, with the [`banner`].
pub fn upper_rule(canvas: &mut Canvas<'_>, app: &App, y: u16) {
    rule(canvas, y);
    if let Some((text, role)) = banner(app) {
        let style = canvas.style(role);
        canvas.put(2, y, canvas.width().saturating_sub(4), &format!(" {text} "), style);
    }
}

/// Warning that the picture is not the newest; `None` when it is.
pub fn banner(app: &App) -> Option<(String, Role)> {
    if let Some(age) = app.frozen_for() {
        return Some((
            format!("FROZEN picture, {age} old; data keep arriving, f shows them"),
            Role::Warn,
        ));
    }
    if let Some((some, all)) = app.partly_loaded() {
        let text = format!("from the cache: the worst {} of {}", count(some), count(all));
        return Some((text, Role::Dim));
    }
    app.is_from_cache().then(|| ("from the cache".to_owned(), Role::Dim))
}

/// Most lines that a notice takes, or an error in typed text, or what completes it.
const REMARK_LINES: usize = 5;

/// Draws the rule below the body: errors and completions of the prompt or its keys, a notice, or remarks on the verdicts; on the
/// right the position in the body.
pub fn lower_rule(canvas: &mut Canvas<'_>, app: &App, layout: &Layout, y: u16) {
    rule(canvas, y);
    let width = canvas.width();
    let position = position(app, layout).map(|text| format!(" {text} "));
    let mut room = width.saturating_sub(4);
    let keys = || app.prompt().map(|_| (footer::keys_of_prompt(app), Role::Dim));
    let remark = remark(app).or_else(keys);
    if (app.prompt().is_some() || app.notice().is_some())
        && let Some((text, role)) = &remark
    {
        let beside = position.as_ref().map_or(0, |position| columns(position) + 1);
        if columns(text) + 2 + beside > usize::from(room) {
            // A box keeps all of its lines: what is asked goes before what was said.
            let is_asked = app.popup().is_some() || app.dialog().is_some();
            let most = if app.prompt().is_none() && is_asked { 1 } else { REMARK_LINES };
            whole_remark(canvas, text, *role, (y, most));
            return;
        }
    }
    if let Some(text) = &position {
        let style = canvas.style(Role::Dim);
        let x = canvas.put_right(width.saturating_sub(2), y, room, text, style);
        room = x.saturating_sub(3);
    }
    if let Some((text, role)) = remark {
        let style = canvas.style(role);
        canvas.put(2, y, room, &format!(" {text} "), style);
    }
}

/// Draws what is said and has no room beside the position: alone, in at most so many lines, over the last ones of the body, so
/// that all of it is read.
fn whole_remark(canvas: &mut Canvas<'_>, text: &str, role: Role, (y, most): (u16, usize)) {
    let width = canvas.width();
    let room = width.saturating_sub(4);
    let mut parts = wrap(text, usize::from(room.saturating_sub(2)));
    if parts.len() > most {
        let rest = parts.split_off(most - 1).join(" ");
        parts.push(rest);
    }
    let style = canvas.style(role);
    let above = u16::try_from(parts.len() - 1).unwrap_or(0);
    for (part, row) in parts.iter().zip(y.saturating_sub(above)..) {
        canvas.blank(0, row, width);
        rule(canvas, row);
        canvas.put(2, row, room, &format!(" {part} "), style);
    }
}

/// The message that the next key takes away; `None` without one.
pub fn notice(app: &App) -> Option<(String, Role)> {
    let notice = app.notice()?;
    let role = match notice.level {
        Level::Info => Role::Accent,
        Level::Warn => Role::Warn,
        Level::Error => Role::Crit,
    };
    Some((notice.text.clone(), role))
}

/// Remark for the lower rule: error or completions of the prompt, else a notice, or what the preset lacks; `None` without any.
pub fn remark(app: &App) -> Option<(String, Role)> {
    if let Some(prompt) = app.prompt() {
        if let Some(error) = &prompt.error {
            let text = match error.column {
                Some(column) => format!("column {column}: {}", error.message),
                None => error.message.clone(),
            };
            return Some((text, Role::Crit));
        }
        let is_filter = matches!(prompt.kind, PromptKind::Filter { .. });
        if prompt.completions.len() > 1 {
            let last = |line: &str| match is_filter {
                true => value_of(last_term(line)).to_owned(),
                false => line.trim_end().rsplit([' ', ',']).next().unwrap_or_default().to_owned(),
            };
            let chosen = prompt.chosen.unwrap_or(0);
            // Those from the chosen one on: the next ones are what one looks for.
            let words: Vec<String> = prompt.completions[chosen..].iter().map(|c| last(c)).collect();
            return Some((words.join("  "), Role::Accent));
        }
        let remark = app.list().remark().map(|text| (text, Role::Warn));
        let of_rows = || app.list().worth_knowing().map(|text| (text.to_owned(), Role::Accent));
        return remark.or_else(of_rows).filter(|_| is_filter);
    }
    notice(app).or_else(|| {
        let usd = format::usd_spent(app.missing_usd()?);
        let text = format!("r fetches what {} lacks, for about {usd}", app.preset());
        Some((text, Role::Warn))
    })
}

/// The value of a term of a filter; the term where it has none yet.
fn value_of(term: &str) -> &str {
    let value = term.split_once(['=', '~']).map(|(_, value)| value);
    value.filter(|value| !value.is_empty()).unwrap_or(term)
}

fn position(app: &App, layout: &Layout) -> Option<String> {
    if app.is_drawn_by_screen()
        && let Some(position) = tabs::screen_on(app).position(app)
    {
        return Some(position);
    }
    if app.shows_table() {
        let list = app.list();
        let all = list.lines();
        return (all > 0).then(|| format!("{} of {}", count(list.cursor() + 1), count(all)));
    }
    let (lines, scroll, _) = app.text_body();
    let height = usize::from(layout.body_height);
    (lines.len() > height).then(|| {
        format!("{}-{} of {}", scroll + 1, (scroll + height).min(lines.len()), lines.len())
    })
}

/// A number of things, with separators between thousands.
fn count(number: usize) -> String {
    format::grouped(number as f64, 0)
}

fn rule(canvas: &mut Canvas<'_>, y: u16) {
    let glyph = canvas.glyph("─", "-");
    let style = canvas.style(Role::Dim);
    let width = canvas.width();
    canvas.fill(0, y, width, glyph, style);
}
