#!/usr/bin/env python3
"""Recomputes what the reports print, from what they print beside it.

    recompute.py BURNTOP             the demo, at three moments, read anew and from a cache, and hour by hour from
                                     there; then figures are changed one by one, and each kind of them has to be
                                     found wrong

Nothing here is taken from the program but its JSON: sums, shares, months, nets, the waterfall and the groups are worked
out again from the rows, and one report is held against another. A figure that does not follow is printed, and the exit
code is 1.
"""

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import datetime, timedelta

TIERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets/tiers.example.toml")
REPORTS = {
    "idle": ["idle"],
    "overview": ["overview"],
    "gpus": ["gpus"],
    "commitments": ["commitments"],
    "rightsize": ["rightsize"],
    "spot": ["spot"],
    "resources": ["resources"],
    "buckets": ["storage", "buckets"],
    "ebs": ["storage", "ebs"],
    "optimum": ["whatif", "optimum", "--family", "p4d.24xlarge", "--tiers", TIERS],
}
MOMENTS = ["2026-01-15T03:12:40Z", "2026-01-15T17:59:59Z", "2026-02-28T23:30:00Z"]
HOURS_PER_MONTH = 730
# Looks after each moment, an hour apart, by the same cache.
HOURS_AHEAD = 4


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def hours(since, until):
    return (moment(until) - moment(since)).total_seconds() / 3600


def most_wasted(row, until):
    """Moments are printed in whole seconds, rates in millionths."""
    return (row["waste_usd_per_hour"] + 1e-6) * (hours(row["idle_since"], until) + 1 / 3600) + 1e-6


def total(rows, key):
    return sum(row[key] for row in rows if row.get(key) is not None)


class Checks:
    """What does not follow. Figures are rounded to six digits behind the point, so sums of them differ a little."""

    def __init__(self):
        self.wrong, self.done = [], 0

    def near(self, what, printed, expected, count=1):
        self.done += 1
        if printed is None or expected is None:
            if printed is not expected:
                self.wrong.append(f"{what}: printed {printed}, expected {expected}")
        elif abs(printed - expected) > 1e-6 * (count + 1) + 1e-7 * abs(expected):
            self.wrong.append(f"{what}: printed {printed}, expected {expected}")

    def holds(self, what, truth):
        self.done += 1
        if not truth:
            self.wrong.append(what)


def bound(check, name, row):
    """Whether a stretch may be longer is said of each, and of nothing else."""
    said = row["idle_since_at_least"]
    check.holds(f"{name}: idle since {row['idle_since']}, at least: {said}",
                (said is None) == (row["idle_since"] is None))


def at_least(rows):
    """True where a sum of wasted dollars is a lower bound: some stretch of them may be longer."""
    return any(row["idle_since_at_least"] and (row["wasted_usd"] or 0) > 0 for row in rows)


# One report by itself.


def idle(check, report):
    for row in report["rows"]:
        name, usd, kind = row["name"] or row["instance_id"], row["usd_per_hour"], row["verdict"]
        share = {"idle": 1, "unknown": None, "too_new": None, None: None}.get(kind, 0)
        if kind == "partial":
            gpus = sum(1 for s in row["signals"] if s["label"].startswith("GPU "))
            check.near(f"{name}: idle GPUs", row["idle_gpus"], gpus - sum(
                1 for s in row["signals"] if s["label"].startswith("GPU ") and s["busy"]))
            share = row["idle_gpus"] / gpus
        known = usd is not None and share is not None
        check.near(f"{name}: waste", row["waste_usd_per_hour"], usd * share if known else None)
        if row["idle_since"] and row["wasted_usd"] is not None:
            # To the last reading of the metrics: within the hour that is open.
            most = most_wasted(row, report["generated_at"])
            check.holds(f"{name}: wasted {row['wasted_usd']} of at most {most}",
                        most - row["waste_usd_per_hour"] * 2 <= row["wasted_usd"] <= most)
        else:
            check.holds(f"{name}: wasted without a stretch", not row["wasted_usd"])
        bound(check, name, row)
        net = row["net_usd_per_hour"]
        if net is None:
            check.holds(f"{name}: a net that is not known has a reason",
                        row["net_unknown"] or row["state"] != "running")
        elif share is not None:
            check.near(f"{name}: net waste", row["net_waste_usd_per_hour"], net * share)
        for s in row["signals"]:
            check.holds(f"{name}: {s['label']}: {s['got']} of {s['expected']}", s["got"] <= s["expected"])
            if s["value"] is not None and s["unit"] != "days" and not s.get("joint"):
                reached = s["value"] >= s["threshold"] * (1 - 1e-6)
                covered = s["got"] >= 0.9 * s["expected"]
                check.holds(f"{name}: {s['label']} {s['value']} of {s['threshold']}, busy {s['busy']}",
                            reached if s["busy"] else not covered or s["value"] <= s["threshold"])
        joint = [s for s in row["signals"] if s.get("joint")]
        if len(joint) > 1:
            check.holds(f"{name}: joint limits", len({s["busy"] for s in joint}) == 1)
            if joint[0]["busy"]:
                check.holds(f"{name}: joint limits are reached",
                            all(s["value"] is None or s["value"] >= s["threshold"] * (1 - 1e-6) for s in joint))


