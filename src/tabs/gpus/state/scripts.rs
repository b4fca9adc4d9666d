//! The GPUs tab driven by scripts of keys.

use std::sync::Arc;

use jiff::SignedDuration;

use super::fixture::{app, go, heard, init};
use crate::app::content::Target;
use crate::app::fixture::press;
use crate::app::{Action, App, Effect, GpuLook, Msg, Page};
use crate::domain::{GpuState, VerdictKind};
use crate::fleet::gpu::GpuFleet;
use crate::report::Format;
use crate::tabs::gpus::picture::fixture::{gpus, many};
use crate::tabs::gpus::picture::{GpuGrouping, HeatZoom};

const SIZE: (u16, u16) = (120, 40);

/// Node and index of the GPU that keys mean; the label of a group under the cursor.
fn here(app: &mut App) -> String {
    app.prepare();
    let tab = app.gpu_tab();
    if app.shows_gpu_table()
        && let Some(head) = tab.table().current_head()
    {
        return format!("[{}]", tab.groups()[head as usize].label);
    }
    app.current_gpu().map_or_else(String::new, |row| row.id.to_string())
}

/// The picture with the rows turned round, as newer.
fn turned(of: &GpuFleet, version: u64) -> Arc<GpuFleet> {
    let mut fleet = of.clone();
    fleet.version = version;
    fleet.as_of = fleet.as_of.map(|at| at + SignedDuration::from_mins(1));
    fleet.rows.reverse();
    Arc::new(fleet)
}

#[test]
fn a_value_of_a_gpu_filters_the_groups_too() {
    let mut app = app(SIZE);
    press(&mut app, "2");
    app.prepare();
    while app.list().current_head().is_some() {
        // A heading has no values.
        press(&mut app, ".");
        assert!(app.popup().is_none() && app.notice().is_some());
        press(&mut app, "j");
    }
    let state = app.current_gpu().unwrap().verdict.state;
    let all = app.list().order().len();
    press(&mut app, ".s");
    app.prepare();
    let fleet = app.gpus().unwrap().clone();
    let shown = app.list().order();
    assert!(shown.iter().all(|row| fleet.rows[*row as usize].verdict.state == state));
    assert_eq!(shown.len(), fleet.rows.iter().filter(|row| row.verdict.state == state).count());
    assert!(shown.len() < all);
    press(&mut app, "<esc>");
    app.prepare();
    assert_eq!(app.list().order().len(), all);
}

#[test]
fn a_finding_of_the_overview_opens_the_gpus_that_it_counts() {
    let mut app = app((120, 60));
    app.prepare();
    let lines = app.text_body().0.to_vec();
    let is_ours = |target: &Target| matches!(target, Target::Filtered(of, _) if **of == Target::Tab(crate::tabs::gpus::TAB));
    let targets: Vec<Target> =
        lines.into_iter().filter_map(|line| line.target).filter(is_ours).collect();
    assert!(!targets.is_empty());
    for target in targets {
        // The map has no rows to filter: the list is shown.
        press(&mut app, "2m");
        app.go_to_target(target);
        app.prepare();
        assert!(app.shows_gpu_table());
        let fleet = app.gpus().unwrap().clone();
        let shown: Vec<u32> = app.list().order().to_vec();
        let state = fleet.rows[shown[0] as usize].verdict.state;
        // By hand: of the state, and not in the waste of an instance, nor of one without waste to tell.
        let counts = |row: &crate::fleet::GpuRow| {
            let Some(instance) = row.node.instance.as_deref() else { return true };
            match instance.verdict.as_ref().map(|verdict| verdict.kind) {
                None | Some(VerdictKind::Idle | VerdictKind::Exempt | VerdictKind::TooNew) => false,
                Some(VerdictKind::Partial) => !state.is_idle(),
                _ => true,
            }
        };
        let by_hand = (0..).zip(&fleet.rows);
        let by_hand = by_hand.filter(|(_, row)| row.verdict.state == state && counts(row));
        let mut by_hand: Vec<u32> = by_hand.map(|(at, _)| at).collect();
        let mut shown = shown;
        shown.sort_unstable();
        by_hand.sort_unstable();
        assert_eq!(shown, by_hand, "{state:?}");
    }
}

