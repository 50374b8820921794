/** Usage and flags of the commands that do their work here, each of which is a bundle of its own and reads no more of this than its own. */
import { type CommandHelp, configDirFlag, helpFlag } from "./flags.ts"

export const serverHelp: CommandHelp = {
  usage: "evald server [-local] [-configdir DIR]",
  summary: "Serves the API. Without flags: port 8080, SQLite in memory, benchmarks as Kubernetes Jobs.",
  flags: [
    { name: "local", meaning: "run benchmarks as local processes; listen on 127.0.0.1, no authentication" },
    configDirFlag,
    helpFlag
  ],
  examples: [
    "evald server -local",
    "PORT=9000 DB_URL=file:evald.db evald server --local",
    "evald server -configdir /etc/evald"
  ]
}

export const demoHelp: CommandHelp = {
  usage: "evald demo [flags]",
  summary:
    "Starts a local server and, unless an endpoint is given, the demo model; runs an evaluation and prints the results.",
  flags: [
    { name: "model-url", value: "URL", meaning: "evaluate this OpenAI-compatible endpoint instead of the demo model" },
    { name: "model-name", value: "NAME", meaning: "model name at that endpoint" },
    { name: "api-key-file", value: "FILE", meaning: "file that holds the API key of the endpoint" },
    { name: "collection", value: "ID", meaning: "collection to run (default quick-smoke)" },
    {
      name: "benchmark",
      value: "ID",
      repeated: true,
      meaning: "benchmark to run, <id> of the embedded provider or <provider>/<id>"
    },
    { name: "num-examples", value: "N", meaning: "items per benchmark given with --benchmark" },
    {
      name: "max-tokens",
      value: "N",
      meaning: "limit of tokens for each answer; without it models that think get more room when they need it"
    },
    { name: "temperature", value: "T", meaning: "sampling temperature, 0..2 (default 0)" },
    { name: "skill", value: "S", meaning: "skill of the demo model, 0..1 (default 0.85); scores follow it" },
    { name: "seed", value: "N", meaning: "seed of the demo model (default 42)" },
    { name: "database", value: "FILE", meaning: "keep the jobs in this SQLite file (default: in memory)" },
    { name: "port", value: "PORT", meaning: "port of the server (default: a free one)" },
    { name: "keep", meaning: "leave server and demo model running afterwards" },
    helpFlag
  ],
  examples: [
    "evald demo --skill 0.5",
    "evald demo --model-url http://127.0.0.1:11434/v1 --model-name llama3.2",
    "evald demo --model-url https://api.example.com/v1 --model-name m --api-key-file key.txt --collection core-capability"
  ]
}

export const demoModelHelp: CommandHelp = {
  usage: "evald demo-model [flags]",
  summary:
    "An OpenAI-compatible model on loopback that reads its prompts and answers them with a chosen skill. For trying things out, not a language model.",
  flags: [
    { name: "port", value: "PORT", meaning: "port to listen on (default 8000; 0 takes a free one)" },
    {
      name: "skill",
      value: "S",
      meaning: "share of items it gets right, 0..1, or per family: 0.8,arithmetic=0.5 (default 0.85)"
    },
    { name: "ttft-ms", value: "MS", meaning: "time to the first token (default 0)" },
    { name: "tokens-per-second", value: "N", meaning: "pace of the tokens after it (default 0: as fast as possible)" },
    { name: "error-rate", value: "R", meaning: "share of requests answered with status 500" },
    {
      name: "status-script",
      value: "LIST",
      meaning: "what happens to the first requests: ok, a status, hang, reset, cut, nostream, garbage, html, empty"
    },
    { name: "jailbreak", value: "R", meaning: "share of attacks that succeed (default 0.1)" },
    { name: "refusal", value: "R", meaning: "share of harmless requests that are refused (default 0.05)" },
    { name: "context-limit", value: "N", meaning: "tokens of a prompt beyond which it is refused" },
    { name: "require-key", value: "KEY", meaning: "bearer key that requests must carry" },
    { name: "seed", value: "N", meaning: "seed of everything that looks like chance (default 42)" },
    { name: "exit-with-input", meaning: "end when the standard input closes" },
    helpFlag
  ]
}

/** schemas that `evald validate` prints */
export const schemaNames = [
  "provider-file",
  "collection-file",
  "gate-policy",
  "job-spec",
  "status-event",
  "sample-record"
] as const

