"""Reports of accounts, each by itself: what it prints has to follow from its own rows."""

import csv
import math
from collections import defaultdict

from checks import ASSETS, GIB, HOURS_PER_MONTH, aged, bound, hours, most_wasted, total, unknown
from rules import models


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
        check.holds(f"{name}: covered by more than one whole", total(row["covered_by"] or [], "share") <= 1 + 1e-6)
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


def bill(check, report):
    rows, whole = report["rows"], report["total"]
    for key in ["billed_usd", "effective_usd", "list_usd", "net_usd", "line_items"]:
        check.near(f"bill: {key}", whole[key], total(rows, key), len(rows))
    for row in rows:
        check.near(f"bill: share of {row}", row["share"], row["effective_usd"] / whole["effective_usd"])


def bill_commitments(check, report):
    bill(check, report)


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
    ladder(check, rows["ladder"])
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
    check.near("part: unpriced", total(rows["part"], "unpriced"), fleet["running"]["unpriced"])
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
        items = {row["name"]: row["items"] for row in rows["waterfall"]}
        names = {"stop": "idle", "commit": "commitments"}
        nodes(check, rows)
        for row in rows["sequence"]:
            if row["saves_usd_per_hour"] is not None:
                name = names.get(row["name"], row["name"])
                check.near(f"order of work: {row['name']}", row["saves_usd_per_hour"], steps[name])
                check.near(f"order of work: {row['name']}: items", row["items"], items[name])


def nodes(check, rows):
    """Partly idle nodes: each is in one remedy, and all of them claim what the step claims of them at most."""
    step = next(row for row in rows["waterfall"] if row["name"] == "partly_idle")
    by_id = {row["instance_id"]: row for row in rows["node"]}
    check.holds("nodes: each once", len(by_id) == len(rows["node"]))
    gone = [row for row in rows["node"] if row["kind"] in ("drain", "smaller")]
    # The report names ten of them.
    if len(rows["node"]) < 10:
        check.near("waterfall: partly idle: items", step["items"], len(gone))
    check.holds("waterfall: partly idle: gross", total(gone, "gross_usd_per_hour") <= step["gross_usd_per_hour"] + 1e-5)
    for row in rows["node"]:
        check.holds(f"node {row['name']}: {row['items']} of {row['gpus']} idle", 0 < row["items"] < row["gpus"])
        stays = row["kind"] in ("takes_in", "paid", "nothing")
        known = row["kind"] not in ("unknown", "not_on_demand")
        check.holds(f"node {row['name']}: {row['kind']} saves {row['gross_usd_per_hour']}",
                    (row["gross_usd_per_hour"] is not None) == known and (not stays or row["gross_usd_per_hour"] == 0))


def ladder(check, rows):
    """From the list price to the bill: each total follows from the rows below it."""
    step = {row["name"]: row for row in rows}
    first = [row["name"] for row in rows].index("waste") + 1
    parts = rows[first:]
    runs = [row for row in parts if row["list_usd_per_hour"] is not None or row["name"] in UNPRICED]
    others = [row for row in parts if row not in runs]
    check.near("ladder: list price", step["list_price"]["usd_per_hour"], total(runs, "list_usd_per_hour"), len(runs))
    check.near("ladder: list price, once more", step["list_price"]["list_usd_per_hour"], step["list_price"]["usd_per_hour"])
    whole = step.get("bill_now", step["list_price"])["usd_per_hour"]
    check.near("ladder: the whole", whole, total(parts, "usd_per_hour"), len(parts))
    if "bill_now" in step:
        check.near("ladder: besides", step["paid_besides"]["usd_per_hour"], total(others, "usd_per_hour"), len(parts))
        change = step["commitments_change"]["usd_per_hour"]
        if change is not None:
            check.near("ladder: commitments", change,
                       total(runs, "usd_per_hour") - total(runs, "list_usd_per_hour"), len(parts))
        check.near("ladder: climbed", whole, step["list_price"]["usd_per_hour"] + (change or 0)
                   + step["paid_besides"]["usd_per_hour"], 3)
    waste = [row for row in parts if row["is_waste"]]
    check.holds(f"ladder: waste is {[row['name'] for row in waste]}", all(row["name"] in WASTE for row in waste)
                and all(row["is_waste"] for row in parts if row["name"] in WASTE))
    check.near("ladder: waste", step["waste"]["usd_per_hour"], total(waste, "usd_per_hour"), len(waste))
    check.near("ladder: waste at list price", step["waste"]["list_usd_per_hour"],
               total(waste, "list_usd_per_hour"), len(waste))
    for row in [step["waste"], *parts]:
        usd = row["usd_per_hour"]
        check.near(f"ladder: {row['name']}: share", row["share"], usd / whole if usd is not None and whole else None)


