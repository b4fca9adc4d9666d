//! The cockpit driven by scripts of keys: what is shown, what it asks for.

use std::sync::Arc;

use jiff::SignedDuration;

use super::fixture::{self, app, app_with, fleet, fleet_of, press, readings};
use super::*;
use crate::domain::Regions;
use crate::report::Format;
use crate::tabs::idle::picture::Field;
use crate::view::TableField;

const SIZE: (u16, u16) = (80, 24);

/// Name under the cursor.
fn here(app: &mut App) -> String {
    app.prepare();
    app.current_row().map(|r| r.instance.name.to_string()).unwrap_or_default()
}

fn names(app: &mut App) -> Vec<String> {
    app.prepare();
    let fleet = app.shown().unwrap();
    let name = |i: &u32| fleet.rows[*i as usize].instance.name.to_string();
    app.table().order().iter().map(name).collect()
}

#[test]
fn movement_stops_at_the_ends() {
    let mut app = app(SIZE);
    press(&mut app, "3k");
    assert_eq!(here(&mut app), "eval-sweep");
    press(&mut app, "jj");
    assert_eq!(here(&mut app), "etl-nightly");
    press(&mut app, "Gjj");
    assert_eq!(app.table().cursor(), 8);
    press(&mut app, "g");
    assert_eq!(app.table().cursor(), 0);
}

#[test]
fn pages_and_half_pages_keep_the_cursor_in_sight() {
    let mut app = app_with(fleet_of(1000, 1, readings(0, None)), SIZE);
    press(&mut app, "3<pgdn>");
    app.prepare();
    assert_eq!(app.table().cursor(), 17);
    press(&mut app, "<ctrl-d><ctrl-d><pgdn><ctrl-u>");
    app.prepare();
    assert_eq!(app.table().cursor(), 17 + 8 + 8 + 17 - 8);
    let height = 17;
    for keys in ["G", "g", "<pgdn><pgdn>k", "<ctrl-u>"] {
        press(&mut app, keys);
        app.prepare();
        let (top, cursor) = (app.table().top(), app.table().cursor());
        assert!((top..top + height).contains(&cursor), "{keys}: {top} {cursor}");
    }
}

#[test]
fn a_filter_applies_while_typing_and_an_error_keeps_the_old_one() {
    let mut app = app(SIZE);
    press(&mut app, "3/team=nlp");
    assert_eq!(names(&mut app), ["train-7b-old", "fresh-box", "train-70b"]);
    app.update(Msg::Paste(" and $>".into()));
    assert_eq!(names(&mut app).len(), 3);
    let error = app.prompt().unwrap().error.clone().unwrap();
    assert!(error.column.is_some(), "{error:?}");
    // A name of a field that is half of a comparison is no word to search for.
    press(&mut app, "<ctrl-u>usd>abc");
    assert_eq!(names(&mut app).len(), 9);
    assert_eq!(app.list().filter_text(), "");
    press(&mut app, "<ctrl-u>team=nlp and not $>");
    assert_eq!(names(&mut app).len(), 3);
    assert_eq!(app.list().filter_text(), "team=nlp");
    press(&mut app, "<ctrl-u>team=nlp and $>");
    // Enter does not hide the error; the rest of the expression repairs it.
    press(&mut app, "<enter>");
    assert!(app.prompt().is_some());
    press(&mut app, "50/h<enter>");
    assert!(app.prompt().is_none());
    assert_eq!(names(&mut app), ["train-70b"]);
    // Esc on the table removes it, up brings it back.
    press(&mut app, "<esc>");
    assert_eq!(names(&mut app).len(), 9);
    press(&mut app, "/<up><enter>");
    assert_eq!(names(&mut app), ["train-70b"]);
}

#[test]
fn tab_completes_fields_and_values_of_a_filter() {
    let mut app = app(SIZE);
    press(&mut app, "3/tea<tab>");
    let prompt = app.prompt().unwrap();
    assert_eq!((prompt.line.text(), &prompt.error), ("team=", &None));
    // What is no filter yet is not taken.
    press(&mut app, "<enter>");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "n<tab>");
    assert_eq!(app.list().filter_text(), "team=nlp");
    press(&mut app, " and verdict=<tab><tab>");
    let first = app.prompt().unwrap().line.text().to_owned();
    press(&mut app, "<tab>");
    assert_ne!(app.prompt().unwrap().line.text(), first, "the next one");
    press(&mut app, "<shift-tab>");
    assert_eq!(app.prompt().unwrap().line.text(), first);
    assert_eq!(app.list().filter_text(), first);
    press(&mut app, "<ctrl-w>verdict=id<tab><enter>");
    assert!(app.prompt().is_none());
    assert_eq!(names(&mut app), ["train-7b-old"]);
    // Nothing fits: the line stays, and so does what is wrong with it.
    press(&mut app, "/<ctrl-u>gpu<lt>x<tab>");
    let prompt = app.prompt().unwrap();
    assert!(prompt.line.text() == "gpu<x" && prompt.error.is_some());
}

