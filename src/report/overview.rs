//! `burntop overview`: the bill and its parts, GPUs by two measures, findings, teams, places and the scorecard.
//!
//! Every format is made of the same records, one per line of the Overview.

mod bill;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::sheet::{Cell, Column, Sheet};
use super::{
    Notes, Report, filtered, fleet_basis, json, markdown, overview_past, text, troubles_of,
};
use crate::analyze::waterfall::Task;
use crate::domain::{BurnPast, HOURS_PER_MONTH, Reading};
use crate::fleet::savings::{Effort, PartlyIdleNode, Potential, Risk};
use crate::fleet::{Fleet, GpuFleet, Savings, StorageFleet, Totals};
use crate::tabs::gpus::picture::words as gpu_words;
use crate::tabs::overview::picture::{
    self, Band, Finding, FindingField, Group, NetBurn, Overview, Saved,
};
use crate::tabs::storage::picture::words;
use crate::view::{Align, Sort, Symbols, Value, ViewContext, format, reasons, table};

/// The sections, in the order they are written: name for machines, title for people.
///
/// The burn by use ("part") is not among them: it is the list price in the rows of the bill.
const SECTIONS: [(&str, &str); 14] = [
    ("ladder", "Bill, USD per hour; ! is waste"),
    ("fleet", "Fleet"),
    ("gpu_use", "GPUs, as judged and live now"),
    ("gpu_waste", "From the waste as judged to the waste live now"),
    ("unused", "Paid and used by nothing"),
    (FINDING, "Costliest findings, $/h at list price, of commitments what is paid"),
    ("waterfall", "Savings in turn, each on what the former left"),
    ("node", "Partly idle nodes, and what helps"),
    ("sequence", "Order of work"),
    ("gpu", "GPUs that burn for nothing on instances in use"),
    ("team", "Teams"),
    ("place", "Accounts and regions"),
    ("score", "Scorecard"),
    ("blind", "GPU telemetry missing"),
];

/// Name of the section of findings.
const FINDING: &str = "finding";

/// Most partly idle nodes that are named.
const NODES: usize = 10;

/// One line of the Overview. What does not apply or is not known is `None`.
#[derive(Default)]
struct Record {
    section: &'static str,
    name: String,
    /// What people read instead of `name`, where that is a machine's word.
    label: Option<&'static str>,
    /// What it is about: an instance, a resource, a bucket.
    id: Option<String>,
    instance_id: Option<String>,
    /// Kind of finding; what is done with a node.
    kind: Option<&'static str>,
    team: Option<String>,
    /// Since when something idles, with true where it may be longer.
    since: Option<(Timestamp, bool)>,
    /// How long that is.
    lasts: String,
    instances: Option<u32>,
    unpriced: Option<u32>,
    gpus: Option<f64>,
    /// GPU equivalents as exporters report them now.
    live_gpus: Option<f64>,
    usd_per_hour: Option<f64>,
    /// The same at list price, for a part of the bill.
    list_usd_per_hour: Option<f64>,
    /// Whole cents of both, in USD/h, where they are carried so that rows add up.
    shown_usd_per_hour: (Option<f64>, Option<f64>),
    /// True for a part of the bill that is waste; `None` for what is no part of it.
    is_waste: Option<bool>,
    waste_usd_per_hour: Option<f64>,
    wasted_usd: Option<f64>,
    /// True when that is a lower bound.
    wasted_at_least: bool,
    /// 0–1: of the burn for a part, the figure itself for a score.
    share: Option<f64>,
    grade: Option<Band>,
    /// What a step saves, USD/h, net of commitments where these are known.
    saves_usd_per_hour: Option<f64>,
    /// What it alone would claim at list price, USD/h.
    gross_usd_per_hour: Option<f64>,
    /// Things that it touches.
    items: Option<u32>,
    effort: Option<Effort>,
    risk: Option<Risk>,
    note: String,
}

/// A section of the Overview.
pub(super) struct OverviewPart {
    /// Its name, for machines.
    pub section: &'static str,
    /// Its table.
    pub sheet: Sheet,
    /// Its rows in JSON.
    pub rows: Vec<Json>,
}

