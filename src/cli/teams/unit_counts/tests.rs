use super::*;
use crate::analyze::teams::MoneyFilter;
use crate::cache::OpenOptions;
use crate::domain::Address;
use crate::domain::daily::DayStatistic;
use crate::source::aws::testing::{Cbor, Reply, Server};
use crate::source::ledger::micro_usd;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    "2026-11-24T09:00:00Z".parse().unwrap()
}

fn ledger(cap_usd: f64) -> Ledger {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), Timestamp::now());
    Ledger::new(cache, micro_usd(cap_usd))
}

async fn spent(ledger: &Ledger) -> u64 {
    ledger.today(Timestamp::now()).await.unwrap().micro_usd
}

fn reader(servers: &[&Server], accounts: &[&Server]) -> CountReader {
    let section = |(i, server): (usize, &&Server)| PrometheusSection {
        name: format!("p{i}"),
        url: Address::from(server.url.as_str()),
        ..PrometheusSection::default()
    };
    CountReader {
        servers: servers.iter().enumerate().map(section).collect(),
        accounts: accounts.iter().map(|s| Arc::new(s.provider()) as Arc<dyn Provider>).collect(),
        refusal: None,
        days: day("2026-11-01")..day("2026-11-04"),
        now: now(),
    }
}

fn query() -> CountSource {
    CountSource::Prometheus { query: "sum(increase(x[1d]))".into(), server: None }
}

fn metric() -> CountSource {
    CountSource::CloudWatch {
        metric: DayMetric {
            namespace: "Serving".into(),
            metric: "Predictions".into(),
            dimensions: vec![],
            statistic: DayStatistic::Sum,
        },
        region: "us-east-1".into(),
        account: None,
    }
}

/// CloudWatch with a count on the first of November and nonsense on the second.
fn cloudwatch(status: &'static str) -> Server {
    Server::start(move |_, _| {
        let result = Cbor::Map(vec![
            ("Id", Cbor::Text("m0")),
            ("StatusCode", Cbor::Text(status)),
            ("Timestamps", Cbor::List(vec![Cbor::Time(1_793_491_200), Cbor::Time(1_793_577_600)])),
            ("Values", Cbor::List(vec![Cbor::Float(40.0), Cbor::Float(-1.0)])),
        ]);
        Reply::cbor(&Cbor::Map(vec![("MetricDataResults", Cbor::List(vec![result]))]))
    })
}

#[test]
fn days_are_those_of_the_month_and_the_one_before_that_have_ended() {
    let of = |month: &str| ended_days(month.parse().unwrap(), now());
    assert_eq!(of("2026-11"), day("2026-10-01")..day("2026-11-24"));
    assert_eq!(of("2026-03"), day("2026-02-01")..day("2026-04-01"));
    assert!(of("2027-01").is_empty());
}

#[tokio::test]
async fn a_query_gives_counts_and_a_day_that_is_no_count_is_said() {
    let server = Server::start(|_, _| {
        Reply::json(
            r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":
            [[1793577600,"120"],[1793664000,"+Inf"]]}]}}"#,
        )
    });
    let ledger = ledger(1.0);
    let found = reader(&[&server], &[]).read_one(&query(), &ledger).await.unwrap();
    let counts: Vec<(Date, f64)> = found.counts.into_iter().collect();
    assert_eq!(counts, [(day("2026-11-01"), 120.0)], "the third has no sample: not known");
    let remark = found.remark.unwrap();
    assert!(remark.starts_with("1 day") && remark.ends_with("2026-11-02"), "{remark}");
    assert_eq!(spent(&ledger).await, 0, "a server of one's own costs nothing");
    let error = reader(&[], &[]).read_one(&query(), &ledger).await.unwrap_err().to_string();
    assert!(error.contains("gpus.prometheus"), "{error}");
}

