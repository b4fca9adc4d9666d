//! Rules of teams, budgets, quotas and unit costs.

use super::*;
use crate::analyze::teams::{RunCount, RunDollars, RunFilter, RunRule};
use crate::config::PrometheusSection;
use crate::domain::daily::{DayMetric, DayStatistic};

fn teams(text: &str) -> TeamsSection {
    toml::from_str(text).unwrap()
}

#[test]
fn rules_that_cannot_be_are_named_by_their_key() {
    for (text, key) in [
        ("names = ['a', 'A']", "names[1]"),
        ("names = ['']", "names[0]"),
        ("[aliases]\na = 'b'\nb = 'A'", "aliases.a aliases.b"),
        ("[aliases]\na = 'a'", "aliases.a"),
        ("names = ['nlp']\n[aliases]\nx = 'npl'", "aliases.x"),
        ("[[map]]\nteam = 'a'", "map[0]"),
        ("[[map]]\nteam = 'a'\naccount = '1'", "map[0].account"),
        ("[[map]]\nteam = 'a'\ntag = 'x'", "map[0].tag"),
        ("names = ['b']\n[[map]]\nteam = 'a'\nname = 'x'", "map[0].team"),
        ("[[map]]\nteam = 'a'\nname = 'n-*'\n[[map]]\nteam = 'b'\nname = 'n-x*'", "map[1]"),
        (
            "[[map]]\nteam = 'a'\naccount = '123456789012'\n[[map]]\nteam = 'b'\naccount = '123456789012'\nname = 'x'",
            "map[1]",
        ),
        ("[[shared]]\nname = 's'\nfilter = 'x'", "shared[0].filter"),
        ("[[shared]]\nname = 's'\nfilter = 'charge=tax'\nsplit = 'fair'", "shared[0].split"),
        ("[[shared]]\nname = 's'\nfilter = 'team=p'\namong = ['a', 'P']", "shared[0].among[1]"),
        (
            "[[shared]]\nname = 's'\nfilter = ''\n[[shared]]\nname = 'S'\nfilter = ''",
            "shared[1].name",
        ),
        ("required_tags = ['team=x']", "required_tags[0]"),
    ] {
        let found = problems(&teams(text));
        let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys.join(" "), key, "{text}");
    }
    assert!(toml::from_str::<TeamsSection>("[[map]]\nteam = 'a'\nacount = 'x'").is_err());
    let fine = "names = ['nlp', 'vision']\nuser_tags = ['who']\nrequired_tags = ['team', 'job']\n\
                [aliases]\nLanguage = 'text'\ntext = 'nlp'\n\
                [[map]]\nteam = 'nlp'\nname = 'nlp-x*'\n[[map]]\nteam = 'vision'\nname = 'nlp-*'\n\
                [[map]]\nteam = 'vision'\ntag = 'squad=v*'\n\
                [[shared]]\nname = 'p'\nfilter = 'team=platform'\nsplit = 'by-gpu-hours'";
    let section = teams(fine);
    assert_eq!(problems(&section), []);
    let config = TeamsConfig::of(section, None, None, None);
    let rules = config.rules(&TagKeys::default());
    assert_eq!(rules.aliases.get("language").map(|team| &**team), Some("nlp"));
    assert_eq!(config.kept_tags(), ["who", "job", "squad"]);
    assert_eq!(rules.pools[0].split, Split::ByGpuHours);
    let Sections { teams, budgets, quotas, units } = config.sections();
    assert_eq!(TeamsConfig::of(teams, budgets, quotas, units), config);
}