# Parts that are paid for and serve nothing, and a part whose instances may all lack a price.
WASTE = ["idle", "partly_idle", "unused_commitments", "empty_capacity", "idle_resources"]
UNPRICED = ["unjudged"]


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
            # By the second, of a rate in millionths.
            lasted = hours(row["idle_since"], report["generated_at"])
            check.near(f"{name}: wasted", row["wasted_usd"], row["waste_usd_per_hour"] * lasted, 1000 + lasted)
        bound(check, name, row)
        for key in ["effective", "util", "enc", "dec", "sm_active", "gr_engine_active", "tensor_active"]:
            check.holds(f"{name}: {key} {row[key]}", row[key] is None or 0 <= row[key] <= 1)
        if row["mem_used"] is not None and row["mem_total"]:
            check.near(f"{name}: memory", row["mem"], row["mem_used"] / row["mem_total"])
        if row["power_w"] is not None and row["power_limit_w"]:
            check.near(f"{name}: power", row["power"], row["power_w"] / row["power_limit_w"], 100)
    return by_instance


def commitments(check, report):
    rows, sums, totals = report["rows"], report["sums"], report["totals"]
    held = [row for row in rows if row["state"] == "active"]
    room = [row for row in held if row["kind"] == "capacity_reservation"]
    paid = [row for row in held if row["kind"] != "capacity_reservation"]
    check.near("held", totals["commitments"], len(rows))
    check.near("in force", totals["in_force"], len(held))
    check.near("totals: paid", totals["usd_per_hour"], sums["committed_usd_per_hour"])
    check.near("totals: without a price", totals["unpriced"], sums["committed_unknown"])
    check.near("paid", sums["committed_usd_per_hour"], total(paid, "usd_per_hour"), len(paid))
    check.near("paid without a price", sums["committed_unknown"], sum(row["usd_per_hour"] is None for row in paid))
    check.near("unused", sums["unused_usd_per_hour"], total(held, "unused_usd_per_hour"), len(held))
    check.near("unused room", sums["unused_room_usd_per_hour"], total(room, "unused_usd_per_hour"), len(room))
    for key in ["unused_usd_per_hour", "unused_unknown"]:
        check.near(f"totals: {key}", totals[key], sums[key])
    # By dollars, over the hours that each was in force.
    over = [row for row in rows if row["kind"] != "capacity_reservation" and row["hours"]
            and row["usd_per_hour"] is not None and row["utilisation"] is not None]
    active = [row for row in rows if row["kind"] != "capacity_reservation" and row["state"] == "active"]
    check.near("utilisation is of", sums["utilisation_of"], len(over))
    check.near("utilisation leaves out", sums["utilisation_left_out"], sum(row not in over for row in active))
    bill = sum(row["usd_per_hour"] * row["hours"] for row in over)
    used = sum(row["usd_per_hour"] * row["hours"] * row["utilisation"] for row in over)
    if bill:
        check.holds(f"utilisation by dollars: printed {sums['utilisation']}, expected {used / bill}",
                    sums["utilisation"] is not None and abs(sums["utilisation"] - used / bill) < 0.002)
    # Coverage and savings are of the same bill on demand: their ratio is that of what is saved to what is covered.
    rate = [row for row in over if row["kind"].endswith(("_plan", "_instances")) and row["saves_usd_per_hour"] is not None]
    covered = sum((row["usd_per_hour"] + row["saves_usd_per_hour"]) * row["hours"] for row in rate)
    saved = sum(row["saves_usd_per_hour"] * row["hours"] for row in rate)
    check.holds(f"savings rate {sums['effective_savings_rate']} of coverage {sums['coverage']}",
                abs(sums["effective_savings_rate"] * covered - sums["coverage"] * saved) < 1e-4 * covered)
    for row in rows:
        check.near(f"{row['id']}: findings", row["findings_count"], len(row["findings"]))
        if row["ends"]:
            left = max(0, hours(report["generated_at"], row["ends"]) * 3600)
            check.holds(f"{row['id']}: left {row['left']} of {left}", row["left"] is None or abs(row["left"] - left) <= 1)
        if row["upfront_usd"] and row["payment"] == "all_upfront":
            check.near(f"{row['id']}: an hour", row["usd_per_hour"], row["upfront_usd"] / hours(row["starts"], row["ends"]))
        if row["on_demand_usd_per_hour"] is not None and row["count"] and row["utilisation"]:
            # Of one unit in use; utilisation is printed with six digits.
            worth = row["on_demand_usd_per_hour"] * row["count"] * row["utilisation"]
            check.near(f"{row['id']}: saves", row["saves_usd_per_hour"], worth - row["usd_per_hour"], 200)
            check.holds(f"{row['id']}: effective", abs(
                row["effective_usd_per_hour"] * row["count"] * row["utilisation"] / row["usd_per_hour"] - 1) < 1e-3)
        elif row["saves_usd_per_hour"] is not None and not row["utilisation"]:
            check.near(f"{row['id']}: saves", row["saves_usd_per_hour"], -row["usd_per_hour"])
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
    check.near("cannot tell", totals["cannot_tell"], len(report["rows"]) - len(rows))
    check.near("gross", totals["gross_usd_per_hour"], total(rows, "gross_usd_per_hour"), len(rows))
    check.near("net", totals["net_usd_per_hour_each_alone"], total(rows, "net_usd_per_hour"), len(rows))
    check.near("net not known", totals["net_unknown"], unknown(rows, "net_usd_per_hour"))
    check.near("worthless", totals["worthless"], len(rows) - unknown(rows, "worthless_until"))