def overview(check, report):
    rows = defaultdict(list)
    for row in report["rows"]:
        rows[row["section"]].append(row)
        month = row["usd_per_month"]
        if month is not None and row["usd_per_hour"] is not None:
            check.near(f"{row['name']}: month", month, row["usd_per_hour"] * HOURS_PER_MONTH, HOURS_PER_MONTH)
        if row["saves_usd_per_month"] is not None:
            check.near(f"{row['name']}: saves a month", row["saves_usd_per_month"],
                       row["saves_usd_per_hour"] * HOURS_PER_MONTH, HOURS_PER_MONTH)
    fleet = {row["name"]: row for row in rows["fleet"]}
    burn = fleet["running"]["usd_per_hour"]
    check.near("share of waste", fleet["running"]["share"], fleet["running"]["waste_usd_per_hour"] / burn)
    for section in ["part", "team", "place"]:
        for row in rows[section]:
            check.near(f"{section} {row['name']}: share", row["share"], row["usd_per_hour"] / burn)
        check.near(f"{section}: dollars", total(rows[section], "usd_per_hour"), burn, len(rows[section]))
    for section in ["team", "place"]:
        for key in ["instances", "gpus", "waste_usd_per_hour", "unpriced"]:
            check.near(f"{section}: {key}", total(rows[section], key), fleet["running"][key], len(rows[section]))
    if rows["waterfall"]:
        bill, gross, saves = None, 0, 0
        for row in rows["waterfall"]:
            if row["name"] == "before":
                bill = row["usd_per_hour"]
            elif row["name"] == "after":
                check.near("waterfall: after", row["usd_per_hour"], bill, 8)
                check.near("waterfall: saves", row["saves_usd_per_hour"], saves, 8)
                check.near("waterfall: a naive sum", row["gross_usd_per_hour"], gross, 8)
            else:
                bill -= row["saves_usd_per_hour"]
                saves += row["saves_usd_per_hour"]
                gross += row["gross_usd_per_hour"]
                check.near(f"waterfall: after {row['name']}", row["usd_per_hour"], bill, 8)
                check.holds(f"waterfall: {row['name']} saves more than its gross",
                            row["saves_usd_per_hour"] <= row["gross_usd_per_hour"] + 1e-6)
        steps = {row["name"]: row["saves_usd_per_hour"] for row in rows["waterfall"]}
        names = {"stop": "idle", "commit": "commitments"}
        for row in rows["sequence"]:
            if row["saves_usd_per_hour"] is not None:
                name = names.get(row["name"], row["name"])
                check.near(f"order of work: {row['name']}", row["saves_usd_per_hour"], steps[name])


