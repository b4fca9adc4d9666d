"""Reports of jobs: attempts by themselves, and what is made of them by the attempts."""

from collections import defaultdict
from datetime import timezone
from fractions import Fraction

from checks import hours, moment, total

KEYS = ["state", "cause", "user", "team", "project", "node", "model", "week"]
LOST = {"failed", "out_of_memory", "timed_out", "preempted", "node_fault"}
# Attempts of the demo that have a name are on whole boxes of these types.
BOXES = {"p5.48xlarge": 8, "p4d.24xlarge": 8, "g6e.12xlarge": 4, "g5.xlarge": 1}


def named(row):
    return f"{row['job_id']}, attempt {row['attempt']}"


def held(row, now):
    """Hours from start to end, 0 for what holds nothing."""
    if row["started_at"] is None or row["state"] in ("queued", "doubtful"):
        return 0
    return max(0, hours(row["started_at"], row["ended_at"] or now))


def failed(row):
    """Failed by itself: nobody took its nodes away."""
    return row["state"] in LOST and row["state"] != "preempted"


def sums(rows):
    """What rows come to; dollars are unknown where no row that cost something has any."""
    lost_without = [row for row in rows if row["cause"] in (None, "unknown")]
    cancelled = [row for row in rows if row["state"] == "cancelled"]
    priced = any(row["usd"] for row in rows) or all(row["usd"] is not None for row in rows)
    of = {
        "attempts": len(rows),
        "gpu_hours": total(rows, "gpu_hours"),
        "lost_gpu_hours": total([row for row in rows if row["gpu_hours"] is not None], "lost_gpu_hours"),
        "lost_without_cause_gpu_hours": total(lost_without, "lost_gpu_hours"),
        "cancelled_gpu_hours": total(cancelled, "gpu_hours"),
        "unpriced_attempts": sum(row["usd"] is None for row in rows),
        "unknown_gpu_attempts": sum(row["gpu_hours"] is None for row in rows),
        "upper_bound_attempts": sum(row["lost_is_upper_bound"] in (True, "true") for row in rows),
        "doubtful_attempts": sum(row["state"] == "doubtful" for row in rows),
        "scaled_attempts": sum(row["scaled"] in (True, "true") for row in rows),
        "estimated_attempts": sum(row["type_from"] == "rule" for row in rows),
    }
    for key, part in [("usd", rows), ("lost_usd", rows), ("cancelled_usd", cancelled)]:
        of[key] = total(part, key.removeprefix("cancelled_")) if priced else None
    return of


def goes(check, name, report, rows):
    """Sums beside the rows, goodput and the time in the queue."""
    want, said = sums(rows), report["total"]
    for key, value in want.items():
        check.near(f"{name}: total {key}", said[key], value, len(rows))
    useful = 1 - said["lost_gpu_hours"] / said["gpu_hours"] if said["gpu_hours"] else None
    check.near(f"{name}: goodput", report["goodput"], useful)
    waiters = [row for row in rows if row["gpu_hours"] is not None and row["submitted_at"] and row["started_at"]
               and moment(row["submitted_at"]) <= moment(row["started_at"])]
    all_of = sum(row["gpu_hours"] + hours(row["submitted_at"], row["started_at"]) * row["gpus"] for row in waiters)
    useful = total(waiters, "gpu_hours") - total(waiters, "lost_gpu_hours")
    check.near(f"{name}: ETTR", report["ettr"], useful / all_of if all_of else None)


