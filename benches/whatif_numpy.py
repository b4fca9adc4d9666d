"""The plain way beside `whatif.rs`: every hour of every future, with numpy.

    cargo bench --bench whatif -- draws /tmp/futures
    python benches/whatif_numpy.py /tmp/futures

reads the futures that the bench wrote (base weeks, drawn weeks, factors), values one commitment of
each family over them hour by hour, and prints CPU and wall time per slider move and the mean cost:
the same as `-- cpu` prints, over the same futures.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np


def value(folder: Path, plan: dict, family: int, kind: type) -> tuple:
    """USD of each path of one family, by 8,736 hours each."""
    paths, weeks, base_weeks = plan["paths"], plan["weeks"], plan["base_weeks"]
    units = plan["units"]
    hours = np.fromfile(folder / f"hours-{family}.f32", np.float32).reshape(base_weeks, 168)
    drawn = np.fromfile(folder / "bases.u8", np.uint8).reshape(paths, weeks)
    factors = np.fromfile(folder / f"factors-{family}.f32", np.float32).reshape(paths, weeks)
    hours, factors = hours.astype(kind), factors.astype(kind)
    before = (time.process_time(), time.perf_counter())
    usd = np.empty(paths)
    # Blocks that stay in the caches: faster than the whole tensor at once.
    for at in range(0, paths, 250):
        some = slice(at, at + 250)
        demand = hours[drawn[some]] * factors[some][:, :, None]
        demand -= kind(units)
        np.maximum(demand, 0, out=demand)
        usd[some] = demand.sum(axis=(1, 2), dtype=np.float64)
    usd *= plan["on_demand"]
    usd += plan["rate"] * units * weeks * 168
    spent = (time.process_time() - before[0], time.perf_counter() - before[1])
    return usd, spent


def main() -> None:
    folder = Path(sys.argv[1])
    plan = json.loads((folder / "plan.json").read_text())
    for kind in [np.float64, np.float32]:
        total, cpu, wall = np.zeros(plan["paths"]), 0.0, 0.0
        for family in range(plan["families"]):
            usd, (of_cpu, of_wall) = value(folder, plan, family, kind)
            total += usd
            cpu, wall = cpu + of_cpu, wall + of_wall
        p5, p50, p95 = np.quantile(total, [0.05, 0.5, 0.95], method="inverted_cdf")
        families = plan["families"]
        print(f"{kind.__name__}: all families {cpu * 1e3:.0f} ms CPU, {wall * 1e3:.0f} ms wall;", end=" ")
        print(f"one {cpu / families * 1e3:.0f} ms CPU; mean {total.mean():.2f} USD")
        ours = plan["ours"]
        for name, theirs in [("mean", total.mean()), ("p5", p5), ("p50", p50), ("p95", p95)]:
            print(f"  {name}: the tables differ by {abs(ours[name] / theirs - 1):.1e}")


if __name__ == "__main__":
    main()