def gpus(check, report):
    by_instance = defaultdict(list)
    for row in report["rows"]:
        name = f"{row['node']} GPU {row['gpu_index']}"
        if row["instance_id"]:
            by_instance[row["instance_id"]].append(row)
        if row["usd_per_hour"] is not None and row["waste_usd_per_hour"] is not None:
            check.holds(f"{name}: wastes more than it costs",
                        -1e-6 <= row["waste_usd_per_hour"] <= row["usd_per_hour"] + 1e-6)
        if row["state"] in ["unallocated_idle", "held_idle", "stalled"]:
            check.near(f"{name}: waste", row["waste_usd_per_hour"], row["usd_per_hour"])
        if row["idle_since"] and row["wasted_usd"] is not None:
            most = most_wasted(row, report["generated_at"])
            check.holds(f"{name}: wasted {row['wasted_usd']} of at most {most}", row["wasted_usd"] <= most)
        bound(check, name, row)
        for key in ["effective", "util", "enc", "dec", "sm_active", "gr_engine_active", "tensor_active"]:
            check.holds(f"{name}: {key} {row[key]}", row[key] is None or 0 <= row[key] <= 1)
        if row["mem_used"] is not None and row["mem_total"]:
            check.holds(f"{name}: memory", row["mem_used"] <= row["mem_total"])
    return by_instance


def commitments(check, report):
    rows, sums, totals = report["rows"], report["sums"], report["totals"]
    held = [row for row in rows if row["state"] == "active"]
    room = [row for row in held if row["kind"] == "capacity_reservation"]
    paid = [row for row in held if row["kind"] != "capacity_reservation"]
    check.near("held", totals["commitments"], len(rows))
    check.near("paid", sums["committed_usd_per_hour"], total(paid, "usd_per_hour"), len(paid))
    check.near("paid without a price", sums["committed_unknown"], sum(row["usd_per_hour"] is None for row in paid))
    check.near("unused", sums["unused_usd_per_hour"], total(held, "unused_usd_per_hour"), len(held))
    check.near("unused room", sums["unused_room_usd_per_hour"], total(room, "unused_usd_per_hour"), len(room))
    for key in ["unused_usd_per_hour", "unused_unknown"]:
        check.near(f"totals: {key}", totals[key], sums[key])
    # By dollars, over the hours that each was in force.
    over = [row for row in rows if row["kind"] != "capacity_reservation" and row["hours"]
            and row["usd_per_hour"] is not None and row["utilisation"] is not None]
    bill = sum(row["usd_per_hour"] * row["hours"] for row in over)
    used = sum(row["usd_per_hour"] * row["hours"] * row["utilisation"] for row in over)
    if bill:
        check.holds(f"utilisation by dollars: printed {sums['utilisation']}, expected {used / bill}",
                    sums["utilisation"] is not None and abs(sums["utilisation"] - used / bill) < 0.002)
    for row in rows:
        for key in ["utilisation", "utilisation_now"]:
            check.holds(f"{row['id']}: {key}", row[key] is None or 0 <= row[key] <= 1)
        known = row["unused_usd_per_hour"] is not None and row["usd_per_hour"] is not None
        if row in paid and known and row["utilisation_now"] is not None:
            check.near(f"{row['id']}: unused", row["unused_usd_per_hour"],
                       row["usd_per_hour"] * (1 - row["utilisation_now"]), row["usd_per_hour"])


def rightsize(check, report):
    rows = [row for row in report["rows"] if row["verdict"] == "smaller"]
    for row in rows:
        check.near(f"{row['name']}: gross", row["gross_usd_per_hour"], row["usd_per_hour"] - row["to_usd_per_hour"], 2)
        check.holds(f"{row['name']}: net above gross", row["net_usd_per_hour"] is None
                    or row["net_usd_per_hour"] <= row["gross_usd_per_hour"] + 1e-6)
    totals = report["totals"]
    check.near("proposals", totals["proposals"], len(rows))
    check.near("gross", totals["gross_usd_per_hour"], total(rows, "gross_usd_per_hour"), len(rows))
    check.near("net", totals["net_usd_per_hour_each_alone"], total(rows, "net_usd_per_hour"), len(rows))
    check.near("net not known", totals["net_unknown"], sum(row["net_usd_per_hour"] is None for row in rows))


