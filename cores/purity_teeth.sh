#!/usr/bin/env bash
# Show that the purity gate bites: each teeth/NAME.c is a core with one fault, which the gate must reject
# for the reason in its first comment, as each compiler makes it at each level; each teeth/good/NAME.c is
# pure, whatever words it has in strings and comments, and must be accepted.
# Usage: purity_teeth.sh
#
# The first comment is `reject: REASON`; `object: REASON` below it says that the object code alone gives
# the core away too. Prints a table of what saw the fault, source or object. Exit status: 0 all as it
# must be, 1 a tooth is missing, which is named, 2 something could not be checked.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/teeth"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# judge NAME FILE...: what the gate says of them, in NAME.said; as many gates run as there are
# processors. Returns the worst of their exit statuses.
judge() {
    local name=$1 files=("${@:2}") part jobs=() worst=0 count i j
    count=$(nproc)
    for ((i = 0; i < count; i++)); do
        part=()
        for ((j = i; j < ${#files[@]}; j += count)); do part+=("${files[j]}"); done
        [ ${#part[@]} -gt 0 ] || continue
        "$here/purity_gate.sh" --cc=gcc --cc=clang "${part[@]}" >"$scratch/$name.$i" &
        jobs+=($!)
    done
    for job in "${jobs[@]}"; do
        local status=0
        wait "$job" || status=$?
        [ $status -le $worst ] || worst=$status
    done
    cat "$scratch/$name".[0-9]* >"$scratch/$name.said"
    return $worst
}

probes=(*.c)
good=(good/*.c)
status=0
judge probes "${probes[@]}" || [ $? -eq 1 ] || status=2

# What each probe must be rejected for: NAME REASON OBJECT.
for probe in "${probes[@]}"; do
    awk '
        FNR == 1 && /^\/\* reject: [a-z-]+/ { reason = $3 }
        FNR == 2 && /^ \* object: [a-z-]+/ { object = $3 }
        END { print FILENAME, reason == "" ? "none" : reason, object == "" ? "-" : object }' "$probe"
done >"$scratch/expected"

awk '
    BEGIN {
        split("gcc -O0,gcc -O2,gcc -O3,clang -O0,clang -O2,clang -O3", build, ",")
        printf "%-26s %-20s", "probe", "reason"
        for (i = 1; i <= 6; i++) printf " %-9s", build[i]
        print ""
    }
    # FILE: REASON: what, at PLACE, remedy, or ..., in PLACE (BUILDS), remedy
    FILENAME == ARGV[1] {
        split($0, part, ": ")
        if (match($0, /, in .* \((gcc|clang) -O[023][^)]*\), /)) {
            made_by = substr($0, RSTART, RLENGTH)
            for (i = 1; i <= 6; i++)
                if (index(made_by, build[i])) object[part[1], part[2], build[i]]
        } else source[part[1], part[2]]
        next
    }
    {
        name = $1
        sub(/\.c$/, "", name)
        line = sprintf("%-26s %-20s", name, $2)
        missing = ""
        for (i = 1; i <= 6; i++) {
            seen = ($1, $2) in source ? "source" : ""
            if (($1, $3 == "-" ? $2 : $3, build[i]) in object) seen = seen == "" ? "object" : "both"
            is_wanted = $3 == "-" ? seen != "" : seen == "both" || seen == "object" && $2 == $3
            if (!is_wanted) missing = missing " " build[i]
            line = line sprintf(" %-9s", is_wanted ? seen : "MISSED")
        }
        sub(/ +$/, "", line)
        print line
        if (missing != "") missed = missed "missed: " name ", which is to be rejected for " $2 \
            ($3 == "-" ? "" : ", as an object for " $3) ", by" missing "\n"
    }
    END { printf "%s", missed; exit missed != "" }' "$scratch/probes.said" "$scratch/expected" ||
    { [ $status -ne 0 ] || status=1; }

good_status=0
judge good "${good[@]}" || good_status=$?
if [ $good_status -eq 0 ]; then
    printf '%-26s accepted\n' "${good[@]%.c}"
else
    cat "$scratch/good.said"
    echo "missed: what is in good/, which is to be accepted"
    [ $status -ne 0 ] || status=$good_status
fi
exit $status