#[test]
fn the_tab_is_number_2_and_there_without_gpus() {
    let mut with = app(SIZE);
    press(&mut with, "2");
    assert_eq!(with.tab().title(), "GPUs");
    press(&mut with, "<tab>");
    assert_eq!(with.tab().title(), "Idle");
    press(&mut with, "<shift-tab><shift-tab>");
    assert_eq!(with.tab().title(), "Overview");

    let mut without = App::new(init(SIZE));
    press(&mut without, "2");
    assert_eq!(without.tab().title(), "GPUs");
    without.prepare();
    let text: String =
        without.text_body().0.iter().flat_map(|line| &line.spans).map(|span| &*span.text).collect();
    assert!(text.contains("telemetry of any GPU yet"), "{text}");
    press(&mut without, "<tab>");
    assert_eq!(without.tab().title(), "Idle");
    // An instance with GPUs is enough, even if nobody tells of them.
    without.update(Msg::Fleet(Arc::new(crate::tabs::gpus::picture::fixture::hosts())));
    press(&mut without, "2");
    assert_eq!(without.tab().title(), "GPUs");
    assert!(!without.shows_table());
}

#[test]
fn the_map_is_grouped_as_the_list_or_says_so_and_has_no_position_of_a_page_that_was_open() {
    let mut app = app(SIZE);
    press(&mut app, "2m");
    assert!(app.shows_heat() && app.notice().is_none());
    press(&mut app, "m:group owner<enter>m");
    assert!(app.shows_heat());
    assert!(app.notice().is_none_or(|notice| !notice.text.contains("by team and host")));
    press(&mut app, "<enter>");
    let HeatZoom::Group(owner) = app.gpu_tab().heat().zoom().clone() else { panic!() };
    let here = GpuGrouping::Owner.key(app.current_gpu().unwrap()).map(|key| key.to_string());
    assert_eq!(owner.as_deref(), here.as_deref(), "of the owner of the GPU under the cursor");
    press(&mut app, "<esc>m:group state<enter>m");
    assert!(app.shows_heat());
    assert!(app.notice().is_some_and(|notice| notice.text.contains("by team and host")));
    press(&mut app, "?");
    app.prepare();
    assert!(app.text_body().0.len() > 40);
    press(&mut app, "<esc>");
    app.prepare();
    assert!(app.shows_heat() && app.text_body().0.is_empty());
}

#[test]
fn the_map_stays_zoomed_while_its_groups_are_the_same() {
    let mut app = app(SIZE);
    press(&mut app, "2m<enter>");
    let zoom = app.gpu_tab().heat().zoom().clone();
    assert!(matches!(zoom, HeatZoom::Group(_)));
    // Of all these lists the map is by team.
    for by in ["team", "flat", "state", "node"] {
        press(&mut app, &format!(":group {by}<enter>"));
        app.prepare();
        let keys = if app.shows_heat() { "" } else { "m" };
        press(&mut app, keys);
        app.prepare();
        assert!(app.shows_heat());
        assert_eq!(*app.gpu_tab().heat().zoom(), zoom, "{by}");
    }
    press(&mut app, ":group owner<enter>");
    let keys = if app.shows_heat() { "" } else { "m" };
    press(&mut app, keys);
    app.prepare();
    assert_eq!(*app.gpu_tab().heat().zoom(), HeatZoom::Fleet, "a team is no owner");
}