def spot(check, report):
    totals = report["totals"]
    for fit in ["yes", "partial", "no", "unknown"]:
        check.near(f"fit {fit}", totals[fit], sum(row["fit"] == fit for row in report["rows"]))
    for row in report["rows"]:
        # What is the base of a fleet stays on demand.
        if row["fit"] == "partial" and row["gross_usd_per_hour"] == 0:
            check.near(f"{row['name']}: net of a base", row["net_usd_per_hour"], 0)
        elif row["gross_usd_per_hour"] is not None and row["spot_usd_per_hour"] is not None:
            check.near(f"{row['name']}: gross", row["gross_usd_per_hour"],
                       row["on_demand_usd_per_hour"] - row["spot_usd_per_hour"], 2)
            if row["net_usd_per_hour"] is not None:
                check.holds(f"{row['name']}: net above gross",
                            row["net_usd_per_hour"] <= row["gross_usd_per_hour"] + 1e-6)
    rows = {row["id"]: row for row in report["rows"]}
    for fleet in report["mixed_fleets"]:
        check.near("fleet: instances", fleet["count"], len(fleet["instances"]))
        if fleet["no_policy"] is None:
            check.near("fleet: base and Spot", fleet["on_demand"] + fleet["spot"], fleet["count"])
        for row in fleet["instances"]:
            check.holds(f"fleet: {row} is in no row", row in rows)


def resources(check, report):
    rows, totals = report["rows"], report["totals"]
    wasteful = [row for row in rows if row["verdict"] == "idle"]
    check.near("resources", totals["resources"], len(rows))
    check.near("idle", totals["idle"], len(wasteful))
    check.near("waste", totals["waste_usd_per_hour"], total(wasteful, "waste_usd_per_hour"), len(rows))
    check.near("net", totals["net_usd_per_hour"], total(wasteful, "net_usd_per_hour"), len(rows))
    check.near("net not known", totals["net_unknown"], sum(row["net_usd_per_hour"] is None for row in wasteful))
    for row in rows:
        bound(check, row["name"], row)
    for row in wasteful:
        if row["waste_usd_per_hour"] is not None and row["usd_per_hour"] is not None:
            check.holds(f"{row['name']}: wastes more than it costs",
                        row["waste_usd_per_hour"] <= row["usd_per_hour"] + 1e-6)
        if row["wasted_usd"] is not None and row["idle_since"]:
            most = most_wasted(row, report["generated_at"])
            check.holds(f"{row['name']}: wasted {row['wasted_usd']} of at most {most}",
                        row["wasted_usd"] <= most)


def buckets(check, report):
    for row in report["rows"]:
        if row["tiers"]:
            tiers = [tier for tier in row["tiers"].values() if isinstance(tier, dict)]
            if tiers and all("bytes" in tier for tier in tiers):
                check.near(f"{row['name']}: bytes", row["bytes"], total(tiers, "bytes"), len(tiers))
        check.holds(f"{row['name']}: saves more than it costs", row["savings"] is None
                    or row["usd_per_month"] is None or row["savings"] <= row["usd_per_month"] + 1e-6)


def ebs(check, report):
    for row in report["rows"]:
        check.holds(f"{row['id']}: saves more than it costs", row["savings"] is None
                    or row["usd_per_month"] is None or row["savings"] <= row["usd_per_month"] + 1e-6)


def optimum(check, report):
    rows, period = report["tiers"], report["period"]
    check.near("optimum: cost", report["cost_usd"], total(rows, "cost_usd"), len(rows))
    check.near("optimum: saves", report["esr"], 1 - report["cost_usd"] / report["on_demand_usd"])
    check.near("optimum: hours", period["hours"], report["demand"]["hours"] + period["repeated_hours"])
    check.holds("optimum: repeated demand is said", bool(period["extrapolated"]) == bool(period["repeated_hours"]))
    for row in rows:
        near = row["rate"] * row["unit_hours"]
        check.near(f"optimum: {row['name']}", row["cost_usd"], near, 1 + row["unit_hours"])
        if row["term_hours"]:
            # Each unit for a whole number of whole terms, less the hours of which nothing is known.
            check.near(f"optimum: {row['name']}: whole terms", period["hours"] % row["term_hours"], 0)
            if period["known_hours"] == period["hours"]:
                check.near(f"optimum: {row['name']}: unit-hours", row["unit_hours"],
                           sum(row["periods"]) * row["term_hours"], row["term_hours"])


# One report against another.


