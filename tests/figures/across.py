"""One report against another: of one moment, an hour later, and by a cache of another age."""

from collections import defaultdict

from accounts import gpus
from checks import GIB, HOURS_PER_MONTH, Checks, at_least, moment, total, unknown

# Verdicts by part of the fleet, where they are called otherwise: what is partly in use is in two.
PARTS = {"busy": ["busy", "partial"], "partly_idle": ["partial"]}


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
            waste = None if waste == 0 and unknown(rows, "waste_usd_per_hour") else waste
            check.near(f"{section} {name}: waste", printed[name]["waste_usd_per_hour"], waste, len(rows))
    by_id = {row["instance_id"]: row for row in running}
    across_findings(check, reports, lines, by_id)
    for row in lines:
        if row["section"] == "score" and row["name"] == "commitment_utilisation":
            check.near("score: utilisation", row["share"], reports["commitments"]["sums"]["utilisation"])
        if row["section"] == "score" and row["name"] == "active_storage":
            judged, active = active_storage(reports)
            check.near("score: active storage", row["share"], active / judged if judged else None)
        if row["section"] == "unused" and row["name"] == "commitments":
            check.near("unused commitments", row["waste_usd_per_hour"],
                       reports["commitments"]["sums"]["unused_usd_per_hour"])
        if row["section"] == "unused" and row["name"] != "commitments":
            of = [r for r in reports["resources"]["rows"] if r["kind"] == row["name"] and r["verdict"] == "idle"]
            check.near(f"unused {row['name']}", row["waste_usd_per_hour"], total(of, "waste_usd_per_hour"), len(of) + 1)
            check.near(f"unused {row['name']}: items", row["items"], len(of))
            check.near(f"unused {row['name']}: unpriced", row["unpriced"], unknown(of, "waste_usd_per_hour"))
        if row["section"] == "part":
            of = [r for r in running if r["verdict"] in PARTS.get(row["name"], [row["name"]])]
            idling = sum(r["waste_usd_per_hour"] or 0 for r in of if r["verdict"] == "partial")
            usd = idling if row["name"] == "partly_idle" else total(of, "usd_per_hour") - idling
            check.near(f"part {row['name']}: instances", row["instances"], len(of))
            check.near(f"part {row['name']}: dollars", row["usd_per_hour"], usd, len(of))
    across_ladder(check, reports, running, lines)
    across_measures(check, reports, by_id, lines)
    across_gpus(check, reports, by_id, lines)
    across_waterfall(check, reports, lines)
    across_storage(check, reports)
    across_network(check, reports)
    across_plans(check, reports)
    across_bill(check, reports)
    for name in ["rightsize", "spot"]:
        for row in reports[name]["rows"]:
            key = "usd_per_hour" if name == "rightsize" else "on_demand_usd_per_hour"
            if row[key] is not None and row["id"] in by_id and by_id[row["id"]]["lifecycle"] == "on_demand":
                check.near(f"{name} {row['name']}: price", row[key], by_id[row["id"]]["usd_per_hour"])


def across_bill(check, reports):
    """What the bill says of a resource stands beside it, and what of a commitment nothing used."""
    costs = {row["resource"]: row["net_usd"] for row in reports["bill"]["rows"]}
    for name, key in [("idle", "instance_id"), ("buckets", "name"), ("ebs", "id")]:
        for row in reports[name]["rows"]:
            check.near(f"{name} {row[key]}: billed", row["billed_usd"], costs.get(row[key]))
    unused = defaultdict(float)
    for row in reports["bill_commitments"]["rows"]:
        is_unused = row["pricing"] in ("unused_commitment", "unused_capacity")
        unused[row["commitment"]] += row["net_usd"] if is_unused else 0
    # Room that was reserved without a commitment is a resource of its own, billed for what nothing ran in.
    unused.update((resource, usd) for resource, usd in costs.items() if str(resource).startswith("cr-"))
    for row in reports["commitments"]["rows"]:
        check.near(f"commitment {row['id']}: billed and unused", row["billed_unused_usd"], unused.get(row["id"]))


