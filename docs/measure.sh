#!/bin/sh
# Measures what docs/MEASURED.md shows, and prints its tables: docs/measure.sh [path/to/cmc]
# Both sides of every ratio are taken in this run. It takes some minutes; nothing else should run.
set -eu
cmc=$(realpath "${1:-target/release/cmc}")
examples=$(realpath "$(dirname "$0")/examples")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# field FILE KEY: a number or word of a report
field() {
	sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$1"
}

# run OUT MODEL OPTIONS...: a report as JSON; a violation is no failure here
run() {
	out=$1 model=$2
	shift 2
	"$cmc" --json "--model-file=$model" "$@" >"$out" || [ $? -eq 1 ]
}

same() {
	for key in verdict distinct generated depth trace_len; do
		[ "$(field "$1" $key)" = "$(field "$2" $key)" ] || { echo "$3: $key differs" >&2; exit 1; }
	done
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'
}

make -s -C "$examples"

echo '| model | verdict | distinct | generated | depth | learned, s | whole replay by zygotes, s | whole replay, s | ratio to zygotes | ratio |'
echo '|---|---|---|---|---|---|---|---|---|---|'
for model in "$examples"/*/*.toml; do
	name=$(basename "$model" .toml)
	run learned "$model"
	run zygote "$model" --whole-replay --zygote
	run whole "$model" --whole-replay
	same learned zygote "$name"
	same learned whole "$name"
	fast=$(field learned seconds) middle=$(field zygote seconds) slow=$(field whole seconds)
	printf '| %s | %s | %s | %s | %s | %.3f | %.2f | %.2f | %s | %s |\n' "$name" \
		"$(field learned verdict)" "$(field learned distinct)" "$(field learned generated)" \
		"$(field learned depth)" "$fast" "$middle" "$slow" \
		"$(ratio "$middle" "$fast")" "$(ratio "$slow" "$fast")"
done

echo
echo '| election: time-outs, crashes, restarts | worlds | generated | steps run | of generated | looked up | processes | audited | in processes, s | seconds | worlds/s |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
cp "$examples/election/election" .
for budget in '2 1 1' '3 1 1' '4 2 2' '5 2 2' '6 2 2'; do
	set -- $budget
	sed "s/timeouts = 2/timeouts = $1/; s/crashes = 1/crashes = $2/; s/restarts = 1/restarts = $3/" \
		"$examples/election/election.toml" >election.toml
	run out election.toml
	awk -v b="$1, $2, $3" -v d="$(field out distinct)" -v g="$(field out generated)" \
		-v r="$(field out steps_run)" -v h="$(field out table_hits)" -v p="$(field out processes)" \
		-v a="$(field out audited)" -v i="$(field out process_seconds)" -v s="$(field out seconds)" \
		'BEGIN { printf "| %s | %d | %d | %d | %.3f %% | %d | %d | %d | %.2f | %.2f | %d |\n",
			b, d, g, r, 100 * r / g, h, p, a, i, s, d / s }'
done

# The bound at which whole replay still ends in some minutes.
cat >ratio.sed <<'EOF'
s/timeouts = 2/timeouts = 3/
EOF
sed -f ratio.sed "$examples/election/election.toml" >election.toml
run learned election.toml
run zygote election.toml --whole-replay --zygote
run whole election.toml --whole-replay
same learned zygote election
same learned whole election
echo
printf 'election with 3 time-outs: %s worlds, learned %.2f s, whole replay by zygotes %.1f s (%s times), whole replay %.1f s (%s times)\n' \
	"$(field learned distinct)" "$(field learned seconds)" "$(field zygote seconds)" \
	"$(ratio "$(field zygote seconds)" "$(field learned seconds)")" "$(field whole seconds)" \
	"$(ratio "$(field whole seconds)" "$(field learned seconds)")"