/// Contents of `burntop overview`.
#[derive(Clone, Debug)]
pub struct OverviewReport {
    /// The fleet.
    pub fleet: Arc<Fleet>,
    /// GPUs of the fleet; empty without telemetry.
    pub gpus: Arc<GpuFleet>,
    /// Storage; `None` where it was not read.
    pub storage: Option<Arc<StorageFleet>>,
    /// Savings; `None` where they were not computed.
    pub savings: Option<Arc<Savings>>,
    /// What is known of the burn before now; `None` where there is no past.
    pub past: Option<Arc<BurnPast>>,
    /// Name of the preset that verdicts follow.
    pub preset: String,
    /// Filter over instances, as typed; empty without one.
    pub filter: String,
    /// How the findings are listed.
    pub findings: FindingOptions,
}

/// How the findings of the Overview are listed; by default the five costliest, with the usual columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingOptions {
    /// Fields to sort by, the first one first; empty = the costliest first.
    pub sorts: Vec<Sort>,
    /// Columns in text and Markdown; empty = the usual ones.
    pub columns: Vec<FindingField>,
    /// Most findings; `None` = five.
    pub limit: Option<usize>,
}

impl OverviewReport {
    /// The report narrowed to the instances with these indices. A filter over instances selects no GPUs and no
    /// storage, and savings and the past are of the whole fleet, so these are left out.
    #[must_use]
    pub fn narrowed(self, rows: &[u32], filter: &str) -> Self {
        let rows = rows.iter().filter_map(|i| self.fleet.rows.get(*i as usize)).cloned();
        let rows: Vec<_> = rows.collect();
        let totals = Totals::of(rows.iter().map(|r| &**r));
        Self {
            fleet: Arc::new(Fleet { rows, totals, ..(*self.fleet).clone() }),
            gpus: Arc::default(),
            storage: None,
            savings: None,
            past: None,
            filter: filter.to_owned(),
            ..self
        }
    }

    /// What models could be run cheaper for, in no sum; `None` where no workload is known, and while the waterfall is early.
    fn potential(&self) -> Option<Potential> {
        self.savings.as_ref().filter(|s| !s.waterfall.early)?.waterfall.potential
    }

    /// The Overview, and how many findings it leaves out because of a limit.
    fn model(&self, ctx: &ViewContext) -> (Overview, usize) {
        let how = &self.findings;
        let is_usual = how.sorts.is_empty() && how.limit.is_none();
        let most = if is_usual { picture::FINDINGS } else { usize::MAX };
        let model = picture::overview_with(&self.fleet, most, ctx);
        let mut model = model.with_gpus(&self.fleet, &self.gpus);
        if let Some(storage) = &self.storage {
            model = model.with_storage(storage);
        }
        if let Some(savings) = &self.savings {
            model = model.with_savings(savings);
        }
        model.scores = picture::directed(&model.scores, self.past.as_deref());
        // The bill is that of everything.
        if !self.filter.is_empty() {
            model.units = Arc::default();
        }
        let found = std::mem::take(&mut model.findings).into_iter().map(Arc::new).collect();
        let found = table::sorted::<FindingField>(found, &how.sorts, ctx);
        let shown = how.limit.unwrap_or(picture::FINDINGS);
        model.findings = found.iter().take(shown).map(|finding| (**finding).clone()).collect();
        let left_out = how.limit.map_or(0, |limit| found.len().saturating_sub(limit));
        (model, left_out)
    }

    /// These sections, each with its table and its rows for JSON; one with nothing in it is absent.
    pub(super) fn parts(&self, wanted: &[&str], ctx: &ViewContext) -> Vec<OverviewPart> {
        let records = self.lines(ctx);
        let of = |(section, _): (&'static str, &'static str)| OverviewPart {
            section,
            sheet: sheet(&records, Some(section), ctx.symbols),
            rows: records.iter().filter(|r| r.section == section).map(row).collect(),
        };
        let wanted = SECTIONS.into_iter().filter(|(section, _)| wanted.contains(section));
        wanted.map(of).filter(|part| !part.rows.is_empty()).collect()
    }

    /// One line per line of the Overview.
    fn lines(&self, ctx: &ViewContext) -> Vec<Record> {
        records(&self.model(ctx).0, ctx)
    }

