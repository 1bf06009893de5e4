# The table of bench.sh, and its JSON. Exits with 1 where engines count differently.
# Usage: awk -v json=FILE -v repeat=N -f table.awk MACHINE MISSING COMMANDS STORED RUNS
#
# Fields are separated by tabs. A time is the median of the rounds; a ratio is the median of the ratios
# that the rounds have, since what is compared was run back to back; memory is the largest.

BEGIN {
    FS = "\t"
}

FNR == 1 { part++ }
/^#/ { next }

FILENAME == ARGV[1] { machine[++machines] = $1; said[$1] = $2; next }
FILENAME == ARGV[2] { missing[++missings] = $1; why[$1] = $2; next }
FILENAME == ARGV[3] {
    if (!($1 in parameters)) models[++model_count] = $1
    parameters[$1] = $3
    engines[$1] = engines[$1] (engines[$1] == "" ? "" : " ") $2
    command[$1, $2] = $4
    next
}
FILENAME == ARGV[4] { stored[$1, $2] = $0; next }
{
    key = $2 SUBSEP $3
    if ((key in distinct) && (distinct[key] != $4 || generated[key] != $5))
        differ($2, $3 " counts differently in two rounds")
    distinct[key] = $4; generated[key] = $5; depth[key] = $6
    seconds[key, $1] = $7
    if ($8 > peak[key]) peak[key] = $8
    wall[key, $1] = $9
    slots[key] = $10
}

function differ(model, what) {
    print "bench.sh: " model ": " what >"/dev/stderr"
    failed = 1
}

# The median of list[1..n], which it sorts.
function median(list, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = list[i]
        for (j = i - 1; j > 0 && list[j] > x; j--) list[j + 1] = list[j]
        list[j + 1] = x
    }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# The median of the rounds of `times`.
function over_rounds(times, key,    i, list) {
    for (i = 1; i <= repeat; i++) list[i] = times[key, i]
    return median(list, repeat)
}

# The median of the rounds' ratios of one engine's `times` to another's.
function ratio_of(times, model, engine, other,    i, list, base) {
    for (i = 1; i <= repeat; i++) {
        base = times[model, other, i]
        list[i] = times[model, engine, i] / (base > 0 ? base : 1e-6)
    }
    return median(list, repeat)
}

function row(what, states, steps, cpu, passed, bytes, per_slot, ratio) {
    printf "| %-17s | %9s | %9s | %8.2f | %8s | %6.0f | %8s | %5s | %6s |\n", what, states, steps, cpu,
        passed, 1e9 * cpu / steps, bytes, per_slot, ratio
}

function compare(model,    list, n, i, first, key) {
    n = split(engines[model], list, " ")
    first = model SUBSEP list[1]
    for (i = 1; i <= n; i++) {
        key = model SUBSEP list[i]
        if (distinct[key] !~ /^[0-9]+$/ || generated[key] !~ /^[0-9]+$/)
            differ(model, "no counts in the output of " list[i])
        else if (distinct[key] != distinct[first] || generated[key] != generated[first])
            differ(model, list[i] " has " distinct[key] " states and " generated[key] \
                " generated, " list[1] " has " distinct[first] " and " generated[first])
        else if (depth[key] != "-" && depth[key] != depth[first])
            differ(model, list[i] " has depth " depth[key] ", " list[1] " " depth[first])
    }
}

function table(model,    list, n, i, key, field) {
    printf "\n%s, %s\n\n", model, parameters[model]
    printf "| %-17s | %9s | %9s | %8s | %8s | %6s | %8s | %5s | %6s |\n", "engine", "distinct",
        "generated", "CPU, s", "wall, s", "ns/gen", "B/state", "slots", "to cmc"
    print "|---|---|---|---|---|---|---|---|---|"
    n = split(engines[model], list, " ")
    for (i = 1; i <= n; i++) {
        if (list[i] == "cmc-twice") continue
        key = model SUBSEP list[i]
        row(list[i], distinct[key], generated[key], over_rounds(seconds, key),
            sprintf("%.2f", over_rounds(wall, key)), sprintf("%.0f", peak[key] / distinct[key]),
            slots[key] == "-" ? "-" : sprintf("%.2f", slots[key] / distinct[key]),
            sprintf("%.2f", ratio_of(seconds, model, list[i], "cmc")))
    }
    if ((model, parameters[model]) in stored) {
        split(stored[model, parameters[model]], field, FS)
        row("tlc, stored", field[3], field[4], field[5], "-", field[6] == "" ? "-" : field[6],
            "-", sprintf("(%.0f)", field[5] / over_rounds(seconds, model SUBSEP "cmc")))
        any_stored = 1
    }
    printf "\nA second worker: %.2f times as fast by the clock, %.2f times the processor time.\n",
        ratio_of(wall, model, "cmc", "cmc-2"), ratio_of(seconds, model, "cmc-2", "cmc")
    printf "Two searches at once, each by itself: %.2f times as fast as one after the other, %.2f times the " \
        "processor time.\n", 2 * ratio_of(wall, model, "cmc", "cmc-twice"),
        ratio_of(seconds, model, "cmc-twice", "cmc") / 2
}

