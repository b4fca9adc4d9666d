#!/usr/bin/env python3
"""Recomputes what the reports print, from what they print beside it.

    recompute.py BURNTOP             the demo, at three moments: read anew and from a cache, hour by hour from there, and
                                     hours later by that cache against one that is new; then figures are changed one
                                     by one, and each kind of them has to be found wrong

Nothing here is taken from the program but its JSON: sums, shares, months, nets, the waterfall and the groups are worked
out again from the rows, and one report is held against another. Prices of volumes come from the list in assets/. A figure
that does not follow is printed, and the exit code is 1.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

sys.dont_write_bytecode = True

import accounts
import across
import lists
from checks import ASSETS, Checks, moment
from jobs import KEYS as JOB_KEYS

BUCKET = "acme-ml-checkpoints-af07"
FAMILY = ["--family", "p4d.24xlarge"]
# Of accounts: by the cache these have to say what a new one says.
OF_ACCOUNTS = {
    "idle": ["idle"],
    "overview": ["overview"],
    "gpus": ["gpus"],
    "groups": ["gpus", "--group", "team"],
    "commitments": ["commitments"],
    "models": ["models"],
    "rightsize": ["rightsize"],
    "spot": ["spot"],
    "asg": ["spot", "--asg"],
    "resources": ["resources"],
    "network_live": ["network", "--live"],
    "buckets": ["storage", "buckets"],
    "ebs": ["storage", "ebs"],
    "forecast": ["storage", "forecast"],
    "bill": ["bill", "--by", "resource"],
    "bill_commitments": ["bill", "--by", "commitment,pricing"],
    "plan": ["plan", "idle"],
    "volumes": ["plan", "volumes", "--action", "gp3"],
    "policy": ["policy", "run", f"{ASSETS}/policy.example.toml"],
    "schedule": ["policy", "schedule"],
}
# Of one list, one demand, or nothing but what is typed in; `FILE` is where `FILES` lie.
OF_LISTS = {
    "people": ["people"],
    "guide": ["rightsize", "--guide"],
    "explore": ["storage", "explore"],
    "tiers": ["storage", "tiers", "--bucket", BUCKET],
    "lint": ["storage", "lint", "FILE/rule.json", "--bucket", BUCKET],
    "simulate": ["storage", "simulate", "FILE/rule.json", "--bucket", BUCKET],
    "lifecycle": ["storage", "lifecycle", "plan", "--bucket", BUCKET, "FILE/rule.json"],
    "checkpoints": ["storage", "checkpoints", "--keep-last", "3"],
    "duplicates": ["storage", "duplicates"],
    "idle_backtest": ["idle", "--backtest", "14"],
    "network_cache": ["network", "cache", "--by", "prefix"],
    "teams": ["teams"],
    "tags": ["teams", "tags"],
    "budgets": ["budgets"],
    "units": ["units"],
    "quotas": ["quotas"],
    "jobs": ["jobs"],
    **{f"jobs_by_{key}": ["jobs", "tax", "--by", key] for key in JOB_KEYS},
    "jobs_nodes": ["jobs", "nodes"],
    "jobs_repeats": ["jobs", "repeats"],
    "jobs_zombies": ["jobs", "zombies"],
    "jobs_wait": ["jobs", "wait", "--user-usd-per-hour", "95"],
    "jobs_wait_by_queue": ["jobs", "wait", "--by", "queue", "--user-usd-per-hour", "95"],
    "jobs_replay": ["jobs", "replay"],
    "jobs_scaling": ["jobs", "scaling"],
    "trend": ["trend"],
    "optimum": ["whatif", "optimum", *FAMILY, "--tiers", f"{ASSETS}/tiers.example.toml"],
    "reserve": ["whatif", "reserve", *FAMILY, "--on-demand", "32.77", "--reserved", "20", "--paths", "200", "--commit", "10"],
    "backtest": ["whatif", "backtest", *FAMILY, "--on-demand", "32.77", "--reserved", "20"],
    "compare": ["whatif", "compare", *FAMILY, "FILE/5.toml", "FILE/12.toml"],
    "memo": ["whatif", "memo", *FAMILY, "--scenario", "FILE/12.toml"],
}
SCENARIO = """schema = "burntop/scenario/1"
name = "UNITS"
future = { paths = 200 }
[[family]]
name = "p4d.24xlarge"
on_demand = 32.77
[[family.offer]]
name = "1y"
kind = "standard_ri"
weeks = 52
payment = "no-upfront"
rate = 20.0
[[family.buy]]
offer = "1y"
units = UNITS
week = 0
"""
FILES = {
    "rule.json": json.dumps({"Rules": [{
        "ID": "cold", "Status": "Enabled", "Filter": {"Prefix": ""},
        "Transitions": [{"Days": 90, "StorageClass": "GLACIER_IR"}]}]}),
    "load.csv": "time,load\n" + "".join(f"2026-01-01T0{hour}:00:00Z,{load}\n" for hour, load in enumerate([1, 5, 9, 3])),
    "5.toml": SCENARIO.replace("UNITS", "5"),
    "12.toml": SCENARIO.replace("UNITS", "12"),
}
MOMENTS = ["2026-01-15T03:12:40Z", "2026-01-15T17:59:59Z", "2026-02-28T23:30:00Z"]
# Looks after each moment, an hour apart, by the same cache.
HOURS_AHEAD = 3
# Hours after a moment at which its cache is held against a new one, moment by moment.
LATER = [[50], [], [4]]
# Hours after a moment at which its cache looks again, and at none between: each gap is shorter than the week that sources
# remember, and together they are longer than the fifteen days of hours that the cache keeps.
GAPS = [[], [144, 288, 432], []]


def wrong_in(reports):
    check = Checks()
    for name, report in reports.items():
        getattr(accounts if name in OF_ACCOUNTS else lists, name)(check, report)
    if "idle" in reports:
        across.across(check, reports)
    return check


def ask(burntop, home, now, command, *more):
    env = dict(os.environ, HOME=home, XDG_CACHE_HOME=f"{home}/cache", XDG_CONFIG_HOME=f"{home}/config",
               XDG_STATE_HOME=f"{home}/state")
    command = [part.replace("FILE/", f"{home}/") for part in command]
    run = subprocess.run([burntop, "--demo", "--now", now, *more, *command, "--format", "json"], env=env,
                         capture_output=True, timeout=300, check=False)
    # 3: a part of it was not read, which the demo plants.
    if run.returncode not in (0, 3):
        raise RuntimeError(f"burntop {' '.join(command)} ended with {run.returncode}: {run.stderr.decode()}")
    return json.loads(run.stdout)


def read(burntop, home, now):
    return {name: ask(burntop, home, now, command) for name, command in OF_ACCOUNTS.items()}


def read_offline(burntop, home, now, reports):
    """What can be said without asking anybody; of the rest `reports`."""
    asking = ("plan", "volumes", "policy")
    return {name: reports[name] if name in asking else ask(burntop, home, now, command, "--offline")
            for name, command in OF_ACCOUNTS.items()}


def read_lists(burntop, home, now):
    for name, text in FILES.items():
        with open(f"{home}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    reports = {name: ask(burntop, home, now, command) for name, command in OF_LISTS.items()}
    # What is made of attempts is held against them.
    made = [report for name, report in reports.items() if name.startswith("jobs_")]
    for report in made:
        report["attempts"] = reports["jobs"]["rows"]
    rows = []
    for name, (inputs, _) in lists.SIMULATORS.items():
        report = ask(burntop, home, now, ["whatif", name, *inputs.split()])
        rows += [dict(row, simulator=name) for row in report["rows"]]
    return dict(reports, simulators={"rows": rows})


def figures(value, path=()):
    """Every number in rows, sums and totals, by its path."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield path
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from figures(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from figures(part, (*path, place))


# What a provider, a list of prices or a person says: nothing beside it tells it.
INPUTS = {
    "idle": "vcpus memory age coverage gpu cpu network_per_day covered_by.usd_per_hour signals.threshold signals.value"
            " signals.highest signals.expected",
    "gpus": "gpu_index gpu_instance age_s util sm_active gr_engine_active tensor_active dram_active neuroncore enc dec temp_c"
            " xid processes",
    "commitments": "available hours sums.hours",
    "rightsize": "need_gpus need_gpu_memory need_vcpus need_memory need_network_gbps",
    "spot": "checkpoint_every efficiency gpus zones.hours zones.mean_usd_per_hour zones.highest_usd_per_hour",
    "resources": "coverage signals.threshold signals.value signals.highest signals.got signals.expected",
    "network_live": "bytes",
    "buckets": "objects rules hot inventories uploads reads_per_month unpriced_bytes findings.bytes findings.usd_per_month",
    "ebs": "stopped images findings.bytes",
    "forecast": "trend_days curve.bytes_p10 curve.bytes_p90 curve.usd_per_month_p10 curve.usd_per_month_p90",
    "plan": "caps.limit stakes.stays.size_gib stakes.stays.usd_per_month stakes.dies.size_gib stakes.dies.usd_per_month"
            " stakes.instance_store_gb stakes.public_ipv4",
    "volumes": "caps.limit",
    "policy": "caps.limit",
    "schedule": "weeks off.days off.from_hour off.to_hour off.hours",
    "guide": "gpus memory_share ms_first_token",
    "explore": "age noncurrent_bytes unpriced_bytes noncurrent_objects delete_markers",
    "tiers": "options.objects_moved options.bytes_moved options.bytes_copied options.bytes_too_small options.bytes_waiting"
             " options.bytes_of_unknown_age options.break_even_reads_per_month",
    "simulate": "moves.objects moves.bytes deleted.objects deleted.bytes hidden.objects hidden.bytes maybe_by_tag.objects"
                " maybe_by_tag.bytes maybe_by_versions.objects maybe_by_versions.bytes",
    "checkpoints": "runs.confidence runs.interval_s runs.pointed runs.steps.metric plan.largest_gap"
                   " totals.bytes_left_by_policy_alone",
    "duplicates": "groups.containment_a_in_b groups.containment_b_in_a groups.objects",
    # Where the curve begins and ends, and between two points that are alike, nothing else tells it.
    "network_cache": "curve.hit_requests_ratio curve.cache_bytes",
    "teams": "gpu_hours budget_usd",
    "budgets": "burn_usd_per_day levels",
    "units": "target days uncounted_days usd_per_unit_before",
    "quotas": "unknown",
    "jobs_zombies": "gpu",
    "jobs_wait": "unknown_gpu_attempts attempts idle_gpus",
    "jobs_wait_by_queue": "unknown_gpu_attempts attempts",
    "jobs_replay": "drained_node_hours",
    "jobs_scaling": "scale_down_minutes",
    "trend": "unpriced_instance_hours unjudged_instance_hours saved_usd",
    "idle_backtest": "judged spells.after_hours",
    "backtest": "units_bought",
    "reserve": "look_back.days look_back.commit",
    "memo": "answer.paths answer.buy.week answer.buy.upfront_usd answer.plan.week answer.plan.upfront_usd answer.avoid.units"
            " answer.avoid.week answer.avoid.upfront_usd",
}
# Of these kinds of figures a change is looked for in every list, not in rows and sums alone.
LISTS = ("rows", "sums", "totals", "mixed_fleets", "blind", "caps", "rules", "options", "months", "runs", "plan", "groups")
# What is drawn by chance, and what follows from it: how is for the tests of `whatif`.
CHANCE = {"mean_error_usd", "error_usd", "cheaper", "p95_usd", "worst5_savings_usd", "prob_above_on_demand", "regret_usd",
          "npv_usd", "lock_in_months", "safe_months", "best_units", "cautious_units", "saves_usd", "usd"}


def kinds(report):
    """The figures of a report by kind: the keys that lead to them, and in the Overview the section."""
    found = defaultdict(list)
    for path in figures({key: part for key, part in report.items() if key in LISTS}):
        names = [step for step in path if isinstance(step, str)]
        if path[0] == "rows":
            names = names[1:]
            names[:0] = [report["rows"][path[1]]["section"]] if "section" in report["rows"][path[1]] else []
        found[".".join(names)].append(path)
    return found


def is_noticed(reports, name, path):
    at = reports[name]
    for step in path[:-1]:
        at = at[step]
    kept = at[path[-1]]
    # By a tenth, and where that is nothing by one.
    at[path[-1]] = kept * 1.1 if isinstance(kept, float) and kept else kept + max(1, kept // 10)
    try:
        return bool(wrong_in(reports).wrong)
    except (KeyError, ZeroDivisionError, StopIteration):
        return True
    finally:
        at[path[-1]] = kept


def self_check(reports):
    """Changes figures one by one; the kinds of which no change was noticed, by report."""
    chance, blind, tried = random.Random(1), [], 0
    alone = {name: {name: report} for name, report in reports.items() if name not in OF_ACCOUNTS}
    accounts = {name: report for name, report in reports.items() if name in OF_ACCOUNTS}
    for name, report in reports.items():
        inputs = set(INPUTS.get(name, "").split())
        for kind, paths in kinds(report).items():
            typed_in = kind in inputs or kind.startswith("scenario.")
            if typed_in or name in ("reserve", "compare", "memo") and kind.split(".")[-1] in CHANCE:
                continue
            tried += 1
            some = chance.sample(paths, min(8, len(paths)))
            if not any(is_noticed(alone.get(name, accounts), name, path) for path in some):
                blind.append(f"{name}: {kind}")
    return tried, blind


def said(check, what):
    lines = [f"{what}: {check.done} figures, {len(check.wrong)} do not follow"]
    return lines + [f"  {line}" for line in check.wrong[:20]], len(check.wrong)


def look(burntop, now, later, gaps):
    """All about one moment: what is to be printed, how much does not follow, the reports."""
    lines, failed = [], 0

    def tell(check, what):
        nonlocal failed
        more, wrong = said(check, f"{now} {what}")
        lines.extend(more)
        failed += wrong

    with tempfile.TemporaryDirectory() as home:
        reports = read(burntop, home, now)
        tell(wrong_in(reports), "read anew")
        tell(wrong_in(read_offline(burntop, home, now, reports)), "from a cache")
        check = Checks()
        across.same(check, "gpus, asked again", reports["gpus"]["rows"], ask(burntop, home, now, OF_ACCOUNTS["gpus"])["rows"])
        # Hour by hour: a start that was seen stays.
        last = dict(reports)
        for ahead in range(1, HOURS_AHEAD + 1):
            at = after(now, ahead)
            next_hour = {name: ask(burntop, home, at, OF_ACCOUNTS[name]) for name in ["idle", "gpus", "resources"]}
            for name, report in next_hour.items():
                getattr(accounts, name)(check, report)
                across.goes_on(check, last[name], report)
            last = next_hour
        tell(check, f"and {HOURS_AHEAD} h on")
        for ahead in later:
            by_cache = read(burntop, home, after(now, ahead))
            with tempfile.TemporaryDirectory() as other:
                anew = read(burntop, other, after(now, ahead))
            check = wrong_in(by_cache)
            # A profile of the week needs two weeks, of which a new cache has one.
            del anew["schedule"]
            # An instance that the demo shows from now on is two days old, and nobody was told of its GPUs before.
            known = {row["instance_id"] for row in reports["idle"]["rows"]} | {None}
            for by in [anew, by_cache]:
                by["gpus"]["rows"] = [row for row in by["gpus"]["rows"] if row["instance_id"] in known]
            for name, report in anew.items():
                across.same(check, name, report, by_cache[name])
            tell(check, f"and {ahead} h on, by this cache and by a new one")
        check = Checks()
        for ahead in gaps:
            at = after(now, ahead)
            report = ask(burntop, home, at, OF_ACCOUNTS["gpus"])
            launched = {row["instance_id"]: row["launched_at"] for row in ask(burntop, home, at, ["idle"])["rows"]}
            accounts.gpus(check, report)
            across.goes_on(check, last["gpus"], report, launched)
            last["gpus"] = report
        if gaps:
            tell(check, f"and with gaps, {gaps[-1]} h on")
    # What a list tells of a bucket is known of it from then on: last.
    with tempfile.TemporaryDirectory() as home:
        lists = read_lists(burntop, home, now)
        tell(wrong_in(lists), "of lists and what is typed in")
        known = read(burntop, home, now)
        found = [f["kind"] for row in known["buckets"]["rows"] if row["name"] == BUCKET for f in row["findings"]]
        check = wrong_in(known)
        check.holds(f"what a list told of {BUCKET}: {found}", "prunable_checkpoints" in found)
        tell(check, "with what lists told")
        tell(wrong_in(read_offline(burntop, home, now, known)), "with that, from a cache")
    return lines, failed, dict(reports, **lists)


def after(now, ahead):
    return (moment(now) + timedelta(hours=ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    burntop = os.path.abspath(sys.argv[1])
    with ThreadPoolExecutor(max_workers=2) as pool:
        looks = list(pool.map(lambda at: look(burntop, *at), zip(MOMENTS, LATER, GAPS)))
    for lines, _, _ in looks:
        print("\n".join(lines), flush=True)
    tried, blind = self_check(looks[0][2])
    print(f"{tried} kinds of figures changed, {len(blind)} unnoticed")
    for kind in blind:
        print(f"  {kind}")
    sys.exit(1 if blind or any(failed for _, failed, _ in looks) else 0)


if __name__ == "__main__":
    main()
