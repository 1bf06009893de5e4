#!/usr/bin/env bash
# Judge whether a core is pure: a function of its arguments that changes nothing but what it is given
# to change. Each file is a core of its own.
# Usage: purity_gate.sh [--cc=CC]... [--include=DIR] FILE.c... | FILE.o...
#
#   --cc=CC        a compiler, with options: 'gcc -O2 -DBUG=1'. Without -O among them, a core is judged as
#                  it is compiled at -O0, -O2 and -O3. Given twice, both are asked. Default: $CC, or cc.
#   --include=DIR  where cmc.h and cmc_core.h are. Default: include/ beside this directory.
#
# Prints one line for each reason, FILE: REASON: what, where, remedy; a reason that only the object code
# shows names the compilers that made it. Exit status: 0 every core is pure, 1 one is not, 2 one could
# not be checked, which standard error explains.
#
# A source is read three times, because each reading sees what the others cannot: its text
# (gates/text.awk: every branch of #if), its syntax tree as clang gives it (gates/tree.awk: types) and
# its object code (gates/object.awk: what a compiler made of it). A FILE.o has only the last.
set -euo pipefail
export LC_ALL=C
unset CPATH C_INCLUDE_PATH # no headers but those that are named here

complain() {
    echo "purity_gate.sh: $*" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
include=$here/../include
compilers=()
files=()
for argument in "$@"; do
    case $argument in
        --cc=*) compilers+=("${argument#*=}") ;;
        --include=*) include=${argument#*=} ;;
        -*) complain "$argument is no option; there are --cc=CC and --include=DIR" ;;
        *) files+=("$argument") ;;
    esac
done
[ ${#compilers[@]} -gt 0 ] || compilers=("${CC:-cc}")
[ ${#files[@]} -gt 0 ] || complain "no file; name a core, FILE.c or FILE.o"
include=$(cd "$include" 2>/dev/null && pwd) || complain "the include directory is missing; name it with --include=DIR"
[ -f "$include/cmc_core.h" ] || complain "no cmc_core.h in $include; name its directory with --include=DIR"

builds=()  # the ways in which a source is compiled
meaning=() # the options among them that decide what a source means, for clang too
for cc in "${compilers[@]}"; do
    read -ra words <<<"$cc"
    levels=(" -O0" " -O2" " -O3")
    for word in "${words[@]}"; do
        case $word in
            -O*) levels=("") ;;
            -D?* | -U?* | -I?* | -std=*) meaning+=("$word") ;;
            -[DUI] | -i* | -x*) complain "$word in $cc is nothing that clang is told; say -DNAME, -UNAME, -IDIR, -std=STD" ;;
        esac
    done
    for level in "${levels[@]}"; do builds+=("$cc$level"); done
done

for tool in "${compilers[@]%% *}" clang awk readelf objdump; do
    command -v "$tool" >/dev/null || complain "$tool is missing; make deps installs what the gate needs"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# cannot FILE WHY...: say why a file could not be checked.
cannot() {
    printf '%s: cannot check: %s\n' "$1" "${*:2}" >&2
    return 2
}

# first_error: the line that matters of what a compiler said.
first_error() {
    grep -m 1 error: "$scratch/said" || tail -n 1 "$scratch/said"
}

# judge_text FILE OWN...: the words of a core and of its headers.
judge_text() {
    awk -f "$here/gates/text.awk" -v core="$1" "$include/cmc.h" "$include/cmc_core.h" "${@:2}"
}

# judge_source FILE: its syntax tree with what clang warns of, and its text. Clang is asked whatever the
# compiler is: the text may not ask which one reads it, so that all see the same source.
judge_source() {
    local own
    if ! clang -v -H -I "$include" "${meaning[@]}" -fsyntax-only -fno-color-diagnostics -ferror-limit=3 \
        -Wvla -Wdate-time -Wcast-qual -Wstrict-prototypes -Xclang -ast-dump "$1" \
        >"$scratch/tree" 2>"$scratch/said"; then
        judge_text "$1" "$1" # it may say why
        cannot "$1" "clang does not compile it: $(first_error)" || return
    fi
    awk -f "$here/gates/tree.awk" -v core="$1" -v include="$include" -v directory="$PWD" -v own="$scratch/own" \
        "$scratch/said" "$scratch/tree" || return
    mapfile -t own <"$scratch/own" # the file, and the headers that are part of the core
    judge_text "$1" "${own[@]}"
}

# judge_object FILE OBJECT BUILD: its sections, symbols and instructions.
judge_object() {
    if ! readelf -hSsW "$2" >"$scratch/parts" 2>"$scratch/said" || [ -s "$scratch/said" ]; then
        cannot "$1" "readelf says: $(head -n 1 "$scratch/said")" || return
    fi
    if ! objdump -d -r -l --no-show-raw-insn "$2" >"$scratch/code" 2>"$scratch/said"; then
        cannot "$1" "objdump says: $(head -n 1 "$scratch/said")" || return
    fi
    awk -f "$here/gates/object.awk" -v core="$1" -v build="$3" "$scratch/parts" "$scratch/code"
}

# judge_build FILE BUILD: without jump tables, so that every indirect jump left is one that the source
# asks for; without stack protector and fortification, which read and call what is outside of the core.
judge_build() {
    local command
    read -ra command <<<"$2"
    rm -f "$scratch/core.o"
    if ! "${command[@]}" -I "$include" -w -g1 -c -fno-lto -fno-jump-tables -fno-stack-protector \
        -U_FORTIFY_SOURCE -o "$scratch/core.o" "$1" 2>"$scratch/said"; then
        cannot "$1" "$2 does not compile it: $(first_error)" || return
    fi
    judge_object "$1" "$scratch/core.o" "$2"
}

# judge FILE
judge() {
    local worst=0
    [ -r "$1" ] || cannot "$1" "there is no such file" || return
    case $1 in
        *[!A-Za-z0-9_./+-]*) cannot "$1" "compilers quote a character in its name" ;;
        *.o) judge_object "$1" "$1" "" ;;
        *.c)
            judge_source "$1" || return
            for build in "${builds[@]}"; do judge_build "$1" "$build" || worst=2; done
            return $worst
            ;;
        *) cannot "$1" "it is neither FILE.c nor FILE.o" ;;
    esac
}

status=0
for file in "${files[@]}"; do
    judge "$file" >>"$scratch/reasons" || status=2
done
# One line for what several builds show: the fields are the line up to its place, the build, the remedy.
awk -F '\t' '
    { line = $1 FS $3 }
    !(line in builds) { order[++count] = line; builds[line] = $2; next }
    $2 != "" && index(", " builds[line] ", ", ", " $2 ", ") == 0 { builds[line] = builds[line] ", " $2 }
    END {
        for (i = 1; i <= count; i++) {
            split(order[i], part, FS)
            shown = builds[order[i]]
            print part[1] (shown == "" ? "" : " (" shown ")") ", " part[2]
        }
    }' "$scratch/reasons"
if [ $status -eq 0 ] && [ -s "$scratch/reasons" ]; then status=1; fi
exit $status
