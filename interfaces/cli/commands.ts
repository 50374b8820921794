/** Every command as data: help, parser, suggestions, completion and the reference page come from this table. */
import type { CommandHelp, Flag } from "./flags.ts"

/** a command that talks to a server */
export interface ClientCommand extends CommandHelp {
  /** words that may stand first, such as the kinds of records */
  readonly words?: ReadonlyArray<string>
  /** least and largest number of arguments */
  readonly takes: readonly [least: number, most: number]
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** absent: a command that does its work here */
  readonly client?: ClientCommand
}

const help: Flag = { name: "help", short: "h", meaning: "show this text" }

/** where the server is, and who asks */
const connection: ReadonlyArray<Flag> = [
  { name: "server", value: "URL", meaning: "address of the server (EVALD_SERVER; default http://127.0.0.1:8080)" },
  { name: "tenant", value: "NAME", meaning: "tenant (EVALD_TENANT)" },
  { name: "context", value: "NAME", meaning: "this context instead of the current one" },
  { name: "ca", value: "FILE", meaning: "certificates (PEM) of who may vouch for the server (EVALD_CA)" },
  { name: "token-file", value: "FILE", meaning: "file with the token (EVALD_TOKEN holds a token itself)" },
  { name: "token-stdin", meaning: "read the token from standard input" },
  { name: "quiet", short: "q", meaning: "nothing but data and failures" },
  help
]

const output: ReadonlyArray<Flag> = [
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    meaning: "table, wide, json, yaml, jsonl, name, csv or jsonpath=EXPRESSION"
  },
  { name: "columns", value: "A,B", meaning: "only these columns" }
]
const limit: Flag = { name: "limit", value: "N", meaning: "largest number of rows (default 50)" }
const benchmark: Flag = { name: "benchmark", short: "b", value: "N", meaning: "position of one benchmark in the job" }
const timeout: Flag = { name: "timeout", value: "TIME", meaning: "stop waiting after this time, such as 30m" }
const tolerance: Flag = { name: "tolerance", value: "X", meaning: "a loss that is accepted, in units of the metric" }
const yes: Flag = { name: "yes", short: "y", meaning: "do not ask" }
/** what to do once a job is stored */
const ways: ReadonlyArray<Flag> = [
  { name: "wait", meaning: "wait for the end and print the result (always with --local)" },
  { name: "watch", meaning: "the same, with progress" },
  { name: "detach", meaning: "print the job's id and go (default)" }
]
const failOn: Flag = { name: "fail-on", value: "verdict", meaning: "exit 10 or 11 when the verdict is not pass" }