def across_findings(check, reports, lines, by_id):
    """The costliest findings of all kinds, made anew of the other reports: USD/h, USD so far, bound."""
    expected = defaultdict(list)

    def found(kind, name, usd, rows=None):
        if usd:
            known = [row for row in rows or [] if row["wasted_usd"] is not None]
            wasted = total(known, "wasted_usd") if known else None
            expected[(kind, name)].append((usd, wasted, at_least(known) if known else None))

    for row in by_id.values():
        found("instance", row["instance_id"], row["waste_usd_per_hour"], [row])
    hosts = defaultdict(list)
    for row in reports["gpus"]["rows"]:
        verdict = (by_id.get(row["instance_id"]) or {}).get("verdict", "none")
        counted = verdict in ("idle", "exempt", "too_new", None) or (
            verdict == "partial" and row["state"] in ("held_idle", "unallocated_idle"))
        if row["state"] in ("unallocated_idle", "held_idle", "stalled") and not counted:
            hosts[(row["instance_id"] or row["node"], row["state"])].append(row)
    for (host, _), rows in hosts.items():
        found("gpus", host, total(rows, "waste_usd_per_hour"), rows)
    for row in reports["resources"]["rows"]:
        if row["verdict"] == "idle":
            found("resource", row["id"], row["waste_usd_per_hour"], [row])
    for row in reports["commitments"]["rows"]:
        if row["state"] == "active":
            found("commitment", row["id"], row["unused_usd_per_hour"])
    for row in reports["buckets"]["rows"]:
        found("storage", row["name"], (row["savings"] or 0) / HOURS_PER_MONTH)
    for row in reports["ebs"]["rows"]:
        # The volumes of a stopped instance count with it.
        saves = [f["usd_per_month"] for f in row["findings"]
                 if f["kind"] != "stopped_instance_volume" and f["usd_per_month"] is not None]
        found("storage", row["id"], max(saves, default=0) / HOURS_PER_MONTH)
    printed = [row for row in lines if row["section"] == "finding"]
    usd = sorted((usd for of in expected.values() for usd, _, _ in of), reverse=True)[:5]
    check.holds("findings: in order", [row["waste_usd_per_hour"] for row in printed] == sorted(
        (row["waste_usd_per_hour"] for row in printed), reverse=True))
    check.near("findings: how many", len(printed), len(usd))
    for place, (row, of) in enumerate(zip(printed, usd)):
        check.near(f"finding {place}: the costliest", row["waste_usd_per_hour"], of, 10)
        # GPUs of a host are a finding by state.
        of, wasted, bounded = min(expected[(row["kind"], row["id"])], key=lambda it: abs(it[0] - row["waste_usd_per_hour"]))
        check.near(f"finding {row['name']}: dollars", row["waste_usd_per_hour"], of, 10)
        check.near(f"finding {row['name']}: wasted", row["wasted_usd"], wasted, 10)
        check.holds(f"finding {row['name']}: at least", row["wasted_at_least"] == bounded)


