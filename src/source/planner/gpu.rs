//! Which GPU series belongs to which instance.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::Instance;
use crate::domain::gpu::dns_names;
use crate::source::provider::GpuMetric;

/// A GPU as the dimensions name it: instance, host, index.
type Device = (Option<Arc<str>>, Option<Arc<str>>, u16);

/// Removes duplicates, and roll-ups that repeat another series of the same GPU with fewer dimensions (the agent's
/// `aggregation_dimensions`): querying them would be billed twice. Series that differ in a value stay (after a change
/// of AMI the old and the new one each hold a part of the window). Works on one page as on all pages together.
pub fn distinct(mut metrics: Vec<GpuMetric>) -> Vec<GpuMetric> {
    for metric in &mut metrics {
        metric.dimensions.0.sort();
    }
    // Most dimensions first, so that a roll-up always meets the series it repeats.
    metrics.sort_by(|a, b| {
        (b.dimensions.0.len(), &a.dimensions).cmp(&(a.dimensions.0.len(), &b.dimensions))
    });
    metrics.dedup_by(|a, b| a.dimensions == b.dimensions);
    let mut kept: Vec<GpuMetric> = Vec::with_capacity(metrics.len());
    let mut of_gpu: HashMap<Device, Vec<usize>> = HashMap::new();
    for metric in metrics {
        let key = (metric.instance.clone(), metric.host.clone(), metric.index);
        let same = of_gpu.entry(key).or_default();
        let repeats = same.iter().any(|&i| {
            let fuller = &kept[i].dimensions.0;
            metric.dimensions.0.iter().all(|d| fuller.contains(d))
        });
        if !repeats {
            same.push(kept.len());
            kept.push(metric);
        }
    }
    kept
}

/// GPU series assigned to the instances of the same account and region.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assigned {
    /// Series by instance id, sorted by GPU index.
    pub by_instance: HashMap<Arc<str>, Vec<GpuMetric>>,
    /// Number of series without a known instance: terminated ones, hosts outside EC2, ambiguous host names.
    pub orphans: usize,
}

/// Assigns series to instances: by `InstanceId` in the dimensions, else by host name ([`dns_names`]). A host name that
/// two instances share (overlapping VPCs) is assigned to neither: a series on the wrong instance could make a working
/// one look idle.
pub fn assign<'a>(
    metrics: Vec<GpuMetric>,
    instances: impl IntoIterator<Item = &'a Instance>,
) -> Assigned {
    let mut by_host: HashMap<&str, Option<&Arc<str>>> = HashMap::new();
    let mut ids: HashMap<&str, &Arc<str>> = HashMap::new();
    for instance in instances {
        ids.insert(&instance.id, &instance.id);
        for name in dns_names(instance) {
            by_host.entry(name).and_modify(|owner| *owner = None).or_insert(Some(&instance.id));
        }
    }
    let mut out = Assigned::default();
    for metric in metrics {
        let owner = match (&metric.instance, &metric.host) {
            (Some(id), _) => ids.get(&**id).copied(),
            (None, Some(host)) => by_host.get(&**host).copied().flatten(),
            (None, None) => None,
        };
        match owner {
            Some(id) => out.by_instance.entry(Arc::clone(id)).or_default().push(metric),
            None => out.orphans += 1,
        }
    }
    for series in out.by_instance.values_mut() {
        series.sort_by(|a, b| (a.index, &a.dimensions).cmp(&(b.index, &b.dimensions)));
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::domain::sample;

    use super::*;
    use crate::source::provider::GpuDimensions;

    fn metric(pairs: &[(&str, &str)]) -> GpuMetric {
        let find = |key| pairs.iter().find(|(k, _)| *k == key).map(|(_, v)| Arc::from(*v));
        GpuMetric {
            instance: find("InstanceId"),
            host: find("host"),
            index: find("index").unwrap().parse().unwrap(),
            dimensions: GpuDimensions(
                pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
            ),
        }
    }

    fn instance(id: &str, dns: &str) -> Instance {
        Instance {
            id: id.into(),
            instance_type: "g5.xlarge".into(),
            private_dns: dns.into(),
            ..sample::instance()
        }
    }

    #[test]
    fn duplicates_and_roll_ups_go_and_real_series_stay() {
        let full = [("InstanceId", "i-1"), ("index", "0"), ("name", "A100"), ("ImageId", "ami-1")];
        let other_image =
            [("InstanceId", "i-1"), ("index", "0"), ("name", "A100"), ("ImageId", "ami-2")];
        let roll_up = [("InstanceId", "i-1"), ("index", "0")];
        let second_gpu = [("InstanceId", "i-1"), ("index", "1"), ("name", "A100")];
        let got = distinct(vec![
            metric(&roll_up),
            metric(&full),
            metric(&second_gpu),
            metric(&full),
            metric(&other_image),
        ]);
        assert_eq!(got.len(), 3, "{got:?}");
        assert!(!got.iter().any(|m| m.dimensions.0.len() == 2));
        // Alone (the agent dropped the originals) a roll-up by instance and GPU is the series.
        assert_eq!(distinct(vec![metric(&roll_up)]).len(), 1);
    }

    #[test]
    fn series_find_their_instance_by_id_or_by_host_name() {
        let instances = [
            instance("i-1", "ip-10-0-0-1.ec2.internal"),
            instance("i-2", "ip-10-0-0-2.ec2.internal"),
            instance("i-3", ""),
        ];
        let assigned = assign(
            vec![
                metric(&[("InstanceId", "i-3"), ("index", "1")]),
                metric(&[("InstanceId", "i-3"), ("index", "0")]),
                metric(&[("host", "ip-10-0-0-1.ec2.internal"), ("index", "0")]),
                metric(&[("host", "ip-10-0-0-2"), ("index", "0")]),
                metric(&[("host", "on-premises"), ("index", "0")]),
                metric(&[("InstanceId", "i-gone"), ("index", "0")]),
            ],
            &instances,
        );
        assert_eq!(assigned.orphans, 2);
        assert_eq!(assigned.by_instance.len(), 3);
        let third: Vec<u16> = assigned.by_instance["i-3"].iter().map(|m| m.index).collect();
        assert_eq!(third, [0, 1]);
    }

    #[test]
    fn a_host_name_of_two_instances_belongs_to_neither() {
        let instances =
            [instance("i-1", "ip-10-0-0-1.ec2.internal"), instance("i-2", "ip-10-0-0-1.other")];
        let assigned = assign(
            vec![
                metric(&[("host", "ip-10-0-0-1"), ("index", "0")]),
                metric(&[("host", "ip-10-0-0-1.other"), ("index", "0")]),
            ],
            &instances,
        );
        assert_eq!(assigned.orphans, 1);
        assert!(assigned.by_instance.contains_key("i-2"));
    }
}