    /// A table per section, each behind its heading.
    fn sections(
        &self,
        ctx: &ViewContext,
        heading: impl Fn(&str) -> String,
        table: impl Fn(&Sheet) -> String,
    ) -> String {
        let model = self.model(ctx).0;
        let records = records(&model, ctx);
        let columns = &self.findings.columns[..];
        let mut out = String::new();
        for (section, title) in SECTIONS {
            let sheet = if section == FINDING && !columns.is_empty() {
                super::sheet::of(model.findings.iter(), columns, ctx)
            } else {
                sheet(&records, Some(section), ctx.symbols)
            };
            if !sheet.rows.is_empty() {
                out.extend([heading(title), table(&sheet), "\n".to_owned()]);
            }
        }
        out
    }
}

impl Report for OverviewReport {
    fn view(&self) -> &'static str {
        "overview"
    }

    fn basis(&self) -> String {
        fleet_basis(&self.preset) + &filtered(&self.filter)
    }

    fn readings(&self) -> &[Reading] {
        &self.fleet.readings
    }

    fn rows(&self, ctx: &ViewContext, most: usize) -> Vec<Json> {
        self.lines(ctx).iter().take(most).map(row).collect()
    }

    fn records(&self, ctx: &ViewContext) -> Sheet {
        sheet(&self.lines(ctx), None, ctx.symbols)
    }

    fn beside(&self, ctx: &ViewContext) -> Vec<(&'static str, Json)> {
        let past = self.past.iter().map(|past| ("past", overview_past::json(past)));
        let left_out = Some(self.model(ctx).1).filter(|n| *n > 0);
        let potential = self.potential().map(|found| {
            let json = json!({
                "up_to_usd_per_hour": json::number(Some(found.up_to_usd_per_hour)),
                "workloads": found.workloads,
                "scripts_left_out": found.scripts,
            });
            ("potential", json)
        });
        past.chain(left_out.map(|n| ("findings_left_out", n.into()))).chain(potential).collect()
    }

    fn left_out(&self, ctx: &ViewContext) -> Option<String> {
        let n = Some(self.model(ctx).1).filter(|n| *n > 0)?;
        Some(format!("{} left out by --limit", format::plural(n, "finding")))
    }

    fn notes(&self, ctx: &ViewContext) -> Notes {
        let mut lines: Vec<String> = self.left_out(ctx).into_iter().collect();
        lines.extend(self.past.iter().flat_map(|past| picture::since(past, ctx)));
        lines.extend(self.potential().as_ref().map(reasons::potential));
        lines.push(format!("basis: {}", self.basis()));
        lines.extend(troubles_of(self.rests_on()));
        Notes::Below(lines)
    }

    fn text(&self, ctx: &ViewContext) -> String {
        let table = |sheet: &Sheet| text::table(sheet, ctx.width);
        self.sections(ctx, |title| format!("{title}\n"), table) + &self.notes(ctx).text()
    }

    fn markdown(&self, ctx: &ViewContext) -> String {
        let tables = self.sections(ctx, |title| format!("## {title}\n\n"), markdown::table);
        // Each section ends with the empty line that a paragraph begins with.
        format!("{}\n", tables + self.notes(ctx).markdown().trim_start())
    }
}

