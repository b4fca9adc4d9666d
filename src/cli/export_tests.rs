//! What the screen exports and what the subcommand of the same name prints are the same bytes, for
//! every view in every format.

use std::sync::Arc;

use super::accounts::Reaches;
use super::invocation::{DemoOptions, Invocation, RunOptions};
use super::savings_settings::SavingsWant;
use super::telemetry::{StoragePart, Want};
use super::{gpus, reports, savings, storage};
use crate::analyze::storage::picture::blended_rates;
use crate::app::fixture::{init, press};
use crate::app::{App, AppInit, Effect, Msg};
use crate::bus::Outcome;
use crate::config::load::Sources;
use crate::config::{Env, FileConfig, Vocabulary, load};
use crate::domain::storage::PrefixTree;
use crate::fleet::StorageFleet;
use crate::report::{self, Explored, Format, List, Report, SavedOf, write};
use crate::tabs::gpus::picture::GpuField;
use crate::tabs::idle::picture::Field;
use crate::tabs::savings::picture::{CommitmentField, ProposalField, ResourceField, SpotField};
use crate::tabs::storage::picture::{BlockField, BucketField, fixture as stored};
use crate::view::{Sort, Symbols, TableField, ViewContext, table};

/// A full minute: the screen counts no seconds.
const NOW: &str = "2026-03-14T15:09:00Z";

/// The demo, read once, and what was made of it.
struct World {
    invocation: Invocation,
    outcome: Outcome,
    saved: SavedOf,
    buckets: Arc<StorageFleet>,
    blocks: Arc<StorageFleet>,
    /// With lists of objects.
    listed: Arc<StorageFleet>,
    ctx: ViewContext,
}

impl World {
    fn read() -> Self {
        let now = NOW.parse().unwrap();
        let demo = Some(DemoOptions::default());
        let options = RunOptions { demo, no_cache: true, now: Some(now), ..RunOptions::default() };
        let env = Env::default();
        let sources = Sources { paths: None, file: None, env: &env, flags: FileConfig::default() };
        let invocation = Invocation {
            config: load(&sources, &Vocabulary::default()).unwrap().config,
            organization: None,
            options,
            notices: vec![],
            config_file: None,
            paths: None,
            reach: Reaches::default(),
            recording: Arc::default(),
        };
        let outcome = reports::read_with(&invocation, Want::All, SavingsWant::All).unwrap();
        let savings = Arc::new(outcome.savings_picture(now));
        let part = |part| {
            let outcome = reports::read(&invocation, Want::Storage(part)).unwrap();
            Arc::new(outcome.storage_picture(now))
        };
        let (buckets, blocks) = (part(StoragePart::Buckets), part(StoragePart::Ebs));
        let saved = SavedOf::new(savings, &outcome.fleet);
        let ctx = ViewContext { now, symbols: Symbols::Unicode };
        let listed = Arc::new(StorageFleet { as_of: Some(now), ..stored::fleet() });
        Self { invocation, outcome, saved, buckets, blocks, listed, ctx }
    }

