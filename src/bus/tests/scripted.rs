//! An account that answers what a test tells it to.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::super::{Account, Clock, Outcome, Parts, Regions, Settings, StorageSettings, once};
use crate::analyze::idle::Preset;
use crate::cache::Cache;
use crate::domain::{
    ErrorKind, HourRange, Instance, Launch, Offer, PriceBasis, Provenance, Rate, Scope,
    SourceError, TagKeys, TypeSpec, sample,
};
use crate::source::ledger::Ledger;
use crate::source::provider::{
    GpuDimensions, GpuMetric, Identity, MetricKey, MetricQuery, MetricResult, Page, PriceWanted,
    Provider,
};

/// What one series answers.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// This, every hour.
    Every(f64),
    /// Nothing is there.
    Nothing,
    /// The service could not look.
    Incomplete,
    /// The whole request fails.
    Fail(ErrorKind),
}

type Answers = Arc<dyn Fn(&MetricQuery) -> Answer + Send + Sync>;

/// The account of the moment.
#[derive(Clone)]
pub struct Script {
    pub account: &'static str,
    pub regions: Vec<&'static str>,
    pub instances: Vec<Instance>,
    pub gpus: Vec<GpuMetric>,
    /// `DescribeInstances` panics.
    pub panics: bool,
    /// `GetCallerIdentity` fails so many times.
    pub strangers: u32,
    /// `GetProducts` fails for this type, and knows every other one.
    pub no_price_of: Option<&'static str>,
    /// `ListMetrics` fails.
    pub no_list: Option<ErrorKind>,
    pub answers: Answers,
}

impl Script {
    /// An account with these instances, whose series all answer the same.
    pub fn new(instances: Vec<Instance>, answer: Answer) -> Self {
        Self {
            account: ACCOUNT,
            regions: vec![REGION],
            instances,
            gpus: vec![],
            panics: false,
            strangers: 0,
            no_price_of: None,
            no_list: None,
            answers: Arc::new(move |_| answer),
        }
    }

    pub fn answering(
        self,
        answers: impl Fn(&MetricQuery) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self { answers: Arc::new(answers), ..self }
    }
}

pub const ACCOUNT: &str = "123456789012";
pub const REGION: &str = "us-east-1";

pub struct Scripted {
    script: Mutex<Script>,
    /// Calls of `DescribeInstances`.
    pub listed: AtomicUsize,
    /// Everything that was asked of `GetMetricData`.
    pub asked: Mutex<Vec<MetricQuery>>,
    /// Instances whose launch was looked up.
    pub looked_up: Mutex<Vec<Arc<str>>>,
    /// What every look for a launch brings.
    pub launch: Mutex<Result<Option<Launch>, SourceError>>,
    /// Called before each answer of `GetMetricData`.
    pub on_data: Mutex<Option<Box<dyn FnMut() + Send>>>,
}

impl Scripted {
    pub fn new(script: Script) -> Arc<Self> {
        Arc::new(Self {
            script: Mutex::new(script),
            listed: AtomicUsize::new(0),
            asked: Mutex::default(),
            looked_up: Mutex::default(),
            launch: Mutex::new(Ok(None)),
            on_data: Mutex::default(),
        })
    }

    pub fn play(&self, script: Script) {
        *self.script.lock().unwrap() = script;
    }

    fn script(&self) -> Script {
        self.script.lock().unwrap().clone()
    }
}

fn failed(kind: ErrorKind, operation: &str) -> SourceError {
    SourceError::new(kind, operation, "the script says so", "change the script")
}

