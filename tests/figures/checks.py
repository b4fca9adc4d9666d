"""What does not follow, and what all checks use."""

import os
from datetime import datetime

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets")
HOURS_PER_MONTH = 730
GIB = 2 ** 30


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def hours(since, until):
    return (moment(until) - moment(since)).total_seconds() / 3600


def most_wasted(row, until):
    """Moments are printed in whole seconds, rates in millionths."""
    return (row["waste_usd_per_hour"] + 1e-6) * (hours(row["idle_since"], until) + 1 / 3600) + 1e-6


def total(rows, key):
    return sum(row[key] for row in rows if row.get(key) is not None)


def unknown(rows, key):
    return sum(row[key] is None for row in rows)


def aged(check, name, row, since, report):
    """An age is counted to the moment of the report, in whole seconds."""
    if row[since] is not None:
        check.near(f"{name}: age", row["age"], hours(row[since], report["generated_at"]) * 3600, 1e6)


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
