//! Listings through the pass: pages of a bucket that a test fills.

use std::sync::Arc;

use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::analyze::storage::{ListInfo, TreeFold, TreeLimits};
use crate::bus::scan::{self, OnError, Pass, Progress};
use crate::cache::{Cache, OpenOptions};
use crate::domain::ErrorKind;
use crate::domain::storage::PrefixTree;
use crate::source::ListWhat;
use crate::source::ledger::Ledger;
use crate::source::listing::Listed;
use crate::source::listing_pages::{Order, Pages};
use crate::source::memory::Memory;

fn order(memory: Memory, what: ListWhat) -> Order {
    Order {
        source: Arc::new(memory),
        ledger: None,
        cancel: CancellationToken::new(),
        now: || Timestamp::from_second(1_795_000_000).unwrap(),
        page_limit: 0,
        region: "eu-west-1".into(),
        bucket: "data".into(),
        prefix: String::new(),
        what,
    }
}

fn memory(objects: u64) -> Memory {
    let mut memory = Memory::default();
    memory.make("data");
    for i in 0..objects {
        memory.put("data", &format!("run/{}/part-{i:05}", i % 3), vec![0; 7]);
    }
    memory
}

/// Rows, bytes and how it ended.
fn made(order: Order) -> (u64, u64, Listed) {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let info = ListInfo { bucket: "data".into(), listed_ms: 0, columns: order.what.columns() };
    let stop = order.cancel.clone();
    let pages = Pages::start(order, runtime.handle());
    let progress = Progress::default();
    let pass = Pass { threads: 3, on_error: OnError::GoOn, progress: &progress, stop: &stop };
    let done = scan::run(&pages, pass, || TreeFold::new(&info, TreeLimits::default())).unwrap();
    let sums = done.fold.finish().sums(PrefixTree::ROOT);
    (done.rows, sums.all_bytes(), pages.listed())
}

#[test]
fn every_page_comes_once_whoever_takes_it() {
    let (rows, bytes, listed) = made(order(memory(2_345), ListWhat::Objects));
    assert_eq!((rows, bytes), (2_345, 2_345 * 7));
    assert_eq!((listed.rows, listed.pages, listed.partial), (2_345, 3, None));
    let (rows, _, listed) = made(order(memory(0), ListWhat::Objects));
    assert_eq!((rows, listed.pages), (0, 1), "an empty bucket has a page as well");
}

#[test]
fn what_breaks_off_is_partial_and_says_why() {
    let limited = Order { page_limit: 2, ..order(memory(2_345), ListWhat::Objects) };
    let (rows, _, listed) = made(limited);
    assert_eq!(rows, 2_000);
    assert!(listed.partial.is_some_and(|why| why.contains("2 pages")));

    let cancelled = order(memory(2_345), ListWhat::Objects);
    cancelled.cancel.cancel();
    let (_, _, listed) = made(cancelled);
    assert_eq!(listed.partial.as_deref(), Some("cancelled"));

    let mut denied = memory(10);
    denied.deny("s3:ListBucketVersions");
    let (rows, _, listed) = made(order(denied.clone(), ListWhat::Versions));
    assert_eq!((rows, listed.error.unwrap().kind), (0, ErrorKind::Denied));
    assert_eq!(made(order(denied, ListWhat::Objects)).0, 10);
}

#[test]
fn each_page_is_charged_and_the_cap_ends_the_list() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let now = Timestamp::from_second(1_795_000_000).unwrap();
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now);
    // Two pages of five millionths each.
    let ledger = Ledger::new(cache, 10);
    let capped = Order { ledger: Some(ledger.clone()), ..order(memory(2_345), ListWhat::Objects) };
    let (rows, _, listed) = made(capped);
    assert_eq!((rows, listed.error.unwrap().kind), (2_000, ErrorKind::OwnCostCap));
    let spent = runtime.block_on(ledger.today(now)).unwrap();
    assert_eq!(
        spent.apis.iter().map(|a| (a.name.as_str(), a.units)).collect::<Vec<_>>(),
        [("s3:List*", 2)]
    );
}
