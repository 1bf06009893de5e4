#!/usr/bin/env bash
# Checks three models with cmc, Spin and Stateright, one after the other in one run, on one thread each
# and with cmc on two, and with two of cmc at once, and prints what each took. The others check each model
# twice: plain, as their users write it, and packed, as fast as we could make it. README.md says what is
# compared, and how.
# Usage: bench.sh [--repeat=N] [--small] [--plain] [--models="NAME..."] [--json=FILE] [CMC]
#
#   --repeat=N   take everything N times, in turns forwards and backwards, and print medians (default 1)
#   --small      sizes that take seconds, to see that everything works; too small to compare
#   --plain      leave out the packed variants
#   --models=    of two_phase, paxos_ballots and peterson; default: all
#   --json=FILE  write what is printed, and each time taken, to FILE too
#   CMC          the command (default: target/release/cmc)
#
# An engine that is missing is named and left out. Exit status: 0 all engines that ran agree on the
# numbers of states, 1 they do not, or one did not end in a pass, 2 the bench could not run.
set -euo pipefail
export LC_ALL=C

complain() {
    echo "bench.sh: $*" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${CARGO_TARGET_DIR:-$top/target}/bench
repeat=1
json= plain=
cmc=$top/target/release/cmc
models="two_phase paxos_ballots peterson"
rms=8 ballots=4 n=5 smaller=0
for argument in "$@"; do
    case $argument in
        --repeat=[1-9] | --repeat=[1-9][0-9]) repeat=${argument#*=} ;;
        --small) rms=6 ballots=3 n=4 smaller=5 ;;
        --plain) plain=1 ;;
        --models=*) models=${argument#*=} ;;
        --json=?*) json=${argument#*=} ;;
        -*) complain "$argument is no option; there are --repeat=N (1 to 99), --small, --plain, --models=NAMES and --json=FILE" ;;
        *) cmc=$argument ;;
    esac
done
[ -x "$cmc" ] || complain "$cmc is missing; make all builds it"
cmc=$(realpath "$cmc")
for model in $models; do
    [ -f "$here/$model/model.c" ] || complain "there is no model $model"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
runs=$scratch/runs commands=$scratch/commands missing=$scratch/missing
touch "$runs" "$commands" "$missing"

# -- What is there --

engines=(cmc cmc-2 cmc-twice) packed=()

made() {
    make --no-print-directory -C "$here" BUILD="$build" RMS=$rms BALLOTS=$ballots N=$n "$@" >"$scratch/made" 2>&1
}

# without ENGINE WHY: go on without it.
without() {
    echo "bench.sh: without $1: $2" >&2
    printf '%s\t%s\n' "$1" "$2" >>"$missing"
}

made all measure || complain "the cores do not build: $(grep -m 1 error "$scratch/made" || tail -n 1 "$scratch/made")"

command -v spin >/dev/null || "$top/.ci/deps" "${CARGO:-cargo}" spin >&2 || true
if ! command -v spin >/dev/null; then
    without spin "it is not installed, and could not be"
elif made spin; then
    engines+=(spin-dfs spin-bfs)
    packed+=(spin-dfs-packed spin-bfs-packed)
else
    without spin "its verifiers do not build: $(tail -n 1 "$scratch/made")"
fi

if made stateright; then
    engines+=(stateright)
    packed+=(stateright-packed)
else
    without stateright "cargo cannot build it (its crates come from crates.io): $(grep -m 1 '^error' "$scratch/made" || tail -n 1 "$scratch/made")"
fi
[ -n "$plain" ] || engines+=("${packed[@]}")

# -- One run --

# settings ENGINE MODEL: sets the parameters, as cmc takes them and as the Stateright project does, and for
# Spin the size of the hash table (2^w) and the bound on depth: what fits, as somebody would set it who
# knows the number of states. How deep a search depth first gets depends on the order of the options.
settings() {
    case $1 in
        *-packed) variant=packed deepest=1000000 ;;
        *) variant=plain deepest=2000000 ;;
    esac
    case $2 in
        two_phase) sets="RMS=$rms" words=$rms pan="-w$((22 - smaller)) -m100" ;;
        paxos_ballots) sets="BALLOTS=$ballots VALUES=2" words="$ballots 2" pan="-w$((24 - smaller)) -m100" ;;
        peterson) sets="N=$n" words=$n pan="-w$((24 - smaller)) -m$deepest" ;;
    esac
}