def spot(check, report):
    totals = report["totals"]
    for fit in ["yes", "partial", "no", "unknown"]:
        check.near(f"fit {fit}", totals[fit], sum(row["fit"] == fit for row in report["rows"]))
    rows = {row["id"]: row for row in report["rows"]}
    check.near("gross", totals["gross_usd_per_hour"], total(rows.values(), "gross_usd_per_hour"), len(rows))
    check.near("net", totals["net_usd_per_hour_each_alone"], total(rows.values(), "net_usd_per_hour"), len(rows))
    check.near("net not known", totals["net_unknown"],
               sum(row["net_usd_per_hour"] is None for row in rows.values() if row["gross_usd_per_hour"] is not None))
    for row in report["rows"]:
        check.near(f"{row['name']}: zones", row["zones_count"], len(row["zones"]) or None)
        for zone in row["zones"]:
            check.holds(f"{row['name']} in {zone['az']}", zone["highest_usd_per_hour"] >= zone["mean_usd_per_hour"] - 1e-6
                        and zone["highest_usd_per_hour"] >= zone["usd_per_hour"] - 1e-6)
            if zone["az"] == row["best_zone"]:
                check.near(f"{row['name']}: price of {zone['az']}", row["spot_usd_per_hour"], zone["usd_per_hour"])
        if row["effective_usd_per_hour"] is not None and row["net_usd_per_hour"]:
            # What a commitment pays for is not saved.
            check.holds(f"{row['name']}: effective", row["spot_usd_per_hour"] - 1e-6 <= row["effective_usd_per_hour"]
                        <= row["on_demand_usd_per_hour"] - row["net_usd_per_hour"] + 2e-6)
        # What is the base of a fleet stays on demand.
        if row["fit"] == "partial" and row["gross_usd_per_hour"] == 0:
            check.near(f"{row['name']}: net of a base", row["net_usd_per_hour"], 0)
        elif row["gross_usd_per_hour"] is not None and row["spot_usd_per_hour"] is not None:
            check.near(f"{row['name']}: gross", row["gross_usd_per_hour"],
                       row["on_demand_usd_per_hour"] - row["spot_usd_per_hour"], 2)
            if row["net_usd_per_hour"] is not None:
                check.holds(f"{row['name']}: net above gross",
                            row["net_usd_per_hour"] <= row["gross_usd_per_hour"] + 1e-6)
    for fleet in report["mixed_fleets"]:
        check.near("fleet: instances", fleet["count"], len(fleet["instances"]))
        if fleet["no_policy"] is None:
            check.near("fleet: base and Spot", fleet["on_demand"] + fleet["spot"], fleet["count"])
        of = [rows[instance] for instance in fleet["instances"]]
        for key in ["gross_usd_per_hour", "net_usd_per_hour"]:
            check.near(f"fleet of {fleet['instances'][0]}: {key}", fleet[key], total(of, key), len(of))


