//! The Storage tab under keys.

use std::sync::Arc;

use jiff::Timestamp;

use super::fixture::{after, app, heard, init};
use super::{ListHow, Listing, ListingState, MAKE_LIST, StorageList, StoragePage, TierSubject};
use crate::app::content::Line;
use crate::app::fixture::press;
use crate::app::{Action, App, Effect, Mode, Msg, Page, Popup};
use crate::domain::SourceId;
use crate::domain::storage::Scan;
use crate::report::Format;
use crate::tabs::storage::picture::fixture::{fleet, fleet_of};
use crate::tabs::storage::picture::{BlockRow, PrefixRow};

const SIZE: (u16, u16) = (120, 40);

fn page(app: &App) -> Option<&StoragePage> {
    match app.page().map(|o| &o.page) {
        Some(Page::Storage(page)) => Some(page),
        _ => None,
    }
}

fn way(app: &App) -> Vec<String> {
    let explorer = app.storage_tab().explorer().unwrap();
    explorer.way().map(str::to_owned).collect()
}

fn here(app: &mut App) -> String {
    app.prepare();
    app.list().current::<PrefixRow>().unwrap().name.to_string()
}

#[test]
fn the_tab_is_always_there_and_says_what_is_read() {
    let mut none = App::new(init(SIZE));
    let effects = press(&mut none, "4");
    assert_eq!((none.tab().title(), &effects[..]), ("Storage", &[Effect::ReadStorage][..]));
    none.prepare();
    let text: String = none.text_body().0.iter().flat_map(|l| &l.spans).map(|s| &*s.text).collect();
    assert!(text.contains("Storage is being read"), "{text}");
    let app = after(SIZE, "4");
    assert_eq!(app.tab().title(), "Storage");
    assert!(app.shows_table());
}

#[test]
fn a_bucket_leads_to_the_runs_in_it() {
    let mut of_two = fleet();
    let scan = of_two.scans.values().find(|scan| has_runs(scan)).cloned().unwrap();
    of_two.scans.insert("other".into(), scan);
    let mut app = heard(init(SIZE), of_two);
    press(&mut app, "4/check<enter>d");
    assert_eq!(page(&app), Some(&StoragePage::Row(StorageList::Buckets, "ml-checkpoints".into())));
    press(&mut app, "<enter>");
    app.prepare();
    assert_eq!((page(&app), app.storage_tab().look()), (None, StorageList::Runs));
    assert_eq!(app.list().filter_text(), "bucket=ml-checkpoints");
    let shown = app.list().lines();
    assert!(shown > 0 && shown < app.storage_tab().rows().runs.len(), "{shown}");
    // One without runs leads to those that there are, and says whose they are.
    let mut app = after(SIZE, "4<enter>");
    let before = page(&app).cloned();
    press(&mut app, "<enter>");
    let text = &app.notice().unwrap().text;
    assert_eq!(text, "no run is known in datasets: these are of ml-checkpoints");
    assert_eq!(place(&mut app), (StorageList::Runs, String::new(), false));
    press(&mut app, "<esc>");
    assert_eq!(page(&app), before.as_ref());
}

#[test]
fn keys_of_a_bucket_are_offered_where_they_lead_somewhere() {
    let offers = |keys: &str| {
        let mut app = after(SIZE, keys);
        app.prepare();
        let all = [Action::BucketFindings, Action::BucketRuns, Action::LifecycleRules];
        all.map(|action| app.offers(action))
    };
    // `datasets` has findings, `ml-checkpoints` runs too, a volume no bucket.
    for (keys, offered) in [
        ("4", [true, true, true]),
        ("4L", [true, true, true]),
        ("4d", [true, true, true]),
        ("4F<enter>", [true, true, true]),
        ("4j", [true, true, true]),
        ("4j<enter>", [true, true, true]),
        ("4jL", [true, true, true]),
        ("4jd", [true, true, true]),
        ("4jF<enter>", [true, true, true]),
        ("4:storage findings<enter><enter>", [false, false, false]),
    ] {
        assert_eq!(offers(keys), offered, "{keys}");
    }
    let mut app = after(SIZE, "4jLR");
    assert_eq!(place(&mut app), (StorageList::Runs, "bucket=ml-checkpoints".into(), false));
    press(&mut app, "<esc>");
    assert_eq!(page(&app), Some(&StoragePage::Lifecycle("ml-checkpoints".into())));
}

