//! Wrong formulas of this field, each with the wrong and the right number.

use super::*;
use JobState as S;

#[test]
fn an_exclusive_node_costs_whole_though_no_gpu_was_asked_for() {
    // By what was asked for: 0 GPUs, $0. Held: 8.
    let sums = total(&[attempt("9", S::Completed, 8, (0, 600))]);
    assert_eq!((sums.gpu_time.hours(), sums.usd), (80.0, usd("550.4")));
}

#[test]
fn who_holds_all_gpus_of_a_node_pays_all_of_it() {
    // Split by default prices of CPUs, memory and GPUs: $20.01/h and 64% "idle".
    let mut of = attempt("a", S::Completed, 8, (0, 60));
    (of.cpus, of.memory_mib) = (Some(8), Some(64 << 10));
    assert_eq!(total(&[of]).usd, usd("55.04"));
    // All memory of a node and one GPU of it leaves nobody else anything either.
    let mut of = attempt("a", S::Completed, 1, (0, 60));
    of.memory_mib = Some(2 << 20);
    assert_eq!(total(&[of.clone()]).usd, usd("55.04"));
    // But never more than its nodes.
    (of.cpus, of.node_count) = (Some(960), Some(1));
    assert_eq!(total(&[of]).usd, usd("55.04"));
}

#[test]
fn whole_nodes_need_no_number_of_gpus() {
    let mut of = attempt("a", S::Completed, 0, (0, 60));
    (of.gpus, of.node_count) = (None, Some(2));
    let row = &cost(&[of])[0];
    assert_eq!(row.held.usd, Some(usd("110.08")));
    assert_eq!(row.attempt.gpus, Some(Gpus::whole(16)));
    assert_eq!(row.attempt.gpu_model.as_deref(), Some("H100"));
}

#[test]
fn gpu_hours_and_what_is_left_of_the_node_are_the_node() {
    // Jobs × GPU price: $825.60 of a bill of $1,320.96.
    let sums = total(&[attempt("a", S::Completed, 8, (0, 15 * 60))]);
    assert_eq!(sums.usd, usd("825.6"));
    assert_eq!(usd("55.04").prorated(24, 1) - sums.usd, usd("495.36"));
}

#[test]
fn a_parent_and_its_children_count_once() {
    // Added up they would be $440.32.
    let mut all = vec![attempt("p", S::Completed, 8, (0, 240))];
    for child in 0..4 {
        let (from, to) = (child * 60, child * 60 + 60);
        let mut of = attempt(&format!("c{child}"), S::Completed, 8, (from, to));
        of.parent = Some(text("p"));
        all.push(of);
    }
    let sums = total(&all);
    assert_eq!((sums.gpu_time.hours(), sums.usd), (32.0, usd("220.16")));
    // What the parent holds beyond its children stays.
    all.truncate(4);
    assert_eq!(total(&all).usd, usd("220.16"));
    // Two that each name the other as parent do not vanish.
    let mut circle =
        [attempt("a", S::Completed, 8, (0, 60)), attempt("b", S::Completed, 8, (0, 60))];
    circle[0].parent = Some(text("b"));
    circle[1].parent = Some(text("a"));
    assert_eq!(total(&circle).usd, usd("110.08"));
}

#[test]
fn a_checkpoint_saves_what_it_holds() {
    // NODE_FAIL after 10 h on 8 × p5, a complete step 27 min before: $4,403.20 is no loss.
    let mut of = attempt("a", S::NodeFault, 64, (0, 600));
    let without = cost(std::slice::from_ref(&of));
    assert_eq!(without[0].lost.usd, Some(usd("4403.2")));
    assert!(without[0].lost_is_upper_bound);
    of.saved_at = at(600 - 27);
    let with = cost(std::slice::from_ref(&of));
    assert_eq!(with[0].lost.usd, Some(usd("198.144")));
    assert!(!with[0].lost_is_upper_bound);
    // The next attempt took 8 min to come back.
    let mut next = attempt("a", S::Completed, 64, (610, 900));
    next.first_step_at = at(618);
    let rows = cost(&[of.clone(), next]);
    assert_eq!(rows[0].lost.usd, Some(usd("256.8533333333")));
    // A checkpoint after the end is of another attempt.
    of.saved_at = at(700);
    assert_eq!(cost(&[of])[0].lost.usd, Some(usd("4403.2")));
}

#[test]
fn what_is_in_doubt_costs_nothing_and_stands_apart() {
    let open = |from, to| {
        let mut of = attempt("a", S::Running, 2, (from, to));
        of.seen_until = of.ended_at.take();
        of
    };
    // 30 days by the books: $9,907.20, and growing.
    let books = open(0, 30 * 24 * 60);
    assert_eq!(total(std::slice::from_ref(&books)).usd, usd("9907.2"));
    // But the job has begun again.
    let sums = total(&[books, attempt("a", S::Completed, 2, (60, 120))]);
    assert_eq!((sums.usd, sums.doubtful), (usd("13.76"), 1));
}