const client = (
  name: string,
  use: string,
  summary: string,
  takes: ClientCommand["takes"],
  flags: ReadonlyArray<Flag>,
  more: Pick<ClientCommand, "words" | "examples"> = {}
): Command => ({
  name,
  summary,
  client: {
    usage: `evald ${name}${use === "" ? "" : ` ${use}`} [flags]`,
    summary: `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    takes,
    flags: [...flags, ...connection],
    ...more
  }
})

const run = client(
  "run",
  "-f FILE | --model URL --name NAME",
  "submits a job; --local needs no server",
  [0, 0],
  [
    { name: "file", short: "f", value: "FILE", meaning: "job body as JSON or YAML; - is standard input" },
    { name: "model", value: "URL", meaning: "base URL of the OpenAI-compatible endpoint" },
    { name: "name", value: "MODEL", meaning: "name of the model at the endpoint" },
    { name: "collection", value: "ID", meaning: "collection to run" },
    { name: "benchmark", value: "PROVIDER/ID", repeated: true, meaning: "benchmark to run; evald/ may be left out" },
    { name: "num-examples", value: "N", meaning: "items of each benchmark" },
    {
      name: "early-stop",
      value: "ALPHA",
      meaning: "stop asking when the outcome of the file's gate is certain but for this chance, such as 0.05"
    },
    { name: "job-name", value: "TEXT", meaning: "name of the job (default: the file's, or the model's)" },
    { name: "tags", value: "A,B", meaning: "tags of the job, beside the file's" },
    { name: "api-key-secret", value: "NAME", meaning: "secret on the server with the endpoint's key" },
    { name: "local", meaning: "start a server for this one job, and stop it" },
    { name: "api-key-env", value: "NAME", meaning: "with --local: variable with the endpoint's key" },
    { name: "api-key-file", value: "FILE", meaning: "with --local: file with the endpoint's key" },
    ...ways,
    { name: "dry-run", meaning: "show what would run, and store nothing" },
    failOn,
    timeout,
    ...output
  ],
  {
    examples: [
      "evald run --local --model http://127.0.0.1:11434/v1 --name llama3.2 --collection quick-smoke",
      "evald run -f job.yaml --wait --fail-on verdict"
    ]
  }
)

const reading: ReadonlyArray<Command> = [
  client(
    "get",
    "jobs|providers|collections|benchmarks [ID]",
    "lists records, or shows one",
    [1, 2],
    [
      { name: "status", value: "STATE", meaning: "only jobs in this state" },
      { name: "search", value: "TEXT", meaning: "only what has this in its name" },
      { name: "collection", value: "ID", meaning: "only jobs of this collection" },
      { name: "provider", value: "ID", meaning: "only jobs or benchmarks of this provider" },
      { name: "category", value: "NAME", meaning: "only benchmarks or collections of this category" },
      { name: "tags", value: "A,B", meaning: "only what has both tags; A|B: either" },
      { name: "evaluates", value: "A,B", meaning: "only benchmarks whose provider evaluates both; A|B: either" },
      limit,
      ...output
    ],
    { words: ["jobs", "providers", "collections", "benchmarks"], examples: ["evald get jobs --status failed -o wide"] }
  ),
  client("describe", "job ID", "everything about a job, with reasons", [2, 2], output, { words: ["job"] }),
  client("watch", "ID", "follows a job to its end", [1, 1], [failOn, timeout, ...output]),
  client(
    "wait",
    "ID [--for state=STATE|verdict=VERDICT]",
    "waits for a job, and says by its exit code how it went",
    [1, 1],
    [{ name: "for", value: "CONDITION", meaning: "state=completed, verdict=pass; default the end" }, timeout],
    { examples: ["evald wait ID --for verdict=pass --timeout 30m"] }
  ),
  client(
    "logs",
    "ID",
    "logs of a job's benchmarks",
    [1, 1],
    [
      benchmark,
      { name: "follow", short: "f", meaning: "go on until the end" },
      { name: "tail", value: "N", meaning: "last lines only" },
      { name: "since", value: "TIME", meaning: "only of the last time, such as 5m" },
      { name: "contains", value: "TEXT", meaning: "only lines with this text, in any case" }
    ]
  ),
  client(
    "samples",
    "ID",
    "items behind a job's scores",
    [1, 1],
    [
      benchmark,
      { name: "verdict", value: "VERDICT", meaning: "only these, such as incorrect" },
      { name: "flag", value: "CODE", meaning: "only samples with this flag" },
      { name: "search", value: "TEXT", meaning: "only samples in whose texts this occurs" },
      { name: "content", meaning: "prompt and response as well" },
      limit,
      ...output
    ]
  ),
  client("open", "ID", "the page of a job in a browser; its address where there is none", [1, 1], []),
  client(
    "export",
    "ID -o junit|csv|jsonl|html|md",
    "results for other programs",
    [1, 1],
    [
      {
        name: "output",
        short: "o",
        value: "FORMAT",
        meaning: "junit, csv (benchmarks), jsonl (samples), html (a report) or md"
      },
      { name: "inconclusive", value: "fail", meaning: "in JUnit a failure instead of skipped" }
    ]
  ),
  client(
    "report",
    "ID [CANDIDATE…]",
    "a job with its samples as one page that needs no server; with more jobs, what sets them apart from the first",
    [1, 8],
    [
      {
        name: "output",
        short: "o",
        value: "FILE",
        meaning: "where it goes (default report.html); - is standard output"
      },
      { name: "limit", value: "N", meaning: "largest number of samples of each job in it (default 1000)" },
      tolerance
    ],
    { examples: ["evald report ID -o report.html", "evald report BASELINE CANDIDATE -o report.html"] }
  )
]

const deciding: ReadonlyArray<Command> = [
  client(
    "compare",
    "BASELINE CANDIDATE…",
    "holds jobs against a baseline, item by item",
    [2, 9],
    [tolerance, ...output]
  ),
  client(
    "gate",
    "ID --policy FILE",
    "judges a job by a policy: may it ship",
    [1, 1],
    [
      { name: "policy", value: "FILE", meaning: "policy as JSON or YAML; - is standard input" },
      { name: "baseline", value: "ID", meaning: "job to compare with" },
      ...output
    ]
  )
]

const changing: ReadonlyArray<Command> = [
  client(
    "rerun",
    "ID [--failed|--invalid]",
    "runs a job that has ended once more, as a new job",
    [1, 1],
    [
      { name: "failed", meaning: "only benchmarks that failed or were cancelled; the other results are taken over" },
      { name: "invalid", meaning: "only benchmarks whose result is invalid; the other results are taken over" },
      ...ways,
      failOn,
      timeout,
      ...output
    ],
    { examples: ["evald rerun ID --failed --wait"] }
  ),
  client("cancel", "ID…", "cancels jobs", [1, 100], []),
  client("delete", "job|provider|collection ID…", "removes records", [2, 100], [yes], {
    words: ["job", "provider", "collection"]
  }),
  client(
    "apply",
    "-f FILE",
    "creates or replaces providers and collections",
    [0, 0],
    [
      {
        name: "file",
        short: "f",
        value: "FILE",
        repeated: true,
        meaning: "definitions as YAML or JSON; - is standard input"
      }
    ]
  )
]

/** what a context takes its token from */
const credentials = (when = ""): ReadonlyArray<Flag> => [
  { name: "token-env", value: "NAME", meaning: `${when}variable with the token` },
  { name: "token-exec", value: "COMMAND", meaning: `${when}program that prints the token` },
  { name: "kubeconfig-context", value: "NAME", meaning: `${when}credential of this context of the kubeconfig` }
]

const own: ReadonlyArray<Command> = [
  client(
    "login",
    "[NAME]",
    "makes a context of a server, after it has let you in",
    [0, 1],
    [...credentials(), ...output],
    {
      examples: ["evald login team --server https://evald.example.com --tenant team-a --token-file ~/.evald-token"]
    }
  ),
  client(
    "context",
    "list|use|set|remove [NAME]",
    "servers that this account knows",
    [1, 2],
    [...credentials("with set: "), ...output],
    {
      words: ["list", "use", "set", "remove"],
      examples: [
        "evald context set team --server https://evald.example.com --tenant team-a --token-file ~/.evald-token"
      ]
    }
  ),
  client("whoami", "", "which server, as whom, in which tenant, and what you may do there", [0, 0], output),
  client(
    "api",
    "METHOD PATH",
    "one request, its answer as it comes",
    [2, 2],
    [{ name: "file", short: "f", value: "FILE", meaning: "body; - is standard input" }],
    { examples: ["evald api GET /api/v1/evaluations/jobs?limit=1"] }
  ),
  client(
    "mcp",
    "",
    "answers an agent's program on standard input and output (Model Context Protocol)",
    [0, 0],
    [
      { name: "content", meaning: "agents may read prompts and responses of samples" },
      {
        name: "allow-write",
        value: "TOOLS",
        meaning: "agents may change this, and ask you each time: submit_job, rerun_job, cancel_job"
      },
      { name: "model-hosts", value: "HOSTS", meaning: "hosts of the models that agents may have evaluated; no others" },
      {
        name: "unattended-budget",
        value: "SUMS",
        meaning: "most of a job where you can not be asked: requests=200,tokens=100000,cost=1.5"
      }
    ],
    { examples: ["evald mcp --server https://evald.example.com --tenant team-a --token-file ~/.evald-token"] }
  ),
  client("completion", "bash|zsh|fish|powershell", "a completion script for a shell", [1, 1], [], {
    words: ["bash", "zsh", "fish", "powershell"],
    examples: ["source <(evald completion bash)"]
  }),
  client(
    "version",
    "",
    "prints the versions of the program and of the server",
    [0, 0],
    [{ name: "client", meaning: "do not ask the server" }]
  )
]

/** in the order of the help */
export const commands: ReadonlyArray<Command> = [
  run,
  ...reading,
  ...deciding,
  ...changing,
  ...own,
  { name: "demo", summary: "a finished evaluation with one command" },
  { name: "demo-model", summary: "an OpenAI-compatible loopback model for trying things out" },
  { name: "server", summary: "the API server; -local runs benchmarks as local processes" },
  { name: "validate", summary: "checks definition files and job bodies" },
  { name: "doctor", summary: "what stands in the way of a server here, and how to fix it" },
  { name: "import", summary: "evaluations of other tools become a collection and its data" },
  { name: "rescore", summary: "metrics of a job once more, from its samples alone" },
  { name: "verify", summary: "whether a file is what was signed: results, a sample, an image" },
  { name: "sign", summary: "signs the digest of an image" },
  { name: "images", summary: "every image that pods may pull, and from where" },
  { name: "db", summary: "checks or copies the database" },
  { name: "audit", summary: "whether the audit log is as it was written" },
  { name: "operator", summary: "makes services and tenants of a cluster from its resources" },
  { name: "adapter", summary: "runs one benchmark from its job file: evald adapter <name>" },
  { name: "sidecar", summary: "the gateway of one pod: credentials, events and results" },
  { name: "init", summary: "fetches test data into a pod before its benchmark" }
]
