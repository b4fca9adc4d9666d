//! The tax on published clusters, and what must hold for any.

use proptest::prelude::*;

use super::FailedRuns;
use super::failed_runs::multiplier;

const ACME: &str = include_str!("../../../tests/data/whatif/failed_run_summary_acme.csv");
const HELIOS: &str = include_str!("../../../tests/data/whatif/failed_run_summary_helios.csv");

/// GPU seconds that were completed, cancelled, failed, by cluster; those that state them.
fn clusters(text: &str) -> Vec<(String, [f64; 3])> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let at = |name: &str| head.iter().position(|column| column == name).unwrap();
    let columns = ["complete_gpu_time", "cancel_gpu_time", "fail_gpu_time"].map(at);
    let rows = reader.records().map(Result::unwrap);
    let stated = rows.filter(|row| columns.iter().all(|column| !row[*column].is_empty()));
    stated
        .map(|row| (row[0].to_owned(), columns.map(|column| row[column].parse().unwrap())))
        .collect()
}

fn runs([complete, cancelled, failed]: [f64; 3]) -> FailedRuns {
    let all = complete + cancelled + failed;
    FailedRuns {
        monthly_usd: Some(1e6),
        failed_share: Some(failed / all),
        cancelled_share: Some(cancelled / all),
        ..Default::default()
    }
}

#[test]
fn published_clusters_pay_8_to_63_percent() {
    // Shares as published: 12.4, 8.0, 38.6, 9.3%; 1.629 is of the rounded 38.6%.
    for (name, right) in [("Seren", 0.124), ("Kalos", 0.080), ("Philly", 0.386), ("Helios", 0.093)]
    {
        let (_, times) = clusters(ACME).into_iter().find(|(found, _)| found == name).unwrap();
        let lost = runs(times).tax().unwrap().lost;
        assert!((lost - right).abs() < 6e-4, "{name}: {lost}");
    }
    assert!((multiplier(0.386) - 1.629).abs() < 5e-4);
    assert!((multiplier(0.093) - 1.103).abs() < 5e-4);
}

#[test]
fn the_four_of_helios_are_no_other_cluster() {
    let all = clusters(HELIOS);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..4], ["Venus", "Earth", "Saturn", "Uranus"]);
    for (name, times) in &all {
        let lost = runs(*times).tax().unwrap().lost;
        assert!((0.08..0.11).contains(&lost), "{name}: {lost}");
    }
    let sum = all.iter().take(4).fold([0.0; 3], |sum, (_, times)| {
        [sum[0] + times[0], sum[1] + times[1], sum[2] + times[2]]
    });
    let lost = runs(sum).tax().unwrap().lost;
    assert!((multiplier(lost) - 1.103).abs() < 2e-3, "{lost}");
}

#[test]
fn cancelled_counts_as_much_as_one_says() {
    let (_, philly) = clusters(ACME).into_iter().find(|(name, _)| name == "Philly").unwrap();
    let lost = |weight| {
        let runs = FailedRuns { cancelled_weight: Some(weight), ..runs(philly) };
        runs.tax().unwrap().lost
    };
    assert!((lost(0.0) - 0.386).abs() < 6e-4);
    assert!((lost(0.5) - (0.386 + 0.147)).abs() < 1e-3);
    assert!((lost(1.0) - (1.0 - 0.321)).abs() < 1e-3);
}

#[test]
fn halving_30_percent_saves_176_471_of_a_million() {
    let runs = FailedRuns {
        monthly_usd: Some(1e6),
        failed_share: Some(0.30),
        goal_share: Some(0.15),
        ..Default::default()
    };
    let tax = runs.tax().unwrap();
    assert!((tax.before_usd - tax.after_usd() - 176_471.0).abs() < 1.0);
    // Not the 150,000 that the difference of the shares suggests.
    assert!((tax.before_usd * 0.15 - 150_000.0).abs() < 1e-6);
}

#[test]
fn checkpoints_lose_half_an_interval_and_a_restart() {
    let runs = FailedRuns {
        monthly_usd: Some(1e6),
        failed_share: Some(0.4),
        interval_hours: Some(1.0),
        restart_hours: Some(0.5),
        hours_to_failure: Some(10.0),
        ..Default::default()
    };
    assert!((runs.tax().unwrap().lost_then.unwrap() - 0.04).abs() < 1e-12);
    // Too rare to help: a run is lost once, not more.
    let rare = FailedRuns { interval_hours: Some(100.0), ..runs };
    assert_eq!(rare.tax().unwrap().lost_then, Some(0.4));
    // Where less than that is lost today, checkpoints make it no worse.
    let light = FailedRuns { failed_weight: Some(0.05), ..rare };
    assert!((light.tax().unwrap().lost_then.unwrap() - 0.02).abs() < 1e-12);
}

#[test]
fn shares_of_one_whole_cannot_exceed_it() {
    let runs = FailedRuns {
        monthly_usd: Some(1.0),
        failed_share: Some(0.5),
        cancelled_share: Some(0.6),
        ..Default::default()
    };
    assert!(runs.tax().unwrap_err().to_string().contains("110%"));
    let all = FailedRuns {
        failed_share: Some(0.5),
        cancelled_share: Some(0.5),
        cancelled_weight: Some(1.0),
        monthly_usd: Some(1.0),
        ..Default::default()
    };
    assert!(all.tax().unwrap_err().to_string().contains("all of the GPU time"));
}

proptest! {
    #[test]
    fn the_tax_is_what_running_until_it_succeeds_costs(lost in 0.0..0.9f64) {
        // Each useful hour comes with lost ones, of which again a part is useful, and so on.
        let series: f64 = (0..2000).map(|k| lost.powi(k)).sum();
        prop_assert!((multiplier(lost) - series).abs() < 1e-9 * series);
    }

    #[test]
    fn equal_output_keeps_the_useful_dollars(
        usd in 1.0..1e7f64, now in 0.0..0.9f64, then in 0.0..0.9f64,
    ) {
        let runs = FailedRuns {
            monthly_usd: Some(usd), failed_share: Some(now), goal_share: Some(then),
            ..Default::default()
        };
        let tax = runs.tax().unwrap();
        let useful = tax.after_usd() * (1.0 - then);
        prop_assert!((useful - usd * (1.0 - now)).abs() < 1e-9 * usd);
    }
}
