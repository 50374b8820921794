/** Every command as data: help, parser, suggestions, completion and the reference page come from this table. */
import { type CommandHelp, type Flag, helpFlag as help, type Kind } from "./flags.ts"
import * as Own from "./own-commands.ts"

/** a command that talks to a server */
export interface ClientCommand extends CommandHelp {
  /** least and largest number of arguments */
  readonly takes: readonly [least: number, most: number]
  /** what its arguments name, where no word says it */
  readonly names?: Kind
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** usage and flags, and those of its other forms */
  readonly forms: readonly [CommandHelp, ...ReadonlyArray<CommandHelp>]
  /** absent: a command that does its work here */
  readonly client?: ClientCommand
}

/** where the server is, and who asks */
const connection: ReadonlyArray<Flag> = [
  { name: "server", value: "URL", meaning: "address of the server (EVALD_SERVER; default http://127.0.0.1:8080)" },
  { name: "tenant", value: "NAME", meaning: "tenant (EVALD_TENANT)" },
  { name: "context", value: "NAME", meaning: "this context instead of the current one", choices: "context" },
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
    meaning: "table, wide, json, yaml, jsonl, name, csv or jsonpath=EXPRESSION",
    choices: ["table", "wide", "json", "yaml", "jsonl", "name", "csv", "jsonpath="]
  },
  { name: "columns", value: "A,B", meaning: "only these columns of table, wide or csv" }
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
const failOn: Flag = {
  name: "fail-on",
  value: "verdict",
  meaning: "exit 10 or 11 when the verdict is not pass",
  choices: ["verdict"]
}
/** verdicts and states of jobs */
export const verdicts = ["pass", "fail", "inconclusive", "invalid"]
export const states = ["pending", "running", "completed", "failed", "partially_failed", "cancelled"]