#[test]
fn rules_are_offered_to_be_copied_where_there_are_any() {
    for keys in ["4L", "4/check<enter>t"] {
        assert!(after(SIZE, keys).offers(Action::CopyId), "{keys}");
    }
    // No rule is of all buckets together.
    let mut app = after(SIZE, "4t");
    assert!(!app.offers(Action::CopyId));
    assert_eq!(press(&mut app, "y"), []);
    assert_eq!(app.notice().unwrap().text, "no rule is known that would save something");
}

/// What is on screen besides a list: the strip, or a page.
fn text(app: &mut App) -> String {
    app.prepare();
    let lines = if app.page().is_some() { app.text_body().0.to_vec() } else { app.strip() };
    let line = |line: &Line| -> String { line.spans.iter().map(|s| &*s.text).collect() };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The list on screen, its filter, and whether a page is open.
fn place(app: &mut App) -> (StorageList, String, bool) {
    app.prepare();
    (app.storage_tab().look(), app.list().filter_text().to_owned(), app.page().is_some())
}

#[test]
fn the_rules_of_a_bucket_why_and_its_runs_are_a_few_keys_away_and_esc_comes_back() {
    use StorageList::{Buckets, Explorer, Findings, Runs};
    let mut app = app(SIZE);
    let mut pressed = 0;
    let mut go = |app: &mut App, keys: &[&str]| {
        pressed += keys.len();
        assert!(pressed <= 12, "{pressed} keys");
        press(app, &keys.concat())
    };
    let of_bucket = || "bucket=ml-checkpoints".to_owned();
    go(&mut app, &["4", "j", "<enter>"]);
    assert_eq!(place(&mut app), (Explorer, String::new(), false));
    let strip = text(&mut app);
    for part in ["5 findings save at least $11.32/month: F", "rules to copy: L", "1 run: R"] {
        assert!(strip.contains(part), "{part}: {strip}");
    }
    go(&mut app, &["F"]);
    assert_eq!(place(&mut app), (Findings, of_bucket(), false));
    assert_eq!(app.list().lines(), 5);
    go(&mut app, &["<enter>"]);
    assert_eq!(place(&mut app), (Findings, of_bucket(), true));
    let why = text(&mut app);
    for part in [
        "saves $11.32/month",
        "CloudWatch bills 1.8 TiB",
        "to copy: y",
        "incomplete uploads aborted after 7 d",
        "\"DaysAfterInitiation\": 7",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let effects = go(&mut app, &["y"]);
    let [Effect::Copy(rule)] = &effects[..] else { panic!("{effects:?}") };
    assert!(rule.contains("AbortIncompleteMultipartUpload"), "{rule}");
    go(&mut app, &["R"]);
    assert_eq!(place(&mut app), (Runs, of_bucket(), false));
    for back in [
        (Findings, of_bucket(), true),
        (Findings, of_bucket(), false),
        (Explorer, String::new(), false),
        (Buckets, String::new(), false),
    ] {
        go(&mut app, &["<esc>"]);
        assert_eq!(place(&mut app), back);
    }
    assert_eq!(app.list().current_id().map(|id| &**id), Some("ml-checkpoints"));
    for list in [Findings, Runs] {
        assert_eq!(app.storage_tab().list(list).filter_text(), "");
    }
}

#[test]
fn the_page_of_rules_begins_with_those_that_would_save_something() {
    let mut app = after(SIZE, "4L");
    let page = text(&mut app);
    let (wanted, there) = page.split_once("Rules of the bucket").unwrap();
    for part in ["to copy: y", "up to $1,153", "rule: all objects: GLACIER_IR after 90 d"] {
        assert!(wanted.contains(part), "{part}: {page}");
    }
    assert!(there.contains("archive-raw"), "{page}");
    let effects = press(&mut app, "y");
    let [Effect::Copy(rules)] = &effects[..] else { panic!("{effects:?}") };
    for part in ["NoncurrentVersionExpiration", "\"StorageClass\": \"GLACIER_IR\""] {
        assert!(rules.contains(part), "{rules}");
    }
    // What no rule can end is counted.
    assert!(text(&mut after(SIZE, "4jL")).contains("2 findings that no rule can end: F"));
}

#[test]
fn pages_of_findings_turn_and_lead_to_what_they_are_about_and_back() {
    let mut app = after(SIZE, "4jF<enter>l");
    let Some(StoragePage::Row(StorageList::Findings, id)) = page(&app).cloned() else { panic!() };
    assert!(id.starts_with("prunable_checkpoints "), "{id}");
    assert!(text(&mut app).contains("No lifecycle rule can say which steps stay"));
    press(&mut app, "<enter>");
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    press(&mut app, "<esc>");
    assert_eq!(page(&app), Some(&StoragePage::Row(StorageList::Findings, id)));
    press(&mut app, "h");
    let first = page(&app).cloned();
    press(&mut app, "h");
    assert_eq!(page(&app), first.as_ref(), "there is none before the first");
    press(&mut app, "<esc><esc>");
    assert_eq!(place(&mut app), (StorageList::Buckets, String::new(), false));
    // A volume has no bucket.
    let mut volume = after(SIZE, ":storage findings<enter>F");
    assert!(volume.notice().unwrap().text.contains("which bucket?"));
    assert_eq!(place(&mut volume).0, StorageList::Findings);
}

#[test]
fn a_walk_that_a_finding_led_away_from_goes_on_where_it_was() {
    let mut app = after(SIZE, "4/check<enter><enter>F");
    press(&mut app, "/<ctrl-u>kind=prunable_checkpoints<enter><enter><enter>");
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    press(&mut app, "<esc>");
    assert_eq!(way(&app), ["ml-checkpoints"]);
    assert_eq!(place(&mut app), (StorageList::Findings, "kind=prunable_checkpoints".into(), true));
}

#[test]
fn however_often_lists_are_turned_it_is_one_step() {
    let mut app = after(SIZE, "4jFoo<esc>");
    assert_eq!(place(&mut app), (StorageList::Findings, "bucket=ml-checkpoints".into(), false));
    press(&mut app, "<esc>");
    assert_eq!(place(&mut app), (StorageList::Buckets, String::new(), false));
    press(&mut app, "<esc>");
    assert_eq!(place(&mut app), (StorageList::Buckets, String::new(), false));
}

#[test]
fn what_the_cursor_is_on_is_copied() {
    let copied = |keys: &str| {
        let mut app = app(SIZE);
        let effects = press(&mut app, keys);
        let [.., Effect::Copy(text)] = &effects[..] else { panic!("{keys}: {effects:?}") };
        text.clone()
    };
    assert_eq!(copied("4y"), "datasets");
    assert_eq!(copied("4/check<enter><enter>y"), "ml-checkpoints/runs/");
    assert_eq!(copied("4:storage runs<enter>y"), "ml-checkpoints/runs/llama-7b/");
    assert_eq!(copied("4:storage copies<enter>y"), "ml-checkpoints/data/v1-copy/");
    assert_eq!(copied("4:storage findings<enter>y"), "vol-00000000000000001");
    let mut app = after(SIZE, "4");
    assert!(matches!(press(&mut app, "Y")[..], [Effect::CopyRows(_)]));
}

fn has_runs(scan: &Scan) -> bool {
    scan.runs.as_ref().is_some_and(|runs| !runs.is_empty())
}

#[test]
fn a_key_goes_through_the_lists_and_commands_name_them() {
    let mut app = after(SIZE, "4");
    for look in StorageList::ALL.iter().skip(1).chain([&StorageList::Buckets]) {
        press(&mut app, "o");
        assert_eq!(app.storage_tab().look(), *look);
    }
    press(&mut app, "O");
    assert_eq!(app.storage_tab().look(), StorageList::Copies);
    for look in StorageList::ALL {
        press(&mut app, &format!("1:storage {}<enter>", look.name()));
        assert_eq!((app.tab().title(), app.storage_tab().look()), ("Storage", look));
    }
    press(&mut app, ":storage bukkets<enter>");
    let error = app.prompt().and_then(|p| p.error.clone()).unwrap();
    assert!(error.message.contains("buckets"), "{}", error.message);
}

#[test]
fn enter_drills_and_esc_comes_back_to_the_same_row() {
    let mut app = after(SIZE, "4/check<enter><enter>");
    assert_eq!(app.storage_tab().look(), StorageList::Explorer);
    assert_eq!(way(&app), ["ml-checkpoints"]);
    assert_eq!(here(&mut app), "runs/");
    press(&mut app, "<enter>j");
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    press(&mut app, "<esc>");
    assert_eq!(here(&mut app), "runs/");
    press(&mut app, "jjj");
    assert_eq!(here(&mut app), "README.md");
    press(&mut app, "<enter>");
    assert_eq!(way(&app), ["ml-checkpoints"], "an object has nothing below it");
    press(&mut app, "<esc>");
    assert_eq!(app.storage_tab().look(), StorageList::Buckets);
    // The filter of the buckets is still there, and goes with the next.
    assert_eq!(app.storage_tab().list(StorageList::Buckets).filter_text(), "check");
    press(&mut app, "<esc>");
    assert_eq!(app.storage_tab().list(StorageList::Buckets).filter_text(), "");
}

#[test]
fn the_explorer_sorts_filters_and_marks() {
    let mut app = after(SIZE, "4/check<enter><enter>sc");
    assert_eq!(here(&mut app), "tiny/", "most objects first");
    press(&mut app, "sa");
    assert_eq!(here(&mut app), "README.md", "oldest first");
    press(&mut app, "/size>100GiB<enter>");
    app.prepare();
    assert_eq!(app.storage_tab().list(StorageList::Explorer).order().len(), 2);
    press(&mut app, "<space>");
    assert_eq!(app.storage_tab().list(StorageList::Explorer).marked().unwrap().count, 1);
    // A filter of another table's field is wrong here, and said so.
    press(&mut app, "/verdict=idle<enter>");
    assert!(app.prompt().unwrap().error.is_some());
    press(&mut app, "<esc>");
    assert_eq!(app.storage_tab().list(StorageList::Explorer).filter_text(), "size>100GiB");
}

#[test]
fn a_newer_list_keeps_the_place() {
    let mut app = after(SIZE, "4/check<enter><enter><enter>");
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    let newer = fleet_of(|f| {
        f.version += 1;
        let list = Arc::make_mut(&mut f.scans[0]);
        list.rows += 1;
    });
    app.update(Msg::Storage(Arc::new(newer)));
    app.prepare();
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    let gone = fleet_of(|f| {
        f.version += 2;
        f.scans.clear();
    });
    app.update(Msg::Storage(Arc::new(gone)));
    app.prepare();
    assert!(app.storage_tab().explorer().is_none());
}

#[test]
fn a_bucket_without_a_list_opens_its_page_and_asks_what_one_takes() {
    let mut app = after(SIZE, "4");
    press(&mut app, "<enter>");
    assert_eq!(page(&app), Some(&StoragePage::Row(StorageList::Buckets, "datasets".into())));
    let effects = press(&mut app, "i");
    let asks = Effect::ListObjects { bucket: "datasets".into(), how: ListHow::Ask };
    assert_eq!(effects, [asks]);
    let state = ListingState::Offer { says: "52 pages.".into(), usd: Some(0.00026) };
    app.update(Msg::Listing(Listing { bucket: "datasets".into(), state }));
    assert_eq!(app.popup(), Some(&Popup::Ask(&MAKE_LIST)));
    // No is no.
    assert_eq!(press(&mut app, "<esc>"), []);
    assert!(app.popup().is_none() && app.storage_tab().listing().is_none());
    press(&mut app, "i");
    let state = ListingState::Offer { says: "52 pages.".into(), usd: None };
    app.update(Msg::Listing(Listing { bucket: "datasets".into(), state }));
    let go = Effect::ListObjects { bucket: "datasets".into(), how: ListHow::Go };
    assert_eq!(press(&mut app, "<enter>"), [go]);
    let stop = Effect::ListObjects { bucket: "datasets".into(), how: ListHow::Cancel };
    assert_eq!(press(&mut app, "i"), [stop]);
    let state = ListingState::Failed("cancelled".into());
    app.update(Msg::Listing(Listing { bucket: "datasets".into(), state }));
    assert!(app.notice().unwrap().text.contains("cancelled"));
    assert!(app.storage_tab().listing().is_none());
}

#[test]
fn reads_per_month_move_and_are_typed() {
    let mut app = after(SIZE, "4/check<enter><enter>t");
    let subject = page(&app).cloned();
    assert!(matches!(subject, Some(StoragePage::Tiers(TierSubject::Prefix(..)))), "{subject:?}");
    let before = app.storage_tab().reads();
    press(&mut app, "+");
    assert!(app.storage_tab().reads() > before);
    press(&mut app, "--");
    assert!(app.storage_tab().reads() < before);
    press(&mut app, "=4.5<enter>");
    assert!((app.storage_tab().reads() - 4.5).abs() < 1e-9);
    for wrong in ["-1", "x", "inf", "1e9"] {
        press(&mut app, &format!("={wrong}<enter>"));
        assert!(app.prompt().unwrap().error.is_some(), "{wrong}");
        press(&mut app, "<esc>");
        assert!((app.storage_tab().reads() - 4.5).abs() < 1e-9);
    }
    // From a bucket it is of the bucket, without a list of everything.
    let bucket = after(SIZE, "4/check<enter>t");
    assert_eq!(
        page(&bucket),
        Some(&StoragePage::Tiers(TierSubject::Bucket("ml-checkpoints".into())))
    );
    let all = after(SIZE, "4t");
    assert_eq!(page(&all), Some(&StoragePage::Tiers(TierSubject::Fleet)));
}

#[test]
fn a_finding_leads_to_what_it_is_about() {
    let mut app = after(SIZE, ":storage findings<enter>/kind=prunable_checkpoints<enter><enter>");
    assert!(matches!(page(&app), Some(StoragePage::Row(StorageList::Findings, _))));
    press(&mut app, "<enter>");
    assert_eq!(way(&app), ["ml-checkpoints", "runs/"]);
    let mut volume = after(SIZE, ":storage findings<enter>/kind=gp2<enter><enter><enter>");
    assert_eq!(volume.storage_tab().look(), StorageList::Blocks);
    volume.prepare();
    let row = volume.list().current::<BlockRow>().unwrap();
    assert_eq!(&**row.id(), "vol-00000000000000001");
}

#[test]
fn the_overview_leads_to_the_costliest_finding() {
    let mut app = app((100, 60));
    app.prepare();
    press(&mut app, "G<enter>");
    assert_eq!((app.tab().title(), app.storage_tab().look()), ("Storage", StorageList::Blocks));
    app.prepare();
}

#[test]
fn the_overview_says_of_storage_what_was_not_read() {
    let line = |readings: &[(SourceId, Option<Timestamp>)]| {
        let mut app = app((160, 60));
        let fleet = fleet_of(|facts| {
            facts.version += 1;
            facts.readings.retain(|r| readings.iter().any(|(source, _)| r.source == *source));
            for reading in &mut facts.readings {
                reading.taken_at = readings.iter().find(|(s, _)| *s == reading.source).unwrap().1;
            }
            if !readings.iter().any(|(source, at)| *source == SourceId::Ebs && at.is_some()) {
                facts.ebs.clear();
            }
        });
        app.update(Msg::Storage(Arc::new(fleet)));
        app.prepare();
        let lines = crate::tabs::storage::pages::overview(&app, 158);
        let text: Vec<&str> = lines.iter().flat_map(|line| &line.spans).map(|s| &*s.text).collect();
        text.concat()
    };
    let at = Some(Timestamp::UNIX_EPOCH);
    let whole = line(&[(SourceId::S3, at), (SourceId::Ebs, at)]);
    assert!(!whole.contains('≥') && !whole.contains("not read"), "{whole}");
    // One that nobody asked for is read by the tab; of one that failed the log says why.
    for (ebs, says) in [
        (&[(SourceId::S3, at)][..], "volumes not read yet: 4"),
        (&[(SourceId::S3, at), (SourceId::Ebs, None)][..], "volumes not read: !"),
    ] {
        let part = line(ebs);
        assert!(part.contains("≥$") && part.contains(says), "{part}");
        assert!(!part.contains("$0.00"), "{part}");
    }
    let volumes = line(&[(SourceId::S3, None), (SourceId::Ebs, at)]);
    assert!(volumes.contains("buckets not read") && volumes.contains("≥$"), "{volumes}");
    // Offline nothing is on its way.
    let mut app = app((160, 60));
    app.update(Msg::Mode(Mode::Offline));
    for source in [SourceId::S3, SourceId::Ebs] {
        assert_eq!(crate::tabs::storage::pages::unread(&app, source), "not in the cache");
    }
    // What a snapshot costs at most is in no lower bound.
    let apart = "snapshots at most $40.00, not in the sum";
    assert!(volumes.contains("≥$1,871/month") && volumes.contains(apart), "{volumes}");
    assert!(!whole.contains("not in the sum"), "{whole}");
}

#[test]
fn what_is_on_screen_is_exported() {
    let mut app = after(SIZE, "4/check<enter>:export csv x.csv<enter>");
    let effects = press(&mut app, ":export json x.json<enter>");
    let [Effect::Export { path, format, picture }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((path.as_str(), *format), ("x.json", Format::Json));
    assert_eq!(picture.view(), "storage-buckets");
    let text = picture.written(Format::Table);
    assert!(text.contains("; filter check\n"), "{text}");
    assert_eq!(picture.json_lines(usize::MAX).lines().count(), 1);
    let columns = app.storage_tab().list(StorageList::Buckets).columns();
    let headings: Vec<&str> = columns.iter().map(|f| f.header).collect();
    let first = text.lines().next().unwrap();
    assert_eq!(first.split_whitespace().collect::<Vec<_>>(), headings);
}

#[test]
fn a_frozen_picture_stays() {
    let mut app = after(SIZE, "4f");
    let before = app.storage().unwrap().version;
    app.update(Msg::Storage(Arc::new(fleet_of(|f| f.version += 5))));
    assert_eq!(app.storage().unwrap().version, before);
    press(&mut app, "f");
    assert_eq!(app.storage().unwrap().version, before + 5);
}

#[test]
fn other_accounts_forget_the_storage() {
    let mut app = app(SIZE);
    press(&mut app, "4");
    app.update(Msg::Mode(Mode::Demo));
    assert!(app.storage().is_none());
    app.update(Msg::Storage(Arc::new(fleet())));
    assert!(app.storage().is_some());
}
