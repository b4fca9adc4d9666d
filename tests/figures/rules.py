"""Rules replayed over attempts and over nodes, and what measures on models could save: what would have been."""

from collections import defaultdict
from math import sqrt

from checks import hours, moment, total
from jobs import LOST, failed, held, sweeps

CHECKPOINT_SECONDS = 5 * 60
DELAYS = {"1m": 1, "5m": 5, "10m": 10, "15m": 15, "30m": 30, "1h": 60, "never": None}


def is_over(row):
    return row["state"] not in ("running", "queued", "doubtful", "unknown") and row["ended_at"] is not None


def failures_before(rows):
    """By attempt, how often its script had failed in a row when it began; without a name by its job."""
    events = []
    for place, row in enumerate(rows):
        if row["started_at"] is None:
            continue
        events.append((moment(row["started_at"]), 2, place))
        if row["ended_at"]:
            at_once = 3 if moment(row["ended_at"]) <= moment(row["started_at"]) else 0
            events.append((max(moment(row["ended_at"]), moment(row["started_at"])), at_once + (not failed(row)), place))
    in_a_row, before = defaultdict(int), {}
    for _, turn, place in sorted(events):
        row = rows[place]
        work = (row["source"], row["cluster"], row["user"], row["name"]) if row["name"] else row["job_id"]
        if turn == 2:
            before[place] = in_a_row[work]
        elif failed(row):
            in_a_row[work] += 1
        elif row["state"] not in ("preempted", "cancelled"):
            in_a_row[work] = 0
    return before


def goes(check, row, touched):
    """Sums of a rule over what it touches: each an attempt, what is saved of it and what it costs, as shares of it."""
    name = f"replay {row['rule']} {row['setting']}"
    check.near(f"{name}: attempts", row["attempts"], len(touched))
    check.near(f"{name}: spared", row["spared_attempts"], sum(saved > 0 for _, saved, _ in touched))
    check.near(f"{name}: unpriced", row["unpriced_attempts"], sum(of["usd"] is None for of, _, _ in touched))
    check.near(f"{name}: at most", row["upper_bound_attempts"],
               sum(saved > 0 and of["lost_is_upper_bound"] in (True, "true") for of, saved, _ in touched))
    for unit, field in [("gpu_hours", "gpu_hours"), ("usd", "usd")]:
        for part, at in [("saved", 1), ("cost", 2)]:
            if row[f"{part}_{unit}"] is None and row["rule"] == "early_stopping":
                continue
            want = sum((of[0][field] or 0) * of[at] for of in touched)
            check.near(f"{name}: {part} {unit}", row[f"{part}_{unit}"], want, 100 * len(touched))


def jobs_replay(check, report):
    rows = list(reversed(report["attempts"]))
    counted = [row for row in rows if row["started_at"] and is_over(row) and row["gpu_hours"] is not None]
    among = report["among"]
    check.near("replay: attempts", among["attempts"], len(counted))
    check.near("replay: lost", among["lost_gpu_hours"], total(counted, "lost_gpu_hours"), len(counted))
    check.near("replay: lost dollars", among["lost_usd"], total(counted, "lost_usd"), len(counted))
    now, restart = report["generated_at"], report["restart_minutes"] * 60
    with_gpus = [row for row in counted if row["gpu_hours"] > 0]
    mean = sum(held(row, now) for row in with_gpus) / sum(row["state"] in LOST for row in with_gpus)
    check.near("replay: hours to a failure", report["hours_to_failure"], mean, 600)
    best = sqrt(2 * CHECKPOINT_SECONDS / 60 * report["hours_to_failure"] * 60)
    check.near("replay: best interval", report["best_checkpoint_minutes"], best, 10)
    before, over = failures_before(rows), {id(row) for row in counted}
    unstopped = [row for group in sweeps(rows, now).values() for row in group]

    def lost(row):
        return row["lost_gpu_hours"] / row["gpu_hours"] if row["gpu_hours"] else 0

    for row in report["rows"]:
        name, setting = f"replay {row['rule']} {row['setting']}", row["setting"]
        for unit in ["gpu_hours", "usd"]:
            cost = row[f"cost_{unit}"]
            net = None if cost is None else row[f"saved_{unit}"] - cost
            check.near(f"{name}: net {unit}", row[f"net_{unit}"], net, 1)
        touched = []
        if row["rule"] == "retry_limit":
            beyond = [rows[place] for place, count in before.items() if count >= setting and id(rows[place]) in over]
            touched = [(of, lost(of), 1 - lost(of)) for of in beyond]
            check.near(f"{name}: completed", row["forbidden_successes"], sum(of["state"] == "completed" for of in beyond))
        elif row["rule"] == "checkpoint_every":
            for of in with_gpus:
                # In whole seconds, as they are printed.
                span, each = round(held(of, now) * 3600), setting * 60
                if span >= each:
                    after = min(span % each + restart, span) / span
                    writing = span // each * CHECKPOINT_SECONDS / span
                    touched.append((of, max(0, lost(of) - after) if lost(of) else 0, writing))
        elif row["rule"] == "early_stopping":
            touched = [(of, (100 - setting) / 200, 0) for of in unstopped]
        else:
            # By which node an attempt failed is for the tests of the replay.
            check.holds(f"{name}: no more than was lost", row["saved_gpu_hours"] <= among["lost_gpu_hours"] + 1e-5
                        and row["spared_attempts"] <= row["attempts"] and row["upper_bound_attempts"] <= row["attempts"])
            continue
        goes(check, row, touched)


