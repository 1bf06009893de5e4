# The text of a core: words and directives, in every branch of #if, compiled or not.
#
# What the other readings rest on is here. The text cannot ask which compiler reads it, because every
# name that starts with an underscore is refused unless it is listed: clang's syntax tree is then the
# tree of any other compiler too. It cannot silence clang (#pragma), rename its lines (#line), or change
# what cmc.h and cmc_core.h say (#define). Strings and comments are no code.
#
# Usage: awk -f text.awk -v core=FILE cmc.h cmc_core.h FILE HEADER...

BEGIN {
    split("stdint.h stddef.h stdbool.h string.h limits.h cmc.h cmc_core.h", list, " ")
    for (i in list) header[list[i]]
    split("include define undef if ifdef ifndef elif else endif error warning", list, " ")
    for (i in list) directive[list[i]]
    split("_Static_assert _Alignas _Alignof _Bool _Noreturn _Generic __attribute__ __cplusplus " \
          "__STDC_VERSION__ __inline __inline__ __restrict __restrict__ __int128 " \
          "__builtin_expect __builtin_unreachable __builtin_offsetof __builtin_bswap16 " \
          "__builtin_bswap32 __builtin_bswap64 __builtin_clz __builtin_clzl __builtin_clzll " \
          "__builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_ffs __builtin_ffsl " \
          "__builtin_ffsll __builtin_parity __builtin_parityl __builtin_parityll " \
          "__builtin_popcount __builtin_popcountl __builtin_popcountll __builtin_add_overflow " \
          "__builtin_sub_overflow __builtin_mul_overflow __builtin_memcpy __builtin_memmove " \
          "__builtin_memset __builtin_memcmp __builtin_memchr", list, " ")
    for (i in list) reserved[list[i]]
    split("auto break case char const continue default do double else enum extern float for goto if " \
          "inline int long register restrict return short signed sizeof static struct switch " \
          "typedef union unsigned void volatile while bool true false NULL", list, " ")
    for (i in list) fixed[list[i]]
    why["asm"] = why["__asm"] = why["__asm__"] = "write it in C"
    why["typeof"] = "name the type"
    why["volatile"] = "a state is plain bytes"
    why["thread_local"] = "keep it in the state"
    why["uintptr_t"] = why["intptr_t"] = "a core does not look at addresses"
    reason["asm"] = reason["__asm"] = reason["__asm__"] = "asm"
    reason["typeof"] = "typeof"
    reason["volatile"] = "volatile"
    reason["thread_local"] = "thread-local"
    reason["uintptr_t"] = reason["intptr_t"] = "address"
}

FNR == 1 { files++; in_comment = 0; joined = "" }

# A line that ends in a backslash goes on in the next.
/\\$/ { joined = joined substr($0, 1, length($0) - 1); next }
{ line = joined $0; joined = ""; strip(line) }

# The interface: its names keep their meaning.
files <= 2 { names_of(code); next }

line ~ /\?\?[=\/'()!<>-]/ {
    report("trigraph", "three characters that some compilers read as one", "write the character")
}
code ~ /^[ \t]*(#|%:)/ { directives() }
{ words(code) }

# Sets `code` to the line without comments, strings and characters, `kept` to it with the latter.
function strip(line,    at, mark, end) {
    code = kept = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at) return
            in_comment = 0
            line = substr(line, at + 2)
            code = code " "
            kept = kept " "
            continue
        }
        if (!match(line, /\/\*|\/\/|["']/)) {
            code = code line
            kept = kept line
            return
        }
        code = code substr(line, 1, RSTART - 1)
        kept = kept substr(line, 1, RSTART - 1)
        mark = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (mark == "//") return
        if (mark == "/*") {
            in_comment = 1
            continue
        }
        end = mark == "\"" ? match(line, /^([^"\\]|\\.)*"/) : match(line, /^([^'\\]|\\.)*'/)
        end = end ? RLENGTH : length(line)
        kept = kept mark substr(line, 1, end)
        code = code " "
        line = substr(line, end + 1)
    }
}

function names_of(text) {
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
        fixed[substr(text, RSTART, RLENGTH)]
        text = substr(text, RSTART + RLENGTH)
    }
}

function directives(    name, what) {
    sub(/^[ \t]*(#|%:)[ \t]*/, "", kept)
    name = kept
    sub(/[^A-Za-z_].*/, "", name)
    what = substr(kept, length(name) + 1)
    sub(/^[ \t]+/, "", what)
    sub(/[ \t]+$/, "", what)
    if (kept == "" || name == "pragma" && what == "once") return
    if (!(name in directive)) {
        report("directive", "#" (name == "" ? kept : name " " what), "a core has no use for it")
    } else if (name == "include") {
        includes(what)
    } else if (name == "define" || name == "undef") {
        match(what, /^[A-Za-z0-9_]*/)
        what = substr(what, 1, RLENGTH)
        if (what in fixed || what ~ /^mem/)
            report("redefine", "#" name " " what, "take a name that C and cmc_core.h do not use")
    } else if (name == "error" || name == "warning") {
        code = "" # prose
    }
}

function includes(what,    name) {
    name = substr(what, 2, length(what) - 2)
    if (what ~ /^<[a-z_]+\.h>$/ && name in header) return
    if (what ~ /^"[A-Za-z0-9_.+-][A-Za-z0-9_.\/+-]*"$/) return # part of the core, and judged with it
    report("header", "#include " what, \
           "include stdint.h, stddef.h, stdbool.h, string.h, limits.h, cmc_core.h or files of the core")
}

function words(text,    word) {
    while (match(text, /[A-Za-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (word in reason)
            report(reason[word], word, why[word])
        else if (word ~ /^_/ && !(word in reserved))
            report("reserved-name", word, "use C that every compiler reads alike")
    }
}

function report(reason, what, remedy,    place) {
    place = FILENAME
    sub(/.*\//, "", place)
    printf "%s: %s: %s, at %s:%d\t\t%s\n", core, reason, what, place, FNR, remedy
}
