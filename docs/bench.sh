#!/usr/bin/env bash
# Measures everything that docs/performance.md shows, back to back in one run on this machine, and writes
# it under target/bench: performance.md, the tables with date, machine and commands, and performance.json.
# Nothing else should run meanwhile. Usage: docs/bench.sh [--repeat=N] [--small] [--plain] [CMC]
# The options are those of cores/bench/bench.sh.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
build=${CARGO_TARGET_DIR:-$top/target}/bench
options=()
cmc=$top/target/release/cmc
for argument in "$@"; do
    case $argument in
        --repeat=* | --small | --plain) options+=("$argument") ;;
        -*) echo "bench.sh: $argument is no option; there are --repeat=N, --small and --plain" >&2 && exit 2 ;;
        *) cmc=$argument ;;
    esac
done
mkdir -p "$build"

section() {
    printf '\n## %s\n\n`%s`\n\n' "$1" "$2"
}

{
    printf '# Measured on %s\n' "$(date -u +%Y-%m-%d)"
    section "Cores against Spin and Stateright" "cores/bench/bench.sh ${options[*]}"
    "$top/cores/bench/bench.sh" "${options[@]}" --json="$build/cores.json" "$cmc"
    section "Learned steps against whole replay" "docs/measure.sh"
    "$here/measure.sh" --json="$build/processes.json" "$cmc"
} | tee "$build/performance.md"

printf '{\n"cores": %s,\n"processes": %s\n}\n' "$(cat "$build/cores.json")" "$(cat "$build/processes.json")" \
    >"$build/performance.json"
echo "bench.sh: wrote $build/performance.md and performance.json" >&2