fn records(model: &Overview, ctx: &ViewContext) -> Vec<Record> {
    let symbols = ctx.symbols;
    let known = |usd| symbols.or_unknown(usd, format::usd_total);
    let of_burn = |usd: Option<f64>| usd.filter(|_| model.burn > 0.0).map(|u| u / model.burn);
    let group = |section: &'static str, g: &Group| Record {
        section,
        name: g.name.clone().unwrap_or_else(|| "(untagged)".to_owned()),
        instances: Some(g.instances),
        unpriced: Some(g.unpriced),
        gpus: Some(g.gpus),
        usd_per_hour: g.known_burn(),
        waste_usd_per_hour: g.known_waste(),
        share: of_burn(g.known_burn()),
        ..Record::default()
    };
    let mut records = bill::ladder(model);
    records.push(Record {
        section: "fleet",
        name: "running".to_owned(),
        instances: Some(model.running),
        unpriced: Some(model.unpriced),
        gpus: Some(model.gpus),
        usd_per_hour: model.known_burn(),
        waste_usd_per_hour: model.known_waste(),
        wasted_usd: model.known_wasted_since(),
        wasted_at_least: model.wasted_at_least,
        share: model.waste_share.filter(|_| model.known_waste().is_some()),
        note: format!(
            "{} per month of 730 h, of which waste {}",
            known(model.known_burn().map(|_| model.burn_per_month())),
            known(model.known_waste().map(|_| model.waste_per_month())),
        ),
        ..Record::default()
    });
    let net_known = |saved: &&Saved| saved.waterfall.net_unknown.is_none();
    let net = model.saved.as_ref().filter(net_known).and(model.net);
    records.extend(net.map(net_record));
    records.extend(model.measures.iter().flat_map(bill::measures));
    records.extend(model.parts.iter().filter(|p| p.instances > 0).map(|p| Record {
        section: "part",
        name: p.kind.name().to_owned(),
        label: Some(p.kind.label()),
        instances: Some(p.instances),
        unpriced: Some(p.unpriced),
        usd_per_hour: p.known(),
        share: of_burn(p.known()),
        ..Record::default()
    }));
    if let Some(saved) = &model.saved {
        records.extend(unused(saved, symbols));
    }
    records.extend(model.findings.iter().map(|f| finding(f, ctx)));
    if let Some(saved) = &model.saved {
        records.extend(waterfall(saved));
        records.extend(saved.waterfall.nodes.iter().take(NODES).map(node));
        records.extend(saved.sequence.iter().map(task));
    }
    records.extend(model.gpu_findings.iter().map(|f| Record {
        section: "gpu",
        name: f.state.name().to_owned(),
        label: Some(gpu_words::plain(f.state)),
        unpriced: Some(f.unpriced),
        gpus: Some(f.gpus),
        waste_usd_per_hour: (f.unpriced < f.count).then_some(f.usd_per_hour),
        wasted_usd: f.wasted_usd,
        wasted_at_least: f.wasted_at_least,
        ..Record::default()
    }));
    records.extend(model.teams.iter().map(|g| group("team", g)));
    records.extend(model.places.iter().map(|g| group("place", g)));
    records.extend(model.scores.iter().map(|s| Record {
        section: "score",
        name: s.metric.name().to_owned(),
        label: Some(s.metric.label()),
        share: s.share,
        grade: s.grade,
        note: s.note(),
        ..Record::default()
    }));
    records.extend(model.units.iter().map(|unit| Record {
        section: "score",
        name: unit.name.to_string(),
        note: picture::unit_note(unit, symbols),
        ..Record::default()
    }));
    if let Some(sentence) = model.blind.sentence() {
        records.push(Record {
            section: "blind",
            name: "missing".to_owned(),
            instances: Some(model.blind.instances),
            unpriced: Some(model.blind.unpriced),
            usd_per_hour: Some(model.blind.usd_per_hour),
            note: sentence,
            ..Record::default()
        });
    }
    records
}

fn net_record(net: NetBurn) -> Record {
    Record {
        section: "fleet",
        name: "net_of_commitments".to_owned(),
        label: Some("net of commitments"),
        unpriced: Some(net.unpriced),
        usd_per_hour: Some(net.usd_per_hour),
        note: "what the running instances cost with the commitments that pay for them".to_owned(),
        ..Record::default()
    }
}

fn finding(finding: &Finding, ctx: &ViewContext) -> Record {
    let lasts = finding.since.map(|(at, at_least)| {
        let span = format::span(ctx.now.duration_since(at).as_secs());
        format::bound(span, at_least, ctx.symbols)
    });
    Record {
        section: FINDING,
        name: finding.name.to_string(),
        id: Some(finding.of.id()),
        instance_id: finding.of.instance().map(ToString::to_string),
        kind: Some(finding.of.word()),
        team: finding.team.as_ref().map(ToString::to_string),
        since: finding.since,
        lasts: lasts.unwrap_or_default(),
        waste_usd_per_hour: Some(finding.usd_per_hour),
        wasted_usd: finding.wasted_usd,
        wasted_at_least: finding.wasted_at_least,
        note: finding.what.clone(),
        ..Record::default()
    }
}

/// `items` are the GPUs that idle.
fn node(node: &PartlyIdleNode) -> Record {
    Record {
        section: "node",
        name: node.name.to_string(),
        id: Some(node.id.to_string()),
        instance_id: Some(node.id.to_string()),
        kind: Some(node.remedy.word()),
        team: node.team.as_ref().map(ToString::to_string),
        gpus: Some(f64::from(node.gpus)),
        gross_usd_per_hour: node.gross_usd_per_hour,
        items: Some(node.idle_gpus),
        note: format!("{}: {}", node.instance_type, reasons::node_remedy(node)),
        ..Record::default()
    }
}

