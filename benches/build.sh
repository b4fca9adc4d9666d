#!/bin/bash
# What builds cost: wall and processor time, and the most memory that the compilers held together. Each from nothing: the
# release build, the debug build, the tests without running them; then the loop from one changed line to a test's result.
#
#   benches/build.sh [target directory]          default: a new one, deleted afterwards
#   benches/build.sh --line TARGET_DIRECTORY     the loop alone, where the tests were built
#
# Prints a line each, with the commit; cargo's own page of timings lies beside the release build. Leave the machine alone
# meanwhile.
set -euo pipefail
cd "$(dirname "$0")/.."

only=
if [ "${1:-}" = --line ]; then
    only=line
    shift
    : "${1:?which target directory?}"
fi
kept=${1:-}
target=${kept:-$(mktemp -d)}
peak=$(mktemp)
watch=
trap '[ -z "$watch" ] || kill "$watch" 2>/dev/null || true; rm -f "$peak"; [ -n "$kept" ] || rm -rf "$target"' EXIT
exec 3>&2
TIMEFORMAT='%U %S'

# cost WHAT DIRECTORY COMMAND...: runs it with this target directory.
cost() {
    local what=$1 directory=$2 began spent
    shift 2
    echo 0 >"$peak"
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
    spent=$({ time CARGO_TARGET_DIR=$directory "$@" >&3 2>&3; } 2>&1)
    printf '%s, %s: %d s, %.0f s of processor, %.1f GiB of memory' "$(git log -1 --format='%h %cs')" "$what" \
        "$((SECONDS - began))" "$(awk '{print $1 + $2}' <<<"$spent")" "$(awk '{print $1 / 1048576}' "$peak")"
    kill "$watch"
    wait "$watch" 2>/dev/null || true
    watch=
}

if [ -z "$only" ]; then
    cost 'release build' "$target" cargo build --release --locked --timings --bin burntop
    printf ', %d bytes\n' "$(stat -c %s "$target/release/burntop")"
    # The tests share crates with the debug build: a directory of its own.
    cost 'debug build' "$target/debug-alone" cargo build --locked --bin burntop
    echo
    rm -rf "$target/debug-alone"
    cost 'tests, not run' "$target" cargo test --locked --no-run
    echo
fi
# The test is one that takes no time.
touch src/lib.rs
cost 'one changed line to a test' "$target" cargo test --locked --lib -- domain::intern
echo
