//! The help: of the page that it stands above, or of everything; made from the tables of keys, commands and fields.

use std::borrow::Cow;

use super::{Line, wrap};
use crate::app::command::{CommandSpec, Words, commands};
use crate::app::keymap::{Action, ActionSpec, Context, Key};
use crate::app::screen::Screen;
use crate::app::{App, ListSpec, Page, Role, lists};
use crate::domain::{GpuState, VerdictKind};
use crate::tabs::gpus::picture::words;
use crate::view::FieldSpec;

/// Columns that keys and names take.
const NAME_WIDTH: usize = 26;

/// The verdicts, worst first.
const VERDICTS: [(VerdictKind, &str); 7] = [
    (VerdictKind::Idle, "Nothing happened for the preset's whole stretch, on full evidence."),
    (VerdictKind::Partial, "k of n GPUs did nothing, the others work."),
    (VerdictKind::Underused, "In use, but far below its size. Not counted as waste."),
    (VerdictKind::Unknown, "The evidence does not suffice. Never counted as idle."),
    (VerdictKind::TooNew, "Too young to judge."),
    (VerdictKind::Busy, "In use."),
    (VerdictKind::Exempt, "Exempt by its tag."),
];

/// The states of a GPU, worst first.
const GPU_STATES: [(GpuState, &str); GpuState::ALL.len()] = [
    (GpuState::Unhealthy, "A GPU with a hardware error: it cannot be trusted with work."),
    (GpuState::Stalled, "A GPU that looks fully used and computes nothing: likely hangs."),
    (GpuState::HeldIdle, "A GPU that somebody holds and does nothing with."),
    (
        GpuState::UnallocatedIdle,
        "A GPU that no process holds and nothing runs on; IDLE IN JOB where its scheduler gave it to a job all the same.",
    ),
    (GpuState::Inefficient, "A GPU that works at less than half of what it could."),
    (GpuState::Unknown, "The evidence does not suffice. Never counted as idle."),
    (GpuState::Stale, "No fresh telemetry. Never counted as idle."),
    (GpuState::Busy, "A GPU that works."),
];

/// Other signs of the screen.
const SIGNS: [(&str, &str); 6] = [
    ("~", "Before a number: older than twice the interval it is read at."),
    ("ec2 12s  cw 4m", "A source and the age of its oldest last good answer."),
    ("cw denied 2/8", "A source in trouble in 2 of 8 accounts and regions; ! says what to do."),
    ("own $0.03", "What burntop's own billed calls cost today; CAP: they rest until midnight UTC."),
    ("RO", "burntop only reads: nothing can be changed from here."),
    ("ARMED, ARMED 1/3", "Instances of all accounts, or of some, can be stopped and terminated."),
];

/// Words of the field that stand on pages.
const WORDS: [(&str, &str); 16] = [
    ("burn", "What runs now, in dollars per hour; a month is 730 h of it, a day 24 h."),
    (
        "waste",
        "What is paid for and serves nothing, as judged over days; other pages than the Overview say which part they count. \
         Live now, as on the GPUs tab: of GPUs that exporters see, in this minute.",
    ),
    (
        "list, paid",
        "At on-demand prices; at what is paid once reservations and plans have their part.",
    ),
    ("net", "What a change saves after commitments that go on without it."),
    ("effort, risk", "What a change takes of people's time, and what it may break."),
    ("ESR", "Effective savings rate: 1 − what is paid ÷ the on-demand price of the same use."),
    (
        "unit, slot",
        "The nth instance at the same time: slot 40 is used in the hours in which 40 or more run.",
    ),
    (
        "regret",
        "What a choice costs above the one that would have been best in the same future, on average.",
    ),
    (
        "caution",
        "How much the worst 5% of futures count beside the mean: 0 the mean alone, 1 they alone.",
    ),
    (
        "no loss after",
        "So many months after a purchase the demand may vanish and nothing is lost; in lists: safe.",
    ),
    (
        "room",
        "Reserved capacity in which nothing runs; of waits: as many idle GPUs as a job asks for, where it could have them.",
    ),
    ("goodput", "Share of the GPU-hours held that came to something, without the queue."),
    (
        "ETTR",
        "Effective training time ratio: hours that came to something ÷ hours held and waited for.",
    ),
    (
        "zombie",
        "A GPU that costs and does nothing for a job: held by no living one, or idle in one.",
    ),
    (
        "RG, rung",
        "What a GPU's activity rests on: A active SMs, B its engine, C utilisation, D power alone, E nothing.",
    ),
    (
        "select, mark",
        "space selects rows to act on; a mark is the tag burntop:expires, which lets an instance be stopped later.",
    ),
];