#[test]
fn groups_cycle_fold_and_hold_their_rows() {
    let mut app = app(SIZE);
    press(&mut app, "2");
    assert_eq!(here(&mut app), "[gpu-node-2]", "the costliest waste first");
    let all = app.gpu_tab().table().lines();
    press(&mut app, "<enter>");
    assert_eq!(here(&mut app), "[gpu-node-2]");
    app.prepare();
    assert_eq!(app.gpu_tab().table().lines(), all - 8, "its eight rows are folded away");
    press(&mut app, "<enter>j");
    app.prepare();
    assert_eq!(app.gpu_tab().table().lines(), all);
    let row = here(&mut app);
    assert!(row.starts_with("GPU-gpu-node-2"), "{row}");
    press(&mut app, "z");
    assert_eq!(here(&mut app), "[gpu-node-2]", "the cursor goes up to its heading");
    assert_eq!(app.gpu_tab().table().lines(), app.gpu_tab().groups().len());
    press(&mut app, "zj");
    let row = here(&mut app);
    for by in [
        GpuGrouping::Team,
        GpuGrouping::Owner,
        GpuGrouping::Job,
        GpuGrouping::Model,
        GpuGrouping::State,
    ] {
        press(&mut app, "o");
        assert_eq!(app.gpu_tab().grouping(), by);
        assert_eq!(here(&mut app), row, "the cursor stays on its GPU");
    }
    press(&mut app, "oo");
    assert_eq!(app.gpu_tab().grouping(), GpuGrouping::Node);
    press(&mut app, ":group team<enter>");
    assert_eq!(app.gpu_tab().grouping(), GpuGrouping::Team);
    // One host is one team, one model and one state: with the filter they tell nothing apart.
    press(&mut app, ":group node<enter>/node=gpu-node-2<enter>o");
    assert_eq!(app.gpu_tab().grouping(), GpuGrouping::Flat);
    press(&mut app, "o");
    assert_eq!(app.gpu_tab().grouping(), GpuGrouping::Node);
}

#[test]
fn a_filter_counts_rows_and_gpus_above_the_list_and_the_map() {
    let mut app = app(SIZE);
    let above = |app: &mut App| {
        app.prepare();
        let line = app.strip().remove(0);
        line.spans.iter().map(|span| span.text.as_ref()).collect::<String>()
    };
    press(&mut app, "2/state=held_idle<enter>");
    // Five GPUs and a slice of 3/7; of 19 GPUs and 5/7 in 22 rows.
    let says = "filter: 6 of 22 rows, 5.429 of 19.714 GPUs";
    assert!(above(&mut app).starts_with(says), "{}", above(&mut app));
    press(&mut app, "m");
    assert!(app.shows_heat() && above(&mut app).starts_with(says), "{}", above(&mut app));
    assert_eq!(app.strip().len(), 1);
    press(&mut app, "<esc>");
    assert!(above(&mut app).starts_with("19.714 GPUs seen by exporters"), "{}", above(&mut app));
}

#[test]
fn the_footer_says_by_what_is_grouped_next_and_the_map_has_the_groups_in_the_order_of_the_list() {
    let mut app = app(SIZE);
    press(&mut app, "2");
    for by in ["by team", "by owner", "by job", "by model", "by state", "no groups", "by node"] {
        app.prepare();
        let group = app.hints().iter().find(|(action, _)| *action == Action::Group);
        assert_eq!(group.map(|(_, label)| *label), Some(by));
        press(&mut app, "o");
    }
    press(&mut app, ":group team<enter>");
    app.prepare();
    let list: Vec<String> =
        app.gpu_tab().groups().iter().map(|group| group.label.to_string()).collect();
    press(&mut app, "m");
    app.prepare();
    let map = app.gpu_tab().heat().map().unwrap();
    let heads = map.labels.iter().filter(|label| label.is_head);
    let heads: Vec<String> = heads.map(|label| label.text.to_string()).collect();
    assert_eq!(heads, list);
    assert_eq!(list[0], "nlp", "8 × $230.56 since its GPUs idle");
}

#[test]
fn rows_do_not_jump_under_the_reader() {
    let mut app = app(SIZE);
    press(&mut app, "2:group flat<enter>jjj");
    let row = here(&mut app);
    let before = app.gpu_tab().table().shown_rows();
    let ids = |app: &App, order: &[u32]| -> Vec<Arc<str>> {
        order.iter().map(|i| app.gpu_rows()[*i as usize].id.clone()).collect()
    };
    let shown = ids(&app, &before);
    app.update(Msg::Gpus(turned(&gpus(), 2)));
    assert_eq!(here(&mut app), row);
    let after = app.gpu_tab().table().shown_rows();
    assert_eq!(ids(&app, &after), shown, "the same figures: the same places");
    assert_eq!(app.gpu_tab().table().cursor(), 3);
}