def resources(check, report):
    rows, totals = report["rows"], report["totals"]
    wasteful = [row for row in rows if row["verdict"] == "idle"]
    check.near("resources", totals["resources"], len(rows))
    check.near("idle", totals["idle"], len(wasteful))
    check.near("unpriced", totals["unpriced"], unknown(wasteful, "waste_usd_per_hour"))
    check.near("waste", totals["waste_usd_per_hour"], total(wasteful, "waste_usd_per_hour"), len(rows))
    check.near("net", totals["net_usd_per_hour"], total(wasteful, "net_usd_per_hour"), len(rows))
    check.near("net not known", totals["net_unknown"], sum(row["net_usd_per_hour"] is None for row in wasteful))
    for row in rows:
        bound(check, row["name"], row)
        aged(check, row["name"], row, "created", report)
        # What is stopped bills nothing.
        if row["verdict"] is not None and unknown(row["units"], "usd_per_hour") == 0:
            check.near(f"{row['name']}: units", row["usd_per_hour"] or 0,
                       sum(unit["count"] * unit["usd_per_hour"] for unit in row["units"]), len(row["units"]))
    for row in wasteful:
        if row["waste_usd_per_hour"] is not None and row["usd_per_hour"] is not None:
            check.holds(f"{row['name']}: wastes more than it costs",
                        row["waste_usd_per_hour"] <= row["usd_per_hour"] + 1e-6)
        if row["wasted_usd"] is not None and row["idle_since"]:
            most = most_wasted(row, report["generated_at"])
            check.holds(f"{row['name']}: wasted {row['wasted_usd']} of at most {most}",
                        row["wasted_usd"] <= most)


# A NAT gateway of the demo is $0.045 an hour and as much a GB in us-east-1, and elsewhere that times the factor of the region.
NAT_USD = {"us-east-1": 0.045, "us-west-2": 0.045, "eu-west-1": 0.045 * 1.08, "ap-northeast-1": 0.045 * 1.37}
# So is an interface of an endpoint of a VPC at $0.01, up to a pebibyte a month.
ENDPOINT_USD = {region: usd / 4.5 for region, usd in NAT_USD.items()}
# What CloudWatch Logs keeps a month, where it is embedded.
LOGS_USD = {"us-east-1": 0.03}
# What a GB from one region to another costs, where it is embedded.
FAR_USD = {("us-east-1", "us-east-2"): 0.01, ("us-east-2", "us-east-1"): 0.01, ("us-east-1", "us-west-2"): 0.02,
           ("us-east-1", "eu-west-1"): 0.02, ("us-east-1", "ap-northeast-1"): 0.02}