#[test]
fn a_filter_of_instances_says_how_many_of_the_idle_ones_nothing_speaks_against_stopping() {
    let mut app = app_with(fleet_of(40, 1, readings(0, None)), (200, 50));
    let known = |row: &&mut Arc<crate::fleet::Row>| row.obstacles.is_some();
    let rows = &mut Arc::make_mut(app.fleet.as_mut().unwrap()).rows;
    // All but one lose the disks of their type.
    Arc::make_mut(rows.iter_mut().find(known).unwrap()).obstacles = Some(Arc::new([]));
    let said = |app: &mut App, keys: &str| {
        press(app, keys);
        let text = crate::ui::golden::screen(app);
        text.lines().find_map(|line| line.split("nothing speaks against").nth(1).map(str::to_owned))
    };
    let whole = said(&mut app, "3/verdict=idle<enter>").unwrap();
    let idle = app.list().order().len();
    assert_eq!(said(&mut app, "/verdict=idle against=none<enter>"), None);
    let free = app.list().order().len();
    assert!(0 < free && free < idle, "{free} of {idle}");
    let expected = format!(" a stop of {free} of {idle} idle: against=none");
    assert!(whole.starts_with(&expected), "{whole}");
    assert_eq!(said(&mut app, "/verdict=busy<enter>"), None, "nothing of them is to be stopped");
}

#[test]
fn esc_while_typing_restores_the_filter_from_before() {
    let mut app = app(SIZE);
    press(&mut app, "3/team=nlp<enter>/<ctrl-u>team=data");
    assert_eq!(names(&mut app), ["etl-nightly"]);
    press(&mut app, "<esc>");
    assert_eq!(app.table().filter_text(), "team=nlp");
    assert_eq!(names(&mut app).len(), 3);
}

#[test]
fn letters_of_commands_are_only_letters_while_typing() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "3/qrfy1!");
    assert_eq!(effects, []);
    assert_eq!(app.prompt().unwrap().line.text(), "qrfy1!");
    app.update(Msg::Paste("\r\nrm".into()));
    assert_eq!(app.prompt().unwrap().line.text(), "qrfy1!  rm");
}

#[test]
fn sorting_by_letter_and_again_for_reverse() {
    let mut app = app(SIZE);
    press(&mut app, "3sh");
    assert_eq!(app.table().sort.field, Some(Field::UsdPerHour.spec()));
    assert!(app.table().sort.descending);
    assert_eq!(names(&mut app)[0], "eval-sweep");
    press(&mut app, "sh");
    assert!(!app.table().sort.descending);
    // Unknown prices stay last.
    assert_eq!(names(&mut app)[0], "licence-host");
    press(&mut app, "s%");
    assert_eq!(app.notice().unwrap().level, Level::Warn);
    press(&mut app, "s<esc>j");
    assert!(app.popup().is_none());
}

#[test]
fn the_cursor_and_the_marks_follow_their_instances() {
    let mut app = app(SIZE);
    press(&mut app, "3jj ");
    assert_eq!(here(&mut app), "notebook-17");
    let line = app.table().cursor() - app.table().top();
    // The same fleet the other way round.
    let mut turned = fleet();
    turned.version = 2;
    turned.rows.reverse();
    app.update(Msg::Fleet(Arc::new(turned)));
    assert_eq!(here(&mut app), "notebook-17");
    assert_eq!(app.table().cursor(), 5);
    assert!(app.table().cursor() - app.table().top() >= line);
    assert_eq!(app.table().marked().unwrap().count, 1);
    // The marked instance goes; so does its mark.
    let mut without = fleet();
    without.version = 3;
    without.rows.retain(|r| &*r.instance.name != "etl-nightly");
    app.update(Msg::Fleet(Arc::new(without)));
    app.prepare();
    assert_eq!(app.table().marked(), None);
    assert_eq!(here(&mut app), "notebook-17");
}

