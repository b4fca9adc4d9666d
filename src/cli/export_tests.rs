//! What the screen exports and what the subcommand of the same name prints are the same bytes, for
//! every view that both have, in every format that both have: the findings, runs and copies of storage
//! have no subcommand, the groups of `gpus --group` no export, and a plan no table.

use std::sync::{Arc, LazyLock};

use super::invocation::{DemoOptions, Invocation, RunOptions};
use super::list_options::Selection;
use super::savings_settings::SavingsWant;
use super::storage::args::ExploreArgs;
use super::telemetry::{StoragePart, Want};
use super::{gpus, reports, savings, storage, whatif};
use crate::app::fixture::{init, press};
use crate::app::{App, AppInit, Effect, Msg};
use crate::bus::Outcome;
use crate::config::load::Sources;
use crate::config::{Env, FileConfig, Vocabulary, load};
use crate::fleet::{Savings, StorageFleet};
use crate::report::{Format, List, Report, SavedOf, write};
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::savings::picture::{
    CommitmentField, ModelField, ProposalField, ResourceField, SpotField,
};
use crate::tabs::storage::picture::{BlockField, BucketField, PrefixField};
use crate::tabs::whatif::picture::fixture as plans;
use crate::tabs::whatif::state::fixture as planning;
use crate::view::{Symbols, ViewContext};
use crate::whatif::Stage;

/// A full minute: the screen counts no seconds.
const NOW: &str = "2026-03-14T15:09:00Z";

/// The demo as the screen has it, and as each subcommand reads it for itself.
struct World {
    invocation: Invocation,
    screen: Outcome,
    savings: Arc<Savings>,
    storage: Arc<StorageFleet>,
    /// The same with the list that is explored.
    listed: Arc<StorageFleet>,
    overview: Outcome,
    idle: Outcome,
    gpus: Outcome,
    commitments: SavedOf,
    rightsize: SavedOf,
    spot: SavedOf,
    resources: SavedOf,
    models: SavedOf,
    buckets: Arc<StorageFleet>,
    blocks: Arc<StorageFleet>,
    explored: List<PrefixField>,
    ctx: ViewContext,
}

impl World {
    /// Read once for all tests.
    fn get() -> &'static Self {
        static WORLD: LazyLock<World> = LazyLock::new(World::read);
        &WORLD
    }

    fn read() -> Self {
        let now = NOW.parse().unwrap();
        let demo = Some(DemoOptions::default());
        let options = RunOptions { demo, no_cache: true, now: Some(now), ..RunOptions::default() };
        let env = Env::default();
        let sources = Sources { paths: None, file: None, env: &env, flags: FileConfig::default() };
        let invocation =
            Invocation::new(load(&sources, &Vocabulary::default()).unwrap().config, options);
        let read = |want, saving| reports::read_with(&invocation, want, saving).unwrap();
        let part = |part| {
            let outcome = reports::read(&invocation, Want::Storage(part)).unwrap();
            Arc::new(outcome.storage_picture(now))
        };
        let mut screen = read(Want::All, SavingsWant::All);
        let (storage, savings) = screen.pictures(now);
        let args = ExploreArgs { depth: 1, top: usize::MAX, ..ExploreArgs::default() };
        let ctx = storage::Ctx { invocation: &invocation, env: &env };
        let explored = storage::explore::report(&args, &ctx).unwrap();
        Arc::make_mut(&mut screen.storage).scans.push(explored.of.scan.clone());
        Self {
            listed: Arc::new(screen.storage_picture(now)),
            savings: Arc::new(savings),
            storage,
            screen,
            overview: read(Want::Free, SavingsWant::All),
            idle: read(Want::Free, SavingsWant::Net),
            gpus: reports::read(&invocation, Want::All).unwrap(),
            commitments: savings::COMMITMENTS.read(&invocation).unwrap(),
            rightsize: savings::RIGHTSIZE.read(&invocation).unwrap(),
            spot: savings::SPOT.read(&invocation).unwrap(),
            resources: savings::RESOURCES.read(&invocation).unwrap(),
            models: savings::MODELS.read(&invocation).unwrap(),
            buckets: part(StoragePart::Buckets),
            blocks: part(StoragePart::Ebs),
            explored,
            ctx: ViewContext { now, symbols: Symbols::Unicode, width: None },
            invocation,
        }
    }

    /// The screen that has heard of all of it.
    fn app(&self, storage: &Arc<StorageFleet>) -> App {
        let start = init(None, (160, 50));
        let preset = self.invocation.config.preset.clone();
        let mut app = App::new(AppInit { now: self.ctx.now, preset, ..start });
        app.update(Msg::Fleet(self.screen.fleet.clone()));
        app.update(Msg::Gpus(self.screen.gpus.clone()));
        app.update(Msg::Savings(self.savings.clone()));
        app.update(Msg::Storage(storage.clone()));
        app
    }
}