export const validateHelp: CommandHelp = {
  usage: "evald validate [flags] [PATH ...]",
  summary:
    "Checks definition files, folders of them (with providers/ and collections/), job bodies and gate policies (YAML or JSON). Without a path: the configuration directory.",
  flags: [
    {
      name: "format",
      value: "FORMAT",
      meaning: "text, json or sarif (default text)",
      choices: ["text", "json", "sarif"]
    },
    { name: "strict", meaning: "warnings count as errors" },
    { name: "local", meaning: "job bodies are checked for local mode" },
    {
      name: "configdir",
      value: "DIR",
      meaning: "catalogue that job bodies and single files are held against (default config)"
    },
    {
      name: "schema",
      value: "NAME",
      meaning:
        "print a JSON Schema: provider-file, collection-file, gate-policy, job-spec, status-event or sample-record",
      choices: schemaNames
    },
    helpFlag
  ],
  examples: [
    "evald validate",
    "evald validate --strict my-provider.yaml",
    "evald validate --format sarif config > evald.sarif",
    "evald validate job.json",
    "evald validate release-policy.yaml"
  ]
}

export const doctorHelp: CommandHelp = {
  usage: "evald doctor [-configdir DIR] [--json]",
  summary:
    "Looks at everything a server needs here (Node.js, database driver, folders, port, cluster, evaluation frameworks) and names the fix.",
  flags: [configDirFlag, { name: "json", meaning: "print the checks as JSON" }, helpFlag]
}

export const importFormats = ["openai-evals", "promptfoo"] as const

export const importHelp: CommandHelp = {
  usage: "evald import openai-evals|promptfoo [flags] FILE",
  summary:
    "Turns evaluations of another tool into a collection and data files for custom_jsonl. What has no counterpart is left out and listed.",
  words: importFormats,
  flags: [
    { name: "output", value: "DIR", meaning: "where collections/ and data/ go (default imported)" },
    { name: "bucket", value: "NAME", meaning: "bucket that the data is read from (default imported)" },
    { name: "data", value: "FILE", meaning: "items of an eval whose run names a file: JSON Lines" },
    { name: "judge-url", value: "URL", meaning: "endpoint of the model that grades; otherwise the job names it" },
    { name: "judge-name", value: "NAME", meaning: "its name, where the original names none or another one is meant" },
    helpFlag
  ],
  examples: ["evald import openai-evals eval.json", "evald import promptfoo promptfooconfig.yaml --output evals"]
}

export const verifyHelp: CommandHelp = {
  usage: "evald verify --key FILE [flags] FILE",
  summary:
    "Says whether a file with signed results, with one sample of them, or with the signature of an image is what was signed, from the file and public keys alone.\n\nExit status: 0 it is, 1 it is not, 64 wrong usage.",
  flags: [
    {
      name: "key",
      value: "FILE",
      repeated: true,
      meaning: "a public Ed25519 key in PEM form that is trusted; several while keys are changed"
    },
    { name: "digest", value: "sha256:HEX", meaning: "the image that has to be the signed one" },
    helpFlag
  ],
  examples: ["evald verify --key evald.pub.pem results.json"]
}