#[test]
fn rows_that_arrive_later_do_not_push_an_untouched_cursor_down() {
    let mut late = fleet();
    late.rows.retain(|r| &*r.instance.name != "eval-sweep");
    let start = || {
        let mut app = app_with(late.clone(), SIZE);
        press(&mut app, "3");
        app.prepare();
        app
    };
    let complete = || {
        let mut all = fleet();
        all.version = 2;
        Msg::Fleet(Arc::new(all))
    };
    let mut app = start();
    assert_eq!(here(&mut app), "train-7b-old");
    app.update(complete());
    assert_eq!(here(&mut app), "eval-sweep");
    assert_eq!((app.table().cursor(), app.table().top()), (0, 0));
    // A row that was chosen, by going to it or into it, is followed.
    for keys in ["jk", "<enter><esc>"] {
        let mut app = start();
        press(&mut app, keys);
        app.update(complete());
        assert_eq!(here(&mut app), "train-7b-old", "{keys}");
    }
}

#[test]
fn another_order_and_a_filter_without_the_row_begin_at_the_first_line() {
    let mut app = app(SIZE);
    press(&mut app, "3jjjsh");
    app.prepare();
    assert_eq!((app.table().cursor(), app.table().top()), (0, 0));
    press(&mut app, "jjj/team=nlp<enter>");
    app.prepare();
    let row = here(&mut app);
    press(&mut app, "<esc>");
    assert_eq!(here(&mut app), row);
    press(&mut app, "G/team=nlp<enter>");
    app.prepare();
    assert_eq!(app.table().cursor(), 0);
}

#[test]
fn a_cursor_whose_row_is_gone_stays_on_its_line() {
    let mut app = app(SIZE);
    press(&mut app, "3jj");
    let mut without = fleet();
    without.version = 2;
    without.rows.retain(|r| &*r.instance.name != "etl-nightly");
    app.update(Msg::Fleet(Arc::new(without)));
    assert_eq!(here(&mut app), "notebook-17");
    let mut none = fleet_of(0, 3, readings(0, None));
    none.version = 3;
    app.update(Msg::Fleet(Arc::new(none)));
    assert_eq!(here(&mut app), "");
    assert_eq!(press(&mut app, "jkGg V<enter>yY"), []);
}

#[test]
fn marks_sum_up_and_ranges_mark_all_between() {
    let mut app = app(SIZE);
    press(&mut app, "3 ");
    let one = app.table().marked().unwrap();
    assert_eq!((one.count, one.unpriced), (1, 0));
    assert!((one.usd_per_hour - 55.04).abs() < 1e-9);
    press(&mut app, "gVjjV");
    let three = app.table().marked().unwrap();
    // 55.04 + 21.957642 + 0.8064, from the price list of the fixture.
    assert_eq!(three.count, 3);
    assert!((three.usd_per_hour - 77.804_042).abs() < 1e-9);
    press(&mut app, "GVkk<esc>");
    assert_eq!(app.table().marked().unwrap().count, 3);
    press(&mut app, "G ");
    assert_eq!(app.table().marked().unwrap().unpriced, 1);
    press(&mut app, "u");
    assert_eq!(app.table().marked(), None);
}

#[test]
fn both_boxes_are_filtered_by_a_list_of_names_and_selected_by_one_key() {
    let mut app = app(SIZE);
    press(&mut app, "3/name=train-7b-old,eval-sweep<enter>*");
    assert_eq!(names(&mut app), ["eval-sweep", "train-7b-old"]);
    let both = app.table().marked().unwrap();
    // 55.04 + 21.957642, from the price list of the fixture.
    assert_eq!((both.count, both.hidden), (2, 0));
    assert!((both.usd_per_hour - 76.997_642).abs() < 1e-9);
    // The others stay as they were; the key again takes these back.
    press(&mut app, "<esc>G <home>");
    app.prepare();
    assert_eq!(app.table().marked().unwrap().count, 3);
    press(&mut app, "/name=train-7b-old or name=eval-sweep<enter>*");
    let rest = app.table().marked().unwrap();
    assert_eq!((rest.count, rest.unpriced), (1, 1));
}