#[test]
fn filter_sort_marks_columns_and_export_are_those_of_every_table() {
    let mut app = app(SIZE);
    press(&mut app, "2/state=held_idle<enter>");
    app.prepare();
    let shown = app.gpu_tab().table().order().len();
    assert_eq!(shown, 6);
    assert_eq!(app.table().filter_text(), "", "the other table has its own filter");
    press(&mut app, ":group flat<enter>sh");
    assert!(app.gpu_tab().table().sort.field.is_some());
    press(&mut app, "gV<down><down>V");
    assert_eq!(app.gpu_tab().table().marked().unwrap().count, 3);
    press(&mut app, "u:columns node,gpu_index<enter>");
    assert_eq!(app.gpu_tab().table().columns().len(), 2);
    let effects = press(&mut app, ":export csv x.csv<enter>");
    let [Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
    let text = picture.written(Format::Table);
    assert!(picture.view() == "gpus" && text.contains("; filter state=held_idle\n"), "{text}");
    assert_eq!(picture.json_lines(usize::MAX).lines().count(), 6);
    assert_eq!(text.lines().next().unwrap().split_whitespace().count(), 2, "{text}");
    let effects = press(&mut app, "Y");
    assert!(matches!(&effects[..], [Effect::CopyRows(p)] if p.view() == "gpus"));
    let row = here(&mut app);
    assert_eq!(press(&mut app, "y"), [Effect::Copy(row)]);
    press(&mut app, "/tensor<lt>x");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "<esc><esc>");
    app.prepare();
    assert_eq!(app.gpu_tab().table().order().len(), app.gpu_rows().len());
}

#[test]
fn the_map_zooms_to_the_page_of_a_gpu_and_back() {
    let mut app = app(SIZE);
    press(&mut app, "2jm");
    assert_eq!(app.gpu_tab().look(), GpuLook::Heat);
    let row = here(&mut app);
    assert!(row.starts_with("GPU-gpu-node-2"), "the cursor came along: {row}");
    assert_eq!(*app.gpu_tab().heat().zoom(), HeatZoom::Fleet);
    press(&mut app, "<enter>");
    assert!(matches!(app.gpu_tab().heat().zoom(), HeatZoom::Group(_)));
    assert_eq!(here(&mut app), row);
    let effects = press(&mut app, "<enter>");
    assert_eq!(effects, [Effect::FocusGpus(vec!["i-0a1idle".into()])]);
    let effects = press(&mut app, "<enter>");
    assert!(matches!(&effects[..], [Effect::LoadGpuHistory { .. }]), "{effects:?}");
    assert!(matches!(app.page().unwrap().page, Page::Gpu { .. }));
    assert_eq!(press(&mut app, "<esc>"), []);
    let effects = press(&mut app, "<esc>");
    assert_eq!(effects, [Effect::FocusGpus(Vec::new())], "nobody looks closely any more");
    press(&mut app, "<esc>");
    assert_eq!(*app.gpu_tab().heat().zoom(), HeatZoom::Fleet);
    press(&mut app, "<esc>");
    assert_eq!(app.gpu_tab().look(), GpuLook::Table);
    assert_eq!(here(&mut app), row);
    press(&mut app, ":heat<enter>");
    assert!(app.shows_heat());
}

#[test]
fn the_map_begins_at_the_group_under_the_cursor() {
    let mut app = app(SIZE);
    press(&mut app, "2m");
    assert!(here(&mut app).starts_with("GPU-gpu-node-2"), "{}", here(&mut app));
}

#[test]
fn the_cursor_of_the_map_goes_from_cell_to_cell_and_follows_its_gpu() {
    let mut app = app(SIZE);
    press(&mut app, "2mg");
    let first = here(&mut app);
    press(&mut app, "j");
    let second = here(&mut app);
    assert_ne!(first, second);
    press(&mut app, "kk");
    assert_eq!(here(&mut app), first);
    press(&mut app, "<ctrl-d>");
    let team = app.current_gpu().unwrap().team.clone();
    press(&mut app, "<ctrl-u>");
    assert_ne!(app.current_gpu().unwrap().team, team, "from team to team");
    press(&mut app, "G");
    let last = here(&mut app);
    app.update(Msg::Gpus(turned(&gpus(), 2)));
    assert_eq!(here(&mut app), last);
    press(&mut app, "/state=busy<enter>");
    app.prepare();
    let states = app.gpu_tab().heat().map().unwrap().states(app.gpu_tab().heat().order());
    assert_eq!(states.iter().map(|s| s.0.state).collect::<Vec<_>>(), [GpuState::Busy]);
    press(&mut app, "<esc>");
    assert!(app.shows_heat(), "the filter goes first");
    assert_eq!(app.gpu_tab().table().filter_text(), "");
}