def across(check, reports):
    running = [row for row in reports["idle"]["rows"] if row["state"] == "running"]
    lines = reports["overview"]["rows"]
    fleet = {row["name"]: row for row in lines if row["section"] == "fleet"}
    whole = fleet["running"]
    check.near("overview: instances", whole["instances"], len(running))
    for key in ["usd_per_hour", "waste_usd_per_hour", "wasted_usd"]:
        check.near(f"overview: {key}", whole[key], total(running, key), len(running))
    check.holds("overview: wasted at least", whole["wasted_at_least"] == at_least(running))
    check.near("overview: without a price", whole["unpriced"], sum(row["usd_per_hour"] is None for row in running))
    check.near("overview: GPUs", whole["gpus"], total(running, "gpus"), len(running))
    teams, places = defaultdict(list), defaultdict(list)
    for row in running:
        teams[row["team"] or "(untagged)"].append(row)
        places[f"{row['account']}/{row['region']}"].append(row)
    for section, groups in [("team", teams), ("place", places)]:
        printed = {row["name"]: row for row in lines if row["section"] == section}
        check.holds(f"overview: {section}s {sorted(printed)}, expected {sorted(groups)}", set(printed) == set(groups))
        for name in set(printed) & set(groups):
            rows = groups[name]
            check.near(f"{section} {name}: instances", printed[name]["instances"], len(rows))
            for key in ["usd_per_hour", "gpus"]:
                check.near(f"{section} {name}: {key}", printed[name][key], total(rows, key), len(rows))
            # Nothing found among what is not known is no 0.
            waste = total(rows, "waste_usd_per_hour")
            some_unknown = any(row["waste_usd_per_hour"] is None for row in rows)
            check.near(f"{section} {name}: waste", printed[name]["waste_usd_per_hour"],
                       None if waste == 0 and some_unknown else waste, len(rows))
    by_id = {row["instance_id"]: row for row in running}
    for row in lines:
        if row["section"] == "finding":
            of = by_id[row["instance_id"]]
            for key in ["waste_usd_per_hour", "wasted_usd"]:
                check.near(f"finding {row['name']}: {key}", row[key], of[key])
            check.holds(f"finding {row['name']}: at least", row["wasted_at_least"] == at_least([of]))
        if row["section"] == "score" and row["name"] == "commitment_utilisation":
            check.near("score: utilisation", row["share"], reports["commitments"]["sums"]["utilisation"])
        if row["section"] == "unused" and row["name"] == "commitments":
            check.near("unused commitments", row["waste_usd_per_hour"],
                       reports["commitments"]["sums"]["unused_usd_per_hour"])
        if row["section"] == "unused" and row["name"] != "commitments":
            of = [r for r in reports["resources"]["rows"] if r["kind"] == row["name"] and r["verdict"] == "idle"]
            check.near(f"unused {row['name']}", row["waste_usd_per_hour"], total(of, "waste_usd_per_hour"), len(of) + 1)
            check.near(f"unused {row['name']}: items", row["items"], len(of))
    for instance, rows in gpus(Checks(), reports["gpus"]).items():
        price = by_id.get(instance, {}).get("usd_per_hour")
        if price is not None:
            check.holds(f"{instance}: its GPUs cost {total(rows, 'usd_per_hour')}, it {price}",
                        total(rows, "usd_per_hour") <= price + 1e-5)
    for name in ["rightsize", "spot"]:
        for row in reports[name]["rows"]:
            key = "usd_per_hour" if name == "rightsize" else "on_demand_usd_per_hour"
            if row[key] is not None and row["id"] in by_id and by_id[row["id"]]["lifecycle"] == "on_demand":
                check.near(f"{name} {row['name']}: price", row[key], by_id[row["id"]]["usd_per_hour"])


def goes_on(check, before, after):
    """One report of instances, and one an hour later by the same cache: what still idles idles since the same moment,
    unless a use was seen in between, and has wasted no less."""
    known = {row["instance_id"]: row for row in before["rows"]}
    for row in after["rows"]:
        old = known.get(row["instance_id"])
        if not old or not old["idle_since"] or not row["idle_since"]:
            continue
        later = moment(row["idle_since"]) > moment(old["idle_since"])
        check.holds(f"{row['name']}: idle since {old['idle_since']}, then since {row['idle_since']}",
                    not later or not row["idle_since_at_least"] or row["verdict"] != old["verdict"])
        same = ["verdict", "idle_gpus", "usd_per_hour"]
        if not later and row["wasted_usd"] is not None and all(row[key] == old[key] for key in same):
            check.holds(f"{row['name']}: wasted {old['wasted_usd']}, then {row['wasted_usd']}",
                        row["wasted_usd"] >= old["wasted_usd"] - 1e-6)