/// Keys of the What-if tab that the guide has too, and what they do there.
const ON_GUIDE: [(Action, &str); 7] = [
    (Action::Raise, "More of the input under the cursor, or its next choice."),
    (Action::Lower, "Less of it, or the choice before."),
    (Action::RaiseMore, "Much more of it."),
    (Action::LowerMore, "Much less of it."),
    (Action::SetValue, "Type its value."),
    (Action::NextChart, "To the overview, with which the lists begin."),
    (Action::PreviousChart, "The list before the guide."),
];

/// Where keys and all else are configured.
const CONFIGURATION: [(&str, &str); 4] = [
    ("burntop config path", "Prints where the configuration file lies."),
    ("burntop config init", "Writes a commented configuration file where there is none."),
    ("burntop config check", "Says what is wrong with the configuration."),
    (
        "[keys]",
        "Below this line of the configuration keys are remapped, each by the name of its action, which stands in brackets \
         here: filter = [\"/\", \"ctrl-x\"]",
    ),
];

/// How the help is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpView {
    /// True = everything, false = what concerns the page that it stands above.
    pub all: bool,
    /// Words that are searched for in all of it; empty without a search.
    pub words: String,
}

/// Entries below one heading: each with its name and a sentence.
struct Section {
    title: Cow<'static, str>,
    entries: Vec<(String, String)>,
}

impl Section {
    fn new(title: impl Into<Cow<'static, str>>, entries: Vec<(String, String)>) -> Self {
        Self { title: title.into(), entries }
    }
}

