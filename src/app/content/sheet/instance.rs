//! An instance in a list of the sheet: one line where there is room, else as many as it takes.

use std::sync::Arc;

use super::{Line, Sign, account, fit, indented};
use crate::act::plan::PlanItem;
use crate::app::App;
use crate::app::Role;
use crate::domain::{InstanceState, Scope, VerdictKind};
use crate::fleet::Row;
use crate::view::{format, verdict};
use jiff::Timestamp;

/// From this width on, everything stands on one line, with room for a reason.
const WIDE: usize = 170;
/// Below this width, lines are too short for columns.
const NARROW: usize = 72;

/// What is shown of an instance.
pub(super) struct Cells<'a> {
    id: &'a Arc<str>,
    scope: &'a Scope,
    az: &'a str,
    name: &'a str,
    kind: &'a str,
    state: InstanceState,
    verdict: Option<VerdictKind>,
    idle_since: Option<Timestamp>,
    usd_per_hour: Option<f64>,
}

impl<'a> Cells<'a> {
    /// Cells of an instance in a plan.
    pub fn of_item(item: &'a PlanItem) -> Self {
        Self {
            id: &item.id,
            scope: &item.scope,
            az: &item.az,
            name: &item.name,
            kind: &item.instance_type,
            state: item.state,
            verdict: item.verdict,
            idle_since: item.idle_since,
            usd_per_hour: item.usd_per_hour,
        }
    }

    /// Cells of an instance of the fleet.
    pub fn of_row(row: &'a Row) -> Self {
        let (instance, judged) = (&row.instance, row.verdict.as_deref());
        Self {
            id: &instance.id,
            scope: &instance.scope,
            az: &instance.az,
            name: &instance.name,
            kind: &instance.instance_type,
            state: instance.state,
            verdict: judged.map(|v| v.kind),
            idle_since: judged.and_then(|v| v.idle_since),
            usd_per_hour: row.rate.as_ref().map(|r| r.usd_per_hour),
        }
    }

    /// Glyph, word and for how long; where there is no verdict, the state says why.
    fn verdict(&self, app: &App) -> (String, Role) {
        let ctx = app.view_context();
        let Some(kind) = self.verdict.filter(|_| self.state == InstanceState::Running) else {
            return (format!("{} {}", ctx.symbols.unknown(), self.state.word()), Role::Dim);
        };
        let mut text = format!("{} {}", ctx.symbols.verdict(kind), verdict::word(kind));
        if let Some(since) = self.idle_since {
            let span = format::span(ctx.now.duration_since(since).as_secs());
            text = format!("{text} {span}");
        }
        (text, verdict::role(kind))
    }

    /// Appends the lines of the instance, after `sign` and with `remark` about it.
    pub fn lines(
        &self,
        app: &App,
        sign: &Sign,
        remark: Option<(&str, Role)>,
        width: usize,
        lines: &mut Vec<Line>,
    ) {
        let symbols = app.appearance().symbols;
        let usd = symbols.or_unknown(self.usd_per_hour, format::usd_per_hour);
        let name = if self.name.is_empty() { self.id } else { self.name };
        let (verdict, role) = self.verdict(app);
        let status = sign.text(symbols);
        let where_ = account(app, &self.scope.account);
        let cell = |line: Line, role: Role, text: &str, width: usize| {
            line.column(role, &fit(text, width.saturating_sub(1), symbols), width)
        };
        if width >= WIDE {
            // An account is never cut.
            let account_width = super::columns(&where_).max(26) + 1;
            let mut line = Line::new().column(sign.role, &status, 11);
            line = cell(line, Role::Text, name, 24);
            line = cell(line, Role::Dim, self.id, 20);
            line = cell(line, Role::Text, self.kind, 17);
            line = cell(line, Role::Dim, &where_, account_width);
            line = cell(line, Role::Dim, self.az, 16);
            line = cell(line, role, &verdict, 17);
            line = line.number(Role::Text, &usd, 9);
            if let Some((remark, role)) = remark {
                let taken = 11 + 24 + 20 + 17 + account_width + 16 + 17 + 9 + 2;
                let room = width.saturating_sub(taken);
                // Cut, it would say half; then it stands below.
                if super::columns(remark) <= room {
                    line = line.with(role, format!("  {remark}"));
                } else {
                    lines.push(line);
                    return indented(role, remark, 11, width, lines);
                }
            }
            return lines.push(line);
        }
        if width >= NARROW {
            let name_width = (width - 55).min(30);
            let mut line = Line::new().column(sign.role, &status, 11);
            line = cell(line, Role::Text, name, name_width);
            line = cell(line, Role::Text, self.kind, 17);
            line = cell(line, role, &verdict, 17);
            lines.push(line.number(Role::Text, &usd, 10));
            let rest = format!("{}  {}  {where_}", self.id, self.az);
            indented(Role::Dim, &rest, 11, width, lines);
        } else {
            let name = fit(name, width.saturating_sub(super::columns(&status).max(9) + 2), symbols);
            lines.push(Line::new().with(sign.role, status).text("  ").text(name));
            let rest =
                format!("{verdict}, {usd}, {}, {}, {}, {where_}", self.kind, self.az, self.id);
            indented(Role::Dim, &rest, 2, width, lines);
        }
        if let Some((remark, role)) = remark {
            let indent = if width >= NARROW { 11 } else { 2 };
            indented(role, remark, indent, width, lines);
        }
    }
}