#[test]
fn one_key_filters_by_the_value_under_the_cursor_and_esc_takes_it_back() {
    let mut app = app(SIZE);
    press(&mut app, "3j.");
    assert_eq!(here(&mut app), "train-7b-old");
    // No order by a text says which value: a letter does.
    assert_eq!(app.popup(), Some(&Popup::Narrow { not: false, cursor: 0 }));
    press(&mut app, "t");
    assert_eq!(app.list().filter_text(), "team=nlp");
    assert_eq!(names(&mut app), ["train-7b-old", "fresh-box", "train-70b"]);
    assert_eq!(here(&mut app), "train-7b-old");
    press(&mut app, "xv");
    assert_eq!(app.list().filter_text(), "team=nlp and not verdict=idle");
    assert_eq!(names(&mut app), ["fresh-box", "train-70b"]);
    // One step after the other.
    press(&mut app, "<esc>");
    assert_eq!(app.list().filter_text(), "team=nlp");
    press(&mut app, "<esc>");
    assert_eq!(names(&mut app).len(), 9);
    // A filter that was typed goes as a whole, and nothing is left to take back.
    press(&mut app, ".t/<ctrl-u>team=nlp or team=data<enter>");
    press(&mut app, "g.v");
    assert_eq!(app.list().filter_text(), "(team=nlp or team=data) and verdict=idle");
    press(&mut app, "<esc><esc>");
    assert_eq!(app.list().filter_text(), "");
}

#[test]
fn the_order_says_which_value_is_meant_and_its_key_again_asks() {
    let mut app = app(SIZE);
    press(&mut app, "3st");
    assert_eq!(here(&mut app), "etl-nightly");
    press(&mut app, ".");
    assert_eq!((app.popup(), app.list().filter_text()), (None, "team=data"));
    press(&mut app, ".");
    assert!(matches!(app.popup(), Some(Popup::Narrow { not: false, .. })));
    // The first entry is the verdict, the first column with texts.
    press(&mut app, "<enter>");
    assert_eq!(app.list().filter_text(), "team=data and verdict=underused");
    press(&mut app, "<esc><esc>x");
    assert_eq!(app.list().filter_text(), "not team=data");
    assert_eq!(names(&mut app).len(), 8);
}

#[test]
fn sums_above_a_filtered_list_are_of_the_filter() {
    let mut app = app(SIZE);
    press(&mut app, "3");
    app.prepare();
    assert_eq!(app.strip(), []);
    press(&mut app, "/team=nlp<enter>");
    app.prepare();
    let line = app.strip().remove(0);
    let text: String = line.spans.iter().map(|span| span.text.as_ref()).collect();
    assert!(text.starts_with("filter: 3 of 9 instances"), "{text}");
    // 2 × 21.957642 + 55.04.
    assert!(text.contains(" $98.96/h of $"), "{text}");
    press(&mut app, "<esc>");
    app.prepare();
    assert_eq!(app.strip(), []);
}

#[test]
fn what_has_no_value_is_found_by_that() {
    let mut app = app(SIZE);
    press(&mut app, "3");
    while here(&mut app) != "notebook-17" {
        press(&mut app, "j");
    }
    press(&mut app, ".t");
    assert_eq!(names(&mut app), ["notebook-17"]);
    press(&mut app, "<esc>xt");
    assert_eq!(names(&mut app).len(), 8);
    assert!(!names(&mut app).contains(&"notebook-17".to_owned()));
}

#[test]
fn enter_opens_why_and_asks_for_the_series() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "3j<enter>");
    let id: Arc<str> = "i-00000000000000000".into();
    assert_eq!(effects, [Effect::LoadSeries { instance: id.clone() }]);
    app.update(Msg::Series { instance: id.clone(), series: Arc::new(fixture::series()) });
    let Some(Page::Why { series: Some(_), .. }) = app.page().map(|o| &o.page) else {
        panic!("{:?}", app.page());
    };
    // The next one, back, and out again.
    assert!(matches!(press(&mut app, "l")[..], [Effect::LoadSeries { .. }]));
    press(&mut app, "h<esc>");
    assert!(app.page().is_none());
    assert_eq!(here(&mut app), "train-7b-old");
}

#[test]
fn findings_of_the_overview_lead_to_their_why_page() {
    let mut app = app(SIZE);
    // The rows of the ladder come first.
    for _ in 0..20 {
        if here(&mut app).is_empty() {
            press(&mut app, "j");
        }
    }
    assert_eq!(here(&mut app), "eval-sweep");
    press(&mut app, "j");
    assert_eq!(here(&mut app), "train-7b-old");
    let effects = press(&mut app, "<enter>");
    assert_eq!(effects, [Effect::LoadSeries { instance: "i-00000000000000000".into() }]);
    press(&mut app, "<esc>");
    assert_eq!(app.tab().title(), "Overview");
}