def jobs(check, report):
    rows, now = report["rows"], report["generated_at"]
    check.near("jobs: cancelled attempts count", report["cancelled_weight"], 0)
    numbers = defaultdict(list)
    # The newest first.
    for row in reversed(rows):
        numbers[row["source"], row["cluster"], row["job_id"]].append(row["attempt"])
    for job, found in numbers.items():
        check.holds(f"{job}: attempts in their order", found == list(range(1, len(found) + 1)))
    for row in rows:
        name, span = named(row), held(row, now)
        # Moments are printed in whole seconds.
        seconds = (row["gpus"] or 0) * 600
        want = 0 if span == 0 else None if row["gpus"] is None else span * row["gpus"]
        check.near(f"{name}: GPU-hours", row["gpu_hours"], want, seconds)
        ago = None if row["ended_at"] is None else max(0, hours(row["ended_at"], now) * 3600)
        check.near(f"{name}: ended ago", row["ended_ago_s"], ago, 2_000_000)
        # The demo runs no parts side by side, has telemetry of two jobs, and jobstats measured one script.
        check.near(f"{name}: parts", row["parts"], 1)
        is_planted = row["project"] == "planted"
        share, by = (0.093, "jobstats") if is_planted and row["name"] == "nightly-eval" else (None, None)
        if is_planted and row["job_id"] in ("9001", "9005"):
            # All eight GPUs at 87.5%, and three of eight at 90%.
            share, by = {"9001": 0.875, "9005": 0.3375}[row["job_id"]], "telemetry"
        used = None if share is None else share * row["gpu_hours"]
        check.near(f"{name}: used", row["gpu_hours_used"], used, seconds)
        check.holds(f"{name}: used by", row["gpu_hours_used_from"] == by)
        if row["usd_per_prediction"] is not None:
            # The runs of the demo that made predictions made a million each.
            check.near(f"{name}: one prediction", row["usd_per_prediction"], row["usd"] / 1_000_000)
        if row["instance_type"] in BOXES and row["name"] and row["gpus"] is not None:
            check.near(f"{name}: whole boxes", row["gpus"], BOXES[row["instance_type"]] * len(row["nodes"]))
        is_lost = row["state"] in LOST
        check.holds(f"{name}: at most", (row["lost_is_upper_bound"] in (True, "true"))
                    == (is_lost and row["saved_at"] is None and span > 0))
        if not is_lost:
            check.near(f"{name}: lost", row["lost_gpu_hours"], 0)
            check.near(f"{name}: lost dollars", row["lost_usd"], 0)
            continue
        if row["saved_at"] is None:
            check.near(f"{name}: lost", row["lost_gpu_hours"], row["gpu_hours"])
        else:
            # And the time to the first step of the next attempt, which is not printed: the demo's is a quarter of an hour at most.
            since = hours(max(row["saved_at"], row["started_at"]), row["ended_at"]) * row["gpus"]
            check.holds(f"{name}: lost since the checkpoint", since - 1e-5 <= row["lost_gpu_hours"]
                        <= min(row["gpu_hours"], since + 0.25 * row["gpus"]) + 1e-5)
        share = row["lost_gpu_hours"] / row["gpu_hours"] if row["gpu_hours"] else 0
        check.near(f"{name}: lost dollars", row["lost_usd"], None if row["usd"] is None else row["usd"] * share, row["usd"] or 0)
    goes(check, "jobs", report, rows)


def by_key(row, key):
    """Values of a key with the part of the attempt that each has."""
    if key == "node":
        nodes = row["nodes"] or [None]
        return [(node, Fraction(1, len(nodes))) for node in nodes]
    value = {
        "cause": lambda: row["cause"] or "none",
        "model": lambda: row["gpu_model"],
        "week": lambda: None if row["started_at"] is None else week(row["started_at"]),
    }.get(key, lambda: row[key])()
    return [(value, Fraction(1))]


def week(text):
    year, number, _ = moment(text).astimezone(timezone.utc).isocalendar()
    return f"{year:04}-W{number:02}"


def part(row, share):
    cut = {key: None if row[key] is None else row[key] * float(share)
           for key in ["gpu_hours", "usd", "lost_gpu_hours", "lost_usd"]}
    return {**row, **cut}


def jobs_tax(check, report):
    key, attempts = report["by"], report["attempts"]
    groups = defaultdict(list)
    for row in attempts:
        for value, share in by_key(row, key):
            groups[value].append(part(row, share))
    rows = report["rows"]
    check.holds(f"tax by {key}: each value once", len(rows) == len(groups) == len({row["key"] for row in rows}))
    costliest = [(row["lost_usd"] or 0) for row in rows]
    check.holds(f"tax by {key}: what lost most first", costliest == sorted(costliest, reverse=True))
    for row in rows:
        name, want = f"tax by {key}: {row['key']}", sums(groups[row["key"]])
        for field in ["attempts", "gpu_hours", "usd", "lost_gpu_hours", "lost_usd", "cancelled_gpu_hours", "cancelled_usd",
                      "unpriced_attempts", "unknown_gpu_attempts"]:
            check.near(f"{name}: {field}", row[field], want[field], len(groups[row["key"]]))
        share = row["lost_gpu_hours"] / row["gpu_hours"] if row["gpu_hours"] else None
        check.near(f"{name}: share", row["lost_share"], share)
    goes(check, f"tax by {key}", report, attempts)


def covered(spans, least):
    """Seconds in which at least so many of these stretches hold."""
    moments = sorted({at for span in spans for at in span})
    return sum((end - at).total_seconds() for at, end in zip(moments, moments[1:])
               if sum(since <= at and end <= until for since, until in spans) >= least)