const client = (
  name: string,
  use: string,
  summary: string,
  takes: ClientCommand["takes"],
  flags: ReadonlyArray<Flag>,
  more: Pick<ClientCommand, "words" | "names" | "examples"> = {}
): Command => {
  const told: ClientCommand = {
    usage: `evald ${name}${use === "" ? "" : ` ${use}`} [flags]`,
    summary: `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    takes,
    flags: [...flags, ...connection],
    ...more
  }
  return { name, summary, forms: [told], client: told }
}
const own = (name: string, summary: string, ...forms: Command["forms"]): Command => ({ name, summary, forms })

const run = client(
  "run",
  "-f FILE | --model URL --name NAME",
  "submits a job; --local needs no server",
  [0, 0],
  [
    { name: "file", short: "f", value: "FILE", meaning: "job body as JSON or YAML; - is standard input" },
    { name: "model", value: "URL", meaning: "base URL of the OpenAI-compatible endpoint" },
    { name: "name", value: "MODEL", meaning: "name of the model at the endpoint" },
    { name: "collection", value: "ID", meaning: "collection to run", choices: "collection" },
    {
      name: "benchmark",
      value: "PROVIDER/ID",
      repeated: true,
      meaning: "benchmark to run; evald/ may be left out",
      choices: "benchmark"
    },
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
      { name: "status", value: "STATE", meaning: "only jobs in this state", choices: states },
      { name: "search", value: "TEXT", meaning: "only what has this in its name" },
      { name: "collection", value: "ID", meaning: "only jobs of this collection", choices: "collection" },
      { name: "provider", value: "ID", meaning: "only jobs or benchmarks of this provider", choices: "provider" },
      { name: "category", value: "NAME", meaning: "only benchmarks or collections of this category" },
      { name: "tags", value: "A,B", meaning: "only what has both tags; A|B: either" },
      { name: "evaluates", value: "A,B", meaning: "only benchmarks whose provider evaluates both; A|B: either" },
      limit,
      ...output
    ],
    { words: ["jobs", "providers", "collections", "benchmarks"], examples: ["evald get jobs --status failed -o wide"] }
  ),
  client("describe", "job ID", "everything about a job, with reasons", [2, 2], output, { words: ["job"] }),
  client("watch", "ID", "follows a job to its end", [1, 1], [failOn, timeout, ...output], { names: "job" }),
  client(
    "wait",
    "ID [--for state=STATE|verdict=VERDICT]",
    "waits for a job, and says by its exit code how it went",
    [1, 1],
    [
      {
        name: "for",
        value: "CONDITION",
        meaning: "state=completed, verdict=pass; default the end",
        choices: [...states.map((state) => `state=${state}`), ...verdicts.map((verdict) => `verdict=${verdict}`)]
      },
      timeout
    ],
    { names: "job", examples: ["evald wait ID --for verdict=pass --timeout 30m"] }
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
    ],
    { names: "job" }
  ),
  client(
    "samples",
    "ID",
    "items behind a job's scores",
    [1, 1],
    [
      benchmark,
      {
        name: "verdict",
        value: "VERDICT",
        meaning: "only these, such as incorrect",
        choices: ["correct", "incorrect", "invalid", "error", "skipped"]
      },
      { name: "flag", value: "CODE", meaning: "only samples with this flag" },
      { name: "search", value: "TEXT", meaning: "only samples in whose texts this occurs" },
      { name: "content", meaning: "prompt and response as well" },
      limit,
      ...output
    ],
    { names: "job" }
  ),
  client("open", "ID", "the page of a job in a browser; its address where there is none", [1, 1], [], {
    names: "job"
  }),
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
        meaning: "junit, csv (benchmarks), jsonl (samples), html (a report) or md",
        choices: ["junit", "csv", "jsonl", "html", "md"]
      },
      { name: "inconclusive", value: "fail", meaning: "in JUnit a failure instead of skipped", choices: ["fail"] }
    ],
    { names: "job" }
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
    { names: "job", examples: ["evald report ID -o report.html", "evald report BASELINE CANDIDATE -o report.html"] }
  )
]

const deciding: ReadonlyArray<Command> = [
  client(
    "compare",
    "BASELINE CANDIDATE…",
    "holds jobs against a baseline, item by item",
    [2, 9],
    [tolerance, ...output],
    { names: "job" }
  ),
  client(
    "gate",
    "ID --policy FILE",
    "judges a job by a policy: may it ship",
    [1, 1],
    [
      { name: "policy", value: "FILE", meaning: "policy as JSON or YAML; - is standard input" },
      { name: "baseline", value: "ID", meaning: "job to compare with", choices: "job" },
      ...output
    ],
    { names: "job" }
  ),
  client("rescore", "ID", "metrics of a job once more, from its samples alone", [1, 1], [], { names: "job" })
]

const definitions: Flag = {
  name: "file",
  short: "f",
  value: "FILE",
  repeated: true,
  meaning: "definitions of providers and collections as YAML or JSON; - is standard input"
}

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
    { names: "job", examples: ["evald rerun ID --failed --wait"] }
  ),
  client("cancel", "ID…", "cancels jobs", [1, 100], [], { names: "job" }),
  client(
    "delete",
    "job|provider|collection ID… | -f FILE",
    "removes records, or what a file defines",
    [0, 100],
    [definitions, yes],
    {
      words: ["job", "provider", "collection"],
      examples: ["evald delete job ID", "evald delete -f definitions.yaml --yes"]
    }
  ),
  client("apply", "-f FILE", "creates or replaces providers and collections", [0, 0], [definitions])
]

/** what a context takes its token from */
const credentials = (when = ""): ReadonlyArray<Flag> => [
  { name: "token-env", value: "NAME", meaning: `${when}variable with the token` },
  { name: "token-exec", value: "COMMAND", meaning: `${when}program that prints the token` },
  { name: "kubeconfig-context", value: "NAME", meaning: `${when}credential of this context of the kubeconfig` }
]

const asking: ReadonlyArray<Command> = [
  client("login", "[NAME]", "makes a context of a server, after it has let you in", [0, 1], credentials(), {
    examples: ["evald login team --server https://evald.example.com --tenant team-a --token-file ~/.evald-token"]
  }),
  client(
    "context",
    "list|use|set|remove [NAME]",
    "servers that this account knows",
    [1, 2],
    [...credentials("with set: "), ...output],
    {
      words: ["list", "use", "set", "remove"],
      names: "context",
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
        meaning: "agents may change this, and ask you each time: submit_job, rerun_job, cancel_job",
        choices: ["submit_job", "rerun_job", "cancel_job"]
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
  ...asking,
  own("demo", "a finished evaluation with one command", Own.demoHelp),
  own("demo-model", "an OpenAI-compatible loopback model for trying things out", Own.demoModelHelp),
  own("server", "the API server; -local runs benchmarks as local processes", Own.serverHelp),
  own("validate", "checks definition files and job bodies", Own.validateHelp),
  own("doctor", "what stands in the way of a server here, and how to fix it", Own.doctorHelp),
  own("import", "evaluations of other tools become a collection and its data", Own.importHelp),
  own("verify", "whether a file is what was signed: results, a sample, an image", Own.verifyHelp),
  own("sign", "signs the digest of an image", Own.signHelp),
  own("images", "every image that pods may pull, and from where", Own.imagesHelp),
  own("db", "checks or copies the database", Own.dbHelp),
  own("audit", "whether the audit log is as it was written", Own.auditHelp),
  own("operator", "makes services and tenants of a cluster from its resources", Own.operatorHelp, Own.manifestsHelp),
  own("adapter", "runs one benchmark from its job file: evald adapter NAME", Own.adapterHelp, Own.importSetHelp),
  own("sidecar", "the gateway of one pod: credentials, events and results", Own.sidecarHelp),
  own("init", "fetches test data into a pod before its benchmark", Own.initHelp)
]

/** what other programs call it, as it is typed here */
export const otherNames: { readonly [word: string]: string } = {
  ls: "get jobs",
  list: "get jobs",
  jobs: "get jobs",
  status: "get jobs",
  providers: "get providers",
  collections: "get collections",
  benchmarks: "get benchmarks",
  show: "describe job ID",
  inspect: "describe job ID",
  result: "describe job ID",
  results: "describe job ID",
  view: "open ID",
  ui: "open ID",
  eval: "run",
  evaluate: "run",
  submit: "run",
  create: "apply -f FILE",
  update: "apply -f FILE",
  start: "server -local",
  serve: "server -local",
  stop: "cancel ID",
  kill: "cancel ID",
  rm: "delete",
  remove: "delete",
  retry: "rerun ID",
  diff: "compare BASELINE CANDIDATE",
  check: "validate FILE",
  lint: "validate FILE",
  config: "context list",
  contexts: "context list",
  auth: "login",
  tail: "logs ID --follow"
}