def across_gpus(check, reports, by_id, lines):
    rows, blind = reports["gpus"]["rows"], reports["gpus"]["blind"]
    for instance, of in gpus(Checks(), reports["gpus"]).items():
        box = by_id.get(instance)
        if not box:
            continue
        check.holds(f"{instance}: {total(of, 'gpus')} of {box['gpus']} GPUs", total(of, "gpus") <= box["gpus"] + 1e-4)
        for row in of:
            if box["usd_per_hour"] is not None:
                # Slices are printed with six digits.
                check.near(f"{instance} GPU {row['gpu_index']}: price", row["usd_per_hour"],
                           box["usd_per_hour"] * row["gpus"] / box["gpus"], 10)
    for row in blind:
        box = by_id.get(row["instance_id"])
        if box and box["usd_per_hour"] is not None:
            check.near(f"{row['instance_id']}: blind", row["usd_per_hour"],
                       box["usd_per_hour"] * row["missing"] / row["devices"])
    # What idles within instances that do not: those of the others are in them.
    apart = [row for row in rows if (by_id.get(row["instance_id"]) or {}).get("verdict")
             not in ("idle", "partial", "exempt", "too_new")]
    for line in lines:
        if line["section"] == "blind" and line["name"] == "missing":
            check.near("blind: dollars", line["usd_per_hour"], total(blind, "usd_per_hour"), len(blind))
            check.near("blind: instances", line["instances"], len(blind))
            check.near("blind: unpriced", line["unpriced"], unknown(blind, "usd_per_hour"))
        if line["section"] == "gpu":
            of = [row for row in apart if row["state"] == line["name"]]
            for key in ["waste_usd_per_hour", "wasted_usd", "gpus"]:
                check.near(f"{line['name']}: {key}", line[key], total(of, key), len(of))
            check.near(f"{line['name']}: unpriced", line["unpriced"], unknown(of, "usd_per_hour"))
            if line["wasted_usd"] is not None:
                check.holds(f"{line['name']}: wasted at least", line["wasted_at_least"] == at_least(of))
        if line["section"] == "score" and line["name"] == "gpu_utilisation":
            of = [row for row in rows if row["effective"] is not None]
            check.near("score: GPUs", line["share"], sum(row["effective"] * row["gpus"] for row in of) / total(of, "gpus"))
    check.holds("blind: by group", blind == reports["groups"]["blind"])
    groups_of = defaultdict(list)
    for row in rows:
        groups_of[row["team"]].append(row)
    printed = {row["group"]: row for row in reports["groups"]["rows"]}
    check.holds(f"groups {sorted(map(str, printed))}", set(printed) == set(groups_of))
    for name in set(printed) & set(groups_of):
        group, of = printed[name], groups_of[name]
        measured = [row for row in of if row["effective"] is not None]
        check.near(f"group {name}: rows", group["count"], len(of))
        check.near(f"group {name}: unpriced", group["unpriced"], unknown(of, "usd_per_hour"))
        check.near(f"group {name}: measured", group["measured_gpus"], total(measured, "gpus"), len(of))
        check.near(f"group {name}: use", group["effective"],
                   sum(row["effective"] * row["gpus"] for row in measured) / total(measured, "gpus") if measured else None)
        check.near(f"group {name}: dollars in use", group["effective_usd_per_hour"], sum(
            row["effective"] * row["usd_per_hour"] for row in measured if row["usd_per_hour"] is not None), len(of))
        check.holds(f"group {name}: wasted at least", group["wasted_at_least"] == at_least(of))
        for key in ["gpus", "usd_per_hour", "waste_usd_per_hour", "wasted_usd"]:
            check.near(f"group {name}: {key}", group[key], total(of, key), len(of))
        for state, count in group["states"].items():
            check.near(f"group {name}: {state}", count, sum(row["state"] == state for row in of))


def across_ladder(check, reports, running, lines):
    """The rows of the ladder from the lists that they open."""
    ladder = {row["name"]: row for row in lines if row["section"] == "ladder"}
    printed = {row["name"] for row in lines if row["section"] == "part"}
    for name in ["list_price", *printed]:
        of = running if name == "list_price" else [
            row for row in running if row["verdict"] in PARTS.get(name, [name])]
        idling = sum(row["waste_usd_per_hour"] or 0 for row in of if row["verdict"] == "partial")
        usd = total(of, "usd_per_hour") - idling
        usd = {"list_price": total(of, "usd_per_hour"), "partly_idle": idling}.get(name, usd)
        check.near(f"ladder: {name}: list price", ladder[name]["list_usd_per_hour"], usd, len(of))
        check.near(f"ladder: {name}: instances", ladder[name]["items"], len(of))
        check.near(f"ladder: {name}: unpriced", ladder[name]["unpriced"], unknown(of, "usd_per_hour"))
    if "bill_now" not in ladder:
        return
    first = next(row for row in lines if row["section"] == "waterfall" and row["name"] == "before")
    check.near("ladder: the bill of the waterfall", ladder["bill_now"]["usd_per_hour"], first["usd_per_hour"])
    net = next(row for row in lines if row["name"] == "net_of_commitments")
    check.near("ladder: net of commitments", ladder["list_price"]["usd_per_hour"]
               + ladder["commitments_change"]["usd_per_hour"], net["usd_per_hour"], len(running))
    # What no commitment pays for costs its price.
    for name in printed:
        of = [row for row in running if row["verdict"] in PARTS.get(name, [name])]
        if not any(row["covered_by"] for row in of):
            check.near(f"ladder: {name}: paid", ladder[name]["usd_per_hour"], ladder[name]["list_usd_per_hour"], len(of))
        else:
            check.holds(f"ladder: {name}: paid", ladder[name]["usd_per_hour"] is not None)
    sums, held = reports["commitments"]["sums"], reports["commitments"]["rows"]
    room = sums["unused_room_usd_per_hour"]
    part = {name: ladder.get(name, {"usd_per_hour": 0, "items": 0, "unpriced": 0})
            for name in ["unused_commitments", "empty_capacity", "idle_resources", "other_resources", "storage"]}
    check.near("ladder: unused commitments", part["unused_commitments"]["usd_per_hour"],
               sums["unused_usd_per_hour"] - room, len(held))
    paid = [row for row in held if row["state"] == "active" and row["kind"] != "capacity_reservation"]
    check.near("ladder: commitments in force", part["unused_commitments"]["items"], len(paid))
    check.near("ladder: commitments without a price", part["unused_commitments"]["unpriced"], unknown(paid, "usd_per_hour"))
    check.near("ladder: empty capacity", part["empty_capacity"]["usd_per_hour"], room, len(held))
    empty = [row for row in held if row["kind"] == "capacity_reservation" and row["unused_usd_per_hour"]]
    check.near("ladder: empty reservations", part["empty_capacity"]["items"], len(empty))
    check.near("ladder: empty reservations without a price", part["empty_capacity"]["unpriced"], 0)
    # The volumes of stopped instances are among the volumes.
    things = reports["resources"]["rows"]
    counted = [row for row in things if row["kind"] != "stopped_instance"]
    for name, is_idle in [("idle_resources", True), ("other_resources", False)]:
        of = [row for row in counted if (row["verdict"] == "idle") == is_idle]
        key = "waste_usd_per_hour" if is_idle else "usd_per_hour"
        check.near(f"ladder: {name}", part[name]["usd_per_hour"], total(of, key), len(of))
        every = [row for row in things if (row["verdict"] == "idle") == is_idle]
        check.near(f"ladder: {name}: items", part[name]["items"], len(every))
        check.near(f"ladder: {name}: unpriced", part[name]["unpriced"], sum(
            row["usd_per_hour"] is None and row["waste_usd_per_hour"] is None for row in every))
    stores = [*reports["buckets"]["rows"], *reports["ebs"]["rows"]]
    check.near("ladder: storage", part["storage"]["usd_per_hour"], total(stores, "usd_per_month") / HOURS_PER_MONTH,
               len(stores))
    check.near("ladder: storage: items", part["storage"]["items"], len(stores))


