/**
 * One large corpus of requests over every route. `{label}` stands for the id, `{label.etag}` for the entity tag and `{label.next}` for the
 * next page of the answer to the request of that label; what they are differs from server to server, and nothing else may.
 */
export interface CorpusRequest {
  readonly method: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: unknown
  /** remembers the answer under this name */
  readonly label?: string
}

const base = "/api/v1/evaluations"
const jobs = `${base}/jobs`
const providers = `${base}/providers`
const collections = `${base}/collections`

const call = (
  method: string,
  path: string,
  body?: unknown,
  more: Omit<CorpusRequest, "method" | "path" | "body"> = {}
): CorpusRequest => ({
  ...{ method, path, ...more },
  ...(body === undefined ? {} : { body })
})
const get = (path: string, headers: CorpusRequest["headers"] = {}): CorpusRequest => ({ method: "GET", path, headers })

const model = { url: "http://model.example.com/v1", name: "m" }
const job = (given: object = {}) => ({ name: "job", model, benchmarks: [{ id: "b", provider_id: "p" }], ...given })
const provider = (given: object = {}) => ({
  name: "mine",
  runtime: { local: { command: "run" } },
  benchmarks: [{ id: "own" }],
  ...given
})
const collection = (given: object = {}) => ({
  name: "set",
  category: "general",
  benchmarks: [{ id: "b", provider_id: "p" }],
  ...given
})
const event = (members: object) => ({
  benchmark_status_event: { id: "b", provider_id: "p", benchmark_index: 0, status: "running", ...members }
})

/** names that databases compare differently when nobody takes care: case, accents, wildcards, quotes, order */
const names = [
  "alpha",
  "Alpha",
  "ALPHA",
  "beta 10%",
  "beta_10",
  "beta\\10",
  "Éclair",
  "éclair",
  "e\u0301clair",
  "straße",
  "STRASSE",
  "İstanbul",
  "ΣΊΣΥΦΟΣ",
  "😀 smile"
]
const moreNames = [
  "'; DROP TABLE jobs; --",
  'quote "',
  "Zebra",
  "aardvark",
  "a-b",
  "a b",
  "ab",
  "１２",
  "ø",
  "\u00df",
  "ﬁ",
  "日本語",
  "_",
  "%",
  "null",
  "0"
]
const allNames = [...names, ...moreNames]

const sets = <A>(values: ReadonlyArray<A>, position: number, size: number) =>
  Array.from({ length: size }, (_, step) => values[(position + step) % values.length])

