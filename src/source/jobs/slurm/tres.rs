//! Slurm's trackable resources: `cpu=16,gres/gpu:h100=8,gres/gpu=8,mem=100G,node=2`.

use crate::domain::jobs::Gpus;

/// What a list of resources tells, over all nodes of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tres<'a> {
    /// GPUs; `None` where the list has none.
    pub gpus: Option<Gpus>,
    /// Their model; `None` where it is not told, or there are several.
    pub model: Option<&'a str>,
    /// CPUs.
    pub cpus: Option<u32>,
    /// Memory, MiB.
    pub memory_mib: Option<u64>,
    /// Nodes.
    pub nodes: Option<u32>,
}

impl<'a> Tres<'a> {
    /// Reads a list; what is not known in it is passed over. GPUs are told twice, with and without their model: the sum
    /// without it counts, else the sum of those with it.
    pub(super) fn of(text: &'a str) -> Self {
        let mut tres = Self::default();
        let (mut all, mut typed, mut models) = (None, None::<Gpus>, Vec::new());
        for (name, value) in text.split(',').filter_map(|part| part.trim().split_once('=')) {
            match name {
                "gres/gpu" => all = gpus(value),
                "cpu" => tres.cpus = value.parse().ok(),
                "node" => tres.nodes = value.parse().ok(),
                "mem" => tres.memory_mib = memory_mib(value),
                _ => {
                    let model = name.strip_prefix("gres/gpu:");
                    if let (Some(model), Some(gpus)) = (model, gpus(value)) {
                        typed = Some(typed.unwrap_or_default() + gpus);
                        models.push(model);
                    }
                }
            }
        }
        tres.gpus = all.or(typed);
        if let [model] = models[..] {
            tres.model = Some(model);
        }
        tres
    }
}

fn gpus(value: &str) -> Option<Gpus> {
    value.parse::<u32>().ok().map(Gpus::whole)
}

/// MiB of `500M`, `64G`, `64Gn`, `3500K`, or a plain number, which counts MiB.
pub(super) fn memory_mib(value: &str) -> Option<u64> {
    let value = value.trim_end_matches(['n', 'c']);
    let (number, unit) = match value.char_indices().next_back() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&value[..at], unit.to_ascii_uppercase()),
        _ => (value, 'M'),
    };
    let number: f64 = number.parse().ok()?;
    let mib = match unit {
        'K' => number / 1024.0,
        'M' => number,
        'G' => number * 1024.0,
        'T' => number * 1024.0 * 1024.0,
        'P' => number * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    (0.0..1e12).contains(&mib).then_some(mib as u64)
}
