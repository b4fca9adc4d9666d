"""Reports of a list of objects, of a demand, and of what is typed in, each by itself."""

import math
from datetime import datetime, timedelta, timezone

from checks import GIB, HOURS_PER_MONTH, total
from jobs import jobs, jobs_nodes, jobs_repeats, jobs_tax, jobs_wait, jobs_zombies
from rules import jobs_replay, jobs_scaling

# Sums by each key are checked alike.
jobs_by_state = jobs_by_cause = jobs_by_user = jobs_by_team = jobs_by_project = jobs_tax
jobs_by_node = jobs_by_model = jobs_by_week = jobs_tax
jobs_wait_by_queue = jobs_wait
__all__ = ["jobs", "jobs_nodes", "jobs_repeats", "jobs_replay", "jobs_scaling", "jobs_wait", "jobs_zombies"]


def guide(check, report):
    rows = report["rows"]
    for row in rows:
        name, speed = row["instance_type"], row["tokens_per_s"]
        check.near(f"{name}: boxes", row["total_usd_per_hour"], row["boxes"] * row["usd_per_hour"], row["boxes"])
        check.near(f"{name}: times cheapest", row["times_cheapest"],
                   row["total_usd_per_hour"] / min(r["total_usd_per_hour"] for r in rows))
        if speed:
            copies = row["boxes"] * row["gpus"] / row["gpus_per_copy"]
            check.near(f"{name}: a token", row["ms_per_token"], 1000 * copies / speed, 100)
            check.near(f"{name}: a million tokens", row["usd_per_million_tokens"],
                       row["total_usd_per_hour"] / 3600 / speed * 1e6, 100)
    check.near("memory", report["memory_bytes"], total(report["memory"], "bytes"))


def explore(check, report):
    bill = total(report["rows"], "usd_per_month")
    for row in report["rows"]:
        name, tiers = row["prefix"], row["tiers"].values()
        check.near(f"{name}: mean size", row["mean_bytes"], row["bytes"] / row["objects"])
        for key in ["bytes", "objects", "usd_per_month"]:
            check.near(f"{name}: {key} by tier", row[key], total(tiers, key), len(tiers))
        check.near(f"{name}: share", row["share"], row["usd_per_month"] / bill)


def tiers(check, report):
    stay = report["options"][0]
    for option in report["options"]:
        name, summed = option["class"], 0
        for month, usd in enumerate(option["monthly"]):
            summed += usd
            check.near(f"{name}: by month {month + 1}", option["cumulative"][month], summed, month)
            check.near(f"{name}: saved by month {month + 1}", option["saved"][month],
                       stay["cumulative"][month] - option["cumulative"][month])
        check.near(f"{name}: a year", option["year_usd"], option["saved"][11])
        lowest = min(0, *option["saved"])
        check.near(f"{name}: lowest", option["valley_usd"], lowest)
        check.near(f"{name}: month of the lowest", option["valley_month"],
                   option["saved"].index(lowest) + 1 if lowest < 0 else None)
        check.near(f"{name}: payback", option["payback_month"], next(
            (month + 1 for month, usd in enumerate(option["saved"]) if usd > 0 and option is not stay), None))
        check.near(f"{name}: fees", option["fees_usd"], sum(
            option[key] for key in ["transition_usd", "early_delete_usd", "copy_usd"]))
        check.holds(f"{name}: moves", option["objects_moved"] <= report["objects"]
                    and option["bytes_moved"] <= report["bytes"])


def lint(check, report):
    check.holds("lint: findings", all(finding["rule"] in ("cold", "*") for finding in report["findings"]))


def simulate(check, report):
    saved = 0
    check.holds("simulate: months", [month["month"] for month in report["months"]] == list(range(1, 13)))
    for month in report["months"]:
        saved += month["stay_usd"] - month["storage_usd"] - month["fees_usd"]
        check.near(f"simulate: month {month['month']}", month["saved_usd"], saved, 3 * month["month"])
    check.near("simulate: payback", report["payback_month"], next(
        (month["month"] for month in report["months"] if month["saved_usd"] > 0), None))
    fees = sum(row["transition_usd"] + row["early_delete_usd"] for row in report["rows"])
    check.near("simulate: fees", total(report["months"], "fees_usd"), fees, len(report["months"]))