/// What a subcommand prints of a world, given its options.
type Printed = fn(&World, &Invocation) -> Box<dyn Report>;

/// A view: keys that lead to it on the screen, a filter for it, and what its subcommand prints.
struct View {
    keys: &'static str,
    filter: Option<&'static str>,
    storage: fn(&World) -> &Arc<StorageFleet>,
    printed: Printed,
}

/// A view of what could be saved.
macro_rules! saved {
    ($keys:literal, $filter:literal, $of:ident, $list:ident, $field:ident) => {
        View {
            keys: $keys,
            filter: Some($filter),
            storage: |w| &w.storage,
            printed: |w, i| {
                let chosen = Selection::<$field>::of(i).unwrap();
                Box::new(savings::$list.report(w.$of.clone(), &chosen, &w.ctx))
            },
        }
    };
}

static VIEWS: [View; 11] = [
    View {
        keys: "1",
        filter: None,
        storage: |w| &w.storage,
        printed: |w, i| Box::new(reports::overview(i, &w.overview, &[], &w.ctx)),
    },
    View {
        keys: "2:group flat<enter>",
        filter: Some("team=nlp"),
        storage: |w| &w.storage,
        printed: |w, i| {
            let chosen = Selection::<GpuField>::of(i).unwrap();
            Box::new(gpus::report(&w.gpus, &chosen, &w.ctx))
        },
    },
    View {
        keys: "3",
        filter: Some("$>10/h"),
        storage: |w| &w.storage,
        printed: |w, i| {
            let chosen = Selection::<Field>::of(i).unwrap();
            Box::new(reports::idle(i, &w.idle, &chosen, &w.ctx))
        },
    },
    View {
        keys: ":storage buckets<enter>",
        filter: Some("versioning=on"),
        storage: |w| &w.storage,
        printed: |w, i| {
            let chosen = Selection::<BucketField>::of(i).unwrap();
            Box::new(storage::listed::BUCKETS.report(&w.buckets, &chosen, &w.ctx))
        },
    },
    View {
        keys: ":storage ebs<enter>",
        filter: Some("what=volume"),
        storage: |w| &w.storage,
        printed: |w, i| {
            let chosen = Selection::<BlockField>::of(i).unwrap();
            Box::new(storage::listed::EBS.report(&w.blocks, &chosen, &w.ctx))
        },
    },
    View {
        keys: ":storage explore<enter>:sort usd_per_month<enter>",
        filter: None,
        storage: |w| &w.listed,
        printed: |w, _| Box::new(w.explored.clone()),
    },
    saved!(":commitments<enter>", "unused>$0/h", commitments, COMMITMENTS, CommitmentField),
    saved!(":rightsize<enter>", "net>$0/h", rightsize, RIGHTSIZE, ProposalField),
    saved!(":spot<enter>", "fit=yes", spot, SPOT, SpotField),
    saved!(":resources<enter>", "verdict=idle", resources, RESOURCES, ResourceField),
    saved!(":models<enter>", "fits=yes", models, MODELS, ModelField),
];

#[test]
fn the_screen_exports_what_the_subcommand_prints() {
    let world = World::get();
    let mut compared = 0;
    for view in &VIEWS {
        for filter in std::iter::once(None).chain(view.filter.map(Some)) {
            let mut invocation = world.invocation.clone();
            invocation.options.filter = filter.map(str::to_owned);
            let printed = (view.printed)(world, &invocation);
            let mut app = world.app((view.storage)(world));
            press(&mut app, view.keys);
            app.prepare();
            if let Some(filter) = filter {
                press(&mut app, &format!("/{filter}<enter>"));
            }
            let name = printed.view();
            assert!(!printed.rows(&world.ctx, 1).is_empty(), "{name}: no row with {filter:?}");
            for format in Format::ALL {
                let effects = press(&mut app, &format!(":export {} x<enter>", format.name()));
                let [.., Effect::Export { format: asked, picture, .. }] = &effects[..] else {
                    panic!("{name}: {effects:?} {:?}", app.notice())
                };
                assert_eq!((*asked, picture.view()), (format, name));
                let (screen, subcommand) =
                    (picture.written(format), write(&*printed, format, &world.ctx));
                assert!(screen == subcommand, "{name} {filter:?}\n{screen}\n-----\n{subcommand}");
                compared += 1;
            }
        }
    }
    // Two of the views have no filter.
    assert_eq!(compared, (2 * VIEWS.len() - 2) * Format::ALL.len());
}