def idle_gpus(row):
    """GPUs of an instance that its verdict calls idle."""
    devices = sum(s["label"].startswith("GPU ") for s in row["signals"])
    return {"idle": row["gpus"], "partial": row["gpus"] * (row["idle_gpus"] or 0) / max(devices, 1)}.get(row["verdict"], 0)


def across_measures(check, reports, by_id, lines):
    """The GPUs by verdict and by state, and the pieces between the idle ones of both, instance by instance."""
    use = {row["name"]: row for row in lines if row["section"] == "gpu_use"}
    piece = {row["name"]: row for row in lines if row["section"] == "gpu_waste"}
    if not use:
        return
    states = {"busy": "at_work", "inefficient": "at_work", "held_idle": "idle", "unallocated_idle": "idle",
              "stalled": "stalled_or_unhealthy", "unknown": "unknown", "stale": "unknown"}
    live_of = defaultdict(list)
    for row in reports["gpus"]["rows"]:
        live_of[row["instance_id"]].append(row)
    judged, live, gpus, usd = (defaultdict(float) for _ in range(4))
    for row in by_id.values():
        waste = row["waste_usd_per_hour"] or 0
        usd["judged_idle"] += waste
        if not row["gpus"]:
            usd["without_gpus"] -= waste
            continue
        each, idle, kind = (row["usd_per_hour"] or 0) / row["gpus"], idle_gpus(row), row["verdict"]
        judged["idle"] += idle
        rest = {"exempt": "exempt_or_too_new", "too_new": "exempt_or_too_new", "unknown": "unknown", None: "unknown"}
        judged[rest.get(kind, "at_work")] += row["gpus"] - idle
        here = defaultdict(float)
        for part in live_of[row["instance_id"]]:
            state = states.get(part["state"])
            if part["state"] == "unhealthy":
                wasted = part["waste_usd_per_hour"]
                state = "unknown" if wasted is None else "stalled_or_unhealthy" if wasted else "at_work"
            here[state] += part["gpus"]
            here[part["state"]] += part["gpus"] if part["state"] in ("held_idle", "unallocated_idle") else 0
        here["unseen"] = row["gpus"] - sum(part["gpus"] for part in live_of[row["instance_id"]])
        for name in ["at_work", "idle", "stalled_or_unhealthy", "unknown", "unseen"]:
            live[name] += here[name]
        gpus["judged_idle"] += idle
        pieces = {"stalled_or_unhealthy": here["stalled_or_unhealthy"]}
        if kind in rest:
            pieces["idle_not_judged"] = here["idle"]
        else:
            more = max(here["idle"] - idle, 0)
            pieces["held_idle_in_use"] = min(more, here["held_idle"])
            pieces["unallocated_in_use"] = more - pieces["held_idle_in_use"]
            fewer = max(idle - here["idle"], 0)
            both = min(fewer, here["stalled_or_unhealthy"])
            pieces["stalled_or_unhealthy"] -= both
            fewer -= both
            for name, most in [("unseen", here["unseen"]), ("unknown_now", here["unknown"]), ("at_work_now", fewer)]:
                pieces[name] = -min(fewer, most)
                fewer += pieces[name]
        for name, part in pieces.items():
            gpus[name] += part
            usd[name] += part * each
    for name in use:
        if name != "all":
            for key, of in [("gpus", judged), ("live_gpus", live)]:
                if use[name][key] is not None:
                    check.near(f"GPUs {name}: {key}", use[name][key], of[name], len(by_id))
    for key in ["gpus", "live_gpus"]:
        check.near(f"GPUs: {key}", use["all"][key], total(by_id.values(), "gpus"), len(by_id))
        check.near(f"GPUs: {key} add up", use["all"][key],
                   sum(row[key] or 0 for name, row in use.items() if name != "all"), len(by_id))
    for of in [gpus, usd]:
        of["live_now"] = sum(of.values())
    for name, row in piece.items():
        check.near(f"waste {name}: GPUs", row["gpus"], gpus[name], len(by_id))
        if row["usd_per_hour"] is not None:
            check.near(f"waste {name}: dollars", row["usd_per_hour"], usd[name], 10 * len(by_id))
    waste = [row for of in by_id for row in live_of[of]]
    check.near("waste: that of the GPUs", piece["live_now"]["usd_per_hour"], total(waste, "waste_usd_per_hour"),
               10 * len(by_id))