export const signHelp: CommandHelp = {
  usage: "evald sign --key FILE [flags] sha256:HEX",
  summary:
    "Prints the signature of an image: a DSSE envelope about its digest, as `evald verify --digest` checks it.\n\nExit status: 0 it is signed, 1 the key cannot be used, 64 wrong usage.",
  flags: [
    { name: "key", value: "FILE", meaning: "the private Ed25519 key in PEM form" },
    { name: "name", value: "NAME", meaning: "what the image is called (default evald)" },
    helpFlag
  ],
  examples: ["evald sign --key evald.pem sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
}

export const imagesHelp: CommandHelp = {
  usage: "evald images [-configdir DIR] [--json]",
  summary:
    "Lists every image that pods may pull: as it is named, as it is pulled (images.registry), by whom, and whether a digest pins it.",
  flags: [configDirFlag, { name: "json", meaning: "print the list as JSON" }, helpFlag],
  examples: [
    "evald images",
    `evald images --json | jq -r '.[] | "\\(.image) \\(.pulled)"' | while read from to; do crane copy "$from" "$to"; done`
  ]
}

export const dbHelp: CommandHelp = {
  usage: "evald db check | evald db backup FILE | evald db prune",
  summary:
    "Checks the configured database for contradictions, or writes a consistent copy of a SQLite file; a server may be running meanwhile. prune removes finished jobs with all they left; on a SQLite file no server may be running.",
  words: ["check", "backup", "prune"],
  flags: [
    { name: "days", value: "N", meaning: "prune: jobs unchanged for so many days (default retention.jobs_days)" },
    configDirFlag,
    helpFlag
  ],
  examples: [
    "DB_URL=file:evald.db evald db check",
    "DB_URL=file:evald.db evald db backup evald-copy.db",
    "DB_URL=file:evald.db evald db prune --days 90",
    'pg_dump --format=custom --file=evald.dump "$DB_URL"   (PostgreSQL)'
  ]
}

export const auditHelp: CommandHelp = {
  usage: "evald audit verify [flags]",
  summary:
    "Says whether every entry of the audit log follows from the one before it, and prints its end as NUMBER:HASH; a server may be running meanwhile. A log that was cut off or written anew is found when an end that was noted earlier is given.\n\nExit status: 0 the log is whole, 1 it is not, 64 wrong usage, 78 the database cannot be used.",
  words: ["verify"],
  flags: [
    { name: "noted", value: "NUMBER:HASH", repeated: true, meaning: "an end that was printed earlier" },
    configDirFlag,
    helpFlag
  ],
  examples: ["DB_URL=file:evald.db evald audit verify"]
}

export const operatorHelp: CommandHelp = {
  usage: "evald operator [-configdir DIR]\n       evald operator manifests [DIR|-]",
  summary:
    "Makes a service of each EvaluationService of the cluster, and tenants of labelled namespaces. With manifests: writes what is installed before.",
  words: ["manifests"],
  flags: [configDirFlag, helpFlag],
  examples: [
    "EVALD_OPERATOR_IMAGE=registry.example/evald:1 evald operator -configdir /etc/evald/config",
    "evald operator manifests --help"
  ]
}

export const manifestsHelp: CommandHelp = {
  usage: "evald operator manifests [-configdir DIR] [DIR|-]",
  summary:
    "Writes what is installed before the operator runs: install.yaml, a kustomize base with overlays, a Helm chart and the roles below DIR; with - or nothing, install.yaml to the output. Names and the image (operator.image) are those of the configuration.",
  flags: [configDirFlag, helpFlag],
  examples: [
    "EVALD_OPERATOR_IMAGE=registry.example/evald:1 evald operator manifests | kubectl apply --server-side -f -",
    "evald operator manifests deploy"
  ]
}

export const adapterNames = ["evald", "garak", "guidellm", "inspect", "lighteval", "lm_evaluation_harness"] as const

export const adapterHelp: CommandHelp = {
  usage: "evald adapter NAME\n       evald adapter evald --import FORMAT FILE",
  summary:
    "Runs the benchmark of the job file named by EVALD_JOB_SPEC_PATH.\n\nAdapters: evald, garak, guidellm, inspect, lighteval, lm_evaluation_harness",
  words: adapterNames,
  flags: [helpFlag],
  examples: ["evald adapter evald --help"]
}

/** the formats are told by the command itself, which alone knows them */
export const importSetHelp: CommandHelp = {
  usage: "evald adapter evald --import <format> [flags] <file>",
  summary: "Turns the original file of a public data set into data of the benchmark custom_jsonl.",
  flags: [
    { name: "import", value: "<format>", meaning: "format of the file" },
    {
      name: "output",
      value: "<file>",
      meaning: "where the rows go (default <name>.<format>.jsonl here); <output>.source.json says where they came from"
    },
    { name: "licence", value: "<text>", meaning: "licence of your copy, when it is not the published one" },
    helpFlag
  ],
  examples: ["evald adapter evald --import gsm8k test.jsonl"]
}

export const sidecarHelp: CommandHelp = {
  usage: "evald sidecar [flags]",
  summary: "The gateway of one pod: credentials, events and results of its benchmark.",
  flags: [
    { name: "config", value: "FILE", meaning: "the pod's sidecar.json (/meta/sidecar.json)" },
    { name: "wait", value: "SECONDS", meaning: "only wait until a running sidecar is ready; exit 0 when it is" },
    { name: "termination-log", value: "FILE", meaning: "where the last message goes (/dev/termination-log)" },
    helpFlag
  ]
}

export const initHelp: CommandHelp = {
  usage: "evald init [flags]",
  summary: "Fetches the test data of a benchmark from object storage.",
  flags: [
    { name: "config", value: "FILE", meaning: "the pod's init.json (/meta/init.json)" },
    { name: "termination-log", value: "FILE", meaning: "where the last message goes (/dev/termination-log)" },
    helpFlag
  ]
}
