#!/bin/bash
# What a cold release build costs: wall and processor time, and the most memory that the compilers held together.
#
#   benches/build.sh [target directory]     default: a new one, deleted afterwards
#
# Prints a line with the commit; cargo's own page of timings lies beside the build. Leave the machine alone meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:-$(mktemp -d)}
peak=$(mktemp)
trap 'kill "$watch" 2>/dev/null || true; rm -f "$peak"; [ $# -gt 0 ] || rm -rf "$target"' EXIT
(
    most=0
    while :; do
        held=$(ps -eo rss=,comm= | awk '$2 ~ /^(rustc|ld|cc1|rust-lld|ld.lld)/ {t += $1} END {print t + 0}')
        [ "$held" -le "$most" ] || { most=$held; echo "$held" >"$peak"; }
        sleep 2
    done
) &
watch=$!

began=$SECONDS
exec 3>&2
TIMEFORMAT='%U %S'
spent=$({ time CARGO_TARGET_DIR=$target cargo build --release --locked --timings --bin burntop >&3 2>&3; } 2>&1)
wall=$((SECONDS - began))
printf '%s: %d s, %.0f s of processor, %.1f GiB of memory, %d bytes\n' "$(git log -1 --format='%h %cs')" \
    "$wall" "$(awk '{print $1 + $2}' <<<"$spent")" "$(awk '{print $1 / 1048576}' "$peak")" \
    "$(stat -c %s "$target/release/burntop")"
