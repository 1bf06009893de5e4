# The syntax tree of a core as clang dumps it: what types show and text cannot. Only what the core's own
# files declare is judged; headers of the system, cmc.h and cmc_core.h are not.
#
# The effects of a step stay what cmc_core.h makes them, because a core can do nothing with its CmcOut
# but pass it on: every expression of type CmcOut * is an argument of a call, or the value that a
# variable of that type starts with. No type is built from it, and no cast takes it elsewhere.
#
# Writes the names of the core's own files to `own`. Exits with 2 where the file is no core.
#
# Usage: awk -f tree.awk -v core=FILE -v include=DIR -v directory=DIR -v own=FILE SAID TREE
#   directory  where clang ran
#   SAID  what clang said: the directories it searches (-v), headers (-H), warnings
#   TREE  clang -Xclang -ast-dump

BEGIN {
    split("AlignedAttr AlwaysInlineAttr ColdAttr ConstAttr DeprecatedAttr FallThroughAttr FlattenAttr " \
          "HotAttr LeafAttr NoInlineAttr NoThrowAttr NonNullAttr PackedAttr PureAttr " \
          "ReturnsNonNullAttr UnusedAttr WarnUnusedResultAttr C11NoReturnAttr", list, " ")
    for (i in list) harmless[list[i]]
    split("ConstructorAttr:constructor DestructorAttr:destructor WeakAttr:weak WeakRefAttr:weak " \
          "AliasAttr:alias IFuncAttr:ifunc SectionAttr:section AsmLabelAttr:asm", list, " ")
    for (i in list) { split(list[i], pair, ":"); special[pair[1]] = pair[2] }
    split("vla:vla date-time:clock cast-qual:const " \
          "incompatible-pointer-types-discards-qualifiers:const strict-prototypes:prototype " \
          "implicit-function-declaration:prototype incompatible-pointer-types:types " \
          "incompatible-function-pointer-types:types int-conversion:types " \
          "unknown-attributes:attribute ignored-attributes:attribute", list, " ")
    for (i in list) { split(list[i], pair, ":"); warned[pair[1]] = pair[2] }
    remedy["address"] = "a core does not look at addresses: keep indices"
    remedy["alias"] = remedy["ifunc"] = remedy["weak"] = "call the function by its own name"
    remedy["alloca"] = remedy["vla"] = "give the array a fixed size"
    remedy["asm"] = "write it in C"
    remedy["attribute"] = "leave it out"
    remedy["clock"] = "take time from events"
    remedy["computed-goto"] = "use switch"
    remedy["const"] = "change only what is given to change"
    remedy["constructor"] = remedy["destructor"] = "do it in init()"
    remedy["direct-out"] = "pass out on to the functions of cmc_core.h, and do nothing else with it"
    remedy["floating-point"] = "use integers: rounding is a mode outside of the state"
    remedy["indirect-call"] = "call the function by its name"
    remedy["prototype"] = "declare the parameters"
    remedy["section"] = "leave it to the compiler"
    remedy["thread-local"] = remedy["writable-data"] = "keep it in the state, or make it const"
    remedy["types"] = "make the types agree"
    remedy["volatile"] = "a state is plain bytes"
    own_files[core]
    print core >own
}

FILENAME != ARGV[ARGC - 1] { said(); next }
{ node() }

END {
    if (!is_core) {
        print core ": cannot check: it defines no CmcCore cmc_core, and is no core" >"/dev/stderr"
        exit 2
    }
}

# -- What clang said --

