"""An independent answer to two questions of the What-if view, by linear programming (HiGHS).

    python whatif_oracle.py portfolio --demand FILE.csv --column C < tiers.json
    python whatif_oracle.py ladder    --demand FILE.csv --column C < rungs.json

The demand is a CSV with a header, a time first. Rows without a number in the column are left out.

portfolio: {"tiers": [{"name", "rate", "term_hours"}, ..., {"name", "rate", "usage_share"}]}
    A tier with `term_hours` (null: the whole series) is committed for consecutive terms, the last
    one cut at the end; one with `usage_share` s serves at most that part of an hour's demand
    beyond the commitments of which 1 - s cannot take it; exactly one tier has a share of 1.
ladder: {"on_demand", "from_week", "rungs": [{"term_weeks", "rate", "every_weeks"}, ...]}
    Weeks are counted from the first row. Commitments may begin each `every_weeks` weeks from
    `from_week` (default 0) on, and run for their term or to the end.

Prints one JSON object. Deliberately plain: one row per hour, no algebra of our own.
"""

import argparse
import csv
import json
import math
import sys

import highspy
import numpy


def read(path, column):
    """The column's hours, NaN where there is no number."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows)
        at = header.index(column)
        hours = []
        for row in rows:
            try:
                hours.append(float(row[at]))
            except ValueError:
                hours.append(math.nan)
    return hours


class Program:
    """A linear program to be minimised, built column by column and row by row."""

    def __init__(self):
        self.costs, self.uppers = [], []
        self.lowers, self.row_uppers, self.starts, self.index, self.values = [], [], [0], [], []

    def variable(self, cost, upper=math.inf):
        self.costs.append(cost)
        self.uppers.append(upper)
        return len(self.costs) - 1

    def at_least(self, lower, terms):
        self.lowers.append(lower)
        self.row_uppers.append(math.inf)
        for column, value in terms:
            self.index.append(column)
            self.values.append(value)
        self.starts.append(len(self.index))

    def solve(self):
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        lp = highspy.HighsLp()
        lp.num_col_ = len(self.costs)
        lp.num_row_ = len(self.lowers)
        lp.col_cost_ = numpy.array(self.costs)
        lp.col_lower_ = numpy.zeros(len(self.costs))
        lp.col_upper_ = numpy.array(self.uppers)
        lp.row_lower_ = numpy.array(self.lowers)
        lp.row_upper_ = numpy.array(self.row_uppers)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = numpy.array(self.starts, dtype=numpy.int32)
        lp.a_matrix_.index_ = numpy.array(self.index, dtype=numpy.int32)
        lp.a_matrix_.value_ = numpy.array(self.values)
        solver.passModel(lp)
        solver.run()
        status = solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            sys.exit(f"HiGHS: {solver.modelStatusToString(status)}")
        return solver.getInfo().objective_function_value, list(solver.getSolution().col_value)


def portfolio(hours, question):
    known = [(at, units) for at, units in enumerate(hours) if not math.isnan(units)]
    program = Program()
    cover = [[] for _ in hours]
    owned = []
    for number, tier in enumerate(question["tiers"]):
        if "usage_share" in tier:
            continue
        term = tier.get("term_hours") or len(hours)
        for period, begin in enumerate(range(0, len(hours), term)):
            end = min(begin + term, len(hours))
            paid = sum(1 for at, _ in known if begin <= at < end)
            column = program.variable(tier["rate"] * paid)
            owned.append((number, period, column))
            for at in range(begin, end):
                cover[at].append(column)
    usage = [(n, t) for n, t in enumerate(question["tiers"]) if "usage_share" in t]
    anything = [t for _, t in usage if t["usage_share"] >= 1.0]
    if len(anything) != 1:
        sys.exit("exactly one tier must take any demand (usage_share 1)")
    served = [[] for _ in usage]
    for at, units in known:
        columns = []
        for slot, (_, tier) in enumerate(usage):
            columns.append(program.variable(tier["rate"]))
            served[slot].append(columns[-1])
        committed = [(column, 1.0) for column in cover[at]]
        # All of the demand, and the part of it that some tiers cannot take.
        program.at_least(units, committed + [(column, 1.0) for column in columns])
        for share in {t["usage_share"] for _, t in usage if t["usage_share"] < 1.0}:
            able = [
                (column, 1.0)
                for column, (_, tier) in zip(columns, usage)
                if tier["usage_share"] > share
            ]
            program.at_least((1.0 - share) * units, committed + able)
    cost, values = program.solve()
    tiers = []
    for number, tier in enumerate(question["tiers"]):
        if "usage_share" in tier:
            slot = [n for n, _ in usage].index(number)
            tiers.append({"name": tier["name"], "unit_hours": sum(values[c] for c in served[slot])})
        else:
            periods = [values[c] for n, _, c in owned if n == number]
            tiers.append({"name": tier["name"], "periods": periods})
    demand = sum(units for _, units in known)
    full = anything[0]["rate"] * demand
    return {"cost_usd": cost, "esr": 1.0 - cost / full if full else None, "tiers": tiers}


def ladder(hours, question):
    first = question.get("from_week", 0) * 168
    hours = hours[first:]
    weeks = math.ceil(len(hours) / 168)
    program = Program()
    paid = [sum(1 for u in hours[w * 168:(w + 1) * 168] if not math.isnan(u)) for w in range(weeks)]
    cover = [[] for _ in range(weeks)]
    buys = []
    for number, rung in enumerate(question["rungs"]):
        for begin in range(0, weeks, rung.get("every_weeks", 1)):
            end = min(begin + rung["term_weeks"], weeks)
            column = program.variable(rung["rate"] * sum(paid[begin:end]))
            buys.append((begin, number, column))
            for week in range(begin, end):
                cover[week].append(column)
    for at, units in enumerate(hours):
        if not math.isnan(units) and units > 0.0:
            open_units = program.variable(question["on_demand"])
            terms = [(column, 1.0) for column in cover[at // 168]]
            program.at_least(units, terms + [(open_units, 1.0)])
    cost, values = program.solve()
    bought = [
        {"week": week, "rung": number, "units": values[column]}
        for week, number, column in sorted(buys)
        if values[column] > 1e-9
    ]
    return {"cost_usd": cost, "buys": bought}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=["portfolio", "ladder"])
    parser.add_argument("--demand", required=True, help="CSV file")
    parser.add_argument("--column", required=True, help="name of the column")
    given = parser.parse_args()
    hours = read(given.demand, given.column)
    answer = {"portfolio": portfolio, "ladder": ladder}[given.question]
    print(json.dumps(answer(hours, json.load(sys.stdin))))


if __name__ == "__main__":
    main()