#[test]
fn a_row_of_the_ladder_opens_its_rows() {
    let mut app = app(SIZE);
    app.prepare();
    // The list price, the waste, what is busy, what is idle.
    press(&mut app, "gjjj<enter>");
    assert_eq!(app.tab().title(), "Idle");
    assert_eq!(app.list().filter_text(), "verdict=idle");
    app.prepare();
    assert_eq!(app.list().order().len(), 1);
}

#[test]
fn the_end_of_the_overview_can_be_reached_on_a_short_screen() {
    let mut app = app((80, 10));
    app.prepare();
    assert_eq!(app.text_body().1, 0);
    press(&mut app, "jjjjG");
    app.prepare();
    let (lines, scroll, _) = app.text_body();
    assert_eq!(scroll + usize::from(app.layout().unwrap().body_height), lines.len());
    press(&mut app, &"k".repeat(60));
    app.prepare();
    assert_eq!(app.text_body().1, 0);
    // The way back ends on the first line that leads somewhere.
    let (lines, _, cursor) = app.text_body();
    assert_eq!(cursor, lines.iter().position(|line| line.target.is_some()));
}

/// The first line on screen and the one behind the last; the cursor is on a line that leads somewhere
/// wherever one is in sight, and `enter` is named there and nowhere else.
fn view(app: &mut App) -> std::ops::Range<usize> {
    app.prepare();
    let (lines, top, cursor) = app.text_body();
    let view = top..lines.len().min(top + usize::from(app.layout().unwrap().body_height));
    let leads = view.clone().any(|at| lines[at].target.is_some());
    assert_eq!(cursor.is_some_and(|at| view.contains(&at)), leads, "{view:?} {cursor:?}");
    let names_enter = app.hints().iter().any(|(action, _)| *action == Action::Enter);
    assert_eq!(names_enter, leads, "{view:?}");
    view
}

#[test]
fn no_key_passes_over_lines_of_the_overview() {
    use crate::tabs::savings::state::fixture as saving;
    let both = [(Box::new(app(SIZE)), 30), (Box::new(saving::app(SIZE)), 60)];
    for (app, many) in both {
        let mut app = *app;
        let first = view(&mut app);
        let count = app.text_body().0.len();
        assert!(count >= many, "{count} lines, of which the screen has 18");
        for (key, is_down) in [
            ("<pgdn>", true),
            ("<pgup>", false),
            ("<ctrl-d>", true),
            ("<ctrl-u>", false),
            ("j", true),
            ("k", false),
        ] {
            let mut seen = view(&mut app);
            for _ in 0..2 * count {
                press(&mut app, key);
                let now = view(&mut app);
                let is_next = if is_down {
                    (seen.start..=seen.end).contains(&now.start)
                } else {
                    (now.start..=now.end).contains(&seen.start)
                };
                assert!(is_next, "{key}: {seen:?} {now:?}");
                seen = now;
            }
            if is_down {
                assert_eq!(seen.end, count, "{key} reaches the end");
            } else {
                assert_eq!(seen, first, "{key} comes back to the top");
            }
        }
    }
}

#[test]
fn a_page_down_takes_the_cursor_along() {
    let mut app = crate::tabs::savings::state::fixture::app(SIZE);
    assert_eq!(view(&mut app), 0..18);
    press(&mut app, "<pgdn>");
    assert_eq!(view(&mut app), 18..36);
    press(&mut app, "<ctrl-d>");
    assert_eq!(view(&mut app), 27..45);
    press(&mut app, "<pgup>");
    assert_eq!(view(&mut app), 9..27);
    // At the end nothing may lead anywhere; then the footer names no enter.
    press(&mut app, "G");
    let count = app.text_body().0.len();
    assert_eq!(view(&mut app).end, count);
    press(&mut app, "g");
    assert_eq!(view(&mut app), 0..18);
}

#[test]
fn a_new_verdict_reloads_the_series_on_screen() {
    let mut app = app(SIZE);
    press(&mut app, "3<enter>");
    let mut same = fleet();
    same.version = 2;
    assert_eq!(app.update(Msg::Fleet(Arc::new(same))), []);
    let mut judged = fleet();
    judged.version = 3;
    let mut row = (*judged.rows[0]).clone();
    row.verdict = None;
    judged.rows[0] = Arc::new(row);
    let effects = app.update(Msg::Fleet(Arc::new(judged)));
    assert_eq!(effects, [Effect::LoadSeries { instance: "i-00000000000000001".into() }]);
}