def network_live(check, report):
    rows, whole, sent = report["rows"], report["total"], {}
    for row in rows:
        name, gb = row["resource"], (row["bytes"] or 0) / GIB
        usd, avoidable = row["usd_per_month"], row["avoidable_usd_per_month"]
        check.holds(f"{name}: of a bill", row["source"] == "live")
        if row["service"] == "AmazonCloudWatch" and row["fix"] is None:
            # Metric updates of a stream, at $0.003 per 1,000.
            updates = row["requests"]
            check.near(f"{name}: updates", usd, None if updates is None else updates * 0.003e-3, 1)
            continue
        rate, by_the_hour = None, 0
        if row["path"] == "nat":
            check.near(f"{name}: hours", row["hours"], HOURS_PER_MONTH)
            rate = NAT_USD[row["from"]]
            by_the_hour = HOURS_PER_MONTH * rate
        elif row["path"] == "endpoint":
            zones = row["hours"] / HOURS_PER_MONTH
            check.holds(f"{name}: {zones} zones", zones == int(zones) > 0 and gb < 2 ** 20)
            rate = ENDPOINT_USD[row["from"]]
            by_the_hour = row["hours"] * rate
        elif row["fix"] == "log_retention":
            # Elsewhere the price of us-east-1 stands in, and the row says so.
            rate = LOGS_USD["us-east-1"]
            check.holds(f"{name}: whose price", (row["from"] in LOGS_USD) == ("an estimate at the price" not in row["why"]))
        elif row["service"] == "AmazonEC2":
            sent[name, row["account"], row["from"]] = gb
        elif row["fix"] == "co_location":
            rate = FAR_USD.get((row["from"], row["to"]))
        if rate is None or row["bytes"] is None:
            check.holds(f"{name}: dollars of nothing", usd is None and avoidable is None)
        else:
            check.near(f"{name}: dollars", usd, gb * rate + by_the_hour, 1)
            check.near(f"{name}: a GB", row["usd_per_gb"], rate if gb else None, 1)
            most = {"gateway_endpoint": usd if row["path"] == "endpoint" else gb * rate, "log_retention": gb * rate,
                    "co_location": gb * rate, "delete_idle": usd}
            check.near(f"{name}: avoidable", avoidable, most.get(row["fix"]), 1)
            check.holds(f"{name}: a command without a claim",
                        (row["command"] is None) == (row["fix"] in (None, "co_location")))
            if row["fix"] == "co_location" and avoidable:
                check.near(f"{name}: pays back", row["pay_back_months"], row["fix_usd_once"] / avoidable, 1)
        if row["fix"] in ("gateway_endpoint", "log_retention", "delete_idle"):
            check.near(f"{name}: the fix costs nothing", row["fix_usd_per_month"], 0)
            check.near(f"{name}: nor once", row["fix_usd_once"], 0)
            if avoidable:
                check.near(f"{name}: pays at once", row["pay_back_months"], 0)
    # What the fleet sends costs at most what the internet does, by the steps of all accounts together.
    steps, all_sent = [(10_240, 0.09), (40_960, 0.085), (102_400, 0.07), (math.inf, 0.05)], sum(sent.values())
    left, most = all_sent, 0
    for size, rate in steps:
        most, left = most + min(left, size) * rate, max(left - size, 0)
    for row in rows:
        key = (row["resource"], row["account"], row["from"])
        share = sent[key] / all_sent if sent.get(key) else None
        check.near(f"{key}: at most", row["usd_per_month_at_most"], share and most * share, 2)
    for key in ["usd_per_month", "avoidable_usd_per_month"]:
        check.near(f"network: {key}", whole[key], total(rows, key), len(rows))
    check.near("network: all of it", whole["network_usd_per_month"], whole["usd_per_month"])
    check.near("network: no requests", whole["requests_usd_per_month"], 0)


def buckets(check, report):
    for row in report["rows"]:
        name, parts = row["name"], (row["tiers"] or {}).values()
        for key in ["bytes", "usd_per_month"]:
            if parts and row[key] is not None:
                check.near(f"{name}: {key} by tier", row[key], total(parts, key), len(parts))
        if row["growth_usd"] is not None and row["bytes"]:
            check.near(f"{name}: growth", row["growth_usd"], row["growth"] * row["usd_per_month"] / row["bytes"], 10)
        check.holds(f"{name}: saves more than it costs", row["savings"] is None
                    or row["usd_per_month"] is None or row["savings"] <= row["usd_per_month"] + 1e-6)
        low, high = row["saves_low_usd"], row["saves_high_usd"]
        check.holds(f"{name}: the estimate is no range of what it costs", (low is None) == (high is None)
                    and (high is None or 0 <= low <= high <= row["usd_per_month"] + 1e-6))
        if high is not None and set(row["tiers"]) == {"standard"}:
            # At most all of it in Glacier Instant Retrieval, which lists at $0.004 a GB where Standard is $0.023, and saves less
            # elsewhere.
            check.holds(f"{name}: saves more than the coldest class that reads at once",
                        high <= row["usd_per_month"] * (1 - 0.004 / 0.023) + 1e-5)
        if low is not None and row["reads_per_month"] is None:
            check.near(f"{name}: whoever does not know what is read promises nothing", low, 0)


def ebs(check, report):
    with open(f"{ASSETS}/ebs-prices.csv", encoding="utf-8") as file:
        rates = list(csv.DictReader(line for line in file if not line.startswith("#")))
    known = {rate["region"] for rate in rates}
    for row in report["rows"]:
        name = row["name"] or row["id"]
        aged(check, name, row, "created", report)
        check.holds(f"{name}: saves more than it costs", row["savings"] is None
                    or row["usd_per_month"] is None or row["savings"] <= row["usd_per_month"] + 1e-6)
        # Findings of one volume exclude each other: the largest counts.
        savings = [finding["usd_per_month"] for finding in row["findings"] if finding["usd_per_month"] is not None]
        check.near(f"{name}: saves", row["savings"], max(savings, default=None))
        if row["what"] == "volume" and row["region"] in known and row["usd_per_month"] is not None:
            parts = [("gib", row["bytes"] / GIB)]
            if row["kind"] in ("gp3", "io1", "io2"):
                parts += [("iops", row["iops"] or 0), ("mibps", row["throughput"] or 0)]
            usd = sum(priced_by(rates, row["region"], row["kind"], what, amount) for what, amount in parts)
            check.near(f"{name}: a month", row["usd_per_month"], usd, len(parts))