#[test]
fn the_page_of_a_gpu_loads_its_past_and_goes_to_its_neighbours() {
    let mut app = app(SIZE);
    let effects = go(&mut app, "2j<enter>");
    let first = here(&mut app);
    let key = app.current_gpu().unwrap().key.clone();
    assert!(effects.contains(&Effect::LoadGpuHistory { key }));
    assert!(effects.contains(&Effect::FocusGpus(vec!["i-0a1idle".into()])));
    let Page::Gpu { history, .. } = &app.page().unwrap().page else { panic!() };
    assert!(history.is_some());
    go(&mut app, "l");
    let second = here(&mut app);
    assert_ne!(first, second);
    go(&mut app, "hh");
    assert_eq!(here(&mut app), first, "there is nothing above the first");
    // The instance behind it is what acting is about.
    assert_eq!(&*app.current_row().unwrap().instance.id, "i-0a1idle");
    press(&mut app, "a");
    assert!(matches!(app.page().unwrap().page, Page::Sheet));
}

#[test]
fn acting_means_the_instances_of_the_marked_gpus_once_each() {
    let mut app = app(SIZE);
    press(&mut app, "2:group flat<enter>g");
    press(&mut app, "V");
    press(&mut app, "GV");
    press(&mut app, "a");
    let sheet = app.sheet().unwrap();
    let mut ids: Vec<&str> = sheet.rows().iter().map(|r| &*r.instance.id).collect();
    ids.sort_unstable();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert_eq!(all, 4, "{ids:?}");
    // One that is left out takes the marks of its GPUs along, and brings them back.
    let marks = |app: &App| app.tabs.gpus.table.marks().cloned().collect::<Vec<_>>();
    let (before, last) = (marks(&app), sheet.rows()[3].instance.id.clone());
    press(&mut app, "G ");
    assert!(app.sheet().unwrap().is_left_out(&last));
    assert!(!marks(&app).is_empty() && app.instances_of_marks().all(|id| *id != last));
    press(&mut app, " ");
    assert_eq!(marks(&app), before);
    // A host that is no instance of the accounts read has nothing to act on.
    let mut lab = super::fixture::app(SIZE);
    press(&mut lab, "2/node=lab-07<enter>Ga");
    assert!(lab.sheet().is_none());
}

#[test]
fn clicks_reach_rows_headings_and_cells() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut app = app(SIZE);
    let click = |app: &mut App, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        app.update(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    };
    press(&mut app, "2");
    app.prepare();
    let top = app.inner_layout().unwrap().body_top;
    click(&mut app, 30, top + 2);
    let row = here(&mut app);
    assert!(row.starts_with("GPU-gpu-node-2"), "{row}");
    let effects = click(&mut app, 30, top + 2);
    assert!(matches!(effects[0], Effect::LoadGpuHistory { .. }));
    press(&mut app, "<esc>");
    click(&mut app, 30, top + 1);
    let lines = app.gpu_tab().table().lines();
    click(&mut app, 30, top + 1);
    app.prepare();
    assert_eq!(app.gpu_tab().table().lines(), lines - 8, "the second click folds");
    press(&mut app, "mG");
    app.prepare();
    let top = app.inner_layout().unwrap().body_top;
    let cell = *app.gpu_tab().heat().map().unwrap().cells.first().unwrap();
    click(&mut app, cell.x, top + cell.y as u16);
    assert_eq!(app.gpu_tab().heat().cursor(), 0);
    click(&mut app, cell.x, top + cell.y as u16);
    assert!(matches!(app.gpu_tab().heat().zoom(), HeatZoom::Group(_)));
}

