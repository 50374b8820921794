#!/bin/sh
# A whole evald adapter in sh and curl: sums of two numbers, scored by exact match. The job file has one member a line and two
# spaces of indent a level, so that sed can read it.
set -eu

job=$EVALD_JOB_SPEC_PATH
member() { sed -n "s/^$1\"$2\": \"\{0,1\}\(.*[^\",]\)\"\{0,1\},\{0,1\}\$/\1/p" "$job" | head -n 1; }
top='  '
inner='    '

id=$(member "$top" id)
events="$(member "$top" callback_url)/api/v1/evaluations/jobs/$id/events"
identity="\"provider_id\":\"$(member "$top" provider_id)\",\"id\":\"$(member "$top" benchmark_id)\",\"benchmark_index\":$(member "$top" benchmark_index)"
model=$(member "$inner" name)
url=$(member "$inner" url)
count=$(member "$top" num_examples)
count=${count:-5}

# the namespace is the tenant in the cluster; locally the address alone says whose event it is
namespace=/var/run/secrets/kubernetes.io/serviceaccount/namespace
send() {
  set -- -d "{\"benchmark_status_event\":{$identity,$1}}"
  if [ -r "$namespace" ]; then set -- "$@" -H "X-Tenant: $(cat "$namespace")"; fi
  curl -fsS -o /dev/null --max-time 10 --retry 5 --retry-connrefused -H 'Content-Type: application/json' "$@" "$events"
}
fail() {
  send "\"status\":\"failed\",\"error_message\":{\"message\":\"$1\",\"message_code\":\"evaluation_failed\"}"
  exit 1
}
# the file holds a reference; the gateway before the model puts the real key in its place
ask() {
  set -- -d "{\"model\":\"$model\",\"temperature\":0,\"messages\":[{\"role\":\"user\",\"content\":\"$1\\n\\nFinish with a last line of the form \\\"Answer: <x>\\\".\"}]}"
  key=${EVALD_MODEL_AUTH_DIR:-/var/run/secrets/model}/api-key
  if [ -r "$key" ]; then set -- "$@" -H "Authorization: Bearer $(cat "$key")"; fi
  curl -fsS --max-time 120 -H 'Content-Type: application/json' "$@" "$url/chat/completions"
}

send '"status":"running","phase":"running_evaluation"'
right=0
index=0
while [ "$index" -lt "$count" ]; do
  index=$((index + 1))
  a=$((index * 7 + 2))
  b=$((index * 5 + 1))
  reply=$(ask "What is $a + $b?") || fail 'the model gave no answer'
  answer=$(printf '%s' "$reply" | sed -n 's/.*Answer: \(-\{0,1\}[0-9]\{1,\}\).*/\1/p')
  echo "$index/$count: $a + $b, answered ${answer:-nothing}"
  if [ "$answer" = "$((a + b))" ]; then right=$((right + 1)); fi
done
score=$(awk "BEGIN { print $right / $count }")
send "\"status\":\"completed\",\"metrics\":{\"exact_match\":$score,\"n_samples\":$count}"