def jobs_scaling(check, report):
    groups = defaultdict(list)
    for row in report["rows"]:
        groups[row["source"], row["cluster"], row["queue"], row["instance_type"]].append(row)
    said, firsts = report["total"], [rows[0] for rows in groups.values()]
    check.near("scaling: groups", said["groups"], len(groups))
    for key in ["nodes", "empty_hours", "empty_usd", "unpriced_node_hours"]:
        check.near(f"scaling: {key}", said[key], total(firsts, key), len(firsts))
    for group, rows in groups.items():
        name = f"scaling {' '.join(str(part) for part in group)}"
        first = rows[0]
        check.near(f"{name}: up", first["up_hours"], first["busy_hours"] + first["empty_hours"], 1)
        check.holds(f"{name}: of one group", all(row[key] == first[key] for row in rows for key in [
            "jobs", "hours", "nodes", "up_hours", "busy_hours", "empty_hours", "empty_usd", "delayed_jobs_now", "boot_minutes",
            "empty_stretches", "unpriced_node_hours", "static_nodes", "fewest_nodes", "most_nodes", "empty_minutes_p50",
            "empty_minutes_p95"]))
        check.holds(f"{name}: nodes", first["fewest_nodes"] <= first["most_nodes"] <= first["nodes"]
                    and first["static_nodes"] <= first["fewest_nodes"] and first["empty_minutes_p50"] <= first["empty_minutes_p95"])
        check.holds(f"{name}: hours", first["up_hours"] <= first["nodes"] * first["hours"] + 1e-3
                    and first["hours"] <= 24 * report["days"] + 1e-6)
        # A rate that all settings of a group share: its mean price, a month of it.
        most = max(rows, key=lambda row: abs(row["saves_node_hours"]))
        priced = most["saves_usd_per_month"] is not None
        rate = most["saves_usd_per_month"] / most["saves_node_hours"] if priced and most["saves_node_hours"] else 0
        best = None
        for row in rows:
            of = f"{name} {row['scale_down_after']} {row['min_nodes']}"
            want = row["saves_node_hours"] * rate if priced else None
            check.near(f"{of}: dollars", row["saves_usd_per_month"], want, 2 + abs(rate))
            check.near(f"{of}: delay", row["delay_minutes"], DELAYS[row["scale_down_after"]])
            check.holds(f"{of}: jobs", row["delayed_jobs"] <= row["jobs"]
                        and row["wait_hours"] <= row["delayed_jobs"] * row["boot_minutes"] / 60 + 1e-5)
            check.holds(f"{of}: no more than what was empty", row["saves_node_hours"] <= row["empty_hours"]
                        - max(0, row["node_starts"] + row["more_starts"]) * row["boot_minutes"] / 60 + 1e-5)
            fine = row["delayed_jobs"] <= row["delayed_jobs_now"] + row["jobs"] / 20 and row["saves_node_hours"] > 0
            if fine and (best is None or row["saves_node_hours"] > best + 1e-6):
                best = row["saves_node_hours"]
        fits = [row["saves_node_hours"] for row in rows if row["fits"] == "yes"]
        check.holds(f"{name}: {fits} fits, {best} is best", len(fits) <= 1 and (not fits or abs(fits[0] - best) < 1e-5))
        check.holds(f"{name}: what fits is first", not fits or rows[0]["fits"] == "yes")
    check.holds("scaling: each setting once", len(report["rows"]) == len({
        (group, row["scale_down_after"], row["min_nodes"]) for group, rows in groups.items() for row in rows}))


def models(check, report):
    rows, said = report["rows"], report["totals"]
    of_work = defaultdict(list)
    for row in rows:
        of_work[row["workload_id"]].append(row)
    check.near("models: workloads", said["workloads"], len(of_work))
    check.near("models: measures", said["measures"], len(rows))
    for key, fits in [("fit", "yes"), ("unknown", "unknown"), ("do_not_fit", "no")]:
        check.near(f"models: {key}", said[key], sum(row["fits"] == fits for row in rows))
    counting = [row for row in rows if row["counts"] == "yes"]
    # On what the steps of the waterfall leave of these instances, which is not printed.
    check.holds("models: potential", 0 < report["all"]["potential_up_to_usd_per_hour"]
                <= total(counting, "up_to_usd_per_hour") + 1e-6 * len(rows))
    for work, measures in of_work.items():
        price = {row["usd_per_hour"] for row in measures}
        check.holds(f"models {work}: one price, one use", len(price) == 1 and len({row["usage"] for row in measures}) == 1)
        best = [row["up_to_usd_per_hour"] or 0 for row in measures if row["counts"] == "yes"]
        check.holds(f"models {work}: the largest counts, once", len(best) <= 1 and all(
            (row["up_to_usd_per_hour"] or 0) <= (best or [0])[0] + 1e-6 for row in measures if row["fits"] != "no"))
        for row in measures:
            name = f"models {row['id']}"
            check.holds(f"{name}: no more than it costs", (row["up_to_usd_per_hour"] or 0) <= (row["usd_per_hour"] or 0) + 1e-6)
            check.holds(f"{name}: what does not fit saves nothing", row["fits"] != "no" or not row["up_to_usd_per_hour"])
            check.near(f"{name}: instances", row["instances"], len(row["instance_ids"]))
            check.holds(f"{name}: GPUs", row["gpus_held"] <= row["gpus_told"]
                        and row["holding"] == f"{row['gpus_held']} of {row['gpus_told']}")