#[test]
fn blind_spots_and_distribution_are_pages() {
    let mut app = app(SIZE);
    press(&mut app, "2b");
    assert!(matches!(app.page().unwrap().page, Page::Missing));
    press(&mut app, "<esc>D");
    assert!(matches!(app.page().unwrap().page, Page::Distribution));
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
    // The ladder stands first; the comparison of both measures below it leads here.
    let leads_here = |lines: usize| {
        let mut app = self::app(SIZE);
        press(&mut app, "1");
        app.prepare();
        press(&mut app, &format!("g{}<enter>", "j".repeat(lines)));
        app.tab().title() == "GPUs"
    };
    assert!(!leads_here(0) && (1..20).any(leads_here));
}

#[test]
fn a_frozen_picture_holds_its_gpus() {
    let mut app = app(SIZE);
    press(&mut app, "2f");
    let rows = app.gpu_rows().len();
    app.update(Msg::Gpus(Arc::new(GpuFleet { version: 9, ..GpuFleet::default() })));
    assert_eq!(app.gpu_rows().len(), rows);
    press(&mut app, "f");
    assert_eq!(app.gpu_rows().len(), 0);
}

#[test]
fn the_gpus_of_a_host_need_no_cloud_account() {
    let mut app = App::new(init(SIZE));
    app.update(Msg::NoCredentials { message: "No profile answered.".into() });
    app.update(Msg::Gpus(Arc::new(gpus())));
    press(&mut app, "2j");
    app.prepare();
    assert!(app.shows_gpu_table());
    assert!(app.next_deadline().is_some(), "spans move with the minutes");
    let effects = press(&mut app, "Y");
    assert!(matches!(&effects[..], [Effect::CopyRows(p)] if p.view() == "gpus"));
    let effects = press(&mut app, ":export json x.json<enter>");
    assert!(matches!(&effects[..], [Effect::Export { .. }]), "{effects:?}");
    press(&mut app, "1");
    app.prepare();
    assert!(app.no_credentials().is_some(), "the first tab still says what is missing");
}

#[test]
fn other_data_forget_the_tab() {
    let mut app = app(SIZE);
    press(&mut app, "2m<enter><enter>");
    let effects = app.update(Msg::Mode(crate::app::Mode::Demo));
    assert_eq!(effects, [Effect::FocusGpus(Vec::new())]);
    assert!(!app.shows_gpu_table());
}

#[test]
fn sixteen_thousand_gpus_have_a_cell_each() {
    let mut init = init((200, 50));
    init.appearance.depth = crate::app::ColorDepth::TrueColor;
    let mut app = heard(init, many(2_000, 8, 20));
    press(&mut app, "2m");
    app.prepare();
    let map = app.gpu_tab().heat().map().unwrap();
    assert_eq!((map.cells.len(), map.pages), (16_000, 1));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    /// Whatever is typed, the cursor is on a line that there is and everything can be drawn.
    #[test]
    fn no_keys_lead_astray(keys in "[2mobzDVfhjklgGy ]{0,24}", width in 20u16..120, height in 3u16..40) {
        let mut app = app((width, height));
        for key in keys.chars() {
            press(&mut app, &key.to_string());
            app.prepare();
            let table = app.gpu_tab().table();
            proptest::prop_assert!(table.lines() == 0 || table.cursor() < table.lines());
        }
    }
}

#[test]
fn views_of_gpus_are_saved_and_used() {
    let mut app = app(SIZE);
    let effects = go(&mut app, "2/$>1<enter>:group team<enter>wcostly<enter>");
    let [Effect::SaveView(view)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((&*view.name, &*view.list, &*view.group), ("costly", "gpus", "team"));
    assert_eq!(view.filter, "$>1");
    go(&mut app, "<esc>:group model<enter>3:view costly<enter>");
    assert_eq!(app.tab().title(), "GPUs");
    assert_eq!(app.gpu_tab().grouping(), GpuGrouping::Team);
    assert_eq!(app.gpu_tab().table().filter_text(), "$>1");
    assert_eq!(app.table().filter_text(), "", "the table of instances is another one");
}