#[async_trait::async_trait]
impl Provider for Scripted {
    fn label(&self) -> &'static str {
        "default"
    }

    async fn identity(&self) -> Result<Identity, SourceError> {
        let mut script = self.script.lock().unwrap();
        if script.strangers > 0 {
            script.strangers -= 1;
            return Err(failed(ErrorKind::Network, "sts:GetCallerIdentity"));
        }
        let account = script.account;
        Ok(Identity { account: account.into(), arn: "arn".into(), label: "default".into() })
    }

    async fn home_region(&self) -> Arc<str> {
        REGION.into()
    }

    async fn regions(&self) -> Result<Vec<Arc<str>>, SourceError> {
        Ok(self.script().regions.into_iter().map(Arc::from).collect())
    }

    async fn instances(
        &self,
        account: &Arc<str>,
        region: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<Instance>, SourceError> {
        self.listed.fetch_add(1, Ordering::Relaxed);
        assert!(!self.script().panics, "the script says so");
        let scope = Scope::new(account.clone(), region.clone());
        let items = self.script().instances.into_iter().filter(|i| i.scope == scope).collect();
        Ok(Page::last(items))
    }

    async fn launch(
        &self,
        _: &Arc<str>,
        instance: &Arc<str>,
        _: Timestamp,
    ) -> Result<Option<Launch>, SourceError> {
        self.looked_up.lock().unwrap().push(instance.clone());
        self.launch.lock().unwrap().clone()
    }

    /// Types on Xen, which the catalogue has none of.
    async fn types(&self, _: &Arc<str>, names: &[Arc<str>]) -> Result<Vec<TypeSpec>, SourceError> {
        let like = crate::source::catalogue::type_spec("m5.large").unwrap();
        let of = |name: &Arc<str>| TypeSpec { name: name.clone(), ..like.clone() };
        Ok(names.iter().filter(|name| name.starts_with("m4.")).map(of).collect())
    }

    async fn gpu_metrics(
        &self,
        _: &Arc<str>,
        _: Option<String>,
    ) -> Result<Page<GpuMetric>, SourceError> {
        let script = self.script();
        match script.no_list {
            Some(kind) => Err(failed(kind, "cloudwatch:ListMetrics")),
            None => Ok(Page::last(script.gpus)),
        }
    }

    async fn metric_data(
        &self,
        _: &Arc<str>,
        queries: &[MetricQuery],
        range: HourRange,
    ) -> Result<Vec<MetricResult>, SourceError> {
        if let Some(call) = &mut *self.on_data.lock().unwrap() {
            call();
        }
        self.asked.lock().unwrap().extend(queries.iter().cloned());
        let answers = self.script().answers;
        let every = |v: f64| {
            (range.from.0..range.to.0).map(|h| (crate::domain::Hour(h).start(), v)).collect()
        };
        let mut out = vec![];
        for (query, asked) in queries.iter().enumerate() {
            let (points, complete) = match answers(asked) {
                Answer::Every(value) => (every(value), true),
                Answer::Nothing => (vec![], true),
                Answer::Incomplete => (vec![], false),
                Answer::Fail(kind) => return Err(failed(kind, "cloudwatch:GetMetricData")),
            };
            out.push(MetricResult { query, points, complete });
        }
        Ok(out)
    }

    async fn list_prices(&self, wanted: &[PriceWanted]) -> Result<Vec<Offer>, SourceError> {
        let Some(unknown) = self.script().no_price_of else { return Ok(vec![]) };
        if wanted.iter().any(|want| &*want.instance_type == unknown) {
            return Err(failed(ErrorKind::Throttled, "pricing:GetProducts"));
        }
        let offer = |want: &PriceWanted| Offer {
            region: want.region.clone(),
            az: None,
            instance_type: want.instance_type.clone(),
            platform: want.platform,
            tenancy: want.tenancy,
            rate: Rate {
                usd_per_hour: 7.0,
                basis: PriceBasis::OnDemandList,
                provenance: Provenance::Demo,
            },
        };
        Ok(wanted.iter().map(offer).collect())
    }

    async fn spot_prices(&self, _: &Arc<str>, _: &[Arc<str>]) -> Result<Vec<Offer>, SourceError> {
        Ok(vec![])
    }
}

/// A running instance of the script's account, half a year old.
pub fn instance(id: &str, instance_type: &str) -> Instance {
    Instance {
        id: id.into(),
        scope: Scope::new(ACCOUNT, REGION),
        name: id.into(),
        instance_type: instance_type.into(),
        launched_at: "2026-01-01T00:00:00Z".parse().unwrap(),
        ebs_root: false,
        ..sample::instance()
    }
}

/// A GPU series as the agent names it, with one dimension that tells two of them apart.
pub fn gpu_of(key: (&str, &str), index: u16, arch: &str) -> GpuMetric {
    let named = |name: &str| (key.0 == name).then(|| Arc::from(key.1));
    let pairs = [key, ("index", &index.to_string()), ("arch", arch)];
    GpuMetric {
        instance: named("InstanceId"),
        host: named("host"),
        index,
        dimensions: GpuDimensions(pairs.map(|(k, v)| (k.into(), v.into())).to_vec()),
    }
}

/// True when the query is about a GPU series with this `arch`.
pub fn is_arch(query: &MetricQuery, arch: &str) -> bool {
    match &query.key {
        MetricKey::AgentGpu { dimensions } => {
            dimensions.0.iter().any(|(k, v)| &**k == "arch" && &**v == arch)
        }
        MetricKey::Ec2 { .. } | MetricKey::Volume { .. } => false,
    }
}

pub fn parts(
    provider: &Arc<Scripted>,
    now: &str,
    preset: Preset,
    cache: &Cache,
    offline: bool,
) -> Parts {
    let now: Timestamp = now.parse().unwrap();
    let mut parts = no_accounts(cache, Arc::new(move || now));
    let provider = provider.clone();
    parts.accounts.push(Account { provider, storage: None, regions: Regions::Enabled });
    parts.settings.offline = offline;
    parts.policy = Arc::new(preset.policy());
    parts
}

/// Reads the account once.
pub async fn read(provider: &Arc<Scripted>, now: &str, preset: Preset, cache: &Cache) -> Outcome {
    once(parts(provider, now, preset, cache, false)).await
}

/// A bus that reads nothing, with the policy `cautious`.
pub fn no_accounts(cache: &Cache, clock: Clock) -> Parts {
    Parts {
        accounts: Vec::new(),
        settings: Settings {
            tag_keys: TagKeys::default(),
            offline: false,
            inventory_every_s: 1,
            billed: true,
            summary_key: "test".into(),
            prices: Arc::default(),
            bills: None,
            jobs: None,
            ask_of: 0,
            meters: false,
            failed_runs: None,
            storage: StorageSettings::default(),
            savings: crate::bus::SavingsSettings::default(),
        },
        policy: Arc::new(Preset::Cautious.policy()),
        clock,
        cache: cache.clone(),
        ledger: Ledger::new(cache.clone(), 1_000_000),
        gpu_sources: Vec::new(),
        gpu_rules: Arc::default(),
        recorder: None,
        tape: None,
    }
}
