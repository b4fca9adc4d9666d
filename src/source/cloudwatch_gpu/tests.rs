//! Against a scripted account: what is asked, what it costs, what becomes of the answers.

use std::sync::Mutex;

use super::*;
use crate::cache::{Cache, OpenOptions};
use crate::domain::{ErrorKind, GpuSignal, HourRange, Instance, Offer, TypeSpec, sample};
use crate::source::ledger::{Ledger, micro_usd};
use crate::source::provider::{GpuMetric, MetricName, MetricQuery, Page, PriceWanted};
use crate::source::{Identity, catalogue};

const NOW: i64 = 1_795_184_730;

fn now() -> Timestamp {
    Timestamp::from_second(NOW).unwrap()
}

/// Minutes before the last whole one that ended before [`NOW`]; 1 is that minute itself.
fn minute(back: i64) -> Timestamp {
    Timestamp::from_second(NOW - NOW % 60 - 60 * back).unwrap()
}

type Pairs = &'static [(&'static str, &'static str)];

/// A series of the account: metric, dimensions, points by minute.
#[derive(Clone)]
struct Script(&'static str, Pairs, Vec<(i64, f64)>);

#[derive(Default)]
struct Scripted {
    series: Vec<Script>,
    /// What was asked: metrics listed, and the number of queries of each request.
    listed: Mutex<Vec<&'static str>>,
    asked: Mutex<Vec<usize>>,
    /// The answer says that it is not all.
    partial: bool,
    /// Which account it says it is; `None` while nobody answers.
    who: Mutex<Option<&'static str>>,
}

fn dimensions(pairs: Pairs) -> GpuDimensions {
    GpuDimensions(pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect())
}

#[async_trait::async_trait]
impl Provider for Scripted {
    fn label(&self) -> &'static str {
        "scripted"
    }
    async fn identity(&self) -> Result<Identity, SourceError> {
        let Some(account) = *self.who.lock().unwrap() else {
            let operation = "sts:GetCallerIdentity";
            return Err(SourceError::new(ErrorKind::Timeout, operation, "no answer", "wait"));
        };
        Ok(Identity { account: account.into(), arn: "".into(), label: "scripted".into() })
    }
    async fn home_region(&self) -> Arc<str> {
        "us-east-1".into()
    }
    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        unreachable!()
    }
    async fn instances(
        &self,
        _: &Arc<str>,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        unreachable!()
    }
    async fn types(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<TypeSpec>, SourceError> {
        unreachable!()
    }
    async fn gpu_metrics(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        unreachable!()
    }
    async fn metric_data(
        &self,
        _: &Arc<str>,
        _: &[MetricQuery],
        _: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        unreachable!()
    }
    async fn list_prices(&self, _: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        unreachable!()
    }
    async fn spot_prices(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<Offer>, SourceError> {
        unreachable!()
    }

    /// Two series a page.
    async fn recent_series(
        &self,
        _: &Arc<str>,
        name: MetricName,
        token: Option<String>,
    ) -> Result<Page<GpuDimensions>, SourceError> {
        self.listed.lock().unwrap().push(name.metric);
        let start: usize = token.map_or(0, |t| t.parse().unwrap());
        let all: Vec<_> = self.series.iter().filter(|s| s.0 == name.metric).collect();
        let items = all.iter().skip(start).take(2).map(|s| dimensions(s.1)).collect();
        let next = (all.len() > start + 2).then(|| (start + 2).to_string());
        Ok(Page::new(items, next))
    }

    async fn recent_data(
        &self,
        _: &Arc<str>,
        queries: &[SeriesQuery],
        minutes: Minutes,
    ) -> Result<Vec<MetricResult>, SourceError> {
        assert!(queries.len() <= MAX_QUERIES && minutes.points() * queries.len() <= MAX_POINTS);
        assert_eq!((minutes.period_s, minutes.to), (60, minute(0)));
        self.asked.lock().unwrap().push(queries.len());
        let same = |a: &GpuDimensions, b: &GpuDimensions| {
            a.0.len() == b.0.len() && a.0.iter().all(|pair| b.0.contains(pair))
        };
        Ok(queries
            .iter()
            .enumerate()
            .map(|(query, asked)| {
                let of = self.series.iter().find(|s| {
                    s.0 == asked.name.metric && same(&dimensions(s.1), &asked.dimensions)
                });
                let points = of.map_or_else(Vec::new, |s| {
                    s.2.iter().map(|(back, value)| (minute(*back), *value)).collect()
                });
                MetricResult { query, points, complete: !self.partial }
            })
            .collect())
    }
}

fn host(id: &str, instance_type: &str, dns: &str) -> GpuHost {
    let instance = Instance {
        id: id.into(),
        instance_type: instance_type.into(),
        private_dns: dns.into(),
        ..sample::instance()
    };
    let spec = catalogue::type_spec(instance_type).cloned().map(Arc::new);
    GpuHost { instance: Arc::new(instance), spec }
}

struct Stage {
    account: Arc<Scripted>,
    source: CloudWatchGpu,
    budget: Arc<Budget>,
    ask: Ask,
}

fn stage(account: Scripted, hosts: Vec<GpuHost>, budget: Budget) -> Stage {
    let (account, budget) = (Arc::new(account), Arc::new(budget));
    let scope = Scope::new("123456789012", "us-east-1");
    let source = CloudWatchGpu::new(account.clone(), scope, budget.clone());
    Stage { account, source, budget, ask: Ask::all(now(), hosts.into()) }
}

fn ledger(cap_usd: f64) -> Ledger {
    let (cache, _) = Cache::open(OpenOptions::in_memory(), now());
    Ledger::new(cache, micro_usd(cap_usd))
}

const UTIL: &str = "nvidia_smi_utilization_gpu";
const BY_ID: Pairs =
    &[("InstanceId", "i-1"), ("ImageId", "ami-1"), ("index", "0"), ("name", "NVIDIA A10G")];
const AFTER_AMI: Pairs =
    &[("InstanceId", "i-1"), ("ImageId", "ami-2"), ("index", "0"), ("name", "NVIDIA A10G")];
const ROLL_UP: Pairs = &[("InstanceId", "i-1"), ("index", "0")];
const OVER_ALL: Pairs = &[("InstanceId", "i-1")];
const BY_HOST: Pairs = &[("host", "ip-10-0-0-2"), ("index", "0"), ("name", "Tesla T4")];

#[tokio::test]
async fn both_shapes_are_read_and_nothing_is_read_twice() {
    let series = vec![
        Script(UTIL, ROLL_UP, vec![(1, 99.0)]),
        Script(UTIL, OVER_ALL, vec![(1, 98.0)]),
        Script(UTIL, BY_ID, vec![(14, 3.0), (13, 55.0)]),
        Script(UTIL, AFTER_AMI, vec![(2, 40.0), (1, 60.0)]),
        Script(UTIL, BY_HOST, vec![(3, 7.0)]),
    ];
    let hosts = vec![
        host("i-1", "g5.xlarge", "ip-10-0-0-1.ec2.internal"),
        host("i-2", "g4dn.xlarge", "ip-10-0-0-2.ec2.internal"),
    ];
    let ledger = ledger(1.0);
    let stage =
        stage(Scripted { series, ..Scripted::default() }, hosts, Budget::new(ledger.clone()));
    let sweep = stage.source.sweep(&stage.ask).await.unwrap();
    assert_eq!(*stage.account.asked.lock().unwrap(), [3], "one per GPU and image");
    let [first, second] = &sweep.samples[..] else { panic!("{:?}", sweep.samples) };
    assert_eq!(first.signals.get(GpuSignal::Util), Some(0.6));
    assert_eq!(first.taken_at, minute(0), "the end of the newest minute");
    assert_eq!(&*first.identity.model, "NVIDIA A10G");
    assert_eq!(first.identity.host.instance_id.as_deref(), Some("i-1"));
    let recent = first.recent.unwrap();
    assert_eq!((recent.samples, recent.max_activity, recent.seconds), (4, 0.6, 900));
    assert_eq!(second.identity.host.instance_id.as_deref(), Some("i-2"));
    assert_eq!((second.signals.get(GpuSignal::Util), second.taken_at), (Some(0.07), minute(2)));
    assert!(!first.names_owners && first.signals.get(GpuSignal::Power).is_none());
    assert_eq!((sweep.asked, sweep.answered, sweep.partial), (1, 1, false));

    // Three pages of one metric and one of another, three series: to the cent of a cent.
    let today = ledger.today(now()).await.unwrap();
    let spent: Vec<_> = today.apis.iter().map(|a| (&*a.name, a.units)).collect();
    assert_eq!(spent, [("cloudwatch:GetMetricData", 3), ("cloudwatch:ListMetrics", 4)]);

    // Within five minutes nothing is asked again; after it, without listing anew.
    let soon = Ask { now: Timestamp::from_second(NOW + 299).unwrap(), ..stage.ask.clone() };
    assert_eq!(stage.source.sweep(&soon).await.unwrap(), sweep);
    assert_eq!(stage.account.asked.lock().unwrap().len(), 1);
    assert_eq!(stage.account.listed.lock().unwrap().len(), 4);
}

#[tokio::test]
async fn a_malformed_point_is_no_rest() {
    let series = vec![
        Script(UTIL, BY_ID, vec![(3, 0.0), (2, f64::NAN), (1, 0.0)]),
        Script(UTIL, BY_HOST, vec![(2, 0.0), (1, 7_407_936.0)]),
    ];
    let hosts = vec![
        host("i-1", "g5.xlarge", "ip-10-0-0-1.ec2.internal"),
        host("i-2", "g4dn.xlarge", "ip-10-0-0-2.ec2.internal"),
    ];
    let account = Scripted { series: series.clone(), ..Scripted::default() };
    let told = stage(account, hosts.clone(), Budget::default());
    let sweep = told.source.sweep(&told.ask).await.unwrap();
    assert_eq!(sweep.samples[0].signals.get(GpuSignal::Util), Some(0.0));
    assert_eq!(sweep.samples[0].recent, None, "nobody may conclude rest from it");
    assert_eq!(sweep.samples[1].signals.get(GpuSignal::Util), None, "the newest is nonsense");
    // What CloudWatch itself calls incomplete proves no rest either.
    let partial =
        stage(Scripted { series, partial: true, ..Scripted::default() }, hosts, Budget::default());
    let sweep = partial.source.sweep(&partial.ask).await.unwrap();
    assert!(sweep.samples.iter().all(|s| s.recent.is_none()));
}

#[tokio::test]
async fn container_insights_is_read_where_the_agent_is_not() {
    const NODE: Pairs = &[
        ("ClusterName", "ml"),
        ("NodeName", "ip-10-0-0-1.ec2.internal"),
        ("InstanceId", "i-1"),
        ("InstanceType", "g5.xlarge"),
        ("GpuDevice", "nvidia0"),
    ];
    const CLUSTER: Pairs = &[("ClusterName", "ml")];
    const POD: Pairs = &[
        ("ClusterName", "ml"),
        ("Namespace", "nlp"),
        ("PodName", "train"),
        ("InstanceId", "i-1"),
        ("GpuDevice", "nvidia0"),
    ];
    const MEMORY: &str = "node_gpu_memory_used";
    let mut series = vec![
        Script("node_gpu_utilization", NODE, vec![(1, 81.0)]),
        Script("node_gpu_utilization", CLUSTER, vec![(1, 5.0)]),
        Script("node_gpu_utilization", POD, vec![(1, 80.0)]),
        Script(MEMORY, NODE, vec![(1, 1_073_741_824.0)]),
        Script("node_gpu_power_draw", NODE, vec![(2, 210.0), (1, 190.0)]),
    ];
    let hosts = vec![host("i-1", "g5.xlarge", "ip-10-0-0-1.ec2.internal")];
    let account = Scripted { series: series.clone(), ..Scripted::default() };
    let wide = stage(account, hosts.clone(), Budget::default());
    let sweep = wide.source.sweep(&wide.ask).await.unwrap();
    assert_eq!(sweep.samples[0].signals.get(GpuSignal::Util), Some(0.81));
    assert_eq!(sweep.samples[0].signals.iter().count(), 1, "the rest is for those in focus");
    // Closely: memory in MiB, and power.
    let close = Ask { focus: Arc::from([Arc::from("i-1")]), ..wide.ask.clone() };
    let sweep = wide.source.sweep(&close).await.unwrap();
    assert!(sweep.partial);
    let signals = &sweep.samples[0].signals;
    assert_eq!(signals.get(GpuSignal::MemUsed), Some(1_024.0));
    assert_eq!(signals.get(GpuSignal::Power), Some(190.0));
    assert_eq!(sweep.samples[0].recent.unwrap().max_power_w, Some(210.0));
    // Where both speak of a GPU, one is paid for.
    series.push(Script(UTIL, BY_ID, vec![(1, 79.0)]));
    let both = stage(Scripted { series, ..Scripted::default() }, hosts, Budget::default());
    let sweep = both.source.sweep(&both.ask).await.unwrap();
    assert_eq!(sweep.samples[0].signals.get(GpuSignal::Util), Some(0.79));
    assert_eq!(*both.account.asked.lock().unwrap(), [1]);
}

#[tokio::test]
async fn a_neuron_device_is_the_mean_of_its_cores() {
    macro_rules! core {
        ($device:literal, $core:literal) => {
            &[
                ("ClusterName", "ml"),
                ("NodeName", "n1"),
                ("InstanceId", "i-3"),
                ("NeuronDevice", $device),
                ("NeuronCore", $core),
            ]
        };
    }
    const METRIC: &str = "node_neuroncore_utilization";
    let series = vec![
        Script(METRIC, core!("NeuronDevice0", "NeuronCore0"), vec![(1, 90.0)]),
        Script(METRIC, core!("NeuronDevice0", "NeuronCore1"), vec![(1, 10.0)]),
        Script(METRIC, core!("NeuronDevice1", "NeuronCore2"), vec![(1, 0.0)]),
        Script(METRIC, core!("NeuronDevice1", "NeuronCore3"), vec![]),
    ];
    let hosts = vec![host("i-3", "trn1.32xlarge", "n1")];
    let stage = stage(Scripted { series, ..Scripted::default() }, hosts, Budget::default());
    let sweep = stage.source.sweep(&stage.ask).await.unwrap();
    let values: Vec<_> = sweep
        .samples
        .iter()
        .map(|s| (s.identity.index, s.signals.get(GpuSignal::NeuronCore)))
        .collect();
    assert_eq!(values, [(Some(0), Some(0.5)), (Some(1), None)], "a silent core may be at work");
    assert_eq!(*stage.account.listed.lock().unwrap(), [METRIC, METRIC], "no NVIDIA metric");
}

#[tokio::test]
async fn at_the_cap_it_is_said_and_nothing_is_asked() {
    let series = vec![Script(UTIL, BY_ID, vec![(1, 5.0)])];
    let hosts = vec![host("i-1", "g5.xlarge", "d")];
    // Two lists of $0.00001 each, and nothing left for a value.
    let budget = Budget::new(ledger(0.000_02));
    let stage = stage(Scripted { series, ..Scripted::default() }, hosts, budget);
    let refused = stage.source.sweep(&stage.ask).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::OwnCostCap);
    assert!(refused.to_string().contains("cap"), "{refused}");
    assert!(stage.account.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn without_accelerators_nothing_is_asked_and_many_make_it_slower() {
    let idle = stage(Scripted::default(), vec![], Budget::new(ledger(1.0)));
    let sweep = idle.source.sweep(&idle.ask).await.unwrap();
    assert!(sweep.samples.is_empty() && idle.account.listed.lock().unwrap().is_empty());
    assert_eq!(idle.source.every(), Duration::from_mins(5));
    // A thousand series cost a cent; a quarter of a dollar buys 25 sweeps a day.
    idle.budget.note(&Scope::new("1", "eu-west-1"), 1_000);
    assert_eq!(idle.source.every(), Duration::from_hours(1));
    // Instances of another account are another source's.
    let elsewhere = GpuHost {
        instance: Arc::new(Instance {
            scope: Scope::new("210987654321", "us-east-1"),
            ..(*host("i-9", "g5.xlarge", "x").instance).clone()
        }),
        spec: None,
    };
    let other = stage(Scripted::default(), vec![elsewhere], Budget::default());
    assert!(other.source.sweep(&other.ask).await.unwrap().samples.is_empty());
    assert!(other.account.listed.lock().unwrap().is_empty());
}

#[tokio::test]
async fn while_nobody_says_which_account_it_is_nothing_is_called_read() {
    let series = vec![Script(UTIL, BY_ID, vec![(1, 5.0)])];
    let account = Arc::new(Scripted { series, ..Scripted::default() });
    let source = CloudWatchGpus::new(vec![account.clone()], Arc::default());
    let ask = Ask::all(now(), vec![host("i-1", "g5.xlarge", "d")].into());
    assert_eq!(source.sweep(&ask).await.unwrap_err().kind, ErrorKind::Timeout);
    // Other credentials than those that the hosts of the cache were read with.
    *account.who.lock().unwrap() = Some("210987654321");
    let error = source.sweep(&ask).await.unwrap_err();
    assert!(error.to_string().contains("no credentials are of account 123456789012"), "{error}");
    // One account that answers hides the other's silence no more than its silence hides it.
    let ours = Arc::new(Scripted {
        series: account.series.clone(),
        who: Mutex::new(Some("123456789012")),
        ..Scripted::default()
    });
    let both = CloudWatchGpus::new(vec![Arc::new(Scripted::default()), ours], Arc::default());
    let mut elsewhere = host("i-9", "g5.xlarge", "x");
    Arc::make_mut(&mut elsewhere.instance).scope = Scope::new("210987654321", "eu-west-1");
    let ask = Ask::all(now(), vec![host("i-1", "g5.xlarge", "d"), elsewhere].into());
    let sweep = both.sweep(&ask).await.unwrap();
    assert_eq!((sweep.samples.len(), sweep.asked, sweep.answered), (1, 2, 1));
    assert!(sweep.partial, "of the other host nothing is known");
    let [trouble] = &sweep.troubles[..] else { panic!("{:?}", sweep.troubles) };
    assert_eq!(
        (&*trouble.host, trouble.error.kind),
        ("210987654321/eu-west-1", ErrorKind::Timeout)
    );
    // Without hosts nobody has to say who he is.
    let none = both.sweep(&Ask::all(now(), Arc::default())).await.unwrap();
    assert_eq!((none.asked, none.troubles.len()), (0, 0));
}