function said(    name, flag, message) {
    if ($0 ~ /^#include <\.\.\.> search starts here:|^End of search list/) {
        searching = !searching && /^#/
    } else if (searching) {
        if (substr($0, 2) != include) directories[++directory_count] = substr($0, 2) "/"
    } else if ($0 ~ /^\.+ /) { # a header, with as many points as it is deep
        name = $0
        sub(/^\.+ /, "", name)
        if (!is_trusted(name) && !(name in own_files)) {
            own_files[name]
            print name >own
        }
    } else if (match($0, /: warning: .* \[-W[a-z-]+\]$/)) {
        message = substr($0, RSTART + 11, RLENGTH - 12)
        shown = substr($0, 1, RSTART - 1)
        sub(/:[0-9]+$/, "", shown)
        name = shown
        sub(/:[0-9]+$/, "", name)
        match(message, / \[-W[a-z-]+$/)
        flag = substr(message, RSTART + 4)
        message = substr(message, 1, RSTART - 1)
        if (flag in warned && !is_trusted(name)) report(warned[flag], message)
    }
}

# Whether a header is the system's, or the interface, by whatever path it is included.
function is_trusted(name,    i) {
    for (i = 1; i <= directory_count; i++)
        if (index(name, directories[i]) == 1) return 1
    if (name !~ /cmc(_core)?\.h$/) return 0
    name = absolute(name)
    return name == include "/cmc.h" || name == include "/cmc_core.h"
}

function absolute(name) {
    if (name !~ /^\//) name = directory "/" name
    while (sub(/\/(\.?)\//, "/", name));
    while (sub(/\/[^\/]+\/\.\.\//, "/", name));
    return name
}

# -- The tree --

# One line is one node: its depth by the length of its prefix, its kind, where it is, and the rest.
function node(    depth, rest) {
    if (!match($0, /[A-Za-z<]/)) return
    depth = (RSTART - 1) / 2
    rest = substr($0, RSTART)
    sub(/^array_filler: /, "", rest)
    match(rest, /^[A-Za-z0-9]*/)
    kind[depth] = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    sub(/^ 0x[0-9a-f]+/, "", rest)
    sub(/^ (prev|parent) 0x[0-9a-f]+/, "", rest)
    rest = places(rest)
    if (kind[depth] == "StringLiteral") sub(/ ".*/, "", rest)
    rest_of[depth] = rest
    types(depth, rest)
    children[depth] = 0
    if (depth == 0) return
    child[depth] = children[depth - 1]++
    # A declaration at the top belongs to the file that its name stands in.
    if (depth == 1) judged = !is_nowhere && !is_trusted(file)
    if (judged) judge(depth, rest)
}

# Follows the places at the start of `rest`, and returns what is behind them: where the node begins,
# where it ends, and, of a declaration, where its name is. `shown` is the first or the name.
function places(rest,    range, list, count) {
    if (rest !~ /^ </) return rest
    gsub(/<invalid sloc>/, "nowhere", rest)
    gsub(/<scratch space>/, "pasted", rest)
    gsub(/<built-in>/, "built-in", rest)
    gsub(/<command line>/, "command-line", rest)
    match(rest, /^ <[^>]*>/)
    range = substr(rest, 3, RLENGTH - 3)
    rest = substr(rest, RLENGTH + 1)
    count = split(range, list, ", ")
    move(list[1])
    in_text = is_own
    shown = here
    if (count == 2) move(list[2])
    if (!in_text) shown = here # it starts in a macro
    if (match(rest, /^ ([^ ']+:[0-9]+:[0-9]+|line:[0-9]+:[0-9]+|col:[0-9]+|nowhere)/)) {
        move(substr(rest, 2, RLENGTH - 1))
        shown = here
        rest = substr(rest, RLENGTH + 1)
    }
    return rest
}

# Goes to a place, which says only what differs from the one before it. `here` is the last that is in
# the core's own text; where a macro is expanded clang says where the macro is.
function move(place,    part, count) {
    is_nowhere = place == "nowhere"
    if (is_nowhere || place ~ /^col:/) return
    count = split(place, part, ":")
    line = part[count - 1]
    if (place !~ /^line:/) file = substr(place, 1, length(place) - length(part[count]) - length(line) - 2)
    is_own = file !~ /^(pasted|built-in|command-line)$/ && !is_trusted(file)
    if (is_own) here = file ":" line
}

# The type of a node, without the names that typedef gave it, and what a cast does.
function types(depth, rest) {
    type[depth] = cast[depth] = ""
    if (match(rest, /'[^']*'/)) {
        type[depth] = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (match(rest, /^:'[^']*'/)) {
            type[depth] = substr(rest, 3, RLENGTH - 3)
            rest = substr(rest, RLENGTH + 1)
        }
        if (kind[depth] ~ /CastExpr$/ && match(rest, /<[A-Za-z]+>/))
            cast[depth] = substr(rest, RSTART + 1, RLENGTH - 2)
    }
}

# -- What is judged --

function judge(depth, rest) {
    if (kind[depth] ~ /Attr$/) attribute(kind[depth], rest)
    if (kind[depth] ~ /AsmStmt$|AsmDecl$/) report("asm", "asm")
    if (kind[depth] ~ /^(AddrLabelExpr|IndirectGotoStmt)$/) report("computed-goto", "goto *")
    if (has_word(rest, "volatile")) report("volatile", "volatile")
    if (rest ~ /(^|[^A-Za-z0-9_])(float|double|_Complex|_Float16|__fp16|__float128)([^A-Za-z0-9_]|$)/)
        report("floating-point", "float or double")
    if (kind[depth] == "VarDecl") variable(depth, rest)
    if (kind[depth] == "FieldDecl") field(depth)
    if (kind[depth] == "DeclRefExpr" && match(rest, / Function 0x[0-9a-f]+ '[^']*'/)) {
        named = substr(rest, RSTART, RLENGTH)
        sub(/^ Function 0x[0-9a-f]+ /, "", named)
        if (named ~ /^'(__builtin_)?alloca(_with_align)?'$/) report("alloca", named)
    }
    callee(depth, rest)
    casts(depth)
    effects(depth)
}

function attribute(name, rest) {
    if (rest ~ /^ (Inherited )?Implicit/ || name in harmless) return
    if (name in special) report(special[name], "an attribute")
    else {
        sub(/Attr$/, "", name)
        report("attribute", "the attribute " name)
    }
}

function variable(depth, rest,    words, name) {
    words = rest
    gsub(/'[^']*'/, "", words)
    match(rest, /[A-Za-z0-9_]+ '/)
    name = substr(rest, RSTART, RLENGTH - 2)
    if (depth == 1 && name == "cmc_core" && type[depth] ~ /^(const )?(struct )?CmcCore$/) is_core = 1
    if (has_word(words, "tls")) report("thread-local", name)
    else if ((depth == 1 || has_word(words, "static")) && !has_word(words, "extern") && !is_const(type[depth]))
        report("writable-data", name)
}

# Of an array, what matters is its elements; of a pointer, the pointer.
function is_const(type) {
    gsub(/\[[0-9]*\]/, "", type)
    if (type ~ /\(\*const\)/) return 1
    if (type ~ /\*/) return type ~ /\*const *$/
    return type ~ /^const /
}

function field(depth,    up) {
    if (type[depth] !~ /\*/) return
    for (up = depth - 1; up > 0; up--)
        if (kind[up] == "RecordDecl" && has_word(rest_of[up], "union"))
            report("address", "a pointer in a union")
}

# What is called is named where it is called.
function callee(depth, rest,    up) {
    if (kind[depth - 1] == "CallExpr" && child[depth] == 0) {
        if (cast[depth] !~ /^(FunctionToPointerDecay|BuiltinFnToFnPtr)$/)
            report("indirect-call", "a call through a pointer")
        return
    }
    for (up = depth - 1; kind[up] == "ParenExpr"; up--);
    if (up < 1 || child[up] != 0 || kind[up - 1] != "CallExpr") return
    if (kind[depth] == "ParenExpr") return
    if (kind[depth] != "DeclRefExpr" || rest !~ / Function 0x/)
        report("indirect-call", "a call through a pointer")
    else if (type[depth] ~ /\(\)$/)
        report("prototype", "a call of a function without parameters declared")
}

function casts(depth,    both) {
    if (cast[depth] == "PointerToIntegral") report("address", "a pointer as a number")
    if (cast[depth] == "IntegralToPointer") report("address", "a number as a pointer")
    if (cast[depth - 1] != "BitCast" || cast[depth] == "NullToPointer") return
    both = type[depth] "|" type[depth - 1]
    if (both ~ /\*( ?const)? ?\*|\(\*/) report("address", "the bytes of a pointer")
}

# See the head of this file. A type of functions that take a CmcOut is as good as the functions are.
function effects(depth,    up, mine, above) {
    up = depth - 1
    mine = type[depth]
    above = type[up]
    if (!has_word(mine, "CmcOut")) return
    if (!is_out(mine)) {
        sub(/\(.*/, "", mine)
        if (has_word(mine, "CmcOut")) report("direct-out", "a type made of CmcOut")
        return
    }
    if (kind[depth] ~ /^(ParmVarDecl|VarDecl)$/) return # it is named,
    if (kind[depth] == "DeclRefExpr" && (cast[up] == "LValueToRValue" || kind[up] == "ParenExpr")) return # read,
    if (cast[depth] ~ /^(LValueToRValue|NoOp)$/ && (kind[up] ~ /^(CallExpr|VarDecl)$/ || cast[up] == "ToVoid")) return # passed on
    if (kind[depth] == "ParenExpr" && kind[up] == "CallExpr") return
    if (is_out(above) && (cast[up] ~ /^(LValueToRValue|NoOp)$/ || kind[up] == "ParenExpr")) return # or on its way there
    report("direct-out", "a use of out")
}

function is_out(type) {
    return type ~ /^(const )?(struct )?CmcOut \*( ?const)?$/
}

function has_word(text, word) {
    return text ~ ("(^|[^A-Za-z0-9_])" word "([^A-Za-z0-9_]|$)")
}

function report(reason, what,    place) {
    place = shown
    sub(/.*\//, "", place)
    printf "%s: %s: %s, at %s\t\t%s\n", core, reason, what, place, remedy[reason]
}
