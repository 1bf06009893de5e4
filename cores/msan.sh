#!/usr/bin/env bash
# Look for bytes that a core leaves uninitialised or decides on uninitialised, which no comparison of two
# runs can see: compile it with MemorySanitizer and call it as the engine would, in random walks or as a
# recording says.
# Usage: msan.sh [--include=DIR] [OPTION]... CORE...
#
#   CORE              FILE.c, or the directory NAME of NAME/NAME.c; a model.c beside it says which
#                     environment and settings there are
#   --include=DIR     where cmc.h and cmc_core.h are. Default: include/ beside this directory.
#   --walks=N         walks, 300 unless given; --length=N calls in each, 120; --seed=N of the first, 1
#   --set=NAME=VALUE  as for cmc(1)
#   --record=FILE     write the calls that are made; gates/recording.c has the format
#   --replay=FILE     make the calls of a recording, and no walks
#
# Prints FILE: clean: how many calls of which kind, or FILE: REASON: what, where, remedy; the place has
# the options that repeat the walk. Exit status: 0 nothing found, 1 something, 2 a core could not be
# checked, which standard error explains.
set -euo pipefail

complain() {
    echo "msan.sh: $*" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
include=$here/../include
options=()
cores=()
for argument in "$@"; do
    case $argument in
        --include=*) include=${argument#*=} ;;
        -*) options+=("$argument") ;;
        *) cores+=("${argument%/}") ;;
    esac
done
[ ${#cores[@]} -gt 0 ] || complain "no core; name FILE.c or a directory"
command -v clang >/dev/null || complain "clang is missing; make deps installs it"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# compile FILE NAME: into the object NAME.o. Without optimisation: what the compiler drops,
# MemorySanitizer does not see.
compile() {
    clang -I "$include" -O0 -g -fsanitize=memory -fsanitize-memory-track-origins=2 -fno-omit-frame-pointer \
        -c -o "$scratch/$2.o" "$1" 2>"$scratch/said"
}

first_error() {
    grep -m 1 -E 'cannot find|undefined|error' "$scratch/said" || tail -n 1 "$scratch/said"
}

harness=()
for part in harness call environment recording; do
    compile "$here/gates/$part.c" "$part" || complain "clang does not compile the harness: $(first_error)"
    harness+=("$scratch/$part.o")
done

# build CORE: the program `checked`, of the harness, a core and, where there is a model.c beside it, all
# that is in its directory. What a model calls of libcmc succeeds and does nothing, but for what the
# harness has itself.
build() {
    local objects=("${harness[@]}" "$scratch/core.o") file count=0
    compile "$1" core || return
    if [ -f "$(dirname "$1")/model.c" ]; then
        for file in "$(dirname "$1")"/*.c; do
            [ "$file" -ef "$1" ] && continue
            count=$((count + 1))
            compile "$file" "model$count" || return
            objects+=("$scratch/model$count.o")
        done
        nm -u "$scratch"/model*.o | awk '$2 ~ /^cmc_/ && $2 !~ /^cmc_(core|setup|model_settings)$/ && !seen[$2]++ {
            print "int " $2 "(void) { return 0; }" }' >"$scratch/names.c"
        compile "$scratch/names.c" names || return
        objects+=("$scratch/names.o")
    fi
    clang -fsanitize=memory -o "$scratch/checked" "${objects[@]}" 2>"$scratch/said"
}

# check CORE
check() {
    local core=$1 status=0
    [ ! -d "$core" ] || core=$core/$(basename "$(cd "$core" && pwd)").c
    if ! [ -r "$core" ]; then
        echo "$core: cannot check: there is no such file" >&2
        return 2
    fi
    rm -f "$scratch"/model*.o
    if ! build "$core"; then
        echo "$core: cannot check: clang does not build it: $(first_error)" >&2
        return 2
    fi
    MSAN_OPTIONS=exit_code=1 "$scratch/checked" "--core=$core" "${options[@]}" || status=$?
    [ $status -gt 2 ] || return $status
    echo "$core: cannot check: the harness ended with status $status" >&2
    return 2
}

worst=0
for core in "${cores[@]}"; do
    status=0
    check "$core" || status=$?
    [ $status -le $worst ] || worst=$status
done
exit $worst