fn unused(saved: &Saved, symbols: Symbols) -> Vec<Record> {
    let commitments = saved.unused().map(|usd| Record {
        section: "unused",
        name: "commitments".to_owned(),
        waste_usd_per_hour: Some(usd),
        note: saved.unused_of(symbols).unwrap_or_default(),
        ..Record::default()
    });
    let resources = saved.resources.iter().map(|r| Record {
        section: "unused",
        name: r.kind.word().to_owned(),
        label: Some(r.kind.label()),
        unpriced: Some(r.unpriced),
        waste_usd_per_hour: r.known(),
        items: Some(r.count),
        ..Record::default()
    });
    commitments.into_iter().chain(resources).collect()
}

/// The bill now, the steps, the bill after: `usd_per_hour` is the bill after each.
fn waterfall(saved: &Saved) -> Vec<Record> {
    let w = &saved.waterfall;
    let total = |name: &str, label, usd| Record {
        section: "waterfall",
        name: name.to_owned(),
        label: Some(label),
        usd_per_hour: Some(usd),
        ..Record::default()
    };
    let why = w.net_unknown.as_ref().map(reasons::net_unknown);
    let mut records = vec![Record {
        note: match (why, saved.left_out()) {
            (Some(why), left) if left.is_empty() => format!("at list price: {why}"),
            (Some(why), left) => format!("at list price: {why}; {left}"),
            (None, left) => left,
        },
        ..total("before", "the bill now", w.before)
    }];
    records.extend(w.steps.iter().map(|s| Record {
        saves_usd_per_hour: s.known(),
        gross_usd_per_hour: Some(s.gross_alone),
        items: Some(s.items),
        effort: Some(s.effort).filter(|_| s.items > 0),
        risk: Some(s.risk).filter(|_| s.items > 0),
        note: s.notes.iter().map(|n| reasons::step_note(*n)).collect::<Vec<_>>().join(" "),
        ..total(s.kind.word(), s.kind.label(), s.after)
    }));
    records.push(Record {
        saves_usd_per_hour: Some(w.saves()),
        gross_usd_per_hour: Some(w.naive),
        note: saved.naive().unwrap_or_default(),
        ..total("after", "the bill after", w.after())
    });
    records
}

fn task(task: &Task) -> Record {
    let place = task.kind.place();
    let why = reasons::task(task);
    let parts = [why.as_str(), place.command];
    let note: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    Record {
        section: "sequence",
        name: task.kind.word().to_owned(),
        label: Some(task.kind.label()),
        saves_usd_per_hour: task.usd_per_month.map(|usd| usd / HOURS_PER_MONTH),
        items: Some(task.count),
        effort: Some(task.effort),
        risk: Some(task.risk),
        note: note.join("; "),
        ..Record::default()
    }
}

fn row(r: &Record) -> Json {
    json!({
        "section": r.section,
        "name": r.name,
        "id": r.id,
        "instance_id": r.instance_id,
        "kind": r.kind,
        "team": r.team,
        "idle_since": r.since.map(|(at, _)| at.to_string()),
        "idle_since_at_least": r.since.map(|(_, at_least)| at_least),
        "instances": r.instances,
        "unpriced": r.unpriced,
        "gpus": json::number(r.gpus),
        "live_gpus": json::number(r.live_gpus),
        "usd_per_hour": json::number(r.usd_per_hour),
        "list_usd_per_hour": json::number(r.list_usd_per_hour),
        "is_waste": r.is_waste,
        "usd_per_month": json::number(r.usd_per_hour.map(|u| u * HOURS_PER_MONTH)),
        "waste_usd_per_hour": json::number(r.waste_usd_per_hour),
        "wasted_usd": json::number(r.wasted_usd),
        "wasted_at_least": r.wasted_usd.map(|_| r.wasted_at_least),
        "share": json::number(r.share),
        "grade": r.grade.map(Band::name),
        "saves_usd_per_hour": json::number(r.saves_usd_per_hour),
        "saves_usd_per_month": json::number(month(r)),
        "gross_usd_per_hour": json::number(r.gross_usd_per_hour),
        "items": r.items,
        "effort": r.effort.map(words::effort),
        "risk": r.risk.map(words::risk),
        "note": r.note,
    })
}

