#!/bin/sh
# Checks the key-value store and the election as they are and with their planted bugs, replays the
# first bug's trace, checks a list on the heap by its memory, raw and in canonical form, does the same
# with two-phase commit as a core, and shows what cmc prints. Exits 0 only if every run ended as expected.
# Usage, from the top of the tree: docs/examples/demo.sh PATH/TO/cmc
set -u

cmc=$1
examples=docs/examples
output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
failures=0

# run STATUS TEXT ARGUMENT...: cmc must end with STATUS and print TEXT.
run() {
    status=$1 text=$2
    shift 2
    echo "\$ $cmc $*"
    "$cmc" "$@" >"$output" 2>&1
    found=$?
    cat "$output"
    if [ "$found" -ne "$status" ] || ! grep -qF -- "$text" "$output"; then
        echo "demo: expected exit status $status and \"$text\", found exit status $found" >&2
        failures=$((failures + 1))
    fi
    echo
}

show() {
    echo "\$ cat $1"
    cat "$1" || failures=$((failures + 1))
    echo
}

core=cores/two_phase_commit/two_phase_commit

rm -f kv-bug.trace election-bug.trace two_phase_commit-bug3.trace
run 0 pass --model-file=$examples/kv/kv.toml
run 1 "a cell once set stays set" --model-file=$examples/kv/kv-bug.toml
show kv-bug.trace
run 1 "a cell once set stays set" --replay=kv-bug.trace
run 0 pass --model-file=$examples/election/election.toml
run 1 "one leader per term" --model-file=$examples/election/election-bug.toml
show election-bug.trace
run 0 "local states 17" --model-file=$examples/list/list-raw.toml
run 0 "local states 14" --model-file=$examples/list/list.toml
run 0 "local states 9" --model-file=$examples/list/list-ignore.toml
run 0 pass --core=$core.so
run 1 "nobody commits what another aborts" --core=$core-bug3.so
run 1 "nobody commits what another aborts" --replay=two_phase_commit-bug3.trace

if [ "$failures" -ne 0 ]; then
    echo "demo: $failures of 13 steps did not end as expected" >&2
    exit 1
fi
echo "demo: all ended as expected"
