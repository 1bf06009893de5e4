#!/bin/sh
# Measures the process front end: learned steps against whole replay, and the speed of learned steps, as
# docs/performance.md shows them. Usage: docs/measure.sh [--json=FILE] [path/to/cmc]
# Both sides of every ratio are taken in this run. It takes some minutes; nothing else should run.
set -eu
json=/dev/null
case ${1:-} in
--json=?*)
	json=$(realpath "${1#*=}")
	shift
	;;
esac
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

# note KIND MODEL LEARNED-SECONDS ZYGOTE-SECONDS WHOLE-SECONDS: a row of the JSON; "-" is not measured
note() {
	awk -v kind="$1" -v model="$2" -v l="$3" -v z="$4" -v w="$5" -v d="$(field learned distinct)" \
		-v g="$(field learned generated)" -v r="$(field learned steps_run)" \
		-v workers="${workers:-null}" 'BEGIN {
		null = "null"
		printf "  {\"table\": \"%s\", \"model\": \"%s\", \"workers\": %s, \"distinct\": %s, " \
			"\"generated\": %s, \"steps_run\": %s, \"seconds\": %s, \"whole_replay_zygote_seconds\": %s, " \
			"\"whole_replay_seconds\": %s}", kind, model, workers, d, g, r, l,
			z == "-" ? null : z, w == "-" ? null : w }' >>rows
	echo , >>rows
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
	note "learned against whole replay" "$name" "$fast" "$middle" "$slow"
done

echo
echo '| election: time-outs, crashes, restarts | workers | worlds | generated | steps run | of generated | looked up | processes | audited | in processes, s | seconds | worlds/s |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
cp "$examples/election/election" .
for budget in '2 1 1' '3 1 1' '4 2 2' '5 2 2' '6 2 2'; do
	set -- $budget
	sed "s/timeouts = 2/timeouts = $1/; s/crashes = 1/crashes = $2/; s/restarts = 1/restarts = $3/" \
		"$examples/election/election.toml" >election.toml
	for workers in 1 2; do
		run learned election.toml --workers=$workers
		awk -v b="$1, $2, $3" -v n=$workers -v d="$(field learned distinct)" \
			-v g="$(field learned generated)" -v r="$(field learned steps_run)" \
			-v h="$(field learned table_hits)" -v p="$(field learned processes)" \
			-v a="$(field learned audited)" -v i="$(field learned process_seconds)" \
			-v s="$(field learned seconds)" \
			'BEGIN { printf "| %s | %d | %d | %d | %d | %.3f %% | %d | %d | %d | %.2f | %.2f | %d |\n",
				b, n, d, g, r, 100 * r / g, h, p, a, i, s, d / s }'
		note "speed of learned steps" "election $1, $2, $3" "$(field learned seconds)" - -
	done
done
workers=

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
note "largest of whole replay" "election 3, 1, 1" "$(field learned seconds)" "$(field zygote seconds)" \
	"$(field whole seconds)"
{
	echo '['
	sed '$s/,$//' rows
	echo ']'
} >"$json"