#[test]
fn cancelled_time_counts_as_lost_by_choice_alone() {
    let all = [attempt("a", S::Cancelled, 8, (0, 60)), attempt("b", S::Failed, 8, (0, 60))];
    let with = |weight: &str| {
        let rows = costed(&all, weight.parse().unwrap());
        let sums = tax(&rows, TaxKey::State).total;
        (sums.lost.hours(), sums.lost_usd, sums.cancelled.hours(), sums.goodput())
    };
    assert_eq!(with("0"), (8.0, usd("55.04"), 8.0, Some(0.5)));
    assert_eq!(with("0.5"), (12.0, usd("82.56"), 8.0, Some(0.25)));
    assert_eq!(with("1"), (16.0, usd("110.08"), 8.0, Some(0.0)));
    for odd in ["-1", "2", "NaN", "half", ""] {
        assert!(odd.parse::<CancelledWeight>().is_err(), "{odd}");
    }
}

#[test]
fn what_failed_runs_took_is_paid_by_the_useful_hours() {
    // 30 of 100 hours came to nothing: 1/(1 − 0.3) = 1.43 hours paid per useful one.
    let all =
        [attempt("a", S::Completed, 1, (0, 70 * 60)), attempt("b", S::Failed, 1, (0, 30 * 60))];
    let goodput = total(&all).goodput().unwrap();
    assert!((1.0 / goodput - 1.428_571).abs() < 1e-6, "{goodput}");
}

#[test]
fn the_queue_is_in_the_ettr_and_not_in_the_goodput() {
    let mut of = attempt("a", S::Completed, 8, (60, 180));
    of.submitted_at = at(0);
    let sums = total(&[of.clone()]);
    assert_eq!((sums.goodput(), sums.ettr()), (Some(1.0), Some(2.0 / 3.0)));
    // Submitted after its start by another clock: unknown.
    of.submitted_at = at(90);
    assert_eq!(total(&[of]).ettr(), None);
}

#[test]
fn unknown_is_not_nothing() {
    let mut of = attempt("a", S::Failed, 8, (0, 60));
    of.gpus = None;
    of.instance_type = Some(text("x1.huge"));
    let row = &cost(std::slice::from_ref(&of))[0];
    assert_eq!((row.held.gpu_time, row.held.usd), (None, None));
    let sums = total(&[of]);
    assert_eq!((sums.without_gpu_time, sums.unpriced, sums.usd_known()), (1, 1, None));
    // Without an end: the hours are unknown, too.
    let mut of = attempt("a", S::Running, 8, (0, 60));
    of.ended_at = None;
    assert_eq!(cost(&[of])[0].held.usd, None);
}

#[test]
fn parts_side_by_side_are_one_attempt_and_requeued_ones_are_several() {
    let mut parts =
        [attempt("11+0", S::Completed, 4, (0, 60)), attempt("11+1", S::Failed, 1, (0, 30))];
    for part in &mut parts {
        part.parts_of = Some(text("11"));
    }
    let rows = cost(&parts);
    assert_eq!(rows.len(), 1);
    let one = &rows[0];
    assert_eq!((&*one.attempt.job, one.parts, one.attempt.gpus), ("11", 2, Some(Gpus::whole(5))));
    assert_eq!(one.held.gpu_time.unwrap().hours(), 4.5);
    assert_eq!((one.attempt.state, one.lost.gpu_time.unwrap().hours()), (S::Failed, 0.5));
    let again = [attempt("7", S::Preempted, 1, (0, 10)), attempt("7", S::Completed, 1, (20, 30))];
    let numbers: Vec<u32> = cost(&again).iter().map(|row| row.number).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn a_job_with_billed_seconds_of_its_own_costs_those_of_every_node() {
    // Two nodes of 8 GPUs for two hours at $10 an hour, 2,160 s of each billed: 2 × 0.6 h × $10. The billed seconds of one
    // node are $6, the time held is $40.
    let mut of = attempt("spot", S::TimedOut, 0, (0, 120));
    (of.gpus, of.node_count) = (None, Some(2));
    (of.billed_ms, of.node_usd_per_hour) = (Some(2_160_000), Some(usd("10")));
    let row = &cost(&[of.clone()])[0];
    assert_eq!((row.held.usd, row.lost.usd), (Some(usd("12")), Some(usd("12"))));
    assert_eq!(row.held.gpu_time.unwrap().hours(), 32.0);
    assert_eq!(row.price_from, Some(PriceFrom::List));
    // A checkpoint after half of the time leaves half of the dollars lost.
    let mut saved = of.clone();
    saved.saved_at = at(60);
    assert_eq!(cost(&[saved])[0].lost.usd, Some(usd("6")));
    // Of a type that nobody knows dollars are known, and GPUs are not.
    let mut unknown = of.clone();
    unknown.instance_type = Some(text("ml.x9.large"));
    let row = &cost(&[unknown])[0];
    assert_eq!((row.held.usd, row.held.gpu_time), (Some(usd("12")), None));
    // Without a price of its own the type's counts, for the billed time: 2 × 0.6 h × $55.04.
    of.node_usd_per_hour = None;
    assert_eq!(cost(&[of])[0].held.usd, Some(usd("66.048")));
}
