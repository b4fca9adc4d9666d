"""DuckDB on the file of benches/bill.rs: python bill_duckdb.py FILE [THREADS]"""
import resource
import sys
import time

import duckdb

file = sys.argv[1]
db = duckdb.connect()
db.execute(f"set threads={sys.argv[2] if len(sys.argv) > 2 else 2}")
SUMS = "sum(BilledCost), sum(EffectiveCost), sum(ListCost), sum(ConsumedQuantity), count(*)"
GROUPS = {
    "days": "date_trunc('day', ChargePeriodStart), SubAccountId, ServiceName",
    "usage": "x_UsageType, x_Operation, RegionId, ServiceName",
    "prices": "ChargeCategory, PricingCategory, CommitmentDiscountId, CommitmentDiscountStatus",
    "tags": "Tags['user:team'], Tags['user:project'], SubAccountId",
    "resources": "ResourceId, x_UsageType",
}
total = 0.0
for name, keys in GROUPS.items():
    cpu, start = time.process_time(), time.perf_counter()
    db.execute(f"create or replace temp table answer as select {keys}, {SUMS} from '{file}' group by all")
    took = time.process_time() - cpu
    total += took
    groups = db.execute("select count(*) from answer").fetchall()[0][0]
    print(f"{name}: {groups} groups, wall {time.perf_counter() - start:.2f} s, cpu {took:.2f} s")
print(f"all: cpu {total:.2f} s, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
