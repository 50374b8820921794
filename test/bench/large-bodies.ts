/** B8: how long one request holds the server's thread: bodies of 10 MiB, valid and invalid, each made to be expensive in another way. */
import { withServer } from "./bench-server.ts"
import { type Kind, newDatabase } from "./databases.ts"
import { jobsPath, proxyConfig, proxyHeaders, submit } from "./job-bodies.ts"
import { type Call, type Client, makeClient, wait } from "./load.ts"
import { atMost, type Measure } from "./measure.ts"

const size = 10_485_760 - 4096
const providers = "/api/v1/evaluations/providers"
const collections = "/api/v1/evaluations/collections"

const job = { name: "large", model: { url: "https://models.example/v1", name: "m" } }
const entry = { id: "arith_basic", provider_id: "evald" }
const collection = { name: "large", category: "c", benchmarks: [entry] }

/** `piece` again and again, as much as fits */
const filled = (piece: string): string => piece.repeat(Math.floor(size / Buffer.byteLength(piece)))
const items = (piece: string): string => `[${filled(`${piece},`)}${piece}]`
/** bytes of member names that a body may have together, and a few less */
const namesBytes = 2_090_000
/** so many members with names as long as they may be; their texts fill the rest */
const members = (count: number): string => {
  const name = "n".repeat(Math.floor(namesBytes / count) - 6)
  const text = "x".repeat(Math.floor((size - namesBytes) / count) - 7)
  return Array.from({ length: count }, (_, at) => `"k${at}${name}":"${text}"`).join(",")
}
const withMember = (body: object, text: string): string => JSON.stringify(body).replace(/}$/, `,${text}}`)

const jobBodies = (): Readonly<Record<string, string>> => ({
  "custom with 4.9 million items": withMember({ ...job, benchmarks: [entry] }, `"custom":{"a":${items("0")}}`),
  "48,000 unknown members": withMember({ ...job, benchmarks: [entry] }, members(48_000)),
  "48,000 members of custom": withMember({ ...job, benchmarks: [entry] }, `"custom":{${members(48_000)}}`),
  "one text": withMember({ ...job, benchmarks: [entry] }, `"description":"${filled("x")}"`),
  "one text beyond ASCII": withMember({ ...job, benchmarks: [entry] }, `"description":"${filled("評")}"`),
  "one text of escapes": withMember({ ...job, benchmarks: [entry] }, `"description":"${filled("\\u0041")}"`),
  "48,000 wrong benchmarks": withMember(
    job,
    `"benchmarks":[${Array.from({ length: 24_000 }, () => `{"${"x".repeat(420)}":1}`).join(",")}]`
  ),
  "long numbers": withMember(
    { ...job, benchmarks: [entry] },
    `"custom":{"a":[${Array.from({ length: 34_000 }, () => "9".repeat(299)).join(",")}]}`
  ),
  "1,000 benchmarks with 10 KB of parameters": withMember(
    job,
    `"benchmarks":[${Array.from({ length: 1000 }, (_, at) => JSON.stringify({ ...entry, parameters: { seed: at, text: "x".repeat(10_300) } })).join(",")}]`
  ),
  // as large as a job can be: 2 MiB of parameters
  "1,000 benchmarks with 2 KB of parameters": withMember(
    job,
    `"benchmarks":[${Array.from({ length: 1000 }, (_, at) => JSON.stringify({ ...entry, parameters: { seed: at, text: "x".repeat(2000) } })).join(",")}]`
  ),
  "1,000 benchmarks with 40 parameters": withMember(
    job,
    `"benchmarks":[${Array.from({ length: 1000 }, (_, at) =>
      JSON.stringify({
        ...entry,
        parameters: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`parameter_${n}`, at]))
      })
    ).join(",")}]`
  ),
  "1,000 benchmarks with 45 long parameters": withMember(
    job,
    `"benchmarks":[${Array.from({ length: 1000 }, (_, at) =>
      JSON.stringify({
        ...entry,
        parameters: Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`parameter_${at}_${n}`, "x".repeat(190)]))
      })
    ).join(",")}]`
  )
})

const event = (more: string): string =>
  `{"benchmark_status_event":{"id":"arith_basic","provider_id":"evald","benchmark_index":0,"status":"running","metrics":{"acc":0.5},${more}}}`

const eventBodies = (): Readonly<Record<string, string>> => ({
  "an event with 4.9 million items": event(`"additional_info":{"a":${items("0")}}`),
  "an event with 48,000 metrics": event(members(48_000).replace(/^/, '"more":{').concat("}")),
  "an event with 48,000 members of information": event(`"additional_info":{${members(48_000)}}`),
  "an event with one text": event(`"additional_info":{"a":"${filled("é")}"}`),
  "an event with bare words": event(
    `"additional_info":{"a":[${Array.from({ length: 48_000 }, () => `NaN,"${"x".repeat(50)}"`)
      .slice(0, 23_000)
      .join(",")}],"b":"${filled("x").slice(0, 6_000_000)}"}`
  )
})

