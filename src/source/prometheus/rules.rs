//! Recording rules: what a server can compute as it goes, so that nobody has to ask for an hour of
//! all GPUs at once. They are offered, and used where they exist.

use std::fmt::Write as _;

use super::plan::{ACTIVITY, Names};
use super::promql::{Keep, Matchers};
use crate::domain::GpuSignal;

/// Statistics over an hour: suffix of the rule's name, and function of `PromQL`.
pub const STATISTICS: [(&str, &str); 3] =
    [("avg1h", "avg_over_time"), ("max1h", "max_over_time"), ("count1h", "count_over_time")];

/// Name of a rule's series, such as `gpu:sm_active:avg1h`. Ratios are 0–1.
pub fn name(signal: GpuSignal, statistic: &str) -> String {
    format!("gpu:{}:{statistic}", signal.name())
}

/// The signals with rules: what an hour is judged by.
fn signals() -> impl Iterator<Item = GpuSignal> {
    ACTIVITY.into_iter().chain([GpuSignal::Power])
}

/// All names that rules can have.
pub fn all() -> Vec<String> {
    signals().flat_map(|s| STATISTICS.map(|(statistic, _)| name(s, statistic))).collect()
}

/// True for the name of a rule's series.
pub fn is_recorded(text: &str) -> bool {
    text.starts_with("gpu:") && all().iter().any(|n| n == text)
}

/// Rules file for the metrics that exist. Rules are evaluated every five minutes; an hour read from them is shifted by
/// less than that, always by the same amount, so that no moment is missed.
pub fn yaml(names: &Names, matchers: &Matchers) -> String {
    let mut keep: Vec<String> = Keep::Full.list().split(',').map(str::to_owned).collect();
    keep.extend(matchers.names().map(str::to_owned));
    let by = keep.join(",");
    let mut out = "groups:\n  - name: burntop-gpu-hours\n    interval: 5m\n    rules:\n".to_owned();
    for signal in signals() {
        let metrics = names.of(signal);
        if metrics.is_empty() {
            continue;
        }
        for (statistic, function) in STATISTICS {
            let parts: Vec<_> = metrics
                .iter()
                .map(|(metric, known)| {
                    let select = matchers.select(&[metric], &[]);
                    let scaled = function != "count_over_time" && (known.scale - 1.0).abs() > 1e-12;
                    let scale = if scaled { format!(" * {}", known.scale) } else { String::new() };
                    format!("max by ({by}) ({function}({select}[1h])){scale}")
                })
                .collect();
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "      - record: {}\n        expr: >-\n          {}\n",
                name(signal, statistic),
                parts.join("\n          or ")
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::vocabulary::Vocabulary;

    #[test]
    fn the_rules_say_what_hours_need() {
        let names = Names::new(
            vec!["DCGM_FI_DEV_GPU_UTIL".into(), "gpu:util:avg1h".into(), "gpu:other".into()],
            &Vocabulary::default(),
        );
        assert!(names.has_recorded("gpu:util:avg1h") && !names.has_recorded("gpu:other"));
        let text = yaml(&names, &Matchers::parse("cluster='a'").unwrap());
        assert!(text.contains("record: gpu:util:avg1h"), "{text}");
        assert!(
            text.contains(r#"(avg_over_time(DCGM_FI_DEV_GPU_UTIL{cluster="a"}[1h])) * 0.01"#),
            "{text}"
        );
        assert!(
            text.contains("(count_over_time(DCGM_FI_DEV_GPU_UTIL{cluster=\"a\"}[1h]))\n"),
            "a count has no unit: {text}"
        );
        assert!(text.contains(",cluster) ("), "the matchers must hold for the results: {text}");
        assert!(!text.contains("gpu:power_w"), "nothing is recorded of what is not there: {text}");
    }
}