function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

function or_null(number) {
    return number == "-" || number == "" ? "null" : number
}

function write_result(model, engine,    key, i, list, searches) {
    key = model SUBSEP engine
    searches = engine == "cmc-twice" ? 2 : 1
    for (i = 1; i <= repeat; i++) list = list (i > 1 ? ", " : "") seconds[key, i]
    printf "    {\"model\": %s, \"parameters\": %s, \"engine\": %s, \"command\": %s,\n", quoted(model),
        quoted(parameters[model]), quoted(engine), quoted(command[key]) >json
    printf "     \"distinct\": %s, \"generated\": %s, \"depth\": %s, \"cpu_seconds\": %.6f, \"runs\": [%s],\n",
        distinct[key], generated[key], or_null(depth[key]), over_rounds(seconds, key), list >json
    printf "     \"wall_seconds\": %.6f, \"generated_per_second\": %.0f,\n", over_rounds(wall, key),
        searches * generated[key] / over_rounds(wall, key) >json
    printf "     \"ns_per_generated\": %.2f, \"peak_bytes\": %s, \"peak_bytes_per_state\": %.1f, " \
        "\"slots_per_state\": %s, \"to_cmc\": %.3f}",
        1e9 * over_rounds(seconds, key) / generated[key] / searches, peak[key], peak[key] / distinct[key],
        slots[key] == "-" ? "null" : slots[key] / distinct[key],
        ratio_of(seconds, model, engine, "cmc") / searches >json
}

function write_stored(model,    field) {
    split(stored[model, parameters[model]], field, FS)
    printf "    {\"model\": %s, \"parameters\": %s, \"engine\": \"tlc\", \"distinct\": %s, " \
        "\"generated\": %s, \"cpu_seconds\": %s, \"peak_bytes_per_state\": %s}", quoted(model),
        quoted(parameters[model]), field[3], field[4], field[5], or_null(field[6]) >json
}

function write_json(    i, j, n, list, comma) {
    printf "{\n" >json
    for (i = 1; i <= machines; i++)
        printf "  %s: %s,\n", quoted(machine[i]), quoted(said[machine[i]]) >json
    printf "  \"repeat\": %d,\n  \"missing\": {", repeat >json
    for (i = 1; i <= missings; i++)
        printf "%s%s: %s", (i > 1 ? ", " : ""), quoted(missing[i]), quoted(why[missing[i]]) >json
    printf "},\n  \"agree\": %s,\n  \"measured\": [", (failed ? "false" : "true") >json
    for (i = 1; i <= model_count; i++) {
        n = split(engines[models[i]], list, " ")
        for (j = 1; j <= n; j++) {
            printf "%s\n", comma >json
            write_result(models[i], list[j])
            comma = ","
        }
    }
    printf "\n  ],\n  \"stored\": [" >json
    comma = ""
    for (i = 1; i <= model_count; i++)
        if ((models[i], parameters[models[i]]) in stored) {
            printf "%s\n", comma >json
            write_stored(models[i])
            comma = ","
        }
    printf "\n  ]\n}\n" >json
    close(json)
}

END {
    for (i = 1; i <= machines; i++) printf "%s: %s\n", machine[i], said[machine[i]]
    for (i = 1; i <= missings; i++) printf "without %s: %s\n", missing[i], why[missing[i]]
    for (i = 1; i <= model_count; i++) { compare(models[i]); table(models[i]) }
    printf "\nOne thread each, cmc-2 two, %s. CPU is user and system time. B/state is peak resident memory by " \
        "distinct states.\n", (repeat > 1 ? "medians of " repeat " rounds" : "one round")
    if (any_stored) print "TLC is a stored figure from another machine, not taken in this run."
    if (json != "") write_json()
    exit failed
}