const definitions: ReadonlyArray<CorpusRequest> = [
  ...allNames.map((name, position) =>
    call(
      "POST",
      providers,
      provider({ name, description: name, tags: sets(["a", "b", "c", "Ä", "x y"], position, position % 4) }),
      {
        label: `provider${position}`
      }
    )
  ),
  ...allNames.map((name, position) =>
    call(
      "POST",
      collections,
      collection({
        name,
        category: position % 2 === 0 ? "general" : "Safety",
        tags: sets(["a", "b"], position, position % 3)
      }),
      {
        label: `collection${position}`
      }
    )
  ),
  call(
    "POST",
    collections,
    collection({ name: "of mine", benchmarks: [{ id: "own", provider_id: "{provider0}", weight: 2 }] }),
    { label: "ofMine" }
  ),
  call("DELETE", `${providers}/{provider0}`),
  call("POST", providers, provider({ benchmarks: [] })),
  call("POST", providers, provider({ benchmarks: [{ id: "x" }, { id: "x" }] })),
  call("POST", providers, provider({ runtime: {} })),
  call("POST", providers, { name: "" }),
  call("POST", collections, collection({ benchmarks: [{ id: "none", provider_id: "p" }] })),
  call("POST", collections, collection({ benchmarks: [{ id: "own", provider_id: "{provider1}" }] }), {
    headers: { "x-tenant": "other" }
  }),
  ...[
    { name: "new" },
    { agent: { summary: "s".repeat(201) } },
    [],
    {},
    [{ path: "/name", value: "x" }],
    [{ op: "test", path: "/name", value: "x" }],
    [{ op: "replace", path: "/id", value: "x" }]
  ].map((patch) => call("PATCH", `${providers}/{provider1}`, patch)),
  call("PATCH", `${providers}/{provider2}`, [
    { op: "replace", path: "/description", value: "é" },
    { op: "add", path: "/tags/-", value: "added" },
    { op: "remove", path: "/tags/0" }
  ]),
  call("PATCH", `${providers}/{provider2}`, [
    { op: "add", path: "/agent", value: { evaluates: ["x"], summary: "short" } }
  ]),
  call("PATCH", `${providers}/{provider2}`, [{ op: "remove", path: "/nowhere" }]),
  call("PATCH", `${providers}/p`, [{ op: "replace", path: "/name", value: "x" }]),
  call("PATCH", `${collections}/{collection1}`, [{ op: "replace", path: "/category", value: "x" }]),
  call("PATCH", `${collections}/{collection1}`, [{ op: "replace", path: "/benchmarks", value: [] }]),
  call("PATCH", `${collections}/{collection1}`, [{ op: "add", path: "/agent", value: { hints: ["x"] } }]),
  call("POST", providers, provider({ benchmarks: [{ id: "own", url: "https://bench.example.com/own" }] }), {
    label: "linked"
  }),
  call("POST", collections, collection({ benchmarks: [{ id: "own", provider_id: "{linked}" }] })),
  call("PUT", `${providers}/{provider3}`, provider({ name: "replaced", tags: ["z"] })),
  call("PUT", `${providers}/0198c9d2-0000-7000-8000-000000000000`, provider()),
  call("PUT", `${collections}/{collection2}`, collection({ name: "replaced" })),
  call("PUT", `${collections}/c`, collection()),
  get(`${providers}/{provider4}`),
  get(`${providers}/{provider4}`, { "x-tenant": "other" }),
  get(`${providers}/{provider4}`, { "if-none-match": "{provider4.etag}" }),
  call("PUT", `${providers}/{provider4}`, provider({ name: "guarded" }), { headers: { "if-match": '"no"' } }),
  call("PUT", `${providers}/{provider4}`, provider({ name: "guarded" }), {
    headers: { "if-match": "{provider4.etag}" }
  }),
  call("DELETE", `${providers}/{provider4}`, undefined, { headers: { "if-match": "{provider4.etag}" } }),
  call("DELETE", `${providers}/{provider4}`),
  call("DELETE", `${providers}/{provider4}`),
  call("DELETE", `${providers}/p`),
  call("DELETE", `${collections}/{collection3}`),
  call("DELETE", `${collections}/c`),
  get(`${collections}/{collection3}`),
  get(`${collections}/{collection4}`),
  call("HEAD", `${collections}/{collection4}`)
]

