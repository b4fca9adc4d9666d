"""DuckDB on the file of benches/jobs.py: python jobs_duckdb.py FILE [THREADS]"""
import resource
import sys
import time

import duckdb

file = sys.argv[1]
db = duckdb.connect(file + ".duckdb")
db.execute(f"set threads={sys.argv[2] if len(sys.argv) > 2 else 2}")
start = time.perf_counter()
db.execute("drop table if exists attempt")
db.execute(f"create table attempt as select * from read_csv('{file}', delim='\x1f', header=true, all_varchar=true)")
db.execute("checkpoint")
print(f"import: {time.perf_counter() - start:.2f} s")
start = time.perf_counter()
rows = db.execute("""
    select split_part(State, ' ', 1) as state, count(*),
           sum((\"End\"::bigint - Start::bigint) * regexp_extract(AllocTRES, 'gres/gpu=([0-9]+)', 1)::bigint) / 3600.0
    from attempt group by all order by 3 desc""").fetchall()
print(f"tax: {time.perf_counter() - start:.2f} s, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")
for row in rows:
    print(*row)
