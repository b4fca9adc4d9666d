//! `[[jobs.kubernetes]]`: clusters of Kubernetes whose pods and jobs are read.

use std::collections::BTreeSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gpus::PrometheusSection;
use super::validate::{is_region_code, unknown_name, unusable_name};
use crate::domain::text;

/// Clusters of Kubernetes: those of a kubeconfig, the one that burntop runs in, or one that kube-state-metrics tells a Prometheus of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KubernetesSection {
    /// The name shown.
    pub name: String,
    /// The kubeconfig, instead of that of the environment (`KUBECONFIG`, else `~/.kube/config`).
    #[schemars(with = "Option<String>")]
    pub kubeconfig: Option<PathBuf>,
    /// Its contexts, instead of the current one: a cluster each.
    pub contexts: Option<Vec<String>>,
    /// True to read the cluster that burntop runs in, by the token of its pod.
    pub in_cluster: Option<bool>,
    /// Name of the server in `[[gpus.prometheus]]` that has kube-state-metrics of the cluster: it is read instead of the cluster.
    pub prometheus: Option<String>,
    /// Namespaces that are read, instead of all.
    pub namespaces: Option<Vec<String>>,
    /// The name of the cluster, instead of that in the kubeconfig: for two that have the same. Needed with `prometheus`.
    pub cluster: Option<String>,
    /// Region of its nodes, where they tell none.
    pub region: Option<String>,
    /// Label or annotation with the user of a pod; `namespace` means its namespace.
    pub user_label: Option<String>,
    /// Label or annotation with the team of a pod; `namespace` means its namespace.
    pub team_label: Option<String>,
    /// Label or annotation with the project of a pod; `namespace` means its namespace.
    pub project_label: Option<String>,
    /// Label or annotation with the place of the checkpoints of a pod.
    pub checkpoint_label: Option<String>,
    /// True to follow a kubeconfig by which the server's certificate is not checked.
    pub insecure_skip_tls_verify: Option<bool>,
    /// Seconds that a request may take, or a program that makes credentials.
    #[schemars(range(min = 5, max = 300))]
    pub timeout_s: Option<u32>,
}

impl KubernetesSection {
    /// Contexts with the name of the source that each is; `None` for the current one.
    pub fn sources(&self) -> Vec<(String, Option<String>)> {
        match self.contexts.as_deref() {
            None => vec![(self.name.clone(), None)],
            Some([one]) => vec![(self.name.clone(), Some(one.clone()))],
            Some(several) => {
                let named = |context: &String| format!("{}/{context}", self.name);
                several.iter().map(|of| (named(of), Some(of.clone()))).collect()
            }
        }
    }
}

/// What is wrong with a section, but for its name: the key below `jobs.` and the reason.
pub(super) fn problems(key: &str, of: &KubernetesSection, out: &mut Vec<(String, String)>) {
    let mut bad = |part: &str, why: String| out.push((format!("{key}.{part}"), why));
    let is_inside = of.in_cluster == Some(true);
    if is_inside && (of.kubeconfig.is_some() || of.contexts.is_some()) {
        bad(
            "in_cluster",
            "a cluster is read from inside or by a kubeconfig; keep one of them".into(),
        );
    }
    if is_inside && of.insecure_skip_tls_verify == Some(true) {
        bad("insecure_skip_tls_verify", "it is for a kubeconfig, and `in_cluster` has none".into());
    }
    if of.prometheus.is_some() {
        let beside = [
            ("kubeconfig", of.kubeconfig.is_some()),
            ("contexts", of.contexts.is_some()),
            ("in_cluster", of.in_cluster.is_some()),
            ("insecure_skip_tls_verify", of.insecure_skip_tls_verify.is_some()),
        ];
        for (part, _) in beside.iter().filter(|(_, is_there)| *is_there) {
            let why = "with `prometheus` the cluster itself is not read; keep one of them";
            bad(part, why.into());
        }
        if of.cluster.is_none() {
            let why = "the name of the cluster is needed: kube-state-metrics does not tell it";
            bad("cluster", why.into());
        }
    }
    let mut seen = BTreeSet::new();
    for (i, context) in of.contexts.iter().flatten().enumerate() {
        let shown = text::clean(context);
        if let Some(why) = unusable_name(context) {
            bad(&format!("contexts[{i}]"), format!("the name {why}"));
        } else if !seen.insert(context) {
            bad(&format!("contexts[{i}]"), format!("\"{shown}\" is there twice; leave one out"));
        }
    }
    match of.contexts.as_deref() {
        Some([]) => bad("contexts", "none is named; leave it out for the current one".into()),
        Some([_, _, ..]) if of.cluster.is_some() => {
            let why = "one name is for one cluster; give each context a section of its own";
            bad("cluster", why.into());
        }
        _ => {}
    }
    if of.namespaces.as_deref().is_some_and(<[String]>::is_empty) {
        bad("namespaces", "none is named; leave it out for all".into());
    }
    let mut seen = BTreeSet::new();
    for (i, namespace) in of.namespaces.iter().flatten().enumerate() {
        let shown = text::clean(namespace);
        let part = format!("namespaces[{i}]");
        if !is_namespace(namespace) {
            bad(&part, format!("\"{shown}\" is no name of a namespace"));
        } else if !seen.insert(namespace) {
            bad(&part, format!("\"{shown}\" is there twice; leave one out"));
        }
    }
    let names = [
        ("cluster", &of.cluster),
        ("user_label", &of.user_label),
        ("team_label", &of.team_label),
        ("project_label", &of.project_label),
        ("checkpoint_label", &of.checkpoint_label),
    ];
    for (part, name) in names {
        if let Some(why) = name.as_deref().and_then(unusable_name) {
            bad(part, format!("the name {why}"));
        }
    }
    if let Some(code) = of.region.as_deref().filter(|code| !is_region_code(code)) {
        let shown = text::clean(code);
        bad("region", format!("\"{shown}\" is no region code, such as `us-east-1`"));
    }
}

