"""Random hours under commitments, and what they cost by linear programming (HiGHS).

    python commitments_oracle.py --hours 200 --seed 7 > ../data/commitments/hours.json

AWS's order of application is a sequence of linear programs. Each kind of commitment, for each of the
owner's usage, the others' usage, the owner's unused room and the others' (zonal reservations: usage
outside of reserved capacity alone), pays for what is still open:

- Reserved Instances: for as many instance-hours as possible; where sizes are flexible, size after
  size, smallest first, in normalised units;
- Savings Plans: for as many on-demand dollars as possible within what is committed. This is what
  "highest saving first" comes to for one set of rates.

One account owns all commitments, and plans of a kind share their rates (families apart), so that
nothing depends on which of equals comes first. Deliberately plain: no order, no sorting by savings.
"""

import argparse
import json
import random
import sys

import highspy
import numpy

REGION = "us-east-1"
ZONES = ["us-east-1a", "us-east-1b"]
OWNER, OTHERS = "111111111111", ["222222222222", "333333333333"]
# Type, on-demand price, normalised units (None: this type alone).
TYPES = [
    ("g5.xlarge", 1.006, None),
    ("g5.12xlarge", 5.672, None),
    ("g6e.xlarge", 1.861, None),
    ("p4d.24xlarge", 21.957642, 192),
    ("p4de.24xlarge", 27.44705, 192),
    ("m5.large", 0.096, 4),
    ("m5.xlarge", 0.192, 8),
    ("m5.4xlarge", 0.768, 32),
    ("c5.2xlarge", 0.34, 16),
    ("c5.metal", 4.08, 192),
]
PRICE = {name: price for name, price, _ in TYPES}
UNITS = {name: units for name, _, units in TYPES}


def family(name):
    return name.split(".")[0]


def most(open_units, worth, pools, takes):
    """Units of each meter that pools pay for, worth the most.

    open_units[m] units are open, each worth worth[m]; pools[c] is what c has; takes[m, c] is what a
    unit of m takes of c. Returns {(m, c): units}.
    """
    pairs = [pair for pair in takes if open_units[pair[0]] > 1e-12 and pools[pair[1]] > 1e-12]
    if not pairs:
        return {}
    meters = sorted({m for m, _ in pairs})
    holders = sorted({c for _, c in pairs})
    rows, uppers = [], []
    for meter in meters:
        rows.append([(at, 1.0) for at, (m, _) in enumerate(pairs) if m == meter])
        uppers.append(open_units[meter])
    for holder in holders:
        rows.append([(at, takes[pair]) for at, pair in enumerate(pairs) if pair[1] == holder])
        uppers.append(pools[holder])
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(pairs), len(rows)
    lp.col_cost_ = numpy.array([-worth[m] for m, _ in pairs])
    lp.col_lower_ = numpy.zeros(len(pairs))
    lp.col_upper_ = numpy.full(len(pairs), numpy.inf)
    lp.row_lower_ = numpy.full(len(rows), -numpy.inf)
    lp.row_upper_ = numpy.array(uppers)
    starts = numpy.cumsum([0] + [len(row) for row in rows])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = numpy.array(starts, dtype=numpy.int32)
    lp.a_matrix_.index_ = numpy.array([at for row in rows for at, _ in row], dtype=numpy.int32)
    lp.a_matrix_.value_ = numpy.array([value for row in rows for _, value in row])
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
    solver.passModel(lp)
    solver.run()
    values = solver.getSolution().col_value
    return {pair: max(value, 0.0) for pair, value in zip(pairs, values)}