def jobs_nodes(check, report):
    rows, now = report["rows"], report["generated_at"]
    holders = defaultdict(list)
    for row in report["attempts"]:
        if held(row, now) > 0:
            for node in row["nodes"]:
                holders[row["source"], row["cluster"], node].append(row)
    check.holds("nodes: all that were held", set(holders) <= {(row["source"], row["cluster"], row["node"]) for row in rows})
    for row in rows:
        name = f"node {row['node']}"
        here = holders[row["source"], row["cluster"], row["node"]]
        spans = [(moment(of["started_at"]), moment(of["ended_at"] or now)) for of in here]
        busy = covered(spans, 1) / 3600
        check.near(f"{name}: attempts", row["attempts"], len(here))
        # Moments are printed in whole seconds.
        check.near(f"{name}: hours held", row["hours"] - (row["idle_hours"] or 0), busy, 600)
        check.holds(f"{name}: no more than from first to last", row["hours"] <= hours(row["from"], row["until"]) + 1e-3)
        if all(of["instance_type"] in BOXES and of["name"] for of in here):
            check.near(f"{name}: more asked for than it has", row["scaled_hours"], covered(spans, 2) / 3600, 600)
        elif not any(of["scaled"] in (True, "true") for of in here):
            check.near(f"{name}: nobody is scaled", row["scaled_hours"], 0)
        if row["usd"] is None:
            check.near(f"{name}: no price", row["unpriced_hours"], row["hours"])
            continue
        check.near(f"{name}: all of it", row["usd"], row["jobs_usd"] + (row["idle_usd"] or 0) + row["unallocated_usd"])
        check.holds(f"{name}: hours without a price", 0 <= row["unpriced_hours"] < row["hours"] or row["hours"] == 0)
    if all(of["usd"] is not None for here in holders.values() for of in here):
        # Once each, though an attempt stands at each of its nodes.
        costs = {(of["source"], of["cluster"], of["job_id"], of["attempt"]): of["usd"] for here in holders.values() for of in here}
        check.near("nodes: jobs cost what attempts cost", total(rows, "jobs_usd"), sum(costs.values()), len(costs))
    for key in ["hours", "usd", "jobs_usd", "idle_usd", "unallocated_usd", "unpriced_hours", "scaled_hours"]:
        check.near(f"nodes: {key}", report["total"][key], total(rows, key), len(rows))


def script(row):
    return " ".join(text for text in [row["cluster"], row["user"], row["name"]] if text)


def by_script(rows):
    scripts = defaultdict(list)
    for row in rows:
        if row["name"] and row["ended_at"]:
            scripts[script(row)].append(row)
    for all_of in scripts.values():
        all_of.sort(key=lambda row: row["ended_at"])
    return scripts


def same_node(rows):
    found, before = defaultdict(list), {}
    for row in rows:
        if not failed(row):
            continue
        job = row["source"], row["cluster"], row["job_id"]
        last, before[job] = before.get(job), row
        if last and row["attempt"] == last["attempt"] + 1:
            shared = next((node for node in row["nodes"] if node in last["nodes"]), None)
            if shared:
                found[f"{row['cluster']} {shared}".strip()].append(row)
    return found


def same_script(rows):
    found = defaultdict(list)
    for key, all_of in by_script(rows).items():
        streak = []
        for row in [*all_of, None]:
            if row and failed(row):
                streak.append(row)
                continue
            if len(streak) >= 3:
                found[key] += streak[1:]
            streak = []
    return found