/// Why the server of a section is not known; `None` where it is, or none is named.
pub(super) fn server_problem(
    of: &KubernetesSection,
    servers: &[PrometheusSection],
) -> Option<String> {
    let name = of.prometheus.as_ref()?;
    if servers.is_empty() {
        return Some("no server is configured: `[[gpus.prometheus]]` has name and url".into());
    }
    let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    (!names.contains(name)).then(|| unknown_name("server", name, &names))
}

/// True for a name of a namespace, which becomes part of an address.
fn is_namespace(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=63).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(String, String)> {
        let mut out = Vec::new();
        problems("kubernetes[0]", &toml::from_str(source).unwrap(), &mut out);
        out
    }

    #[test]
    fn what_can_be_used_is_taken() {
        let source = "name = 'a'
            kubeconfig = '/home/me/.kube/config'
            contexts = ['prod', 'lab']
            namespaces = ['ml', 'team-1']
            user_label = 'example.com/user'
            team_label = 'namespace'
            region = 'us-east-1'
            insecure_skip_tls_verify = true
            timeout_s = 30";
        assert_eq!(found(source), []);
        assert_eq!(found("name = 'a'\nin_cluster = true\ncluster = 'c'"), []);
        let behind = "name = 'a'\nprometheus = 'lab'\ncluster = 'c'\nnamespaces = ['ml']\nregion = 'us-east-1'";
        assert_eq!(found(behind), []);
    }

    #[test]
    fn what_cannot_be_used_is_named_by_its_key() {
        for (source, part, why) in [
            ("in_cluster = true\nkubeconfig = '/k'", "in_cluster", "keep one"),
            (
                "in_cluster = true\ninsecure_skip_tls_verify = true",
                "insecure_skip_tls_verify",
                "none",
            ),
            ("contexts = []", "contexts", "leave it out"),
            ("contexts = ['a', 'a']", "contexts[1]", "twice"),
            ("contexts = ['a', 'b']\ncluster = 'c'", "cluster", "section of its own"),
            ("namespaces = []", "namespaces", "leave it out"),
            ("namespaces = ['a/../../secrets']", "namespaces[0]", "no name"),
            ("namespaces = ['ml', 'ml']", "namespaces[1]", "twice"),
            ("user_label = ' '", "user_label", "is empty"),
            ("region = 'moon'", "region", "no region code"),
            ("prometheus = 'p'", "cluster", "needed"),
            ("prometheus = 'p'\ncluster = 'c'\nkubeconfig = '/k'", "kubeconfig", "keep one"),
            ("prometheus = 'p'\ncluster = 'c'\ncontexts = ['a']", "contexts", "keep one"),
            ("prometheus = 'p'\ncluster = 'c'\nin_cluster = true", "in_cluster", "keep one"),
            (
                "prometheus = 'p'\ncluster = 'c'\ninsecure_skip_tls_verify = true",
                "insecure_skip_tls_verify",
                "keep one",
            ),
        ] {
            let found = found(&format!("name = 'a'\n{source}"));
            assert_eq!(found.len(), 1, "{source}: {found:?}");
            let key = format!("kubernetes[0].{part}");
            assert!(found[0].0 == key && found[0].1.contains(why), "{source}: {found:?}");
        }
    }

    #[test]
    fn a_server_is_one_that_is_configured() {
        let section = |name: &str| KubernetesSection {
            prometheus: Some(name.into()),
            ..KubernetesSection::default()
        };
        let server = PrometheusSection { name: "prod".into(), ..PrometheusSection::default() };
        assert_eq!(server_problem(&section("prod"), std::slice::from_ref(&server)), None);
        assert_eq!(server_problem(&KubernetesSection::default(), &[]), None);
        let why = server_problem(&section("prdo"), &[server]).unwrap();
        assert!(why.contains("prod"), "{why}");
        assert!(server_problem(&section("prod"), &[]).unwrap().contains("[[gpus.prometheus]]"));
    }

    #[test]
    fn several_contexts_are_a_source_each() {
        let of = |source: &str| toml::from_str::<KubernetesSection>(source).unwrap().sources();
        assert_eq!(of("name = 'a'"), [("a".into(), None)]);
        assert_eq!(of("name = 'a'\ncontexts = ['x']"), [("a".into(), Some("x".into()))]);
        let names: Vec<String> =
            of("name = 'a'\ncontexts = ['x', 'y']").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a/x", "a/y"]);
    }
}
