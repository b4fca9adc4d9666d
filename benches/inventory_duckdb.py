"""DuckDB on the files of benches/inventory.rs: python inventory_duckdb.py DIR [THREADS]"""
import resource
import sys
import time

import duckdb

files = f"{sys.argv[1]}/data/*.parquet"
db = duckdb.connect()
db.execute(f"set threads={sys.argv[2] if len(sys.argv) > 2 else 2}")
QUERIES = {
    "classes": f"select storage_class, count(*), sum(size) from '{files}' group by 1",
    "three levels": f"""select split_part(key,'/',1) a, split_part(key,'/',2) b, split_part(key,'/',3) c,
        count(*), sum(size) from '{files}' group by all""",
    # A part of what the fold makes of each directory, dates and bins left out; the explorer's tree
    # rolls it up.
    "directories": f"""select regexp_extract(key, '^(.*/)', 1) d, storage_class, count(*), sum(size),
        sum(size) filter (is_latest = false),
        sum(greatest(131072 - size, 0)) from '{files}' group by all""",
}
for name, sql in QUERIES.items():
    best = None
    for _ in range(1):
        cpu = time.process_time()
        start = time.perf_counter()
        rows = db.execute(f"create or replace temp table answer as {sql}") and db.execute("select count(*) from answer").fetchall()
        took = (time.perf_counter() - start, time.process_time() - cpu)
        best = min(best or took, took)
    groups = rows[0][0]
    print(f"{name}: {groups} groups, wall {best[0]:.2f} s, cpu {best[1]:.2f} s")
print("peak MiB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