class Hour:
    """Meters: (account, zone, type, reservation, is it unused room)."""

    def __init__(self, meters, units, held, sharing):
        self.meters, self.open, self.held, self.sharing = meters, list(units), held, sharing
        self.left = [item.get("count", item.get("usd")) for item in held]
        self.covered = {"zonal": 0.0, "regional": 0.0, "ec2": 0.0, "compute": 0.0}
        self.used = {"ec2": 0.0, "compute": 0.0}

    def pay(self, kind, worth, takes):
        for (meter, holder), units in most(self.open, worth, self.left, takes).items():
            self.open[meter] = max(self.open[meter] - units, 0.0)
            self.left[holder] = max(self.left[holder] - units * takes[meter, holder], 0.0)
            self.covered[kind] += units
            if kind in self.used:
                self.used[kind] += units * takes[meter, holder]

    def scopes(self):
        """Lists of meters, in order."""
        for room in (False, True):
            for own in (True, False):
                if own or self.sharing:
                    yield [
                        at
                        for at, (account, _, _, _, is_room) in enumerate(self.meters)
                        if is_room == room and (account == OWNER) == own
                    ]

    def of(self, kind):
        return [at for at, item in enumerate(self.held) if item["kind"] == kind]

    def zonal(self):
        for scope in self.scopes():
            takes = {}
            for meter in scope:
                _, zone, name, reservation, _ = self.meters[meter]
                for at in self.of("zonal"):
                    item = self.held[at]
                    if reservation is None and (item["type"], item["az"]) == (name, zone):
                        takes[meter, at] = 1.0
            self.pay("zonal", {m: 1.0 for m in scope}, takes)

    def regional(self):
        for scope in self.scopes():
            exact = {
                (meter, at): 1.0
                for meter in scope
                for at in self.of("regional")
                if UNITS[self.held[at]["type"]] is None
                and self.held[at]["type"] == self.meters[meter][2]
            }
            self.pay("regional", {m: 1.0 for m in scope}, exact)
            for units in sorted({u for u in UNITS.values() if u}):
                takes = {
                    (meter, at): units / UNITS[self.held[at]["type"]]
                    for meter in scope
                    for at in self.of("regional")
                    if UNITS[self.held[at]["type"]]
                    and UNITS[self.meters[meter][2]] == units
                    and family(self.held[at]["type"]) == family(self.meters[meter][2])
                }
                self.pay("regional", {m: 1.0 for m in scope}, takes)

    def plans(self, kind, rates):
        for scope in self.scopes():
            takes = {
                (meter, at): rates[self.meters[meter][2]]
                for meter in scope
                for at in self.of(kind)
                if self.meters[meter][2] in rates
                and self.held[at].get("family") in (None, family(self.meters[meter][2]))
            }
            self.pay(kind, {m: PRICE[self.meters[m][2]] for m in scope}, takes)


def rates(dice, low, high, types):
    return {name: round(PRICE[name] * dice.uniform(low, high), 6) for name in types}


def hour(dice, number):
    """One hour and its answer. Every fourth has one plan and nothing else."""
    alone = number % 4 == 0
    sharing = alone or dice.random() < 0.7
    accounts = [OWNER] if alone else [OWNER] + OTHERS
    types = dice.sample([name for name, _, _ in TYPES], dice.randint(2, 6))
    meters, units = [], []
    for account in accounts:
        for zone in ZONES:
            for name in types:
                if dice.random() < 0.5:
                    meters.append((account, zone, name, None, False))
                    units.append(round(dice.choice([dice.randint(1, 9), dice.uniform(0, 9)]), 3))
    tables = {
        "ec2": rates(dice, 0.35, 0.9, types),
        "compute": rates(dice, 0.4, 1.0, [t for t in types if dice.random() < 0.9]),
    }
    held = []
    kinds = [dice.choice(["ec2", "compute"])] if alone else None
    for at in range(1 if alone else dice.randint(1, 8)):
        kind = kinds[0] if alone else dice.choice(["zonal", "regional", "ec2", "compute", "odcr"])
        name = dice.choice(types)
        spend = sum(n * PRICE[of] for (_, _, of, _, _), n in zip(meters, units))
        if kind == "zonal":
            held.append({"kind": kind, "type": name, "az": dice.choice(ZONES), "count": dice.randint(1, 8)})
        elif kind == "regional":
            held.append({"kind": kind, "type": name, "count": dice.randint(1, 8)})
        elif kind == "ec2":
            usd = round(dice.uniform(0.05, 6) * PRICE[name], 6)
            held.append({"kind": kind, "family": family(name), "usd": usd})
        elif kind == "compute":
            held.append({"kind": kind, "usd": round(dice.uniform(0.02, 0.8) * spend, 6)})
        else:
            inside = dice.randint(0, 3)
            total = inside + dice.randint(0, 3)
            held.append({"kind": kind, "type": name, "az": ZONES[0], "count": total})
            if inside:
                meters.append((dice.choice(accounts), ZONES[0], name, at, False))
                units.append(inside)
    rooms = []
    for at, item in enumerate(held):
        if item["kind"] == "odcr":
            used = sum(n for (_, _, _, inside, _), n in zip(meters, units) if inside == at)
            rooms.append(((OWNER, item["az"], item["type"], at, True), item["count"] - used))
    solved = Hour(
        meters + [room for room, _ in rooms], units + [n for _, n in rooms], held, sharing
    )
    solved.zonal()
    solved.regional()
    solved.plans("ec2", tables["ec2"])
    solved.plans("compute", tables["compute"])
    cost = sum(n * PRICE[name] for (_, _, name, _, _), n in zip(solved.meters, solved.open))
    return {
        "sharing": sharing,
        "usage": [[*meter[:4], n] for meter, n in zip(meters, units)],
        "held": held,
        "rates": tables,
        "answer": {
            "on_demand_usd": round(cost, 9),
            "covered_units": {k: round(v, 9) for k, v in solved.covered.items()},
            "used_usd": {k: round(v, 9) for k, v in solved.used.items()},
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    dice = random.Random(given.seed)
    hours = [hour(dice, number) for number in range(given.hours)]
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in hours)
    prices = json.dumps(PRICE, separators=(",", ":"))
    sys.stdout.write(f'{{"prices":{prices},"hours":[\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