#[test]
fn copying_and_exporting_say_what_is_on_screen() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "3jy"), [Effect::Copy("i-00000000000000000".into())]);
    let effects = press(&mut app, "Y");
    let [Effect::CopyRows(picture)] = &effects[..] else { panic!("{effects:?}") };
    let row: serde_json::Value = serde_json::from_str(&picture.json_lines(9)).unwrap();
    assert_eq!(row["name"], "train-7b-old");
    let effects = press(&mut app, "@");
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    assert!(text.contains("i-00000000000000000 (train-7b-old)"), "{text}");
    assert!((3..=6).contains(&text.lines().count()), "{text}");

    let effects = press(&mut app, "/team=nlp<enter>e<enter>");
    let [Effect::Export { path, format, picture }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(path, "burntop-idle-20260115T031226Z.csv");
    let rows = picture.json_lines(usize::MAX).lines().count();
    assert_eq!((format.name(), rows, picture.view()), ("csv", 3, "idle"));
    // The basis line of the file names the filter.
    assert!(picture.written(Format::Md).contains("; filter team=nlp\n"));

    let effects = press(&mut app, ":export json my.json<enter>");
    let [Effect::Export { path, format, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((path.as_str(), *format), ("my.json", Format::Json));
    let effects = press(&mut app, "1:export md<enter>");
    let [Effect::Export { picture, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(picture.view(), "overview");
    assert!(!picture.written(Format::Md).contains("; filter"));
    assert_eq!(press(&mut app, "?e"), []);
    assert!(app.notice().is_some());
}

#[test]
fn refreshing_asks_only_where_it_costs() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "r"), [Effect::Refresh { force: false }]);
    app.update(Msg::RefreshCost(Some(0.12)));
    assert_eq!(press(&mut app, "r"), []);
    assert_eq!(press(&mut app, "<esc>"), []);
    assert_eq!(press(&mut app, "r<enter>"), [Effect::Refresh { force: true }]);
}

#[test]
fn presets_are_chosen_from_a_list_or_named() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "pj<enter>"), [Effect::SetPreset("aws-compute-optimizer".into())]);
    assert_eq!(press(&mut app, ":preset mean-cpu<enter>"), [Effect::SetPreset("mean-cpu".into())]);
    app.update(Msg::Preset { name: "mean-cpu".into(), missing_usd: None });
    assert_eq!(app.preset(), "mean-cpu");
    // The one in force is not asked for again.
    assert_eq!(press(&mut app, "p<enter>"), []);
}

#[test]
fn columns_are_chosen_and_ordered() {
    let mut app = app(SIZE);
    press(&mut app, "3c J<esc>");
    // The first was hidden; what came up in its place moved one to the right.
    assert_eq!(
        app.table().columns_of::<Field>()[..2],
        [Field::WasteUsdPerHour, Field::NetUsdPerHour]
    );
    press(&mut app, ":columns name,cov<enter>");
    assert_eq!(app.table().columns_of::<Field>(), [Field::Name, Field::Coverage]);
    press(&mut app, "c <down> ");
    press(&mut app, "<esc>");
    assert!(!app.table().columns().is_empty());
    press(&mut app, "cr<esc>");
    assert_eq!(app.table().columns_of::<Field>(), crate::tabs::idle::picture::SCREEN_COLUMNS);
}

#[test]
fn views_are_saved_and_used() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "3/team=nlp<enter>sh:columns name,$<enter>wnlp now<enter>");
    let view = SavedView {
        name: "nlp now".into(),
        list: "idle".into(),
        group: String::new(),
        filter: "team=nlp".into(),
        sort: "usd_per_hour".into(),
        descending: true,
        columns: vec!["name".into(), "usd_per_hour".into()],
    };
    assert_eq!(effects, [Effect::SaveView(view)]);
    press(&mut app, "<esc>cr<esc>sv1:view nlp now<enter>");
    assert_eq!(app.tab().title(), "Idle");
    assert_eq!(app.table().filter_text(), "team=nlp");
    assert_eq!(app.table().columns_of::<Field>(), [Field::Name, Field::UsdPerHour]);
    assert_eq!(app.table().sort.field, Some(Field::UsdPerHour.spec()));
    assert_eq!(press(&mut app, "w<enter>"), []);
    assert_eq!(app.notice().unwrap().level, Level::Warn);
}

#[test]
fn a_view_is_replaced_only_when_enter_is_pressed_again() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "3wmine<enter>").len(), 1);
    for keys in ["wmine<enter>", ":save mine<enter>"] {
        assert_eq!(press(&mut app, keys), [], "{keys}");
        let error = app.prompt().unwrap().error.clone().unwrap().message;
        assert_eq!(error, "view mine is kept already: enter again replaces it");
        assert_eq!(press(&mut app, "<enter>").len(), 1, "{keys}");
        assert!(app.prompt().is_none(), "{keys}");
    }
}

