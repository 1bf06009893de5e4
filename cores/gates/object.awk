# The object code of a core: its sections, symbols and instructions. What is listed passes; what is not
# is refused, so that a section, symbol or instruction that nobody thought of does not slip through.
#
# Exits with 2 where the file is no x86-64 object that can be judged, or no core.
#
# Usage: awk -f object.awk -v core=FILE PARTS CODE
#   PARTS  readelf -hSsW
#   CODE   objdump -d -r -l --no-show-raw-insn

BEGIN {
    split("memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy bcmp", list, " ")
    for (i in list) pure[list[i]]
    # Arithmetic that compilers call libgcc for.
    split("__udivti3 __umodti3 __divti3 __modti3 __multi3 __udivmodti4 __divmodti4 __popcountdi2 " \
          "__popcountti2 __paritydi2 __parityti2 __clzti2 __ctzti2", list, " ")
    for (i in list) pure[list[i]]
    pure["_GLOBAL_OFFSET_TABLE_"] # an address of this file, and no function

    # Instructions that ask somebody else, by reason.
    ask["clock"] = "rdtscp?|rdpmc|tpause|umwait|umonitor"
    ask["random"] = "rdrand[wlq]?|rdseed[wlq]?"
    ask["cpu-identification"] = "cpuid|xgetbv|rdpid|rdpru|s[gil]dt[wlq]?|smsw[wlq]?|str[wlq]?|l[as][rl][wlq]?|" \
        "ver[rw]|rdpkru|rdssp[dq]|xtest|xbegin|xabort|xend|pushf[wlq]?"
    ask["system-call"] = "syscall|sysenter|sysexit|sysret[lq]?|int|int1|int3|icebp|into|vmcall|vmmcall|" \
        "in[bwl]?|out[bwl]?|ins[bwl]|outs[bwl]|hlt|cli|sti"
    ask["segment"] = "[rw]d[fg]sbase[lq]?|wr[fg]sbase[lq]?|swapgs"
    ask["floating-point"] = "f[a-z0-9]+|emms|v?(ld|st)mxcsr|v?(add|sub|mul|div|sqrt|min|max|rcp|rsqrt|round|" \
        "addsub|hadd|hsub|dp)[ps][sd]|v?cmp[a-z_]*[ps][sd]|v?u?comis[sd]|v?cvt[a-z0-9]+|vf[n]?m[a-z0-9]+"

    # Instructions that compute from registers and memory alone.
    compute = "mov[a-z0-9]*|cmov[a-z]+|set[a-z]+|j[a-z]+|call[q]?|ret[q]?|leave[q]?|push[wlq]?|pop[wlq]?|" \
        "lea[wlq]?|(add|sub|adc|sbb|inc|dec|neg|mul|imul|div|idiv|and|or|xor|not|test|cmp)[bwlq]?|" \
        "(sh[lr]|sa[lr]|ro[lr]|rc[lr])[bwlq]?|sh[lr]d[wlq]?|bt[src]?[wlq]?|bs[fr][wlq]?|bswap[lq]?|" \
        "([tl]zcnt|popcnt)[wlq]?|xchg[bwlq]?|c[bwl]t[wlq]|cqto|cltd|cltq|cwt[ld]|nop[wlq]?|endbr64|ud2|xchg|" \
        "(cmps|scas|lods|stos)[bwlq]?|cld|lahf|sahf|" \
        "andn|bextr|bls(i|r|msk)|bzhi|pdep|pext|mulx|rorx|sarx|shlx|shrx|adcx|adox"
    vector = "v?movs?[a-z0-9]*|v?p(abs|ack|add|alignr|and|andn|avg|blend|broadcast|cmp|ext|hadd|hsub|" \
        "hminpos|insr|madd|max|min|mov|mul|or|sad|shuf|sign|sll|sra|srl|sub|test|unpck|xor|perm|rol|ror|" \
        "ternlog|conflict|lzcnt|popcnt|scatter|gather|compress|expand)[a-z0-9]*|" \
        "v?(and|andn|or|xor|shuf|unpckl|unpckh|blend|blendv|permil|perm|insert|extract|broadcast|test)" \
        "(p?[sd]|[fi][0-9]+(x[0-9]+)?|2[fi]128|ps|pd|ss|sd)[a-z0-9]*|vzeroupper|vzeroall|lddqu|vlddqu|" \
        "valign[dq]|vperm[a-z0-9]*|vbroadcast[a-z0-9]*|vinsert[a-z0-9]*|vextract[a-z0-9]*|" \
        "k(mov|and|andn|or|xor|xnor|not|test|ortest|unpck|shift[lr]|add)[bwdq]+"
    prefix = "^(rep|repz|repnz|notrack|bnd|data16|cs|ds|es|ss|rex(\\.[WRXB]+)?)$"

    remedy["writable-data"] = "keep it in the state, or make it const"
    remedy["thread-local"] = "keep it in the state"
    remedy["constructor"] = "do it in init()"
    remedy["destructor"] = "leave it out"
    remedy["section"] = "leave it to the compiler"
    remedy["ifunc"] = "call the function by its own name"
    remedy["weak"] = "define it once, in this file"
    remedy["export"] = "make it static: another file may have one of that name"
    remedy["outside"] = "use only what the core defines, and memcpy() and its kin"
    remedy["indirect-call"] = "call functions by name; build objects with -fno-jump-tables"
    remedy["clock"] = "take time from events"
    remedy["random"] = "let the environment choose: by a message, a timer, a client"
    remedy["cpu-identification"] = "a core behaves alike on every machine"
    remedy["system-call"] = "ask for effects by the functions of cmc_core.h"
    remedy["segment"] = "keep it in the state; build objects with -fno-stack-protector"
    remedy["floating-point"] = "use integers: rounding is a mode outside of the state"
    remedy["instruction"] = "write it in plain C"
}