def across_waterfall(check, reports, lines):
    steps = {row["name"]: row for row in lines if row["section"] == "waterfall"}
    if not steps:
        return
    running = [row for row in reports["idle"]["rows"] if row["state"] == "running"]
    net = next(row for row in lines if row["name"] == "net_of_commitments")
    check.near("net not known", net["unpriced"], unknown(running, "usd_per_hour"))
    blocks, things = reports["ebs"]["rows"], reports["resources"]["rows"]
    # The volumes of stopped instances are among the volumes.
    other = [row for row in things if row["kind"] != "stopped_instance"]
    stores = [*reports["buckets"]["rows"], *blocks]
    # By the bill: of what there is of it the fixes avoid no more.
    network = total([row for row in lines if row["section"] == "ladder" and row["name"] == "network"], "usd_per_hour")
    if "network" in steps:
        check.holds("waterfall: network saves more than it costs",
                    steps["network"]["saves_usd_per_hour"] <= network + 1e-6)
    check.near("waterfall: before", steps["before"]["usd_per_hour"], net["usd_per_hour"]
               + reports["commitments"]["sums"]["unused_usd_per_hour"]
               + total(stores, "usd_per_month") / HOURS_PER_MONTH + total(other, "usd_per_hour") + network, len(stores))
    stored = [row for row in stores if row["savings"] is not None]
    check.near("waterfall: storage", steps["storage"]["saves_usd_per_hour"],
               total(stored, "savings") / HOURS_PER_MONTH, len(stored))
    check.near("waterfall: storage: items", steps["storage"]["items"], len(stored))
    for step, report in [("right_size", "rightsize"), ("spot", "spot")]:
        check.near(f"waterfall: {step}: gross", steps[step]["gross_usd_per_hour"],
                   reports[report]["totals"]["gross_usd_per_hour"])
    across_nodes(check, reports, lines, running, steps["partly_idle"])
    stopped = [row for row in running if row["verdict"] == "idle"]
    check.near("waterfall: idle: gross", steps["idle"]["gross_usd_per_hour"],
               total(stopped, "usd_per_hour") + reports["resources"]["totals"]["waste_usd_per_hour"], len(stopped))