#[test]
fn a_unit_cost_has_one_source_of_counts_and_says_which_server_is_asked() {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        units: Vec<UnitSection>,
    }
    let unit = |text: &str| {
        let file: File = toml::from_str(&format!("[[units]]\nname = 'a'\n{text}")).unwrap();
        file.units
    };
    let servers = |names: &str| -> Vec<PrometheusSection> {
        let of = |name: &str| PrometheusSection {
            name: name.to_owned(),
            ..PrometheusSection::default()
        };
        names.split_whitespace().map(of).collect()
    };
    let metric = "cloudwatch = { namespace = 'S', metric = 'P', region = 'us-east-1' }";
    for (text, named, key) in [
        ("", "", "[0]"),
        ("csv = 'a'\nprometheus = 'x'", "p", "[0]"),
        ("csv = '~/a'", "", "[0].csv"),
        ("csv = ''", "", "[0].csv"),
        ("csv = 'a'\nprometheus_server = 'p'", "p", "[0].prometheus_server"),
        ("prometheus = ' '", "p", "[0].prometheus"),
        ("prometheus = 'x'", "", "[0].prometheus"),
        ("prometheus = 'x'", "p q", "[0].prometheus"),
        ("prometheus = 'x'\nprometheus_server = 'r'", "p q", "[0].prometheus_server"),
        (
            "cloudwatch = { namespace = '', metric = 'P', region = 'x/' }",
            "",
            "[0].cloudwatch.namespace [0].cloudwatch.region",
        ),
        (
            "cloudwatch = { namespace = 'S', metric = 'P', region = 'x', statistic = 'p99' }",
            "",
            "[0].cloudwatch.statistic",
        ),
        (
            "cloudwatch = { namespace = 'S', metric = 'P', region = 'x', dimensions = { a = 'é' } }",
            "",
            "[0].cloudwatch.dimensions.a",
        ),
        ("jobs = 'nlp'", "", "[0].jobs"),
        ("jobs = ''\ncsv = 'a'", "", "[0]"),
        ("jobs = ''\nfilter = 'team=a'\njobs_usd = 'all'", "", "[0].filter [0].jobs_usd"),
        ("csv = 'a'\njobs_usd = 'paid'", "", "[0].jobs_usd"),
        ("csv = 'a'\njobs_count = 'runs'", "", "[0].jobs_count"),
        ("jobs = ''\njobs_count = 'tokens'", "", "[0].jobs_count"),
        ("jobs = ''\njobs_count = 'Predictions'", "", ""),
        ("jobs = 'team=nlp'\njobs_usd = 'Completed'", "", ""),
        ("csv = 'a'", "", ""),
        ("prometheus = \"sum(\\n x)\"", "p", ""),
        ("prometheus = 'x'\nprometheus_server = 'q'", "p q", ""),
        (metric, "", ""),
    ] {
        let found = unit_problems(&unit(text), &servers(named));
        let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys.join(" "), key, "{text} {named:?}: {found:?}");
    }
    let config =
        |text: &str| TeamsConfig::of(TeamsSection::default(), None, None, Some(unit(text)));
    let of_metric = CountSource::CloudWatch {
        metric: DayMetric {
            namespace: "S".into(),
            metric: "P".into(),
            dimensions: vec![],
            statistic: DayStatistic::Sum,
        },
        region: "us-east-1".into(),
        account: None,
    };
    assert_eq!(config(metric).units()[0].1, of_metric);
    let read = config("prometheus = 'x'\nprometheus_server = 'q'").units();
    let wanted = CountSource::Prometheus { query: "x".into(), server: Some("q".into()) };
    assert_eq!(read[0].1, wanted);
    let of_jobs = config("jobs = 'team=nlp'");
    let rule = RunRule {
        filter: RunFilter::parse("team=nlp").unwrap(),
        dollars: RunDollars::Paid,
        count: RunCount::Completed,
    };
    assert_eq!(of_jobs.units()[0].1, CountSource::Jobs(rule));
}

#[test]
fn budgets_and_quotas_that_cannot_be_are_named_by_their_key() {
    #[derive(Deserialize)]
    struct File {
        #[serde(default)]
        budgets: Vec<BudgetSection>,
        #[serde(default)]
        quotas: Vec<QuotaSection>,
    }
    for (text, key) in [
        ("[[budgets]]\nname = 'a'\nusd = 1\nfilter = 'nlp'", "[0].filter"),
        ("[[budgets]]\nname = 'a'\nusd = 1\nperiod = 'weekly'", "[0].period"),
        ("[[budgets]]\nname = 'a:b'\nusd = 1", "[0].name"),
        ("[[budgets]]\nname = 'a'\nusd = 1\nlevels = [80, 0]", "[0].levels[1]"),
        (
            "[[budgets]]\nname = 'a'\nusd = 1\nfilter = 'team=a'\n[[budgets]]\nname = 'b'\nusd = 2\nfilter = 'Team=A'",
            "[1].filter",
        ),
        (
            "[[budgets]]\nname = 'a'\nusd = 1\n[[budgets]]\nname = 'A'\nusd = 1\nperiod = 'quarterly'",
            "[1].name",
        ),
        ("[[quotas]]\nteam = 'a'", "[0]"),
        ("[[quotas]]\nteam = 'x'\ngpus = 1", "[0].team"),
        ("[[quotas]]\nteam = 'a'\ngpus = 1\n[[quotas]]\nteam = 'A'\ngpus = 2", "[1].team"),
        ("[[quotas]]\nteam = 'a'\ninstances = { p5 = 1 }", "[0].instances.p5"),
    ] {
        let file: File = toml::from_str(text).unwrap();
        let names = teams("names = ['a']");
        let mut found = budget_problems(&file.budgets);
        found.extend(quota_problems(&file.quotas, &names));
        let keys: Vec<&str> = found.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys.join(" "), key, "{text}");
    }
    let file: File = toml::from_str(
        "[[budgets]]\nname = 'a'\nusd = 0.1\nlevels = [50]\n[[quotas]]\nteam = 'a'\ngpus = 8\n\
         usd_per_hour = 9.5\ninstances = { 'p5.48xlarge' = 1 }",
    )
    .unwrap();
    let config =
        TeamsConfig::of(TeamsSection::default(), Some(file.budgets), Some(file.quotas), None);
    assert_eq!(config.budgets()[0].levels, [50.0, 100.0]);
    assert_eq!(config.budgets()[0].limit.to_string(), "0.1");
    assert_eq!(config.quotas().len(), 3);
}