const otherBodies = (ownProvider: string, ownCollection: string): ReadonlyArray<readonly [string, Call]> => [
  [
    "a provider with 24,000 benchmarks",
    post(
      providers,
      `{"name":"p","runtime":{"local":{"command":"true"},"k8s":{"image":"registry.example/a:1"}},"benchmarks":[${Array.from({ length: 24_000 }, (_, at) => `{"id":"b${at}"}`).join(",")}]}`
    )
  ],
  [
    "a provider's requirements of 48,000 members",
    {
      ...post(
        `${providers}/${ownProvider}`,
        `{"name":"p","runtime":{"local":{"command":"true"},"k8s":{"image":"registry.example/a:1"}},"requirements":{${members(48_000)}},"benchmarks":[{"id":"b"}]}`
      ),
      method: "PUT"
    }
  ],
  [
    "a collection of 24,000 entries",
    post(
      collections,
      `{"name":"c","category":"c","benchmarks":[${Array.from({ length: 24_000 }, () => JSON.stringify(entry)).join(",")}]}`
    )
  ],
  [
    "a merge patch of 48,000 members",
    { ...post(`${collections}/${ownCollection}`, `{"custom":{${members(48_000)}}}`), method: "PATCH" }
  ],
  [
    "a hundred operations on one large object",
    {
      ...post(
        `${collections}/${ownCollection}`,
        `[{"op":"add","path":"/custom","value":{${members(48_000)}}},${Array.from({ length: 99 }, (_, at) => `{"op":"add","path":"/custom/n${at}","value":1}`).join(",")}]`
      ),
      method: "PATCH"
    }
  ]
]

const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Call => ({
  method: "POST",
  path,
  headers: { ...proxyHeaders, ...headers },
  body
})

/** longest delay of a timer in the server since the last call; about 10 ms of it are the timer's own */
const longestDelay = async (client: Client): Promise<number> => {
  const { text } = await client.send({ method: "GET", path: "/metrics" })
  return 1000 * Number(/^evald_nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
}

const made = async (client: Client, call: Call): Promise<string> => {
  const { status, text } = await client.send(call)
  if (status !== 201) throw new Error(`${call.method} ${call.path}: ${status} ${text}`)
  return (JSON.parse(text) as { readonly resource: { readonly id: string } }).resource.id
}

const tries = 3

export const largeBodies = async (kind: Kind): Promise<ReadonlyArray<Measure>> => {
  const database = await newDatabase(kind)
  return withServer({ local: false, config: proxyConfig, database }, async (server) => {
    const client = makeClient(server.url, 2)
    const target = await submit(client, { name: "events", benchmarks: 1 })
    const ownProvider = await made(
      client,
      post(
        providers,
        '{"name":"p","runtime":{"local":{"command":"true"},"k8s":{"image":"registry.example/a:1"}},"benchmarks":[{"id":"b"}]}'
      )
    )
    const ownCollection = await made(client, post(collections, JSON.stringify(collection)))
    const ofJobs = jobBodies()
    const calls: ReadonlyArray<readonly [string, Call]> = [
      ...Object.entries(ofJobs).map(([name, body]) => [name, post(jobsPath, body)] as const),
      [
        "custom with 48,000 members and a key",
        post(jobsPath, ofJobs["48,000 members of custom"] ?? "", { "idempotency-key": "k" })
      ],
      ...Object.entries(eventBodies()).map(
        ([name, body]) => [name, post(`${jobsPath}/${target}/events`, body)] as const
      ),
      ...otherBodies(ownProvider, ownCollection)
    ]
    await wait(1000)
    // a delay that other work on the machine made longer would be taken off every body, which then seemed to hold nothing
    let idle = Number.POSITIVE_INFINITY
    for (let time = 0; time < tries; time++) {
      await longestDelay(client)
      await wait(500)
      idle = Math.min(idle, await longestDelay(client))
    }
    const held: Array<readonly [name: string, millis: number]> = []
    for (const [name, call] of calls) {
      let least = Number.POSITIVE_INFINITY
      let status = 0
      // what other work on the machine adds is in the larger ones
      for (let time = 0; time < tries; time++) {
        await longestDelay(client)
        status = (await client.send(call)).status
        await wait(100)
        least = Math.min(least, (await longestDelay(client)) - idle)
      }
      held.push([`${name} (${status})`, Math.max(0, least)])
    }
    client.close()
    const [worst, ...others] = held.toSorted(([, a], [, b]) => b - a)
    if (worst === undefined) throw new Error("nothing was measured")
    if (process.env["BENCH_VERBOSE"] !== undefined)
      for (const [name, millis] of held) process.stderr.write(`      ${millis.toFixed(0).padStart(5)} ms  ${name}\n`)
    const beside = `of ${held.length}, least of ${tries} tries each: ${worst[0]}; then ${others
      .slice(0, 2)
      .map(([name, millis]) => `${name} ${millis.toFixed(0)} ms`)
      .join(", ")}`
    return [
      atMost("B8", "longest hold of the thread by a 10 MiB body", worst[1], "ms", 100, {
        database: database.label,
        beside
      })
    ]
  })
}