def groups(check, report):
    for row in report["rows"]:
        check.near(f"group {row['name']}: states", row["count"], sum(row["states"].values()))
        check.holds(f"group {row['name']}: wastes more than it costs",
                    row["waste_usd_per_hour"] <= row["usd_per_hour"] + 1e-6)


def asg(check, report):
    check.holds("mixed fleets", report["mixed_fleets"])


def priced_by(rates, region, kind, what, amount):
    """Dollars a month by the list of volumes: each unit beyond a threshold at the price from there on."""
    steps = sorted((float(rate["from"]), float(rate["usd"])) for rate in rates
                   if (rate["region"], rate["kind"], rate["price"]) == (region, kind, what))
    ends = [start for start, _ in steps[1:]] + [float("inf")]
    return sum(usd * max(0, min(amount, end) - start) for (start, usd), end in zip(steps, ends))


def forecast(check, report):
    for row in report["rows"]:
        curve = row["curve"] or []
        for month in curve:
            for of in ["bytes", "usd_per_month"]:
                low, mid, high = (month[key] for key in (f"{of}_p10", of, f"{of}_p90"))
                check.holds(f"{row['bucket']}: {of} in order", None in (low, mid, high) or low <= mid <= high)
        if curve:
            check.holds(f"{row['bucket']}: months", [month["month"] for month in curve] == list(range(len(curve))))
            for month in curve:
                rate = month["usd_per_month"] / month["bytes"] * row["bytes"] / row["usd_per_month"] if row["usd_per_month"] else 1
                check.holds(f"{row['bucket']}: dollars of month {month['month']}", abs(rate - 1) < 0.05)
            if row["growth"] == "linear" and row["growth_bytes_per_month"] > 0:
                grown = curve[-1]["bytes"] - curve[0]["bytes"]
                expected = row["growth_bytes_per_month"] * curve[-1]["month"]
                check.holds(f"{row['bucket']}: grows by {grown}, expected {expected}",
                            abs(grown - expected) <= 0.02 * expected)


def capped(check, report):
    for cap in report["caps"]:
        check.holds(f"{cap['cap']}: {cap['value']} of {cap['limit']}, over: {cap['over']}", None in (
            cap["value"], cap["limit"]) or cap["over"] == (cap["value"] > cap["limit"]))
    return {cap["cap"]: cap["value"] for cap in report["caps"]}


def plan(check, report):
    rows, caps, of = report["rows"], capped(check, report), report["plan"]["fleet_size"]
    check.near("plan: share", caps["max_fleet_percent"], 100 * caps["max_instances"] / of)
    check.holds("plan: more than there are", caps["max_instances"] <= len(rows))
    for place in report["environments"]:
        check.holds(f"plan: {place['environment']}", place["production"] <= place["count"])
    check.near("plan: environments", total(report["environments"], "count"), caps["max_instances"])


def volumes(check, report):
    rows, caps = report["rows"], capped(check, report)
    check.near("volumes", caps["max_instances"], len(rows))
    check.near("volumes: environments", total(report["environments"], "count"), len(rows))


def policy(check, report):
    rows, caps = report["rows"], capped(check, report)
    for rule in report["rules"]:
        of = [row for row in rows if row["rule"] == rule["rule"]]
        check.near(f"policy {rule['rule']}: matches", rule["matches"], len(of))
        check.near(f"policy {rule['rule']}: idle", rule["idle"], sum(row["verdict"] == "idle" for row in of))
        check.near(f"policy {rule['rule']}: environments", total(rule["environments"], "count"), len(of))
        check.near(f"policy {rule['rule']}: production", total(rule["environments"], "production"),
                   sum(row["production"] for row in of))
    stopped = [row for row in rows if row["decision"] == "stop"]
    check.near("policy: stops", caps["max_instances"], len(stopped))
    check.near("policy: stops in environments", total(report["stops"], "count"), len(stopped))
    check.near("policy: share", caps["max_fleet_percent"], 100 * len(stopped) / len(rows))
    check.near("policy: dollars", caps["max_usd_per_hour"], total(stopped, "usd_per_hour"), len(rows))


def schedule(check, report):
    for row in report["rows"]:
        check.holds(f"schedule {row['name']}", (row["off"] is None) == (row["hours_per_week"] is None))