#[tokio::test]
async fn a_metric_is_charged_before_it_is_asked_and_is_not_asked_beyond_the_cap() {
    let server = cloudwatch("Complete");
    let reader = reader(&[], &[&server]);
    let (rich, poor) = (ledger(1.0), ledger(0.0));
    let found = reader.read_one(&metric(), &rich).await.unwrap();
    let counts: Vec<(Date, f64)> = found.counts.into_iter().collect();
    assert_eq!(counts, [(day("2026-11-01"), 40.0)]);
    assert!(found.remark.unwrap().contains("2026-11-02"));
    // $0.01 per 1,000 metrics.
    assert_eq!(spent(&rich).await, 10);
    let asked = server.requests();
    let error = reader.read_one(&metric(), &poor).await.unwrap_err().to_string();
    assert!(error.contains("own_cost.cap_usd_per_day"), "{error}");
    assert_eq!(server.requests(), asked);
}

#[tokio::test]
async fn an_answer_that_is_not_whole_gives_no_figure() {
    let server = cloudwatch("InternalError");
    let reader = reader(&[], &[&server]);
    let error = reader.read_one(&metric(), &ledger(1.0)).await.unwrap_err().to_string();
    assert!(error.contains("no whole answer about Predictions"), "{error}");
}

#[tokio::test]
async fn which_account_is_asked_has_to_be_known() {
    let server = cloudwatch("Complete");
    for (accounts, said) in [(vec![], "no account is read"), (vec![&server; 2], "`account`")] {
        let reader = reader(&[], &accounts);
        let error = reader.read_one(&metric(), &ledger(1.0)).await.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn where_nobody_is_asked_a_file_is_read_and_the_rest_says_why_not() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("counts.csv");
    std::fs::write(&file, "date,count\n2026-11-01,7\n").unwrap();
    let reader = CountReader { refusal: Some("the demo asks nobody"), ..reader(&[], &[]) };
    let ledger = ledger(1.0);
    let found = reader.read_one(&CountSource::Csv(file), &ledger).await.unwrap();
    assert_eq!((found.counts.len(), found.remark), (1, None));
    for source in [query(), metric()] {
        let error = reader.read_one(&source, &ledger).await.unwrap_err().to_string();
        assert!(error.contains("the demo asks nobody"), "{error}");
    }
    let missing = CountSource::Csv(place.path().join("none.csv"));
    let error = reader.read_one(&missing, &ledger).await.unwrap_err().to_string();
    assert!(error.contains("none.csv"), "{error}");
}

#[test]
fn days_that_are_no_counts_are_named_up_to_three() {
    let days: Vec<Date> = (1..=5).map(|n| Date::new(2026, 11, n).unwrap()).collect();
    let said = remark(&days, false).unwrap();
    assert!(said.starts_with("5 days") && said.ends_with("2026-11-03, and 2 more days"), "{said}");
    assert!(remark(&[], true).unwrap().contains("no day has a count"));
    assert_eq!(remark(&[], false), None);
}

#[tokio::test]
async fn who_looks_again_is_charged_nothing() {
    let server = cloudwatch("Complete");
    let reader = reader(&[], &[&server]);
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
    let ledger = ledger(1.0);
    let unit =
        Unit { name: "x".into(), filter: MoneyFilter::parse("").unwrap(), per: 1.0, target: None };
    let units = [(Arc::new(unit), metric())];
    let first = reader.read(&units, &ledger, &cache).await.remove(0).unwrap();
    let asked = server.requests();
    let second = reader.read(&units, &ledger, &cache).await.remove(0).unwrap();
    assert_eq!((&first, first.counts.len()), (&second, 1));
    assert_eq!((server.requests(), spent(&ledger).await), (asked, 10));
    // What could not be read is not kept: it is asked again.
    let broken = cloudwatch("InternalError");
    let reader = self::reader(&[], &[&broken]);
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
    assert!(reader.read(&units, &ledger, &cache).await[0].is_err());
    let asked = broken.requests();
    assert!(reader.read(&units, &ledger, &cache).await[0].is_err());
    assert!(broken.requests() > asked);
}