    /// The screen that has heard of all of it.
    fn app(&self, storage: &Arc<StorageFleet>) -> App {
        let start = init(None, (160, 50));
        let preset = self.invocation.config.preset.clone();
        let mut app = App::new(AppInit { now: self.ctx.now, preset, ..start });
        app.update(Msg::Fleet(self.outcome.fleet.clone()));
        app.update(Msg::Gpus(self.outcome.gpus.clone()));
        app.update(Msg::Savings(self.saved.savings.clone()));
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

fn none(_: &World) -> &Arc<StorageFleet> {
    static NONE: std::sync::OnceLock<Arc<StorageFleet>> = std::sync::OnceLock::new();
    NONE.get_or_init(Arc::default)
}

/// A view of what could be saved.
macro_rules! saved {
    ($keys:literal, $filter:literal, $list:ident, $field:ident) => {
        View {
            keys: $keys,
            filter: Some($filter),
            storage: none,
            printed: |w, i| {
                let filter = reports::filter::<$field>(i).unwrap();
                Box::new(savings::$list.report(i, w.saved.clone(), filter.as_ref(), &w.ctx))
            },
        }
    };
}

static VIEWS: [View; 10] = [
    View {
        keys: "1",
        filter: None,
        storage: none,
        printed: |w, i| {
            let saved = Some(w.saved.savings.clone());
            Box::new(reports::overview(i, &w.outcome, saved, &[]))
        },
    },
    View {
        // Its own order on the screen is a calm one.
        keys: "2:group flat<enter>:sort wasted_usd<enter>",
        filter: Some("team=nlp"),
        storage: none,
        printed: |w, i| {
            let filter = reports::filter::<GpuField>(i).unwrap();
            let list = gpus::report(i, &w.outcome, filter.as_ref(), &w.ctx);
            let sort = Sort::by(GpuField::WastedUsd.spec());
            let order = table::select(&GpuField::rows(&list.rows), None, sort, &w.ctx);
            let rows = order.into_iter().map(|i| list.rows[i as usize].clone()).collect();
            Box::new(List { rows, ..list })
        },
    },
    View {
        keys: "3",
        filter: Some("$>10/h"),
        storage: none,
        printed: |w, i| {
            let filter = reports::filter::<Field>(i).unwrap();
            Box::new(reports::idle(i, &w.outcome, filter.as_ref(), &w.ctx))
        },
    },
    View {
        keys: ":storage buckets<enter>",
        filter: Some("versioning=on"),
        storage: |w| &w.buckets,
        printed: |w, i| {
            let filter = reports::filter::<BucketField>(i).unwrap();
            Box::new(storage::buckets::report(i, &w.buckets, filter.as_ref(), &w.ctx))
        },
    },
    View {
        keys: ":storage ebs<enter>",
        filter: Some("what=volume"),
        storage: |w| &w.blocks,
        printed: |w, i| {
            let filter = reports::filter::<BlockField>(i).unwrap();
            Box::new(storage::ebs::report(i, &w.blocks, filter.as_ref(), &w.ctx))
        },
    },
    View {
        keys: ":storage explore<enter>:sort usd_per_month<enter>",
        filter: None,
        storage: |w| &w.listed,
        printed: |w, _| {
            // The screen begins with the bucket under the cursor of the list: the costliest.
            let listed = w.listed.buckets.iter().filter(|b| w.listed.scans.contains_key(&b.name));
            let row = listed.map(|row| (row, w.listed.scans[&row.name].clone())).next();
            let (row, scan) = row.unwrap();
            let card = w.listed.rates(&row.scope);
            let rates = card.map(blended_rates).map(Arc::new);
            let of = Explored { scan, rates, from: PrefixTree::ROOT };
            Box::new(report::explore(of, 1, usize::MAX))
        },
    },
    saved!(":commitments<enter>", "unused>$0/h", COMMITMENTS, CommitmentField),
    saved!(":rightsize<enter>", "net>$0/h", RIGHTSIZE, ProposalField),
    saved!(":spot<enter>", "fit=yes", SPOT, SpotField),
    saved!(":resources<enter>", "verdict=idle", RESOURCES, ResourceField),
];

#[test]
fn the_screen_exports_what_the_subcommand_prints() {
    let world = World::read();
    let mut compared = 0;
    for view in &VIEWS {
        for filter in std::iter::once(None).chain(view.filter.map(Some)) {
            let mut invocation = world.invocation.clone();
            invocation.options.filter = filter.map(str::to_owned);
            let printed = (view.printed)(&world, &invocation);
            let mut app = world.app((view.storage)(&world));
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
fn json_has_every_column_of_csv() {
    let world = World::read();
    for view in &VIEWS {
        let printed = (view.printed)(&world, &world.invocation);
        let csv = Format::ALL.into_iter().find(|format| !format.has_notes()).unwrap();
        let csv = write(&*printed, csv, &world.ctx);
        for row in printed.rows(&world.ctx, usize::MAX) {
            for name in csv.lines().next().unwrap().split(',') {
                assert!(row.get(name).is_some(), "{}: {name} is missing in {row}", printed.view());
            }
        }
    }
}