/// What a step saves, USD per month of 730 h.
fn month(r: &Record) -> Option<f64> {
    r.saves_usd_per_hour.map(|usd| usd * HOURS_PER_MONTH)
}

/// The records of one section, with the columns that say something in it; or all records with all
/// columns.
fn sheet(records: &[Record], section: Option<&str>, symbols: Symbols) -> Sheet {
    let records: Vec<&Record> =
        records.iter().filter(|r| section.is_none_or(|s| s == r.section)).collect();
    let kept: Vec<_> = COLUMNS
        .iter()
        .filter(|c| {
            section.is_none()
                || (!FOR_MACHINES.contains(&c.name) && records.iter().any(|r| c.has(r)))
        })
        .collect();
    Sheet {
        columns: kept
            .iter()
            .map(|c| Column { name: c.name, header: c.header, align: c.get.align() })
            .collect(),
        rows: records
            .iter()
            .map(|r| kept.iter().map(|c| c.get.cell(r, symbols)).collect())
            .collect(),
    }
}

struct RecordColumn {
    name: &'static str,
    header: &'static str,
    get: Get,
}

enum Get {
    Name,
    Grade,
    /// With a sign where it is a lower bound.
    Wasted,
    /// How long it lasts; for machines since when.
    Since,
    /// A mark for people, a word for machines.
    Waste,
    /// USD/h, and the whole cents that are shown in its place.
    Carried(fn(&Record) -> (Option<f64>, Option<f64>)),
    Text(fn(&Record) -> &str),
    Number(fn(&Record) -> Option<f64>, fn(f64) -> String),
}

/// Columns that people read elsewhere: from a heading, from a sign.
const FOR_MACHINES: [&str; 4] =
    ["section", "instance_id", "idle_since_at_least", "wasted_at_least"];

const COLUMNS: [RecordColumn; 27] = [
    RecordColumn { name: "section", header: "SECTION", get: Get::Text(|r| r.section) },
    RecordColumn { name: "name", header: "NAME", get: Get::Name },
    RecordColumn {
        name: "id",
        header: "ID",
        get: Get::Text(|r| r.id.as_deref().unwrap_or_default()),
    },
    RecordColumn {
        name: "instance_id",
        header: "",
        get: Get::Text(|r| r.instance_id.as_deref().unwrap_or_default()),
    },
    RecordColumn { name: "kind", header: "KIND", get: Get::Text(|r| r.kind.unwrap_or_default()) },
    RecordColumn {
        name: "instances",
        header: "INSTANCES",
        get: Get::Number(|r| r.instances.map(f64::from), format::count),
    },
    RecordColumn {
        name: "unpriced",
        header: "UNPRICED",
        get: Get::Number(|r| r.unpriced.map(f64::from), format::count),
    },
    RecordColumn { name: "gpus", header: "GPUS", get: Get::Number(|r| r.gpus, format::count) },
    RecordColumn {
        name: "live_gpus",
        header: "LIVE NOW",
        get: Get::Number(|r| r.live_gpus, format::count),
    },
    RecordColumn {
        name: "usd_per_hour",
        header: "$/h",
        get: Get::Carried(|r| (r.usd_per_hour, r.shown_usd_per_hour.0)),
    },
    RecordColumn {
        name: "list_usd_per_hour",
        header: "LIST/h",
        get: Get::Carried(|r| (r.list_usd_per_hour, r.shown_usd_per_hour.1)),
    },
    RecordColumn { name: "is_waste", header: "", get: Get::Waste },
    RecordColumn {
        name: "waste_usd_per_hour",
        header: "WASTE/h",
        get: Get::Number(|r| r.waste_usd_per_hour, |v| format::grouped(v, 2)),
    },
    RecordColumn { name: "wasted_usd", header: "WASTED", get: Get::Wasted },
    RecordColumn {
        name: "wasted_at_least",
        header: "",
        get: Get::Text(|r| match (r.wasted_usd, r.wasted_at_least) {
            (Some(_), true) => "true",
            (Some(_), false) => "false",
            (None, _) => "",
        }),
    },
    RecordColumn { name: "idle_since", header: "SINCE", get: Get::Since },
    RecordColumn {
        name: "idle_since_at_least",
        header: "",
        get: Get::Text(|r| match r.since {
            Some((_, true)) => "true",
            Some((_, false)) => "false",
            None => "",
        }),
    },
    RecordColumn {
        name: "team",
        header: "TEAM",
        get: Get::Text(|r| r.team.as_deref().unwrap_or_default()),
    },
    RecordColumn {
        name: "share",
        header: "SHARE",
        get: Get::Number(|r| r.share, |v| format::share(v, 0)),
    },
    RecordColumn { name: "grade", header: "GRADE", get: Get::Grade },
    RecordColumn {
        name: "saves_usd_per_hour",
        header: "SAVES/h",
        get: Get::Number(|r| r.saves_usd_per_hour, |v| format::grouped(v, 2)),
    },
    RecordColumn {
        name: "saves_usd_per_month",
        header: "SAVES/month",
        get: Get::Number(month, format::usd_total),
    },
    RecordColumn {
        name: "gross_usd_per_hour",
        header: "CLAIM/h",
        get: Get::Number(|r| r.gross_usd_per_hour, |v| format::grouped(v, 2)),
    },
    RecordColumn {
        name: "items",
        header: "ITEMS",
        get: Get::Number(|r| r.items.map(f64::from), format::count),
    },
    RecordColumn {
        name: "effort",
        header: "EFFORT",
        get: Get::Text(|r| r.effort.map_or("", words::effort)),
    },
    RecordColumn {
        name: "risk",
        header: "RISK",
        get: Get::Text(|r| r.risk.map_or("", words::risk)),
    },
    RecordColumn { name: "note", header: "", get: Get::Text(|r| &r.note) },
];