def across_nodes(check, reports, lines, running, step):
    """What is packed: of nodes that are partly idle alone, at most their list price and their net; work that moved has room."""
    by_id = {row["instance_id"]: row for row in running if row["verdict"] == "partial"}
    named = [row for row in lines if row["section"] == "node"]
    check.near("nodes: how many", len(named), min(len(by_id), 10))
    check.holds("waterfall: partly idle: gross above their price",
                step["gross_usd_per_hour"] <= total(by_id.values(), "usd_per_hour") + 1e-5)
    proposals = {row["id"]: row for row in reports["rightsize"]["rows"]}
    for row in named:
        of = by_id.get(row["instance_id"])
        check.holds(f"node {row['name']}: partly idle", of is not None)
        if of is None:
            continue
        check.near(f"node {row['name']}: idle", row["items"], of["idle_gpus"])
        check.near(f"node {row['name']}: GPUs", row["gpus"], of["gpus"])
        if row["kind"] == "drain":
            check.near(f"node {row['name']}: drained", row["gross_usd_per_hour"], of["usd_per_hour"])
        if row["kind"] == "smaller" and "MIG" not in row["note"]:
            check.near(f"node {row['name']}: smaller", row["gross_usd_per_hour"],
                       proposals[row["instance_id"]]["gross_usd_per_hour"])
    moved = [row for row in named if row["kind"] == "drain"]
    taking = [row for row in named if row["kind"] == "takes_in"]
    if len(by_id) <= 10 and not any("MIG" in row["note"] for row in moved):
        needed, has = (sum(proposals[row["id"]]["need_gpus"] for row in moved + taking), total(taking, "gpus"))
        check.holds(f"nodes: {needed} GPUs in use on {has}", needed <= has)


def active_storage(reports):
    """Bytes of which it is told whether they are in use, and those that are. Bytes that were read are in no list: a read of
    the demo is of a whole object of the mean size."""
    judged = active = 0
    for row in reports["ebs"]["rows"]:
        if row["what"] == "volume" and row["used"] != "unknown":
            judged += row["bytes"]
            active += row["bytes"] if row["used"] == "in_use" else 0
    for row in reports["buckets"]["rows"]:
        rest = 0
        for tier, part in (row["tiers"] or {}).items() if row["kind"] != "directory" else ():
            is_told = tier in ("glacier", "deep_archive") or tier.startswith("it_")
            judged += part["bytes"] if is_told else 0
            active += part["bytes"] if tier == "it_fa" else 0
            rest += 0 if is_told else part["bytes"]
        reads = row["reads_per_month"]
        if reads is not None and rest:
            judged += rest
            active += min(rest, reads * row["bytes"] / row["objects"]) if reads else 0
    return judged, active


def across_storage(check, reports):
    by_name = {row["name"]: row for row in reports["buckets"]["rows"]}
    for row in reports["forecast"]["rows"]:
        of = by_name[row["bucket"]]
        for key in ["bytes", "usd_per_month"]:
            check.near(f"forecast {row['bucket']}: {key}", row[key], of[key])
    by_id = {row["id"]: row for row in reports["ebs"]["rows"]}
    for row in reports["volumes"]["rows"]:
        saves = [f["usd_per_month"] for f in by_id[row["id"]]["findings"] if f["kind"] == "gp2"]
        check.near(f"plan of {row['id']}: saves", row["usd_per_month"], max(saves, default=None))


def across_network(check, reports):
    """What a copy of a far bucket costs: what is stored by the price of a GB that its reads are paid at."""
    by_name = {row["name"]: row for row in reports["buckets"]["rows"]}
    for row in reports["network_live"]["rows"]:
        if row["fix"] == "co_location" and row["usd_per_gb"] is not None:
            check.near(f"a copy of {row['resource']}", row["fix_usd_once"],
                       by_name[row["resource"]]["bytes"] / GIB * row["usd_per_gb"], 1)


def across_plans(check, reports):
    by_id = {row["instance_id"]: row for row in reports["idle"]["rows"]}
    for report in ["plan", "policy"]:
        for row in reports[report]["rows"]:
            of = by_id[row["instance_id"]]
            check.holds(f"{report}: {row['name']}: {row['verdict']}", row["verdict"] == of["verdict"])
            check.near(f"{report}: {row['name']}: price", row["usd_per_hour"], of["usd_per_hour"])
    for row in reports["plan"]["rows"]:
        check.near(f"plan: {row['name']}: net", row["net_usd_per_hour"], by_id[row["instance_id"]]["net_usd_per_hour"])
        saves = row["stakes"]["saves_usd_per_hour"]
        check.holds(f"plan: {row['name']}: saves {saves} of {row['usd_per_hour']}",
                    saves in (None, 0) or abs(saves - (row["usd_per_hour"] or 0)) < 2e-6)
        check.near(f"plan: {row['name']}: saves net", row["stakes"]["net_usd_per_hour"], row["net_usd_per_hour"])
    for row in reports["schedule"]["rows"]:
        if row["usd_per_month"] is not None:
            check.near(f"schedule: {row['name']}", row["usd_per_month"],
                       by_id[row["instance_id"]]["usd_per_hour"] * row["hours_per_week"] / 168 * HOURS_PER_MONTH, 1000)
    check.holds("mixed fleets are those of spot", reports["asg"]["mixed_fleets"] == reports["spot"]["mixed_fleets"])


