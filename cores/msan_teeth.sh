#!/usr/bin/env bash
# Show that the MemorySanitizer gate bites: each teeth/msan/NAME.c is a core with one planted bug, which
# msan.sh must find for the reason in its first comment; what is in teeth/good and teeth/msan/good must pass.
# Usage: msan_teeth.sh
#
# Prints a table. Exit status: 0 all as it must be, 1 a tooth is missing, which is named, 2 something
# could not be checked.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/teeth"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check NAME CORE...: what the gate says of them, in NAME.said; as many run as there are processors.
# Returns the worst of their exit statuses.
check() {
    local name=$1 cores=("${@:2}") part jobs=() worst=0 count i j
    count=$(nproc)
    for ((i = 0; i < count; i++)); do
        part=()
        for ((j = i; j < ${#cores[@]}; j += count)); do part+=("${cores[j]}"); done
        [ ${#part[@]} -gt 0 ] || continue
        "$here/msan.sh" "${part[@]}" >"$scratch/$name.$i" 2>"$scratch/$name.$i.reports" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do
        local status=0
        wait "$job" || status=$?
        [ $status -le $worst ] || worst=$status
    done
    cat "$scratch/$name".[0-9]*.reports | grep 'cannot check' >&2 || true
    rm "$scratch/$name".[0-9]*.reports
    cat "$scratch/$name".[0-9]* >"$scratch/$name.said"
    return $worst
}

bugs=(msan/*.c)
good=(good/*.c msan/good/*.c msan/good/*/)
status=0
check bugs "${bugs[@]}" || [ $? -eq 1 ] || status=2
check good "${good[@]}" || { [ $? -eq 1 ] && status=1 || status=2; }

printf '%-28s %-22s %s\n' "planted bug" reason found
for bug in "${bugs[@]}"; do
    reason=$(sed -n '1s|^/\* reject: \([a-z-]*\) \*/$|\1|p' "$bug")
    found=$(grep -F "$bug: ${reason:-none}: " "$scratch/bugs.said" | sed "s/.*, in \(.*)\), .*/\1/" || true)
    printf '%-28s %-22s %s\n' "${bug%.c}" "${reason:-none}" "${found:-MISSED}"
    if [ -z "$found" ]; then
        echo "missed: $bug, where ${reason:-a reason} is to be found: $(grep -F "$bug: " "$scratch/bugs.said")"
        [ $status -ne 0 ] || status=1
    fi
done
cat "$scratch/good.said"
exit $status