impl RecordColumn {
    fn has(&self, record: &Record) -> bool {
        match self.get {
            Get::Name => true,
            Get::Grade => record.grade.is_some(),
            Get::Wasted => record.wasted_usd.is_some(),
            Get::Since => record.since.is_some(),
            Get::Waste => record.is_waste.is_some(),
            Get::Carried(get) => get(record).0.is_some(),
            Get::Text(get) => !get(record).is_empty(),
            Get::Number(get, _) => get(record).is_some(),
        }
    }
}

impl Get {
    fn align(&self) -> Align {
        match self {
            Self::Name | Self::Grade | Self::Waste | Self::Text(_) => Align::Left,
            Self::Number(..) | Self::Carried(_) | Self::Wasted | Self::Since => Align::Right,
        }
    }

    fn cell(&self, record: &Record, symbols: Symbols) -> Cell {
        match self {
            Self::Name => Cell {
                shown: record.label.map_or_else(|| record.name.clone(), str::to_owned),
                value: Value::Text(record.name.clone().into()),
            },
            Self::Grade => record.grade.map_or_else(
                || Cell { shown: String::new(), value: Value::Unknown },
                |g| Cell { shown: g.word().to_owned(), value: Value::Text(g.name().into()) },
            ),
            Self::Waste => Cell {
                shown: if record.is_waste == Some(true) { "!" } else { "" }.to_owned(),
                value: record.is_waste.map_or(Value::Unknown, |is| {
                    Value::Text(if is { "true" } else { "false" }.into())
                }),
            },
            Self::Carried(get) => {
                let (usd, shown) = get(record);
                let usd = usd.filter(|usd| usd.is_finite());
                let shown = usd.map(|usd| shown.unwrap_or(usd));
                Cell {
                    shown: symbols.or_unknown(shown, |usd| format::grouped(usd, 2)),
                    value: usd.map_or(Value::Unknown, Value::Number),
                }
            }
            Self::Text(get) => Cell::text(get(record)),
            Self::Wasted => {
                let usd = record.wasted_usd.filter(|usd| usd.is_finite());
                let shown = symbols.or_unknown(usd, |usd| {
                    format::bound(format::usd_total(usd), record.wasted_at_least, symbols)
                });
                Cell { shown, value: usd.map_or(Value::Unknown, Value::Number) }
            }
            Self::Since => Cell {
                shown: match record.since {
                    Some(_) => record.lasts.clone(),
                    None => symbols.unknown().to_owned(),
                },
                value: record.since.map_or(Value::Unknown, |(at, _)| Value::Time(at)),
            },
            Self::Number(get, format) => {
                let number = get(record).filter(|n| n.is_finite());
                let value = number.map_or(Value::Unknown, Value::Number);
                Cell { shown: symbols.or_unknown(number, format), value }
            }
        }
    }
}