FILENAME == ARGV[ARGC - 1] { code(); next }
/^ELF Header/ { part = "header" }
/^Section Headers/ { part = "sections" }
/^Symbol table/ { part = "symbols" }
part == "header" && $1 == "Type:" { kind = $2 }
part == "header" && $1 == "Machine:" { machine = $NF }
part == "sections" && /^ *\[ *[1-9][0-9]*\]/ { section() }
part == "symbols" && $1 ~ /^[0-9]+:$/ { symbol() }

END {
    settle()
    if (kind != "REL" || machine != "X86-64") cannot("it is no object of x86-64")
    else if (!is_core) cannot("it defines no cmc_core, and is no core")
    place = "in data"
    for (name in undefined)
        if (!(name in used)) report("outside", name)
    for (number in writable)
        if (!(number in held)) report(writable[number], "the section " section_name[number])
    exit is_unchecked ? 2 : 0
}

# -- Sections: [Nr] Name Type Address Off Size ES Flg Lk Inf Al --

function section(    name, flags) {
    if ($0 !~ /^ *\[ *[0-9]+\] [^ ]+ +[^ ]+ +[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ /)
        return cannot("a section that cannot be read: " $0)
    sub(/^ *\[ */, "")
    sub(/\]/, "")
    name = section_name[$1] = $2
    flags = $8 ~ /[A-Za-z]/ ? $8 : ""
    if (name ~ /^\.(gnu\.lto_|llvm\.lto|llvmbc)/) return cannot("it is meant for link-time optimisation; build it with -fno-lto")
    if (flags !~ /A/ || $6 ~ /^0+$/) return
    if (name ~ /^\.(preinit_array|init_array|ctors|init)(\.|$)/) report("constructor", name)
    else if (name ~ /^\.(fini_array|dtors|fini)(\.|$)/) report("destructor", name)
    else if (flags ~ /T/) writable[$1] = "thread-local"
    else if (name ~ /^\.data\.rel\.ro(\.|$)/) return # constant, but for where it is loaded
    else if (flags ~ /W/) writable[$1] = "writable-data"
    else if (name !~ /^\.(text|rodata)(\.|$)|^\.eh_frame$|^\.note\.gnu\.property$/) report("section", name)
}

# -- Symbols: Num Value Size Type Bind Vis Ndx Name --

function symbol(    type, bind, where, name) {
    gsub(/<[A-Za-z ]+>: /, "special-")
    if ($6 !~ /^(DEFAULT|HIDDEN|INTERNAL|PROTECTED)$/ || $7 !~ /^([0-9]+|UND|ABS|COM|LARGE_COM)$/)
        return cannot("a symbol that cannot be read: " $0)
    type = $4
    bind = $5
    where = $7
    name = $8
    if (name == "cmc_core" && type == "OBJECT" && where ~ /^[0-9]+$/ && bind == "GLOBAL") {
        is_core = 1
    } else if (where == "UND") {
        if (name != "" && !(name in pure)) undefined[name]
        if (bind == "WEAK") report("weak", name)
    } else if (type ~ /^(IFUNC|special-10)$/) report("ifunc", name)
    else if (where ~ /COM/) report("writable-data", name)
    else if (bind != "LOCAL" && bind != "GLOBAL") report("weak", name)
    else if (bind == "GLOBAL") report("export", name)
    if (where in writable && type ~ /^(OBJECT|TLS)$/) {
        report(writable[where], name)
        held[where]
    }
}

# -- Code: a function, a line of the source, an instruction, or a symbol that the instruction names --

function code(    i) {
    if ($0 ~ /^[0-9a-f]+ <.*>:$/) {
        settle()
        in_function = substr($2, 2, length($2) - 3) "()"
        at_line = ""
    } else if ($0 ~ /^[^ \t].*:[0-9]+( \(discriminator [0-9]+\))?$/) {
        at_line = $0
        sub(/ \(discriminator.*/, "", at_line)
        sub(/.*\//, "", at_line)
    } else if ($0 ~ /^[ \t]+[0-9a-f]+: R_X86_64_/) {
        relocation($2, $3)
    } else if ($0 ~ /^ *[0-9a-f]+:\t/) {
        settle()
        sub(/^ *[0-9a-f]+:[ \t]*/, "")
        sub(/ *(#|<).*/, "")
        for (i = 1; i < NF && $i ~ prefix; i++);
        instruction($i, $0)
    }
}

function instruction(name, text,    reason) {
    place = "in " in_function (at_line == "" ? "" : " at " at_line)
    if (text ~ /%[fg]s/) return report("segment", text)
    if (text ~ /^([a-z]+ )*(call|jmp)[a-z]* +\*/) {
        indirect = text
        return
    }
    for (reason in ask)
        if (name ~ ("^(" ask[reason] ")$")) return report(reason, name)
    if (name !~ ("^(" compute "|" vector ")$")) report("instruction", text)
}

# A call through the place where the address of a symbol is kept is a call of that symbol.
function relocation(type, name) {
    sub(/[-+]0x[0-9a-f]+$/, "", name)
    if (type ~ /GOTPCREL/) indirect = ""
    if (name ~ /^\*ABS\*/) report("outside", "an address that is a number")
    if (name in undefined) {
        used[name]
        report("outside", name)
    }
}

function settle() {
    if (indirect != "") report("indirect-call", indirect)
    indirect = ""
}

function cannot(why) {
    is_unchecked = 1
    printf "%s: cannot check: %s\n", core, why >"/dev/stderr"
}

function report(reason, what) {
    gsub(/[ \t]+/, " ", what)
    printf "%s: %s: %s, %s\t%s\t%s\n", core, reason, what, place == "" ? "in the object" : place, build, remedy[reason]
}