#[test]
fn the_plan_on_screen_is_the_memo_of_its_scenario() {
    let mut app = planning::after((160, 50), ":whatif<enter>");
    let scenario = Arc::new(plans::full());
    let demand = Arc::new(plans::demand_of(scenario.families.len()));
    let answer = plans::shared(&scenario, Stage::Whole);
    let printed = whatif::memo::report(demand, scenario, answer);
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Table) {
        let effects = press(&mut app, &format!(":export {} x<enter>", format.name()));
        let [.., Effect::Export { picture, .. }] = &effects[..] else {
            panic!("{effects:?} {:?}", app.notice())
        };
        assert_eq!(picture.view(), "whatif-plan");
        assert_eq!(picture.written(format), write(&printed, format, &app.view_context()));
    }
}

#[test]
fn a_list_names_the_sources_that_it_rests_on_whatever_else_was_read() {
    let world = World::get();
    for view in &VIEWS {
        let printed = (view.printed)(world, &world.invocation);
        let Some(sources) = printed.sources() else { continue };
        let told: Vec<_> = printed.rests_on().iter().map(|r| r.source).collect();
        assert!(told.iter().all(|source| sources.contains(source)), "{}", printed.view());
        assert!(told.len() < world.screen.fleet.readings.len(), "{}", printed.view());
    }
}

#[test]
fn json_has_every_column_of_csv() {
    let world = World::get();
    for view in &VIEWS {
        let printed = (view.printed)(world, &world.invocation);
        let csv = Format::ALL.into_iter().find(|format| !format.has_notes()).unwrap();
        let csv = write(&*printed, csv, &world.ctx);
        for row in printed.rows(&world.ctx, usize::MAX) {
            for name in csv.lines().next().unwrap().split(',') {
                assert!(row.get(name).is_some(), "{}: {name} is missing in {row}", printed.view());
            }
        }
    }
}

#[test]
fn planted_boxes_say_beforehand_what_would_block_a_stop() {
    let rows = &World::get().idle.fleet.rows;
    let blocked = |name: &str| -> Option<Vec<&str>> {
        let row = rows.iter().find(|row| *row.instance.name == *name).unwrap();
        Some(row.blocked_by()?.map(|obstacle| obstacle.guard).collect())
    };
    assert!(blocked("serve-spare").unwrap().contains(&"group"), "its group would replace it");
    assert!(blocked("agent-hung").unwrap().contains(&"recheck"), "silent for half an hour");
    assert!(!blocked("train-7b-old").unwrap().contains(&"recheck"));
    assert_eq!(blocked("pretrain-70b"), None, "it works");
    // What the check would warn of: 8,000 GB of instance store of a P4d, a reservation that bills on, a Spot instance.
    let warned = |name: &str, guard: &str| {
        let row = rows.iter().find(|row| *row.instance.name == *name).unwrap();
        row.against_stop().unwrap().any(|of| !of.blocks && of.guard == guard)
    };
    assert!(warned("train-7b-old", "instance_store") && warned("train-7b-old", "capacity"));
    assert!(warned("reserved-idle", "saving") && warned("spot-leftover", "spot"));
    assert!(!warned("scratch-cpu", "instance_store") && !warned("scratch-cpu", "capacity"));
    // What a source of jobs says to be held is blocked by that, and nothing else is.
    let idle = rows.iter().filter_map(|row| Some((row, row.blocked_by()?)));
    for (row, mut by) in idle {
        let is_held = row.held_by.is_some();
        assert_eq!(by.any(|obstacle| obstacle.guard == "jobs"), is_held, "{}", row.instance.name);
    }
}