ALONE = [idle, overview, gpus, commitments, rightsize, spot, resources, buckets, ebs, optimum]


def wrong_in(reports):
    check = Checks()
    for each in ALONE:
        each(check, reports[each.__name__])
    across(check, reports)
    return check


def ask(burntop, home, now, command, *more):
    env = dict(os.environ, HOME=home, XDG_CACHE_HOME=f"{home}/cache", XDG_CONFIG_HOME=f"{home}/config",
               XDG_STATE_HOME=f"{home}/state")
    run = subprocess.run([burntop, "--demo", "--now", now, *more, *command, "--format", "json"], env=env,
                         capture_output=True, timeout=300, check=False)
    # 3: a part of it was not read, which the demo plants.
    if run.returncode not in (0, 3):
        sys.exit(f"burntop {' '.join(command)} ended with {run.returncode}: {run.stderr.decode()}")
    return json.loads(run.stdout)


def read(burntop, home, now, *more):
    return {name: ask(burntop, home, now, command, *more) for name, command in REPORTS.items()}


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


# What follows from what else is printed: of each kind a change by a tenth has to be noticed.
FOLLOWS = {
    "idle": ["waste_usd_per_hour", "net_waste_usd_per_hour", "usd_per_hour"],
    "overview": ["usd_per_hour", "usd_per_month", "waste_usd_per_hour", "share", "saves_usd_per_month", "gross_usd_per_hour"],
    "commitments": ["usd_per_hour", "unused_usd_per_hour", "committed_usd_per_hour", "utilisation_now"],
    "rightsize": ["gross_usd_per_hour", "to_usd_per_hour", "net_usd_per_hour_each_alone"],
    "spot": ["gross_usd_per_hour", "spot_usd_per_hour", "yes"],
    "resources": ["waste_usd_per_hour", "net_usd_per_hour", "idle"],
}


def self_check(reports):
    """Changes figures one by one; the kinds of which no change was noticed, by report and key."""
    chance, blind = random.Random(1), []
    for name, keys in FOLLOWS.items():
        for key in keys:
            paths = [p for p in figures(reports[name]) if p[-1] == key and p[0] in ("rows", "sums", "totals")]
            tried, noticed = 0, 0
            for path in chance.sample(paths, min(12, len(paths))):
                changed = dict(reports, **{name: copy.deepcopy(reports[name])})
                at = changed[name]
                for step in path[:-1]:
                    at = at[step]
                if abs(at[path[-1]]) < 0.01:
                    continue
                at[path[-1]] *= 1.1
                tried += 1
                noticed += bool(wrong_in(changed).wrong)
            if tried and not noticed:
                blind.append(f"{name}: {key}")
    return blind


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    burntop = os.path.abspath(sys.argv[1])
    failed = 0
    for now in MOMENTS:
        with tempfile.TemporaryDirectory() as home:
            for age, more in [("read anew", []), ("from a cache", ["--offline"])]:
                reports = read(burntop, home, now, *more)
                check = wrong_in(reports)
                print(f"{now} {age}: {check.done} figures, {len(check.wrong)} do not follow", flush=True)
                for line in check.wrong[:20]:
                    print(f"  {line}")
                failed += len(check.wrong)
            # Hour by hour: a start that was seen stays.
            check, last = Checks(), reports["idle"]
            for ahead in range(1, HOURS_AHEAD + 1):
                next_hour = (moment(now) + timedelta(hours=ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")
                report = ask(burntop, home, next_hour, REPORTS["idle"])
                idle(check, report)
                goes_on(check, last, report)
                last = report
            print(f"{now} and {HOURS_AHEAD} h on: {check.done} figures, {len(check.wrong)} do not follow", flush=True)
            for line in check.wrong[:20]:
                print(f"  {line}")
            failed += len(check.wrong)
    blind = self_check(reports)
    for key in blind:
        print(f"changed, and nobody noticed: {key}")
    sys.exit(1 if failed or blind else 0)


if __name__ == "__main__":
    main()