def who(row):
    """What a row is of, whatever report it is in."""
    keys = ["section", "account", "region", "group", "id", "instance_id", "node", "gpu_index", "gpu_instance", "bucket", "name", "resource",
            "commitment", "pricing"]
    return tuple(str(row.get(key)) for key in keys)


def goes_on(check, before, after, launched=None):
    """One report of what idles, and one later by the same cache: what still idles idles since the same moment, unless a
    use was seen in between or its instance was launched anew (`launched`, by id), and has wasted no less."""
    known = {who(row): row for row in before["rows"]}
    for row in after["rows"]:
        old = known.get(who(row))
        if not old or not old["idle_since"] or not row["idle_since"]:
            continue
        launch = (launched or {}).get(row.get("instance_id"))
        if launch and moment(launch) > moment(old["idle_since"]):
            continue
        later = moment(row["idle_since"]) > moment(old["idle_since"])
        same = all(row.get(key) == old.get(key) for key in ["verdict", "state", "idle_gpus", "usd_per_hour"])
        check.holds(f"{who(row)}: idle since {old['idle_since']}, then since {row['idle_since']}",
                    not later or not row["idle_since_at_least"] or not same)
        if not later and row["wasted_usd"] is not None and same:
            check.holds(f"{who(row)}: wasted {old['wasted_usd']}, then {row['wasted_usd']}",
                        row["wasted_usd"] >= old["wasted_usd"] - 1e-6)


# Words have ages and sums in them; of readings the age is what a cache is about. The evidence has digits of the cache.
UNCOMPARED = {"readings", "reason", "says", "note", "advice", "detail", "message", "findings", "evidence_sha256",
              "signals", "not_checked"}
# A cache keeps series with fewer digits.
DIGITS = 1e-5


def same(check, at, new, old):
    """What a new cache says, and what an old one does. Only a lower bound may differ, and only for the better."""
    if isinstance(new, dict) and isinstance(old, dict):
        left_out = set(UNCOMPARED)
        bounded = new.get("idle_since_at_least", "idle_since" in new)
        if bounded and new["idle_since"] and old["idle_since"]:
            check.holds(f"{at}: idle since {new['idle_since']}, by the cache since {old['idle_since']}",
                        old["idle_since"] <= new["idle_since"])
            left_out |= {"idle_since", "idle_since_at_least"}
        if (bounded or new.get("wasted_at_least")) and None not in (new.get("wasted_usd"), old.get("wasted_usd")):
            check.holds(f"{at}: wasted {new['wasted_usd']}, by the cache {old['wasted_usd']}",
                        old["wasted_usd"] >= new["wasted_usd"] * (1 - DIGITS))
            left_out |= {"wasted_usd", "wasted_at_least"}
        for key in (set(new) | set(old)) - left_out:
            same(check, f"{at} {key}", new.get(key), old.get(key))
    elif isinstance(new, list) and isinstance(old, list):
        rows = all(isinstance(row, dict) for row in new + old) and len({who(row) for row in new}) == len(new)
        by_name = {who(row): row for row in old} if rows else {}
        check.holds(f"{at}: {len(new)} rows, by the cache {len(old)}", len(new) == len(old))
        for place, row in enumerate(new):
            if rows and who(row) in by_name:
                same(check, f"{at} {row.get('name') or place}", row, by_name[who(row)])
            else:
                same(check, f"{at} {place}", row, old[place] if not rows and place < len(old) else None)
    elif isinstance(new, (int, float)) and isinstance(old, (int, float)):
        check.holds(f"{at}: {new}, by the cache {old}", abs(new - old) <= DIGITS * max(abs(new), 1))
    else:
        check.holds(f"{at}: {new}, by the cache {old}", new == old)