#[test]
fn commands_complete_and_remember() {
    let mut app = app(SIZE);
    press(&mut app, ":the<tab>");
    assert_eq!(app.prompt().unwrap().line.text(), "theme ");
    press(&mut app, "<tab>");
    assert_eq!(app.prompt().unwrap().line.text(), "theme dark");
    press(&mut app, "<shift-tab>");
    assert_eq!(app.prompt().unwrap().line.text(), "theme mono");
    assert_eq!(press(&mut app, "<enter>"), [Effect::Redraw]);
    assert_eq!(app.appearance().theme, ThemeName::Mono);
    press(&mut app, ":<up>");
    assert_eq!(app.prompt().unwrap().line.text(), "theme mono");
    press(&mut app, "<esc>:nonsense<enter>");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "<esc>");
    assert_eq!(press(&mut app, ":region all<enter>"), [Effect::SetRegions(Regions::Enabled)]);
    assert_eq!(press(&mut app, ":q<enter>"), [Effect::Quit]);
}

#[test]
fn freezing_keeps_the_picture_and_its_time() {
    let mut app = app(SIZE);
    press(&mut app, "3f");
    let before = names(&mut app);
    let mut newer = fleet_of(3, 2, readings(0, None));
    newer.version = 2;
    app.update(Msg::Fleet(Arc::new(newer)));
    app.update(Msg::Now(fixture::now() + SignedDuration::from_mins(7)));
    assert_eq!(names(&mut app), before);
    assert_eq!(app.frozen_for().unwrap().to_string(), "7m");
    assert_eq!(app.latest().unwrap().rows.len(), 3);
    press(&mut app, "f");
    assert_eq!(names(&mut app).len(), 3);
}

#[test]
fn without_credentials_one_key_opens_the_demo() {
    let mut app = App::new(fixture::init(None, SIZE));
    app.update(Msg::NoCredentials { message: "none".into() });
    assert!(app.no_credentials().is_some());
    // Another account answers, and has nothing running.
    app.update(Msg::Accounts(vec![]));
    assert_eq!(app.no_credentials(), None);
    app.update(Msg::NoCredentials { message: "none".into() });
    assert_eq!(press(&mut app, "d"), [Effect::SwitchToDemo]);
    app.update(Msg::Mode(Mode::Demo));
    app.update(Msg::Fleet(Arc::new(fleet())));
    assert_eq!(app.no_credentials(), None);
    assert_eq!(press(&mut app, "d"), []);
}

#[test]
fn quitting_suspending_and_the_mouse() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
    assert_eq!(press(&mut app, "<ctrl-c>"), [Effect::Quit]);
    assert_eq!(press(&mut app, "3/x<ctrl-z>"), [Effect::Suspend]);
    assert_eq!(press(&mut app, "<ctrl-c>"), []);
    assert!(app.prompt().is_none());
    assert_eq!(press(&mut app, "MM"), [Effect::SetMouse(true), Effect::SetMouse(false)]);
    assert_eq!(press(&mut app, "<ctrl-l>"), [Effect::Redraw]);
}