# command_of ENGINE MODEL: sets `command`.
command_of() {
    settings "$1" "$2"
    case $1 in
        cmc | cmc-2 | cmc-twice)
            workers=1
            [ "$1" != cmc-2 ] || workers=2
            command=("$cmc" "--core=$here/$2/$2.so" $(printf -- '--set=%s ' $sets) --workers=$workers --json)
            [ "$1" != cmc-twice ] || command=(sh -c '"$@" >/dev/null & other=$!; "$@" && wait $other' twice "${command[@]}")
            ;;
        spin-dfs*) command=("$build/spin/$variant/$2/dfs" $pan) ;;
        spin-bfs*) command=("$build/spin/$variant/$2/bfs" ${pan%% *}) ;;
        stateright*) command=("$build/stateright/release/$variant" "$2" $words) ;;
    esac
}

# number PATTERN: what the one group of a sed pattern matches in the output of the run, or "-".
number() {
    local found
    found=$(sed -n "s/^$1\$/\1/p" "$scratch/out" | head -n 1)
    echo "${found:--}"
}

# passed ENGINE: whether the output is that of a complete search without a violation.
passed() {
    case $1 in
        cmc*) grep -q '^  "verdict": "pass",$' "$scratch/out" ;;
        spin-*) grep -q 'errors: 0$' "$scratch/out" && ! grep -q 'max search depth too small\|out of memory\|Search not completed' "$scratch/out" ;;
        stateright*) grep -q '^complete=true violated=false$' "$scratch/out" ;;
    esac
}

# run ROUND ENGINE MODEL: appends to `runs` the round, model, engine, distinct, generated, depth,
# processor seconds, peak bytes, seconds that passed, and slots of the seen set.
run() {
    local distinct generated depth slots=- status=0
    command_of "$2" "$3"
    "$build/measure" "$scratch/cost" "${command[@]}" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ $status -ne 0 ] || ! passed "$2"; then
        echo "bench.sh: ${command[*]}: no pass, exit status $status" >&2
        cat "$scratch/err" "$scratch/out" >&2
        exit 1
    fi
    case $2 in
        cmc*)
            distinct=$(number ' *"distinct": \([0-9]*\),')
            generated=$(number ' *"generated": \([0-9]*\),')
            depth=$(number ' *"depth": \([0-9]*\),')
            slots=$(number ' *"slots": \([0-9]*\),')
            ;;
        spin-*)
            distinct=$(number ' *\([0-9]*\) states, stored.*')
            generated=$(number ' *\([0-9]*\) transitions (= stored+matched)')
            depth=-
            # Spin counts steps, and a search depth first has no levels.
            [[ $2 = spin-dfs* ]] || depth=$(($(number 'State-vector .* depth reached \([0-9]*\),.*') + 1))
            ;;
        stateright*)
            distinct=$(number 'distinct=\([0-9]*\)')
            generated=$(number 'generated=\([0-9]*\)')
            depth=$(number 'depth=\([0-9]*\)')
            ;;
    esac
    printf '%s\t' "$1" "$3" "$2" "$distinct" "$generated" "$depth" >>"$runs"
    printf '%s\t%s\t%s\t%s\n' $(cat "$scratch/cost") "$slots" >>"$runs"
}

for model in $models; do
    for engine in "${engines[@]}"; do
        command_of "$engine" "$model"
        printf '%s\t%s\t%s\t%s\n' "$model" "$engine" "$sets" "${command[*]}" >>"$commands"
    done
    for ((round = 1; round <= repeat; round++)); do
        order=("${engines[@]}")
        if ((round % 2 == 0)); then
            order=()
            for engine in "${engines[@]}"; do order=("$engine" "${order[@]}"); done
        fi
        for engine in "${order[@]}"; do run "$round" "$engine" "$model"; done
    done
done

# -- What it comes to --

{
    echo "date	$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "processor	$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    echo "processors	$(nproc)"
    echo "kernel	$(uname -sr)"
    echo "cmc	$("$cmc" --version | head -n 1)"
    echo "cc	$(${CC:-cc} --version | head -n 1)"
    echo "rustc	$(rustc --version 2>/dev/null || echo none)"
    echo "spin	$(spin -V 2>/dev/null | head -n 1 || echo none)"
    echo "stateright	$(sed -n 's/^stateright = "=\(.*\)"/\1/p' "$here/stateright/Cargo.toml")"
} >"$scratch/machine"

awk -v json="$json" -v repeat="$repeat" -f "$here/table.awk" \
    "$scratch/machine" "$missing" "$commands" "$here/tlc.tsv" "$runs"