const submissions: ReadonlyArray<CorpusRequest> = [
  ...allNames.map((name, position) =>
    call(
      "POST",
      jobs,
      job({
        name,
        tags: sets(["a", "b", "c", "Ä"], position, position % 4),
        model: { ...model, name: position % 3 === 0 ? "m" : `model ${position % 5}` },
        benchmarks: Array.from({ length: 1 + (position % 3) }, (_, index) => ({
          id: index === 1 ? "plain" : "b",
          provider_id: "p",
          weight: index
        })),
        ...(position % 4 === 0 ? { custom: { [name]: [position, null, { deep: name }] }, description: name } : {})
      }),
      { label: `job${position}` }
    )
  ),
  call("POST", jobs, job({ benchmarks: undefined, collection: { id: "c" } }), { label: "fromCollection" }),
  call("POST", jobs, job({ benchmarks: undefined, collection: { id: "{collection5}" } }), { label: "fromMine" }),
  call(
    "POST",
    jobs,
    job({ benchmarks: undefined, collection: { id: "c", parameters: { seed: 7, num_examples: 2 } } }),
    { label: "given" }
  ),
  call("POST", jobs, job({ benchmarks: undefined, collection: { id: "c", parameters: { sead: 7 } } })),
  call(
    "POST",
    `${jobs}?dry_run=true`,
    job({ benchmarks: undefined, collection: { id: "c", parameters: { seed: 7, api_key: "hidden" } } })
  ),
  call("POST", jobs, job({ benchmarks: undefined, collection: { id: "empty" } })),
  call("POST", jobs, job({ collection: { id: "c" } })),
  call("POST", jobs, job({ benchmarks: [] })),
  call("POST", jobs, job({ benchmarks: [{ id: "none", provider_id: "p" }] })),
  call("POST", jobs, job({ benchmarks: [{ id: "later", provider_id: "p" }] })),
  call("POST", jobs, job({ benchmarks: [{ id: "plian", provider_id: "p" }] })),
  call("POST", jobs, job({ benchmarks: [{ id: "own", provider_id: "quote" }] })),
  call("POST", jobs, job({ benchmarks: undefined, collection: { id: "of-mine" } })),
  call("POST", jobs, job({ benchmarks: [{ id: "b", provider_id: "p", parameters: { seed: 2 ** 60 } }] })),
  call("POST", providers, provider({ benchmarks: Array.from({ length: 2001 }, (_, at) => ({ id: `b${at}` })) })),
  call("POST", jobs, job({ model: { name: "m" } })),
  call("POST", jobs, job({ pass_criteria: {}, benchmarks: [{ id: "b", provider_id: "p", pass_criteria: {} }] }), {
    label: "criteria"
  }),
  call("POST", jobs, job({ custom: [] })),
  call(
    "POST",
    jobs,
    JSON.stringify(job({ custom: { ticket: 0 } })).replace('"ticket":0', '"ticket":9007199254740993'),
    { label: "rounded" }
  ),
  call(
    "POST",
    jobs,
    job({
      benchmarks: [
        { id: "b", provider_id: "p", test_data_ref: { s3: { bucket: "data", key: "a/../b", secret_ref: "s" } } }
      ]
    })
  ),
  call("POST", jobs, job({ model: { url: "ftp://x", name: "m" } })),
  call("POST", jobs, job({ experiment: { name: "e" } })),
  call("POST", jobs, job({ nmae: "typo", custom: null })),
  call("POST", jobs, job({ hardware_config: { cpu: { request: "2", limit: "1" } } })),
  call("POST", jobs, job({ queue: { name: "q" } }), { label: "queued" }),
  call("POST", `${jobs}?dry_run=true`, job()),
  call("POST", `${jobs}?dry_run=perhaps`, job()),
  ...["k1", "k1", "k 2", "", "ü", "x".repeat(256)].map((key) =>
    call("POST", jobs, job({ name: "once" }), { headers: { "idempotency-key": key } })
  ),
  call("POST", jobs, job({ name: "another body" }), { headers: { "idempotency-key": "k1" } }),
  call("POST", jobs, job({ name: "another tenant" }), {
    headers: { "idempotency-key": "k1", "x-tenant": "other" },
    label: "foreign"
  }),
  call("POST", providers, provider({ name: "once" }), { headers: { "idempotency-key": "k1" } }),
  call("POST", providers, provider({ name: "once" }), { headers: { "idempotency-key": "k1" } }),
  call("POST", jobs, job(), { headers: { "x-tenant": "Not_A_Label" } }),
  call("GET", `${jobs}/{foreign}`),
  call("GET", `${jobs}/{foreign}`, undefined, { headers: { "x-tenant": "other" } }),
  call("DELETE", `${jobs}/{foreign}`)
]

const metrics = [
  { acc: 0.1 + 0.2, label: "é", ok: true, none: "NaN" },
  { acc: 1e300 },
  { acc: 0.5, "other/acc": 1 },
  {}
]