/// Lines of the help page.
pub fn lines(app: &App, view: &HelpView, width: usize) -> Vec<Line> {
    let words: Vec<String> = view.words.split_whitespace().map(str::to_lowercase).collect();
    let mut lines = Vec::new();
    for part in wrap(&head(app, view), width) {
        lines.push(Line::of(Role::Dim, part));
    }
    let has_all = |name: &str, doc: &str| {
        let text = format!("{name} {doc}").to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let sections = if words.is_empty() && !view.all { of_page(app) } else { everything(app) };
    let mut found = 0;
    for Section { title, mut entries } in sections {
        entries.retain(|(name, doc)| has_all(name, doc));
        found += entries.len();
        if !entries.is_empty() {
            heading(title, &mut lines);
        }
        for (name, doc) in entries {
            entry(&name, &doc, width, &mut lines);
        }
    }
    if found == 0 {
        lines.push(Line::new());
        lines.push(Line::of(Role::Warn, "Nothing in the help has all of these words."));
    }
    lines
}

/// What is seen, and what else there is.
fn head(app: &App, view: &HelpView) -> String {
    let key = |action: Action| {
        let key = app.keymap().keys(action).first();
        key.map_or_else(|| format!("`{}`", action.spec().name), ToString::to_string)
    };
    let (search, all, back) = (key(Action::SearchHelp), key(Action::AllHelp), key(Action::Back));
    if !view.words.is_empty() {
        return format!("Found in all of the help: {}. {back} ends the search.", view.words);
    }
    if view.all {
        return format!(
            "Everything; in brackets the name that an action has in [keys] of the configuration, \
             as in: filter = [\"/\", \"ctrl-x\"]. `burntop config path` prints where that file lies. \
             {search} searches, {all} goes back to what can be done on the page."
        );
    }
    format!(
        "What can be done on this page. {search} searches all of the help, {all} shows all keys, \
         commands and fields."
    )
}

/// What concerns the page that the help stands above.
fn of_page(app: &App) -> Vec<Section> {
    let contexts = app.contexts_below_help();
    let page = app.page_below_help();
    let of_context = |context: &Context| match (context, page) {
        (Context::WhatIf, Some(Page::Guide)) => keys_of_guide(app),
        _ => keys(app, *context, false),
    };
    let mut sections: Vec<Section> = contexts.iter().map(of_context).collect();
    if page.is_some() || !app.screen().is_drawn(app) {
        sections.push(keys_of_lines(app, contexts));
    }
    let screen = match page {
        Some(page) => page.screen(),
        None => Some(app.screen()),
    };
    let own = screen.map(Screen::commands).unwrap_or_default();
    if !own.is_empty() {
        let entries = own.iter().map(|command| command_entry(app, command)).collect();
        sections.push(Section::new("Commands of this tab, after :", entries));
    }
    let mut signs = Vec::new();
    if contexts.contains(&Context::Savings) {
        signs.extend(verdicts(app));
    }
    if contexts.contains(&Context::Gpus) {
        signs.extend(gpu_states(app));
    }
    signs.extend(other_signs(app));
    sections.push(Section::new("What the signs mean", signs));
    let words = screen.map(Screen::glossary).unwrap_or_default();
    if !words.is_empty() {
        let words = words.into_iter().map(|(name, doc)| (name.to_owned(), doc.to_owned()));
        sections.push(Section::new("What words mean here", words.collect()));
    }
    if page.is_none() && app.screen().shows_table(app) {
        sections.push(filter());
        let list = app.list();
        let spec = lists().find(|spec| std::ptr::eq((spec.list)(app), list));
        sections.extend(spec.map(|spec| fields(spec, "")));
    }
    sections
}

/// All there is.
fn everything(app: &App) -> Vec<Section> {
    let keys = Context::ALL.into_iter().map(|context| keys(app, context, true));
    let mut sections: Vec<Section> = keys.collect();
    sections.push(free_keys(app));
    let signs = verdicts(app).chain(gpu_states(app)).chain(other_signs(app)).collect();
    sections.push(Section::new("What the signs mean", signs));
    // A word that stands on several tabs is explained once.
    let mut words: Vec<(String, String)> = Vec::new();
    for (name, doc) in WORDS.into_iter().chain(crate::tabs::screens().flat_map(Screen::glossary)) {
        if words.iter().all(|(known, _)| known != name) {
            words.push((name.to_owned(), doc.to_owned()));
        }
    }
    sections.push(Section::new("What words mean", words));
    let entries = commands().map(|command| command_entry(app, command)).collect();
    sections.push(Section::new("Commands, after :", entries));
    let entries = CONFIGURATION.map(|(name, doc)| (name.to_owned(), doc.to_owned()));
    sections.push(Section::new("The configuration", entries.into()));
    sections.push(filter());
    for (at, list) in lists().enumerate() {
        let use_of = if at == 0 { ", for filter, sort and columns" } else { "" };
        sections.push(fields(list, use_of));
    }
    sections
}

/// The keys that find in lines, without those that mean something else in these contexts.
fn keys_of_lines(app: &App, contexts: &[Context]) -> Section {
    let is_free = |spec: &&ActionSpec| {
        let mut keys = app.keymap().keys(spec.action).iter();
        keys.all(|key| {
            let own = app.keymap().lookup(*key, contexts);
            own.is_none_or(|own| matches!(own, Action::Filter | Action::FindInput))
        })
    };
    let finds = Action::ALL.iter().filter(|spec| spec.context == Context::Lines).filter(is_free);
    let entries = finds.map(|spec| (keys_of(app, spec.action), spec.doc.trim().to_owned()));
    Section::new(Context::Lines.title(), entries.collect())
}

/// The keys of a context, with the names of their actions where `named`.
fn keys(app: &App, context: Context, named: bool) -> Section {
    let entry = |spec: &ActionSpec| {
        let doc = spec.doc.trim();
        let doc = if named { format!("{doc} [{}]", spec.name) } else { doc.to_owned() };
        (keys_of(app, spec.action), doc)
    };
    let entries = Action::ALL.iter().filter(|s| s.context == context).map(entry).collect();
    Section::new(context.title(), entries)
}

/// The single keys that no action has, for all actions and, beside these, for those of each context.
fn free_keys(app: &App) -> Section {
    let doc = |keys: &[Key]| {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        format!("free: {}", keys.join(" "))
    };
    let everywhere = app.keymap().free(None);
    let mut entries = vec![("everywhere".to_owned(), doc(&everywhere))];
    for context in Context::ALL {
        let mut own = app.keymap().free(Some(context));
        // Where one types fewer are free, and all of these are said.
        if everywhere.iter().all(|key| own.contains(key)) {
            own.retain(|key| !everywhere.contains(key));
        }
        if !own.is_empty() {
            entries.push((context.title().to_owned(), doc(&own)));
        }
    }
    Section::new("Keys that are free, by where an action works", entries)
}

/// The keys of the guide, which does not have all of the What-if tab's.
fn keys_of_guide(app: &App) -> Section {
    let entries = ON_GUIDE.map(|(action, doc)| (keys_of(app, action), doc.to_owned()));
    Section::new("On the guide", entries.into())
}

/// The keys of an action, as one reads them.
fn keys_of(app: &App, action: Action) -> String {
    let keys: Vec<String> = app.keymap().keys(action).iter().map(ToString::to_string).collect();
    if keys.is_empty() { "(no key)".to_owned() } else { keys.join("  ") }
}

fn verdicts(app: &App) -> impl Iterator<Item = (String, String)> {
    let symbols = app.appearance().symbols;
    VERDICTS.into_iter().map(move |(kind, doc)| {
        let sign = format!("{} {}", symbols.verdict(kind), crate::view::verdict::word(kind));
        (sign, doc.to_owned())
    })
}

fn gpu_states(app: &App) -> impl Iterator<Item = (String, String)> {
    let symbols = app.appearance().symbols;
    GPU_STATES.into_iter().map(move |(state, doc)| {
        let sign = format!("{} {}", words::glyph(state, symbols), words::word(state));
        (sign, doc.to_owned())
    })
}

fn other_signs(app: &App) -> impl Iterator<Item = (String, String)> {
    let unknown = (app.appearance().symbols.unknown(), "Not known; never the same as 0.");
    std::iter::once(unknown).chain(SIGNS).map(|(sign, doc)| (sign.to_owned(), doc.to_owned()))
}

fn command_entry(app: &App, command: &CommandSpec) -> (String, String) {
    let words = match command.words {
        Words::Each(of) => of(app).join("|"),
        _ => String::new(),
    };
    let name = format!("{} {}", command.name, command.usage.replace("{}", &words));
    (name.trim_end().to_owned(), command.doc.to_owned())
}

fn filter() -> Section {
    let entries = [
        ("notebook", "A word: fuzzy search over the names, tags, types and ids."),
        ("\"train-7b\"", "In quotes: exactly these characters."),
        ("gpu<5 and $>10/h", "Field, operator, value with a unit; `and` may be left out."),
        ("idle>3d or verdict=unknown", "Either."),
        ("name=a,b", "Any of these, as name=a or name=b; name!=a,b is none of them."),
        ("idle>3 days, size>10 TB", "A unit behind a blank, or in words."),
        ("not env=prod", "The opposite; parentheses group."),
        ("name~eval", "Contains; !~ does not."),
        ("tag:owner=mia", "Any tag, by its key."),
    ];
    let entries = entries.map(|(example, doc)| (example.to_owned(), doc.to_owned()));
    Section::new("The filter", entries.into())
}

fn fields(list: &ListSpec, use_of: &str) -> Section {
    let entry = |spec: &FieldSpec| {
        let alias = spec.aliases.first().map(|alias| format!(", {alias}"));
        let name = format!("{}{}", spec.name, alias.unwrap_or_default());
        (name, spec.doc.to_owned())
    };
    let entries = (list.fields)().fields().iter().map(entry).collect();
    Section::new(format!("Fields of {}{use_of}", list.rows), entries)
}

fn heading(text: impl Into<Cow<'static, str>>, lines: &mut Vec<Line>) {
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines.push(Line::of(Role::Heading, text));
}

fn entry(name: &str, doc: &str, width: usize, lines: &mut Vec<Line>) {
    // On a narrow screen the sentence goes below the name.
    let beside = width >= NAME_WIDTH + 30;
    if !beside || super::columns(name) >= NAME_WIDTH {
        lines.push(Line::new().text("  ").with(Role::Accent, name.to_owned()));
        let indent = if beside { NAME_WIDTH + 2 } else { 4 };
        for part in wrap(doc, width.saturating_sub(indent)) {
            lines.push(Line::new().text(" ".repeat(indent)).text(part));
        }
        return;
    }
    for (i, part) in wrap(doc, width - NAME_WIDTH - 2).into_iter().enumerate() {
        let name = if i == 0 { name } else { "" };
        lines.push(Line::new().text("  ").column(Role::Accent, name, NAME_WIDTH).text(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::fixture::{app, press};

    /// The help after these keys, as text.
    fn help(keys: &str) -> String {
        let mut app = app((120, 40));
        press(&mut app, keys);
        let text = |line: &Line| line.spans.iter().map(|span| span.text.as_ref()).collect();
        let lines: Vec<String> = lines(&app, &app.help, 100).iter().map(text).collect();
        lines.join("\n")
    }

    #[test]
    fn who_looks_for_remapped_keys_finds_the_file_and_a_line_of_it() {
        let all = help("3?A");
        assert!(all.contains("burntop config path") && all.contains("ctrl-x"), "{all}");
        for words in ["remap", "config"] {
            let found = help(&format!("3?/{words}<enter>"));
            assert!(found.contains("[keys]") && found.contains("ctrl-x"), "{found}");
        }
        assert!(help("3?/config<enter>").contains("burntop config path"));
    }

    #[test]
    fn all_keys_end_with_those_that_are_free_for_any_action_and_for_those_of_a_tab() {
        let all = help("3?A");
        let free = all.split("Keys that are free").nth(1).unwrap();
        let line = |name: &str| free.lines().find(|line| line.trim_start().starts_with(name));
        let everywhere = line("everywhere").unwrap();
        assert!(everywhere.contains(" free: v E I "), "{everywhere}");
        // A key of the Storage tab is free on that of the GPUs; what is free everywhere is not said again.
        let gpus = line("On the GPUs tab").unwrap();
        assert!(gpus.contains(" t ") && !gpus.contains(" v "), "{gpus}");
        // Where one types no character is free.
        let typing = free.split("Anywhere, also while typing").nth(1).unwrap().trim_start();
        assert!(typing.starts_with("free: f2 f3 "), "{typing}");
        assert!(!help("3?").contains("free: v"));
    }

    #[test]
    fn the_help_of_the_guide_has_the_keys_that_work_there() {
        let guide = help(":guide<enter>?");
        assert!(guide.contains("On the guide") && guide.contains("Type its value"), "{guide}");
        assert!(!guide.contains("On the What-if tab") && !guide.contains("Buy as many"), "{guide}");
    }
}