def last_hour(rows, now):
    found = defaultdict(list)
    for key, all_of in by_script(rows).items():
        lengths = sorted(held(row, now) for row in all_of if row["state"] == "completed")
        usual = lengths[len(lengths) // 2] if len(lengths) >= 3 else None
        for row in all_of:
            late = usual is not None and failed(row) and usual - 1 <= held(row, now) < usual
            if held(row, now) >= 2 and (late or row["state"] == "timed_out"):
                found[key].append(row)
    return found


def sweeps(rows, now):
    members = defaultdict(list)
    for row in rows:
        # The demo has no arrays and no parents: members have a name with a number at its end.
        stem = (row["name"] or "").rstrip("0123456789")
        if row["started_at"] and stem and stem != row["name"]:
            members[" ".join(text for text in [row["cluster"], row["user"], stem.rstrip("-_.=")] if text)].append(row)
    found = {}
    for key, all_of in members.items():
        over = all(row["state"] not in ("running", "queued", "doubtful", "unknown") for row in all_of)
        lengths = sorted(held(row, now) for row in all_of if row["state"] == "completed")
        if over and len(all_of) >= 8 and len(lengths) * 10 >= len(all_of) * 9 \
                and lengths[len(lengths) // 4] * 10 >= lengths[len(lengths) // 2] * 8:
            found[key] = all_of
    return found


def jobs_repeats(check, report):
    now, counted, seen = report["generated_at"], set(), set()
    # In the order in which they began; the newest are printed first.
    rows = list(reversed(report["attempts"]))
    said = {(row["kind"], row["key"]): row for row in report["rows"]}
    kinds = {"same_node": same_node(rows), "same_script": same_script(rows), "last_hour": last_hour(rows, now),
             "sweep": sweeps(rows, now)}
    for kind, groups in kinds.items():
        fields = {"gpu_hours": "gpu_hours", "usd": "usd"} if kind == "sweep" else {"gpu_hours": "lost_gpu_hours", "usd": "lost_usd"}
        part_of = 0.25 if kind == "sweep" else 1
        for key in sorted(groups):
            seen.add((kind, key))
            row, all_of = said.get((kind, key)), groups[key]
            check.holds(f"{kind} {key}: it is named", row is not None)
            if row is None:
                continue
            fresh = [of for of in all_of if id(of) not in counted]
            counted.update(id(of) for of in all_of)
            check.near(f"{kind} {key}: attempts", row["attempts"], len(all_of))
            for prefix, those in [("lost", all_of), ("own_lost", fresh)]:
                for unit, field in fields.items():
                    known = [of[field] for of in those if of[field] is not None]
                    want = sum(known) * part_of if known or unit == "gpu_hours" and those else None
                    check.near(f"{kind} {key}: {prefix} {unit}", row[f"{prefix}_{unit}"], want, len(those))
    check.holds("repeats: nothing else is named", seen == set(said))
    for unit in ["gpu_hours", "usd"]:
        check.near(f"repeats: own {unit}", report["total"][f"own_lost_{unit}"] or 0, total(report["rows"], f"own_lost_{unit}"),
                   len(said))


def jobs_zombies(check, report):
    rows = report["rows"]
    check.holds("zombies: each GPU once", len({(row["node"], row["gpu"]) for row in rows}) == len(rows))
    for row in rows:
        name, rate = f"zombie {row['node']} {row['gpu']}", row["usd_per_hour"]
        span = None if row["since"] is None else hours(row["since"], report["generated_at"])
        # Moments are printed in whole seconds.
        check.near(f"{name}: so far", row["usd"], None if rate is None or span is None else rate * span, 300 * (rate or 0))
    for key in ["usd_per_hour", "usd"]:
        check.near(f"zombies: {key}", report["total"][key], total(rows, key), len(rows))
    check.near("zombies: GPUs", report["total"]["gpus"], len(rows))


def jobs_wait(check, report):
    rows, kinds = report["rows"], ["limit", "room", "fragmented", "shortage", "unknown"]
    check.holds("waits: each key once", len({(r["hour"], r["source"], r["cluster"], r["key"]) for r in rows}) == len(rows))
    now = report["generated_at"]
    for row in rows:
        name = f"waits {row['hour']} {row['cluster']} {row['key']}"
        waited = sum(row[f"{kind}_gpu_hours"] for kind in kinds)
        check.near(f"{name}: by kind", row["waited_gpu_hours"], waited, len(kinds))
        beside, usd = row["idle_beside_gpu_hours"], row["usd"]
        known = waited - row["unknown_gpu_hours"] - row["shortage_gpu_hours"]
        check.holds(f"{name}: what stood idle was waited for", beside is None or beside <= known + 1e-5)
        check.holds(f"{name}: dollars of what stood idle", usd is None or (usd > 0) == (beside > 0))
        check.holds(f"{name}: users", 0 < row["users"] <= row["attempts"])
        check.near(f"{name}: an hour of a user", row["user_usd"], row["user_hours"] * 95, 100)
        if row["hour"] is None:
            check.holds(f"{name}: no hour", row["waiting_gpus"] is None and row["idle_gpus"] is None)
            continue
        length = min(1, hours(row["hour"], now))
        check.near(f"{name}: mean", row["waiting_gpus"], waited / length, 5000 / length)
        check.holds(f"{name}: users wait an hour at most", row["user_hours"] <= row["users"] * length + 1e-3)
        idle = row["idle_gpus"]
        check.holds(f"{name}: idle", idle is None or beside is None or beside <= idle * length + 1e-2)
    for key in ["waited_gpu_hours", "idle_beside_gpu_hours", "usd"]:
        check.near(f"waits: {key}", report["total"][key], total(rows, key), len(rows))