def lifecycle(check, report):
    check.holds("lifecycle: one rule is added", [row["change"] for row in report["rows"]] == ["added"])


def checkpoints(check, report):
    runs, plans, totals = report["runs"], report["plan"], report["totals"]
    check.near("runs", totals["runs"], len(runs))
    check.near("steps", totals["steps"], sum(len(run["steps"]) for run in runs))
    check.near("bytes", totals["bytes"], total(runs, "bytes"))
    for run, of in zip(runs, plans):
        check.near(f"{run['prefix']}: bytes", run["bytes"], total(run["steps"], "bytes"))
        steps = [step for step in run["steps"] if step["step"] in of["drop"]]
        for key in ["bytes", "objects"]:
            check.near(f"{run['prefix']}: drops {key}", of[f"{key}_dropped"], total(steps, key))
        check.holds(f"{run['prefix']}: a step is kept or dropped",
                    sorted(of["keep"] + of["drop"] + [step["step"] for step in of["blocked"]])
                    == sorted(step["step"] for step in run["steps"]))
        check.near(f"{run['prefix']}: requests", of["delete_requests"], -(-of["objects_dropped"] // 1000))
        check.holds(f"{run['prefix']}: drops more than there is",
                    of["bytes_freed"] <= of["bytes_dropped"] <= run["bytes"]
                    and of["usd_per_month"] <= of["usd_per_month_dropped"] + 1e-6 <= of["usd_per_month_now"] + 2e-6)
    check.near("bytes left", totals["bytes_left"], totals["bytes"] - totals["bytes_dropped"])
    check.near("bytes freed", totals["bytes_freed_for_certain"], total(plans, "bytes_freed"))
    for key in ["bytes_dropped", "usd_per_month", "usd_per_month_dropped", "usd_per_month_now", "early_delete_usd"]:
        check.near(f"checkpoints: {key}", totals[key], total(plans, key), len(plans))


def duplicates(check, report):
    for group in report["groups"]:
        check.near(f"{group['prefix_b']}: tiers", group["bytes"], sum(group["tiers"].values()))
        # Standard is $0.023 to $0.021 a GiB, by volume.
        if set(group["tiers"]) == {"standard"}:
            check.holds(f"{group['prefix_b']}: dollars",
                        0.0209 <= group["usd_per_month"] / (group["bytes"] / GIB) <= 0.0231)


def teams(check, report):
    rows, whole = report["rows"], report["total"]
    for key in ["usd", "direct_usd", "shared_usd"]:
        check.near(f"teams: {key}", whole[key], total(rows, key), len(rows))
    with_value = [row for row in rows if row["key"] is not None]
    # The demo shares by spend: of each dollar of one's own as much as of everybody's.
    parts = [row for row in with_value if row["shared_usd"]]
    own = total(parts, "direct_usd")
    rate = whole["shared_usd"] / own if own else 0
    check.near("shared costs", total(report["shared_costs"], "usd"), whole["shared_usd"], len(rows))
    for cost in report["shared_costs"]:
        check.near(f"{cost['name']}: number of those who share it", cost["among"], len(parts))
    for row in rows:
        name = row["key"] or row["untagged"]
        check.near(f"{name}: dollars", row["usd"], row["direct_usd"] + row["shared_usd"], 1)
        check.near(f"{name}: share", row["share"], row["usd"] / whole["usd"], 1)
        shared = row["direct_usd"] * rate if row["key"] is not None and row["shared_usd"] else 0
        check.near(f"{name}: part of shared costs", row["shared_usd"], shared, 10)
        used = row["direct_usd"] / row["budget_usd"] if row["budget_usd"] else None
        check.near(f"{name}: share of its budget", row["budget_share"], used, 1)


def tags(check, report):
    whole = report["total"]
    check.near("tags: dollars", total(report["rows"], "usd"), whole["taggable_usd"] - whole["compliant_usd"],
               len(report["rows"]))
    check.near("tags: share", whole["compliance"], whole["compliant_usd"] / whole["taggable_usd"], 1)
    check.holds("tags: resources", len(report["rows"]) == whole["resources"] - whole["compliant_resources"])


def budgets(check, report):
    for row in report["rows"]:
        name, limit, spent, end = row["name"], row["limit_usd"], row["spent_usd"], row["forecast_usd"]
        check.near(f"{name}: share", row["spent_share"], spent / limit, 1)
        reached = [level for level in row["levels"] if spent >= level * limit]
        check.near(f"{name}: level", row["level"], max(reached, default=None))
        for key in ["p10", "p50", "p90"]:
            check.near(f"{name}: {key}", row[f"forecast_{key}_usd"], end[key])
        # Above the middle the deviation is that of the upper half, below it that of the lower half.
        away = limit - end["p50"]
        half = (end["p90"] - end["p50"] if away > 0 else end["p50"] - end["p10"]) / 1.281552
        chance = (away < 0) if half == 0 else (1 - math.erf(away / half / math.sqrt(2))) / 2
        # The ends are printed in cents.
        check.near(f"{name}: probability", row["exceeds_probability"], chance, 20)


def units(check, report):
    for row in report["rows"]:
        name, now, before = row["name"], row["usd_per_unit"], row["usd_per_unit_before"]
        if not row["count"]:
            check.holds(f"{name}: nothing counted is unknown", now is None)
            continue
        check.near(f"{name}: one", now, row["usd"] / row["count"] * row["per"], 1)
        # What has no price is missing above the line, what may have been saved below it.
        missing = bool(row["unpriced_attempts"]), bool(row["undercounted_attempts"])
        bounds = {(False, False): "exact", (True, False): "at_least", (False, True): "at_most"}
        check.holds(f"{name}: bound", row["bound"] == bounds.get(missing, "unknown"))
        if row["counted"] == "useful_gpu_hours":
            # An attempt without a price leaves its hours out as well.
            unpriced = {of["unpriced_attempts"] for of in report["rows"] if of["counted"] == "runs"}
            check.holds(f"{name}: left out", row["attempts_left_out"] in unpriced)
        if before is None:
            # Jobs are kept of some weeks alone.
            check.holds(f"{name}: no trend without a month before", row["trend"] is None and row["change"] is None)
            continue
        check.near(f"{name}: trend", row["trend"], now / before - 1, 10)
        check.near(f"{name}: change", row["change_by_spend"] + row["change_by_volume"], now - before, 4)
        for key in ["spend", "volume"]:
            check.near(f"{name}: by {key}", row[f"change_by_{key}"], row["change"][key], 1)


def quotas(check, report):
    for row in report["rows"]:
        name, more = f"{row['team']} {row['of']}", row["used"] - row["limit"]
        check.near(f"{name}: over", row["over"], more if more > 1e-9 else None, 1)
        check.holds(f"{name}: state", (row["state"] == "over") == (row["over"] is not None))


def network_cache(check, report):
    rows, months = report["rows"], HOURS_PER_MONTH / report["span_hours"]
    for row in rows:
        name, cache, hits = row["prefix"], row["cache_bytes"], row["hit_bytes_ratio"]
        ratios = [point["hit_bytes_ratio"] for point in row["curve"]]
        check.holds(f"{name}: a larger cache has no fewer hits", ratios == sorted(ratios))
        again = 1 - row["distinct_bytes"] / row["read_bytes"]
        check.holds(f"{name}: more hits than bytes that were read again", max(ratios, default=0) <= again + 1e-6)
        # Between regions a GB is $0.02, of gp3 $0.08 a month; Lustre is sold by 1,200 and then by 2,400 GiB, at $0.14.
        check.near(f"{name}: saved", row["saved_usd_per_month"], row["read_bytes"] / GIB * hits * months * 0.02,
                   row["read_bytes"] / GIB * 0.02)
        check.holds(f"{name}: no cache, no hits", (cache is None) == (hits == 0))
        if cache is not None:
            at = {point["cache_bytes"]: point["hit_bytes_ratio"] for point in row["curve"]}
            check.near(f"{name}: hits", hits, at[cache])
            check.near(f"{name}: gp3", row["gp3_usd_per_month"], cache / GIB * 0.08)
            sold = 1200 if cache <= 1200 * GIB else math.ceil(cache / GIB / 2400) * 2400
            check.near(f"{name}: Lustre", row["lustre_usd_per_month"], sold * 0.14)
            check.near(f"{name}: pinned", row["pinned_bytes_ratio"], again * min(1, cache / row["distinct_bytes"]))
    whole = report["total"]
    for key in ["requests", "read_bytes", "distinct_bytes", "saved_usd_per_month", "gp3_usd_per_month"]:
        check.near(f"total: {key}", whole[key], total(rows, key), len(rows))
    hits = sum(row["read_bytes"] * row["hit_bytes_ratio"] for row in rows)
    check.near("total: hits", whole["hit_bytes_ratio"], hits / whole["read_bytes"])


def optimum(check, report):
    rows, period = report["tiers"], report["period"]
    check.holds("optimum: tiers are the rows", rows == report["rows"])
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


def valued(check, name, worth, on_demand, rate, weeks=52):
    check.near(f"{name}: what is fixed", worth["fixed_usd"], worth["commit"] * rate * weeks * 168)
    check.near(f"{name}: saves", worth["esr"], 1 - worth["mean_usd"] / worth["on_demand_usd"])
    check.holds(f"{name}: in order", worth["p5_usd"] <= worth["p50_usd"] <= worth["p95_usd"]
                and worth["fixed_usd"] <= worth["mean_usd"] + 1e-6)
    # What is not covered is bought on demand.
    used = worth["commit"] * weeks * 168 * worth["utilisation"]
    rest = (worth["on_demand_usd"] / on_demand - used) * on_demand
    check.holds(f"{name}: {worth['mean_usd']} is not fixed and rest",
                abs(worth["fixed_usd"] + rest - worth["mean_usd"]) <= 1e-4 * worth["mean_usd"])
    check.holds(f"{name}: covers", abs(worth["coverage"] - used * on_demand / worth["on_demand_usd"]) < 1e-4)


def reserve(check, report):
    for row in report["rows"]:
        best, worth, rate = row["optimum"], row["valuation"], row["rate"]
        check.near("reserve: best saves", best["esr"], 1 - best["cost_usd"] / best["on_demand_usd"])
        check.near("reserve: on demand", best["on_demand_usd"], worth["on_demand_usd"])
        check.near("reserve: break even", worth["break_even"], rate / row["on_demand"])
        check.holds("reserve: best is best", best["cost_usd"] <= worth["mean_usd"])
        valued(check, "reserve", worth, row["on_demand"], rate)
        fixed = dict(worth, **best, fixed_usd=best["commit"] * rate * 52 * 168, mean_usd=best["cost_usd"],
                     p5_usd=0, p50_usd=0, p95_usd=0)
        valued(check, "reserve: best", fixed, row["on_demand"], rate)


def backtest(check, report):
    check.holds("backtest: rules are the rows", report["rows"] == report["policies"])
    best = next(row["cost_usd"] for row in report["rows"] if row["name"] == "perfect_foresight")
    for row in report["rows"]:
        check.near(f"backtest {row['name']}", row["cost_above_foresight"], row["cost_usd"] / best - 1)


def compare(check, report):
    first = report["rows"][0]["valuation"]
    for row in report["rows"]:
        valued(check, f"compare {row['name']}", row["valuation"], 32.77, 20, report["weeks"])
        if row["difference"]:
            check.near(f"compare {row['name']}: difference", row["difference"]["mean_usd"],
                       row["valuation"]["mean_usd"] - first["mean_usd"])


def memo(check, report):
    for row in report["rows"]:
        answer = row["answer"]
        valued(check, "memo", answer["valuation"], 32.77, 20, answer["weeks"])
        advised = answer["advised"]
        if advised:
            valued(check, "memo, as advised", advised, 32.77, 20, answer["weeks"])
            check.near("memo: on demand, as advised", advised["on_demand_usd"], answer["valuation"]["on_demand_usd"])
            check.near("memo: units, as advised", advised["commit"], sum(line["units"] for line in answer["buy"]))
        for family in answer["families"]:
            valued(check, f"memo {family['family']}", family["valuation"], 32.77, 20, answer["weeks"])
            for offer in family["offers"]:
                check.near("memo: break even", offer["break_even"], offer["rate"] / 32.77)
                check.near("memo: bought", offer["bought"], family["valuation"]["commit"])
        for line in answer["buy"] + answer["plan"] + answer["avoid"]:
            bought = 0 if line in answer["avoid"] else line["units"]
            check.near("memo: an hour", line["usd_per_hour"], bought * 20)
            check.near("memo: a month", line["monthly_usd"], line["usd_per_hour"] * HOURS_PER_MONTH)


# Simulators: what is typed in, and what has to come out, by docs/simulators.md.

SIMULATORS = {
    "gpu-savings": ("monthly_usd=100000 utilisation=0.35 instances=10 spot_share=0.4 spot_discount=0.6 spot_overhead=0.1", {
        "saved_usd_per_month": 50000 + 50000 * 0.4 * (1 - 0.4 / 0.9), "saved_share": 0.5 + 0.5 * 0.4 * (1 - 0.4 / 0.9),
        "instances_after": 5, "utilisation_after": 0.7, "naive_share": 0.5 + 0.4 * 0.6}),
    "rightsize": ("move.1.units=10 move.1.ratio=0.45 move.1.from_usd=10 move.1.to_usd=12", {
        "saved_usd_per_month": (10 * 10 - 5 * 12) * 730, "saved_share": 0.4, "after_usd_per_month": 5 * 12 * 730}),
    "autoscale": ("--load FILE/load.csv capacity=2 lag_minutes=0 usd_per_hour=3", {
        "mean_replicas": (1 + 4 + 7 + 7) / 4, "saved_usd_per_month": (7 - 19 / 4) * 3 * 730}),
    "failed-runs": ("monthly_usd=100000 failed_share=0.2 cancelled_share=0.3 timeout_share=0.02", {
        "waste_usd_per_month": 22000, "lost_share": 0.22, "multiplier": 1 / 0.78}),
    "spot-mix": ("units=10 on_demand=10 price=4 share=0.5 availability=0.9 interruptions_per_hour=0.01"
                 " checkpoint_hours=0.05 restart_hours=0.2", {
                     "interval_hours": (2 * 0.05 / 0.01) ** 0.5, "naive_share": 0.5 * 0.6}),
    "storage": ("before_usd=1000 saving_usd=300 one_off_usd=200", {
        "saved_usd_per_month": 300, "after_usd_per_month": 700, "payback_months": 200 / 300}),
    "network": ("flow.1.gb=5000 flow.1.usd_per_gb=0.02", {"before_usd_per_month": 100, "after_usd_per_month": 100}),
    "tco": ("compute_usd=100000 idle_usd=5000 lost_share=0.1 storage_usd=5000 network_usd=2000 engineers=3"
            " usd_per_engineer=200000 toil_share=0.3 performance_share=0.2", {
                "total_usd_per_month": 100000 + 5000 + 2000 + 50000, "waste_usd_per_month": 5000 + 95000 * 0.1,
                "useful_usd_per_month": 95000 * 0.9, "people_usd_per_month": 50000, "toil_usd_per_month": 15000}),
    "unit-cost": ("service_usd_per_hour=30 predictions_per_hour=9000 gpu_hours_per_run=64 usd_per_gpu_hour=4 lost_share=0.1", {
        "usd_per_prediction": 30 / 9000, "usd_per_1m": 30 / 9000 * 1e6, "usd_per_run": 64 * 4 / 0.9}),
    "programme": ("found_usd=20000 phase.1.one_off_usd=10000 phase.1.pay_month=1 phase.1.saving_usd=5000"
                  " phase.1.start_month=2 phase.1.ramp_months=3", {
                      "first_year_usd": 5000 * (1 / 6 + 3 / 6 + 5 / 6 + 8), "investment_usd": 10000, "roi": 3.75}),
}


def simulators(check, report):
    for name, (_, expected) in SIMULATORS.items():
        printed = {row["name"]: row["number"] for row in report["rows"] if row["simulator"] == name}
        for key, value in expected.items():
            check.near(f"{name}: {key}", printed[key], value)
        year, month = printed.get("saved_usd_per_year"), printed.get("saved_usd_per_month")
        if year is not None:
            check.near(f"{name}: a year", year, 12 * month, 12)


# What docs/demo.md says of the team that the demo invents.
ENGINEERS, HOURS_A_WEEK, USD_PER_HOUR, WEEKS_A_MONTH = 4, 16, 110, 52 / 12
SPLIT = {"provisioning": 0.25, "incidents": 0.2, "tooling": 0.2, "cost_work": 0.15, "performance": 0.2}
RETURNED = {"provisioning": 0.5, "incidents": 0.2, "cost_work": 0.6}
TOOLS = {"metrics and dashboards": (1200, 18), "job scheduler": (0, 14), "cost reports": (950, 6)}


def people(check, report):
    rows, sums, automation = report["rows"], report["total"], report["automation"]
    month = ENGINEERS * HOURS_A_WEEK * WEEKS_A_MONTH
    whole = month * USD_PER_HOUR + sum(licence for licence, _ in TOOLS.values())
    for row in rows:
        name = row["name"]
        if row["kind"] == "tool":
            licence, hours = TOOLS[name]
            returned = None
        else:
            licence, hours = None, month * SPLIT[name]
            hours -= sum(taken for _, taken in TOOLS.values()) if name == "tooling" else 0
            returned = hours * RETURNED[name] if name in RETURNED else None
        check.near(f"{name}: hours", row["hours_per_month"], hours)
        check.near(f"{name}: people", row["people_usd"], hours * USD_PER_HOUR)
        check.near(f"{name}: licence", row["licence_usd"], licence)
        check.near(f"{name}: all of it", row["usd"], hours * USD_PER_HOUR + (licence or 0))
        check.near(f"{name}: share", row["share"], row["usd"] / whole)
        check.near(f"{name}: hours returned", row["returned_hours_per_month"], returned)
        check.near(f"{name}: returned", row["returned_usd"], None if returned is None else returned * USD_PER_HOUR)
    check.holds("people: every activity and tool once", len(rows) == len(SPLIT) + len(TOOLS))
    check.near("people: hours of all rows", total(rows, "hours_per_month"), month, len(rows))
    for key in ["people_usd", "licence_usd"]:
        check.near(f"people: {key}", sums[key], total(rows, key), len(rows))
    parts = {key: sums[f"{key}_usd"] for key in ["bill", "people", "licence"]}
    check.near("people: everything", sums["usd"], sum(parts.values()))
    for key, usd in parts.items():
        check.near(f"people: share of {key}", sums[f"{key}_share"], usd / sums["usd"])
    back = total(rows, "returned_usd")
    check.near("people: returned", automation["returned_usd"], back, len(rows))
    net = back - (automation["usd_per_month"] or 0)
    check.near("people: pay-back", automation["pay_back_months"], automation["once_usd"] / net)
    check.holds("people: it pays back", automation["never_pays_back"] is False)


def idle_backtest(check, report):
    """Spells make the sums, and days are what became of each day's calls."""
    outcomes = ["idle_until_now", "idle_until_ended", "woke_up", "unseen"]
    for row in report["rows"]:
        name, spells, days = row["preset"], row["spells"], row["days"]
        check.near(f"{name}: window", row["window_days"], {"cautious": 7, "mean-cpu": 7}.get(name, 14))
        if row["oldest_judged_days_ago"] is None:
            check.holds(f"{name}: no history, no figures", not spells and not days and row["saved_usd"] is None)
            continue
        check.near(f"{name}: called idle", row["called_idle"], len(spells))
        for outcome in outcomes:
            check.near(f"{name}: {outcome}", row[outcome], sum(spell["outcome"] == outcome for spell in spells))
        told = [spell["held"] for spell in spells if spell["held"] is not None]
        check.near(f"{name}: held of", row["held_of"], len(told))
        check.near(f"{name}: held", row["held"], sum(told))
        check.near(f"{name}: precision", row["precision"], sum(told) / len(told) if told else None)
        priced = [spell for spell in spells if spell["usd_per_hour"] is not None]
        woke = sum(spell["usd_per_hour"] for spell in priced if spell["outcome"] == "woke_up")
        saved = sum(spell["usd_per_hour"] * spell["idle_hours"] for spell in priced)
        known = bool(priced) or not spells
        check.near(f"{name}: unpriced", row["unpriced"], len(spells) - len(priced))
        check.near(f"{name}: stops save", row["saved_usd"], saved if known else None, len(priced) * 400)
        check.near(f"{name}: woke up", row["woke_usd_per_hour"], woke if known else None, len(priced))
        check.near(f"{name}: restarts", row["restart_usd"], woke * report["restart_hours"] if known else None, len(priced))
        check.holds(f"{name}: a day after the other",
                    [day["days_ago"] for day in days] == list(range(1, row["oldest_judged_days_ago"] + 1)))
        for day in days:
            of = f"{name}: {day['days_ago']} days ago"
            check.near(f"{of}: called idle", day["called_idle"], sum(day[outcome] for outcome in outcomes))
        for spell in spells:
            check.holds(f"{name}: {spell['instance_id']}: idle longer than it took to wake up",
                        spell["after_hours"] is None or spell["idle_hours"] <= spell["after_hours"])


# The demo remembers so many days; of each seventeen one was not looked at, and another for half of it.
TREND_DAYS, TREND_GAPS = 120, 17


def trend(check, report):
    now = datetime.fromisoformat(report["generated_at"].replace("Z", "+00:00"))
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    today = (now - epoch).days
    for row in report["rows"]:
        name = row["period"]
        begin = datetime.fromisoformat(row["day"]).replace(tzinfo=timezone.utc)
        end = (begin + timedelta(days=32)).replace(day=1)
        check.holds(f"{name}: its name", name == f"{begin:%Y-%m}" and begin.day == 1)
        hours = (min(end, now) - begin).total_seconds() / 3600
        seen = 0
        for day in range((begin - epoch).days, min((end - epoch).days, today + 1)):
            looked = {5: 0, 11: 12}.get(day % TREND_GAPS, 24) if day > today - TREND_DAYS else 0
            since = (now - epoch - timedelta(days=day)).total_seconds() / 3600
            seen += min(looked, since)
        check.near(f"{name}: hours seen", row["seen_hours"], seen, 31)
        check.near(f"{name}: covered", row["coverage"], seen / hours)
        burn, waste = row["burn_usd"], row["waste_usd"]
        check.holds(f"{name}: waste is part of the burn", 0 <= waste <= burn)
        check.near(f"{name}: share of waste", row["waste_share"], waste / burn)
        # All accounts were looked at in the same hours, so that each mean is the sum by these.
        check.near(f"{name}: rate", row["usd_per_hour"], burn / seen)
        check.near(f"{name}: rate of waste", row["waste_usd_per_hour"], waste / seen)
        check.near(f"{name}: GPUs", row["gpus"], row["gpu_hours"] / seen)
        # Which instances were stopped, and when, is not in the list.
        check.holds(f"{name}: savings", row["saved_usd"] >= 0)
    check.holds("trend: months of its days", 4 <= len(report["rows"]) <= 5)