const events: ReadonlyArray<CorpusRequest> = [
  ...Array.from({ length: 16 }, (_, position) => {
    const path = `${jobs}/{job${position}}/events`
    const completed = event({ status: "completed", metrics: metrics[position % 4] })
    return [
      call("POST", path, event({ phase: "loading_data", progress: { completed: 1, total: 3 } })),
      call("POST", path, event({ message: { message: "half way", message_code: "x" } })),
      ...(position % 3 === 0
        ? [call("POST", path, completed), call("POST", path, completed)]
        : [
            call(
              "POST",
              path,
              event({ status: "failed", error_message: { message: "broke 'it'", message_code: "no_samples_scored" } })
            )
          ]),
      call("POST", path, event({ status: "running" })),
      call(
        "POST",
        path,
        event({ benchmark_index: 1, id: "plain", status: "completed", metrics: { x: 1 }, artifacts: { file: "a/b" } })
      ),
      call("POST", path, event({ benchmark_index: 2, status: "pending" }))
    ]
  }).flat(),
  ...[
    { status: "cancelled" },
    { status: "odd" },
    { id: "other" },
    { benchmark_index: 9 },
    { benchmark_index: "0" },
    { metrics: { acc: { deep: 1 } } }
  ].map((members) => call("POST", `${jobs}/{job17}/events`, event(members))),
  call("POST", `${jobs}/{job17}/events`, {
    benchmark_status_event: { id: "b", provider_id: "p", status: "running", unknown: 1 }
  }),
  call("POST", `${jobs}/{job18}/events`, {}),
  call("POST", jobs, job({ name: "details" }), { label: "details" }),
  call("POST", `${jobs}/{details}/events`, event({ started_at: 7 })),
  call(
    "POST",
    `${jobs}/{details}/events`,
    event({ status: "failed", completed_at: 1765000000, error_message: { message: "broke" }, logs_path: 7 })
  ),
  get(`${jobs}/{details}`),
  call("POST", `${jobs}/{job18}/events`, event({}), { headers: { "x-tenant": "other" } }),
  call("POST", `${jobs}/0198c9d2-0000-7000-8000-000000000000/events`, event({})),
  ...[17, 17, 0, 3, 20].map((position) => call("DELETE", `${jobs}/{job${position}}`)),
  call("DELETE", `${jobs}/{job21}?hard_delete=true`),
  call("DELETE", `${jobs}/{job21}?hard_delete=true`),
  call("DELETE", `${jobs}/{job21}`),
  call("POST", `${jobs}/{job21}/events`, event({})),
  call("DELETE", `${jobs}/{job22}?hard_delete=1`),
  call("DELETE", `${jobs}/{job22}`, undefined, { headers: { "if-match": '"no"' } }),
  ...Array.from({ length: 24 }, (_, position) => get(`${jobs}/{job${position}}`)),
  get(`${jobs}/{job5}`, { "if-none-match": "{job5.etag}" }),
  get(`${jobs}/{job19}`, { "if-none-match": "{job19.etag}" }),
  get(`${jobs}/{job19}`, { "if-none-match": "*" }),
  get(`${jobs}/{job19}/logs`),
  get(`${jobs}/{job19}/benchmarks/0/logs?tail_lines=0`),
  get(`${jobs}/{job19}/benchmarks/7/logs`),
  get(`${jobs}/{job1}/watch`)
]

const texts = [
  "alpha",
  "ALPHA",
  "É",
  "é",
  "e\u0301",
  "%",
  "_",
  "\\",
  "10",
  "ß",
  "ss",
  "SS",
  "i",
  "İ",
  "σ",
  "Σ",
  "ς",
  "😀",
  "'",
  '"',
  " ",
  "fi",
  "１",
  "日",
  "\u0000",
  "a-b"
]

