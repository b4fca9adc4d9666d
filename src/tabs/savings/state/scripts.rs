//! The lists of what could be saved under keys.

use std::sync::Arc;

use super::fixture::{after, app, heard, init};
use super::{SavingsList, SavingsPage};
use crate::app::fixture::press;
use crate::app::{App, Effect, Msg, Page};
use crate::report::Format;
use crate::tabs::savings::picture::fixture::savings_of;

const SIZE: (u16, u16) = (160, 40);

fn page(app: &App) -> Option<&SavingsPage> {
    match app.page().map(|o| &o.page) {
        Some(Page::Savings(page)) => Some(page),
        _ => None,
    }
}

fn commitment(id: &str) -> SavingsPage {
    SavingsPage { list: SavingsList::Commitments, id: id.into() }
}

fn text(app: &mut App) -> String {
    app.prepare();
    let (lines, ..) = app.text_body();
    let of = |line: &crate::app::content::Line| {
        line.spans.iter().map(|s| s.text.as_ref()).collect::<String>()
    };
    // Columns are for the eye: one blank will do here.
    let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.iter().map(|line| plain(of(line))).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_key_goes_through_the_lists_and_commands_name_them() {
    let mut app = app(SIZE);
    for look in SavingsList::ALL.map(Some).into_iter().chain([None]) {
        // Behind the last list stands the guide.
        press(&mut app, if look.is_none() { "oo" } else { "o" });
        assert_eq!(app.savings_tab().look(), look);
        assert!(!app.on_guide());
    }
    press(&mut app, "O");
    assert!(app.on_guide());
    press(&mut app, "O");
    assert_eq!((app.on_guide(), app.savings_tab().look()), (false, Some(SavingsList::Models)));
    press(&mut app, "o");
    assert!(app.on_guide());
    press(&mut app, "<esc>");
    assert_eq!((app.on_guide(), app.savings_tab().look()), (false, Some(SavingsList::Models)));
    for look in SavingsList::ALL.map(Some).into_iter().chain([None]) {
        let name = look.map_or("overview", |list| list.spec().list.name);
        press(&mut app, &format!("3:{name}<enter>"));
        assert_eq!((app.tab().title(), app.savings_tab().look()), ("Overview", look));
    }
    // The number of the tab is the overview, wherever one was.
    press(&mut app, ":spot<enter>31");
    assert_eq!(app.savings_tab().look(), None);
}

#[test]
fn before_anything_is_known_the_key_says_so_and_nothing_moves() {
    let mut app = crate::app::fixture::app_with(crate::tabs::gpus::picture::fixture::hosts(), SIZE);
    press(&mut app, "o");
    assert_eq!(app.savings_tab().look(), None);
    assert!(app.notice().unwrap().text.contains("not worked out yet"));
    press(&mut app, ":commitments<enter>");
    assert!(text(&mut app).starts_with("Commitments: not known yet"));
    // What comes later fills the list in its place.
    app.update(Msg::Savings(Arc::new(savings_of(|_| {}))));
    app.prepare();
    assert!(app.shows_savings_table());
}

#[test]
fn enter_opens_the_page_of_the_row_and_arrows_go_on() {
    let mut app = after(SIZE, "o<enter>");
    assert_eq!(page(&app), Some(&commitment("cr-0aaa")));
    press(&mut app, "l");
    assert_eq!(page(&app), Some(&commitment("11111111-ri")));
    press(&mut app, "h");
    assert_eq!(page(&app), Some(&commitment("cr-0aaa")));
    press(&mut app, "<esc><esc>");
    assert_eq!((app.tab().title(), app.savings_tab().look()), ("Overview", None));
    let app = after(SIZE, "oooo<enter>");
    let page = page(&app).unwrap();
    assert_eq!(page.list, SavingsList::Resources);
    assert!(page.id.ends_with("endpoint/old-ranker"));
}

#[test]
fn pages_say_what_is_known() {
    let of = |keys: &str| text(&mut after(SIZE, keys));
    let ri = of("oj<enter>");
    for part in [
        "Reserved Instances 4 × p4d.24xlarge in us-east-1",
        "4 x p4d.24xlarge, standard",
        "75%",
        "unused now $27.00/h ($19,710/month)",
        "$18.00/h per instance-hour it covered, on demand $21.96/h",
        "overlaps the plan 22222222-sp",
    ] {
        assert!(ri.contains(part), "{part}:\n{ri}");
    }
    let smaller = of("oo<enter>");
    for part in [
        "embed-api g5.12xlarge → g5.xlarge",
        "net $4.67/h ($3,406/month)",
        "gross $4.67/h ($3,406/month)",
        "memory per GPU",
        "11 GiB",
        "not known: kept",
        "used or may be: kept",
        "1 of 4 GPUs did something",
    ] {
        assert!(smaller.contains(part), "{part}:\n{smaller}");
    }
    let worthless = of("ooj<enter>");
    assert!(worthless.contains("net $0.00/h ($0/month)"), "{worthless}");
    assert!(worthless.contains("gross $16.47/h"), "{worthless}");
    assert!(worthless.contains("worthless until 2026-09-30"), "{worthless}");
    let cannot = of("ooG<enter>");
    assert!(cannot.contains("cannot be told: the runtime takes all GPU memory"), "{cannot}");
    let spot = of("ooo<enter>");
    for part in [
        "yes: fits (tag workload=training)",
        "us-east-1c",
        "5-10% within a month (Spot Instance Advisor, 2026-03-01)",
        "each 1h30m (Young/Daly)",
        "93% of the time",
        "$8.10/h per hour of useful work",
    ] {
        assert!(spot.contains(part), "{part}:\n{spot}");
    }
    let model = of("ooooo<enter>");
    for part in [
        "serve-chat batching",
        "up to $6.90/h ($5,037/month)",
        "yes: memory is active more than the tensor cores",
        "hint: tag workload=inference",
        "12.5% of the judged hours with a kernel on its GPUs",
        "held on 8 of 8 GPUs, now",
        "https://arxiv.org/abs/2309.06180",
        "quantisation, INT8 up to –, fits yes",
        "pruning, 2:4 up to $0.00/h, fits no",
    ] {
        assert!(model.contains(part), "{part}:\n{model}");
    }
    assert!(!model.contains("batch-embed"), "another workload:\n{model}");
    let endpoint = of("oooo<enter>");
    for part in [
        "endpoint old-ranker",
        "never used",
        "no invocation for 7 days",
        "168/168 quiet",
        "net $1.51/h ($1,106/month)",
        "Delete the endpoint",
    ] {
        assert!(endpoint.contains(part), "{part}:\n{endpoint}");
    }
}

#[test]
fn lists_filter_sort_and_mark_by_their_own_fields() {
    let mut app = after(SIZE, "o/unused>$30/h<enter>");
    app.prepare();
    assert_eq!(app.savings_tab().list(SavingsList::Commitments).order().len(), 1);
    // A field of another list is wrong here, and said so.
    press(&mut app, "/fit=yes<enter>");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "<esc>");
    assert_eq!(app.savings_tab().list(SavingsList::Commitments).filter_text(), "unused>$30/h");
    // The first esc takes the filter away, the next the list.
    press(&mut app, "<esc>");
    assert_eq!(app.savings_tab().look(), Some(SavingsList::Commitments));
    assert_eq!(app.savings_tab().list(SavingsList::Commitments).filter_text(), "");
    press(&mut app, "<space><space>");
    let marked = app.savings_tab().list(SavingsList::Commitments).marked().unwrap();
    assert_eq!(marked.count, 2);
    assert!((marked.usd_per_hour - 164.08).abs() < 1e-9);
    press(&mut app, "osn");
    app.prepare();
    let order = app.savings_tab().list(SavingsList::Proposals).order().to_vec();
    assert_eq!(order, [0, 1, 2, 3], "what is not known stands last");
    press(&mut app, ":sort gross<enter>");
    app.prepare();
    assert_eq!(app.savings_tab().list(SavingsList::Proposals).order()[0], 1);
    // What a list looks like is kept under a name, as of every list.
    let effects = press(&mut app, "wmine<enter>");
    let [Effect::SaveView(view)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((&*view.list, &*view.sort), ("rightsize", "gross_usd_per_hour"));
    press(&mut app, ":sort worst<enter>3:view mine<enter>");
    assert_eq!(app.savings_tab().look(), Some(SavingsList::Proposals));
    app.prepare();
    assert_eq!(app.savings_tab().list(SavingsList::Proposals).order()[0], 1);
}

#[test]
fn ids_and_rows_are_copied() {
    let mut app = after(SIZE, "o");
    assert_eq!(press(&mut app, "y"), [Effect::Copy("cr-0aaa".into())]);
    let effects = press(&mut app, "Y");
    let [Effect::CopyRows(picture)] = &effects[..] else { panic!("{effects:?}") };
    let rows = picture.json_lines(usize::MAX);
    assert_eq!((rows.lines().count(), picture.view()), (1, "commitments"));
    assert!(rows.contains("\"id\":\"cr-0aaa\""), "{rows}");
    // On the pages as well.
    press(&mut app, "oo<enter>");
    let effects = press(&mut app, "y");
    let [Effect::Copy(policy)] = &effects[..] else { panic!("{effects:?}") };
    let policy: serde_json::Value = serde_json::from_str(policy).unwrap();
    let split = &policy["MixedInstancesPolicy"]["InstancesDistribution"];
    assert_eq!(split["OnDemandBaseCapacity"], 0);
    let told = text(&mut app);
    assert!(told.contains("\"OnDemandBaseCapacity\": 0"), "{told}");
    press(&mut app, "l");
    assert_eq!(press(&mut app, "y"), [Effect::Copy("i-0000000000000b002".into())], "of no fleet");
}

#[test]
fn what_is_on_screen_is_exported() {
    let mut app = after(SIZE, "oo/net>$1/h<enter>");
    let effects = press(&mut app, ":export json x.json<enter>");
    let [Effect::Export { path, format, picture }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((path.as_str(), *format), ("x.json", Format::Json));
    assert_eq!(picture.view(), "rightsize");
    let text = picture.written(Format::Table);
    assert!(text.contains("; filter net>$1/h\n"), "{text}");
    assert_eq!(picture.json_lines(usize::MAX).lines().count(), 1);
    let columns = app.savings_tab().list(SavingsList::Proposals).columns();
    let headings = columns.iter().map(|f| f.header).collect::<Vec<_>>().join(" ");
    let first: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(first.join(" "), headings);
}

#[test]
fn the_list_of_idle_instances_leads_to_what_else_idles() {
    let mut app = after(SIZE, "3o");
    assert_eq!(
        (app.tab().title(), app.savings_tab().look()),
        ("Overview", Some(SavingsList::Resources))
    );
    app.prepare();
    assert!(app.shows_savings_table());
}

#[test]
fn a_frozen_picture_stays() {
    let mut app = after(SIZE, "of");
    app.update(Msg::Savings(Arc::new(savings_of(|s| s.version += 5))));
    assert_eq!(app.savings().unwrap().version, 7);
    press(&mut app, "f");
    assert_eq!(app.savings().unwrap().version, 12);
}

#[test]
fn other_accounts_forget_what_could_be_saved() {
    let mut app = after(SIZE, "o");
    app.update(Msg::Mode(crate::app::Mode::Demo));
    assert!(app.savings().is_none());
    assert_eq!(app.savings_tab().look(), None);
}

#[test]
fn a_row_that_is_gone_leaves_a_page_that_says_so() {
    let mut app = after(SIZE, "o<enter>");
    app.update(Msg::Savings(Arc::new(savings_of(|s| {
        s.version += 1;
        s.commitments.clear();
    }))));
    assert_eq!(text(&mut app), "It is not there any more.");
}

#[test]
fn marks_of_the_idle_list_are_not_meant_on_a_list_of_savings() {
    let mut app = heard(init(SIZE), savings_of(|_| {}));
    press(&mut app, "3<space>1o");
    let effects = press(&mut app, "a");
    assert_eq!(effects, []);
    assert!(app.notice().unwrap().text.contains("no instance here"));
}

#[test]
fn the_guide_moves_and_is_typed() {
    use crate::analyze::rightsize::guide::{GuideInput, Task};
    let mut app = after(SIZE, ":guide<enter>");
    assert!(app.on_guide());
    assert_eq!(app.guide().ask().task, Task::Inference);
    press(&mut app, "+");
    assert_eq!(app.guide().ask().task, Task::Batch);
    press(&mut app, "jjj");
    press(&mut app, "=70B<enter>");
    assert_eq!(app.guide().ask().given(GuideInput::Parameters), Some(70.0));
    press(&mut app, "+");
    assert_eq!(app.guide().ask().given(GuideInput::Parameters), Some(87.5));
    for wrong in ["many", "1e9", "7GB"] {
        press(&mut app, &format!("={wrong}<enter>"));
        assert!(app.prompt().unwrap().error.is_some(), "{wrong}");
        press(&mut app, "<esc>");
        assert_eq!(app.guide().ask().given(GuideInput::Parameters), Some(87.5));
    }
    press(&mut app, "=none<enter>");
    assert_eq!(app.guide().ask().given(GuideInput::Parameters), None);
    // The cursor stays within the form, and the page remembers it.
    press(&mut app, &"j".repeat(40));
    let last = app.guide().cursor();
    press(&mut app, "j");
    assert_eq!(app.guide().cursor(), last);
    press(&mut app, "<esc>:guide<enter>");
    assert_eq!(app.guide().cursor(), last);
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
}

#[test]
fn the_guide_answers_with_what_is_priced() {
    let mut app = after(SIZE, ":guide<enter>");
    let said = text(&mut app);
    assert!(said.contains("Which instance does a model need?"), "{said}");
    assert!(said.contains("It needs"), "{said}");
    // 8B parameters in 16 bits are 16 GB of weights.
    assert!(said.contains("weights 15 GiB"), "{said}");
}
