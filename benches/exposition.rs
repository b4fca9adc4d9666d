//! Reading a page of a host with 8 GPUs, beside `prometheus-parse` over the same page in the same
//! run, and what becomes of it: samples of GPUs.
//!
//! `cargo bench --bench exposition`

#![allow(missing_docs, reason = "a bench has no readers of its items")]

use std::sync::Arc;

use burntop::parts::source::exposition::Reader;
use burntop::parts::source::vocabulary::{Gather, Page, Vocabulary};
use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher, black_box};
use jiff::Timestamp;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const PAGE: &[u8] = include_bytes!("../tests/data/gpu/dcgm/h100x8.prom");

fn main() {
    divan::main();
}

/// The names alone: nothing of the page is wanted.
#[divan::bench]
fn nothing_wanted(bencher: Bencher<'_, '_>) {
    let mut reader = Reader::default();
    bencher.counter(BytesCount::new(PAGE.len())).bench_local(|| {
        reader.read(
            black_box(PAGE),
            |_| None::<()>,
            |(), series| {
                black_box(series);
            },
        )
    });
}

/// What burntop wants of it: 22 of the 27 families. The figure to reach is 500 MB/s.
#[divan::bench]
fn vocabulary(bencher: Bencher<'_, '_>) {
    let (mut reader, vocabulary) = (Reader::default(), Vocabulary::default());
    bencher.counter(BytesCount::new(PAGE.len())).bench_local(|| {
        reader.read(
            black_box(PAGE),
            |name| vocabulary.get(name),
            |metric, series| {
                black_box((metric, series));
            },
        )
    });
}

/// All samples with all their labels.
#[divan::bench]
fn everything(bencher: Bencher<'_, '_>) {
    let mut reader = Reader::default();
    bencher.counter(BytesCount::new(PAGE.len())).bench_local(|| {
        reader.read_all(black_box(PAGE), |series| {
            for label in series.labels.iter() {
                black_box(label);
            }
        })
    });
}

/// From the page to eight samples, the labels known from the sweep before.
#[divan::bench]
fn to_samples(bencher: Bencher<'_, '_>) {
    let vocabulary = Arc::<Vocabulary>::default();
    let page = Page { address: "10.0.0.7:9400".into(), instance_id: None };
    let mut gather = Gather::of_page(Arc::clone(&vocabulary), page, 512);
    let mut reader = Reader::default();
    bencher.counter(BytesCount::new(PAGE.len())).bench_local(|| {
        reader.read(
            black_box(PAGE),
            |name| vocabulary.get(name),
            |metric, series| gather.take(&metric, series.labels.iter(), series.value),
        );
        gather.finish(Timestamp::UNIX_EPOCH)
    });
}

/// The baseline: the crate that others use.
#[divan::bench]
fn baseline_prometheus_parse(bencher: Bencher<'_, '_>) {
    let text = std::str::from_utf8(PAGE).unwrap_or_default();
    bencher.counter(BytesCount::new(PAGE.len())).bench_local(|| {
        let lines = black_box(text).lines().map(|line| Ok(line.to_owned()));
        prometheus_parse::Scrape::parse(lines)
    });
}
