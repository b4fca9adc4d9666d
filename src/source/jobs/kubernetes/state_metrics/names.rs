//! Names as kube-state-metrics writes them: those of labels and resources with an underscore for each character that a label of
//! Prometheus may not have.

use std::collections::BTreeMap;

use super::super::{Keys, NAMESPACE, devices, jobs, nodes};
use crate::source::prometheus::json::Label;

/// Before the name of a label that the target has too, unless the server is told to honour labels.
const EXPORTED: &str = "exported_";

/// Labels of objects that targets have too.
const TWICE: [&str; 4] = ["namespace", "pod", "container", "node"];

/// Value of a label of the object, not of the target; empty where it is not there.
pub(super) fn value<'a>(labels: &'a [Label<'_>], name: &str) -> &'a str {
    let find = |wanted: &dyn Fn(&str) -> bool| {
        let found = labels.iter().find(|(known, value)| wanted(known) && !value.is_empty());
        found.map(|(_, value)| &**value)
    };
    let own = find(&|known| known.strip_prefix(EXPORTED) == Some(name));
    own.or_else(|| find(&|known| known == name)).unwrap_or_default()
}

/// Labels for `by (…)`: those named, and for each that targets may have too its other name.
pub(super) fn by(names: &[&str]) -> String {
    let twins = names.iter().filter(|name| TWICE.contains(name));
    let twins = twins.map(|name| format!("{EXPORTED}{name}"));
    names.iter().map(|name| (*name).to_owned()).chain(twins).collect::<Vec<_>>().join(",")
}

/// The name of a label of the object where targets displace it.
pub(super) fn exported(name: &str) -> String {
    format!("{EXPORTED}{name}")
}

/// Every character that is none of a label's as an underscore.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// A label of Kubernetes as a label of Prometheus, without its prefix: in snake case besides.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut is_small = false;
    for c in plain(name).chars() {
        if is_small && c.is_ascii_uppercase() {
            out.push('_');
        }
        is_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A resource by its label, as Kubernetes names it; one that is not known as it is.
pub(super) fn resource(label: &str) -> String {
    let slice = plain(devices::SLICE);
    if let Some(profile) = label.strip_prefix(slice.as_str()) {
        // The only other characters in a profile are points.
        return format!("{}{}", devices::SLICE, profile.replace('_', "."));
    }
    let known = devices::resources().find(|name| plain(name) == label);
    known.unwrap_or(label).to_owned()
}

/// Pattern of the resources that are accelerators, or may be.
pub(super) fn accelerators() -> String {
    format!(".*gpu.*|{}.*|{}.*", plain(devices::SLICE), plain("aws.amazon.com/neuron"))
}

/// Labels that are read of objects of a kind: by their names in Prometheus, with prefix, those of Kubernetes.
pub(super) struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Those of pods, with the ones that tell whose a pod is.
    pub fn of_pods(keys: &Keys) -> Self {
        let own = [&keys.user, &keys.team, &keys.project, &keys.checkpoint];
        let own = own.into_iter().flatten().map(String::as_str).filter(|key| *key != NAMESPACE);
        let mut all: Vec<&str> = jobs::keys().collect();
        all.extend(own);
        Self::of(all.into_iter())
    }

    /// Those of jobs.
    pub fn of_jobs() -> Self {
        Self::of(jobs::QUEUES.into_iter())
    }

    /// Those of nodes.
    pub fn of_nodes() -> Self {
        Self::of(nodes::keys())
    }

    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let named = |name: &str| {
            let label = snake(name);
            ["label_", "annotation_"].map(|prefix| (format!("{prefix}{label}"), name.to_owned()))
        };
        Self(names.flat_map(named).collect())
    }

    /// Their names in Prometheus.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Adds what a series has of them to what is known.
    pub fn read(&self, labels: &[Label<'_>], into: &mut BTreeMap<String, String>) {
        for (name, value) in labels.iter().filter(|(_, value)| !value.is_empty()) {
            if let Some(key) = self.0.get(&**name) {
                into.insert(key.clone(), value.clone().into_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_as_kube_state_metrics_writes_them() {
        for (name, written) in [
            (
                "batch.kubernetes.io/job-completion-index",
                "batch_kubernetes_io_job_completion_index",
            ),
            ("app", "app"),
            ("myTeam2Name", "my_team2_name"),
            ("HTTPServer", "httpserver"),
            ("a--b_ü", "a__b__"),
        ] {
            assert_eq!(snake(name), written, "{name}");
        }
    }

    #[test]
    fn resources_are_read_back() {
        for (label, name) in [
            ("nvidia_com_gpu", "nvidia.com/gpu"),
            ("nvidia_com_gpu_shared", "nvidia.com/gpu.shared"),
            ("nvidia_com_mig_1g_10gb", "nvidia.com/mig-1g.10gb"),
            ("nvidia_com_mig_1g_10gb_me", "nvidia.com/mig-1g.10gb.me"),
            ("aws_amazon_com_neuroncore", "aws.amazon.com/neuroncore"),
            ("amd_com_gpu", "amd.com/gpu"),
            ("aliyun_com_gpu_mem", "aliyun_com_gpu_mem"),
            ("cpu", "cpu"),
        ] {
            assert_eq!(resource(label), name);
        }
    }

    #[test]
    fn labels_of_the_object_go_before_those_of_the_target() {
        let labels = [("pod", "ksm-0"), ("exported_pod", "train"), ("node", ""), ("uid", "u")];
        let labels = labels.map(|(name, value)| (name.into(), value.into()));
        assert_eq!(value(&labels, "pod"), "train");
        assert_eq!((value(&labels, "uid"), value(&labels, "node")), ("u", ""));
        assert_eq!(by(&["uid", "pod"]), "uid,pod,exported_pod");
    }

    proptest! {
        /// No text of a configuration becomes a part of a query.
        #[test]
        fn any_name_is_a_name_in_prometheus(name in ".{0,60}") {
            prop_assert!(snake(&name).chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        }
    }
}