/** every list with every filter, alone and together */
const listings: ReadonlyArray<CorpusRequest> = [jobs, providers, collections].flatMap((path) => [
  get(path),
  call("HEAD", path),
  ...texts.map((text) => get(`${path}?name=${encodeURIComponent(text)}`)),
  ...["a", "a,b", "a|b", "A", "Ä", "ä", "a,", "|", "x%20y", "%25"].map((tags) =>
    get(`${path}?tags=${tags.includes("%") ? tags : encodeURIComponent(tags)}`)
  ),
  ...[
    "limit=1",
    "limit=7&offset=3",
    "limit=100",
    "offset=1000",
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=-1",
    "offset=-1",
    "limit=1&limit=2",
    "tags=a&tags=b",
    "tags=a&tags=b|c&limit=2",
    "tags=a&tags=|",
    "name=a&name=b",
    "limit=1e1"
  ].map((query) => get(`${path}?${query}`)),
  ...[
    "fields=name",
    "fields=name,status,resource",
    "fields=",
    "fields=Name",
    "fields=nothing_known",
    "unknown=1",
    "cursor=zzz",
    "nmae=x"
  ].map((query) => get(`${path}?${query}`)),
  { ...get(`${path}?cursor=&limit=9`), label: `${path}1` },
  ...[1, 2, 3, 4, 5, 6].map((page) => ({ ...get(`{${path}${page}.next}`), label: `${path}${page + 1}` })),
  get(path, { "x-tenant": "other" }),
  get(path, { accept: "text/html" }),
  get(`${path}?name=a&tags=a&limit=2&fields=name`)
])

const filters: ReadonlyArray<CorpusRequest> = [
  ...[
    "pending",
    "running",
    "completed",
    "failed",
    "partially_failed",
    "cancelled",
    "!running",
    "!pending|running",
    "completed|failed",
    "odd",
    "",
    "!"
  ].map((status) => get(`${jobs}?status=${encodeURIComponent(status)}`)),
  ...[
    "model=m",
    "model=M",
    "model=model%201",
    "provider_id=p",
    "provider_id=P",
    "collection_id=c",
    "collection_id=none",
    "experiment_id=e",
    "owner=local",
    "owner=x"
  ].map((query) => get(`${jobs}?${query}`)),
  ...["2000-01-01T00:00:00Z", "2999-01-01T00:00:00.000Z", "2000-01-01", "yesterday", "2026-02-30T00:00:00Z"].flatMap(
    (time) => [get(`${jobs}?created_after=${time}`), get(`${jobs}?created_before=${time}`)]
  ),
  ...[
    "scope=system",
    "scope=tenant",
    "scope=all",
    "benchmarks=false",
    "benchmarks=no",
    "scope=tenant&benchmarks=false&limit=3"
  ].map((query) => get(`${providers}?${query}`)),
  ...[
    "scope=system",
    "scope=tenant",
    "category=general",
    "category=General",
    "category=Safety&scope=tenant&tags=a"
  ].map((query) => get(`${collections}?${query}`)),
  get(`${jobs}?status=!cancelled&tags=a|b&model=m&name=a&limit=5`)
]

const broken: ReadonlyArray<CorpusRequest> = [jobs, providers, collections, `${jobs}/{job19}/events`].flatMap(
  (path) => [
    ...[
      "",
      "{",
      "[]",
      "null",
      "17",
      '"text"',
      '{"name":1,"model":[],"benchmarks":{}}',
      '{"name":"a\\u0000b"}',
      '{"name":"\\ud800"}',
      '{"custom":{"x":1e400}}'
    ].map((body) => call("POST", path, body)),
    call("POST", path, `${"[".repeat(10_000)}${"]".repeat(10_000)}`),
    call("POST", path, "\ufeff{}"),
    call("POST", path, "{}", { headers: { "content-type": "text/plain" } }),
    call("POST", path, '{"__proto__":{"x":1},"constructor":1}'),
    call("POST", path, { name: "a\u202eb", model, benchmarks: [{ id: "b", provider_id: "p" }] }),
    call("PATCH", path, {}),
    call("DELETE", path)
  ]
)

const service: ReadonlyArray<CorpusRequest> = [
  ...[
    "/health",
    "/api/v1/health",
    "/api/v1/health/ready",
    "/nowhere",
    "/api/v1",
    `${base}/benchmarks`,
    `${jobs}/not-an-id`,
    `${jobs}/%00`,
    `${providers}/%25`
  ].map((path) => get(path)),
  get("/openapi.yaml", { accept: "image/png" }),
  call("POST", "/health", {}),
  call("PUT", jobs, {})
]

/** in this order: later requests see what earlier ones did */
export const corpus: ReadonlyArray<CorpusRequest> = [
  ...definitions,
  ...submissions,
  ...events,
  ...listings,
  ...filters,
  ...broken,
  ...service
]