#[test]
fn clicks_reach_tabs_headings_and_rows() {
    use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let mut app = app(SIZE);
    let mouse = |app: &mut App, kind, column, row| {
        app.update(Msg::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    mouse(&mut app, click, 14, 1);
    assert_eq!(app.tab().title(), "GPUs");
    mouse(&mut app, click, 22, 1);
    assert_eq!(app.tab().title(), "Idle");
    mouse(&mut app, click, 6, 4);
    assert_eq!(app.table().sort.field, Some(Field::WasteUsdPerHour.spec()));
    press(&mut app, ":sort worst<enter>");
    mouse(&mut app, click, 20, 7);
    assert_eq!(here(&mut app), "etl-nightly");
    let effects = mouse(&mut app, click, 20, 7);
    assert!(matches!(effects[..], [Effect::LoadSeries { .. }]));
    press(&mut app, "<esc>");
    mouse(&mut app, MouseEventKind::ScrollDown, 20, 7);
    assert_eq!(app.table().cursor(), 5);
    mouse(&mut app, click, 20, 20);
    assert_eq!(app.table().cursor(), 5);
}

#[test]
fn remapped_keys_work_and_show_in_the_help() {
    let changes = [("filter".to_owned(), vec!["ctrl-x".to_owned()])].into();
    let (keymap, problems) = Keymap::with_overrides(&changes);
    assert_eq!(problems, []);
    let mut init = fixture::init(Some(fleet()), SIZE);
    init.keymap = keymap;
    let mut app = App::new(init);
    press(&mut app, "3/");
    assert!(app.prompt().is_none());
    press(&mut app, "<ctrl-x>");
    assert!(app.prompt().is_some());
    let help = content::help::lines(&app, &content::help::HelpView::default(), 80);
    assert!(help.iter().any(|l| l.spans.iter().any(|s| s.text.contains("ctrl-x"))));
}

/// Lines of the page on screen, as text.
fn page_text(app: &mut App) -> Vec<String> {
    app.prepare();
    let text = |line: &Line| line.spans.iter().map(|span| span.text.as_ref()).collect();
    app.text_body().0.iter().map(text).collect()
}

#[test]
fn the_help_is_about_the_page_that_it_stands_above() {
    let mut app = app(SIZE);
    let has = |app: &mut App, text: &str| page_text(app).iter().any(|line| line.contains(text));
    press(&mut app, "3?");
    assert!(has(&mut app, "In the table") && has(&mut app, "Fields of instances"));
    assert!(!has(&mut app, "On the Jobs tab") && !has(&mut app, "Fields of attempts"));
    // Of a page above a list, what can be done there.
    press(&mut app, "<esc><enter>?");
    assert!(!has(&mut app, "In the table") && has(&mut app, "On every page"));
    press(&mut app, "<esc>");
    assert!(matches!(app.page().unwrap().page, Page::Why { .. }));
}

#[test]
fn all_of_the_help_is_a_key_away_and_searched() {
    let mut app = app(SIZE);
    press(&mut app, "3?");
    let few = page_text(&mut app).len();
    press(&mut app, "A");
    let all = page_text(&mut app);
    assert!(all.len() > few && all.iter().any(|line| line.contains("[mark-range]")));
    let count = |lines: &[String], word: &str| {
        lines.iter().filter(|line| line.to_lowercase().contains(word)).count()
    };
    press(&mut app, "/heat cell<enter>");
    let found = page_text(&mut app);
    assert!(count(&found, "a cell per gpu") > 0 && found.len() < all.len() / 10, "{found:?}");
    press(&mut app, "/<ctrl-u>no such word<enter>");
    assert_eq!(count(&page_text(&mut app), "nothing in the help"), 1);
    // One step back at a time: the search, then everything, then the help.
    press(&mut app, "<esc>");
    assert_eq!(page_text(&mut app), all);
    press(&mut app, "<esc>");
    assert_eq!(page_text(&mut app).len(), few);
    press(&mut app, "<esc>");
    assert!(app.page().is_none());
    // What was searched for is forgotten.
    press(&mut app, "?/mark<enter><esc><esc>?");
    assert_eq!(page_text(&mut app).len(), few);
}

#[test]
fn many_keys_at_once_are_all_taken() {
    let mut app = app_with(fleet_of(1000, 1, readings(0, None)), SIZE);
    press(&mut app, "3");
    press(&mut app, &"j".repeat(200));
    press(&mut app, &"k".repeat(50));
    assert_eq!(app.table().cursor(), 150);
}

proptest::proptest! {
    /// Whatever is pressed in whatever order: nothing panics, the cursor stays in the table.
    #[test]
    fn any_keys_in_any_order(keys in proptest::collection::vec(0usize..KEYS.len(), 0..60)) {
        let mut app = app(SIZE);
        for key in keys {
            press(&mut app, KEYS[key]);
            app.prepare();
            let rows = app.table().order().len();
            proptest::prop_assert!(rows == 0 || app.table().cursor() < rows);
        }
    }
}

const KEYS: [&str; 47] = [
    "a",
    "n",
    "N",
    "*",
    "/e<enter>",
    "c<tab><enter>",
    "j",
    "k",
    "h",
    "l",
    "g",
    "G",
    "<pgdn>",
    "<pgup>",
    "<ctrl-d>",
    "<ctrl-u>",
    "<enter>",
    "<esc>",
    "<tab>",
    "<shift-tab>",
    "1",
    "3",
    "?",
    ":",
    "!",
    "$",
    "r",
    "f",
    "p",
    "e",
    "y",
    "Y",
    "M",
    "/",
    "s",
    "c",
    "w",
    " ",
    "V",
    "u",
    "J",
    "K",
    "<backspace>",
    "<up>",
    "x",
    ".",
    "<lt>",
];
