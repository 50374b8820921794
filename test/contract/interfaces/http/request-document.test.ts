/** The served document against the server, in both directions: what it refuses the server refuses, and the other way round where a schema can say it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { checkCollection } from "../../../../domain/collection/check-collection.ts"
import { checkRequest } from "../../../../domain/job/submission/check-request.ts"
import { checkProvider } from "../../../../domain/provider/check-provider.ts"
import { decodeJobRequest } from "../../../../interfaces/http/dto/job-request.ts"
import { decodeCollection, decodeProvider } from "../../../../interfaces/http/dto/provider-body.ts"
import { openApi } from "../../../../interfaces/http/openapi/openapi.ts"
import { listMember, textMember } from "../../../../values/json.ts"
import { ended } from "../../../integration/interfaces/http/decisions/ended-job.ts"
import { type Exchanged, exchanged } from "../../../support/corpus-run.ts"
import {
  decidedJob,
  fullCollection,
  fullDecisions,
  fullJob,
  fullProvider,
  otherJob
} from "../../../support/full-bodies.ts"
import {
  layer as app,
  collectionsPath,
  eventBody,
  HttpApp,
  idOf,
  jobBody,
  jobsPath,
  providersPath
} from "../../../support/http-app.ts"
import { brokenPlaces, type Place, unwalkedMembers } from "../../../support/limit-breaker.ts"
import { requestProblems } from "../../../support/request-validator.ts"

/** codes of what depends on stored records and on the installation: no schema can say it */
const ofState = [
  ...[
    "resource_does_not_exist",
    "read_only_provider",
    "read_only_collection",
    "collection_empty",
    "benchmark_not_supported"
  ],
  ...["tracker_required_for_experiment", "idempotency_key_reused"]
]

/** what the server refuses and the document can not, each found in the corpus */
const beyondSchemas: { readonly [reason: string]: RegExp } = {
  "texts that are unique within a list": /is already the id of benchmark/,
  "a patch is judged with the record it is for":
    /'agent\.summary' has 201 characters|'benchmarks' must have at least one entry/,
  "parameters are declared by providers": /declares the parameter|must lie between -9007199254740991/,
  "a key's segments": /has a segment '\.\.'/,
  "one quantity against another": /is larger than the limit/,
  "benchmarks of the stored job":
    /the job has no benchmark with index|does not match benchmark|appears several times in the job/,
  "a query parameter given twice": /is given more than once/,
  "a position of this very list": /which is no position of this list/,
  "days of the calendar": /'2026-02-30T00:00:00Z' but must be a date/,
  "characters that disguise a text": /control or text-direction character/
}

/** what the document refuses and the server takes: losing an event is worse than a wrong type in it. `null` for an absent member is taken everywhere. */
const readLeniently = ({ sent }: Exchanged): boolean => sent.path.endsWith("/events")

const shown = ({ sent, answer }: Exchanged, problems: ReadonlyArray<string> = []): string =>
  [
    `${sent.method} ${sent.path} ${JSON.stringify(sent.headers)} ${sent.body?.slice(0, 300) ?? ""} -> ${answer.status} ${answer.text.slice(0, 300)}`,
    ...problems
  ].join("\n")

const refusesShape = ({ answer }: Exchanged): boolean =>
  (answer.status === 400 || answer.status === 415) && !ofState.includes(answer.code ?? "")

describe("the request corpus and the document", () => {
  it.live(
    "agree on what is refused",
    () =>
      Effect.gen(function* () {
        const judged = (yield* Effect.provide(exchanged(), app())).flatMap((one) => {
          const problems = requestProblems(one.sent)
          return problems === undefined ? [] : [{ ...one, problems }]
        })
        assert.isAbove(judged.filter(({ problems }) => problems.length > 0).length, 80)
        const takenAnyway = judged.filter(
          (one) => one.problems.length > 0 && one.answer.status < 400 && !readLeniently(one)
        )
        assert.deepStrictEqual(
          takenAnyway.map((one) => shown(one, one.problems)),
          []
        )
        const refusedUnsaid = judged.filter((one) => one.problems.length === 0 && refusesShape(one))
        const reasonOf = ({ answer }: Exchanged) =>
          Object.keys(beyondSchemas).find((reason) => beyondSchemas[reason]?.test(answer.text) === true)
        assert.deepStrictEqual(
          refusedUnsaid.filter((one) => reasonOf(one) === undefined).map((one) => shown(one)),
          []
        )
        assert.sameMembers(
          [...new Set(refusedUnsaid.map(reasonOf))],
          Object.keys(beyondSchemas),
          "every exception is needed"
        )
      }),
    120_000
  )

  it.effect("agree on members that nobody knows: requests refuse them, events ignore them", () =>
    Effect.gen(function* () {
      const { send } = yield* HttpApp
      const job = idOf(yield* send("POST", jobsPath, { body: jobBody() }))
      const bodies: ReadonlyArray<readonly [path: string, body: object, refused: boolean]> = [
        [jobsPath, jobBody({ unheard_of: 1 }), true],
        [providersPath, { ...fullProvider, unheard_of: 1 }, true],
        [collectionsPath, { ...fullCollection, unheard_of: 1 }, true],
        [`${jobsPath}/${job}/events`, eventBody({ unheard_of: 1 }), false]
      ]
      for (const [path, body, refused] of bodies) {
        const answer = yield* send("POST", path, { body })
        assert.strictEqual(answer.status === 400, refused, `${path} ${answer.text}`)
        assert.strictEqual(
          (requestProblems({ method: "POST", path, headers: {}, body: JSON.stringify(body) }) ?? []).length > 0,
          refused,
          path
        )
      }
    }).pipe(Effect.provide(app()))
  )
})

const strict = { lenient: false }
/** a provider that has whatever the body names */
const offering = (body: unknown) => () => {
  const named = (body as { readonly benchmarks?: unknown }).benchmarks
  const ids = Array.isArray(named) ? named.map(({ id }: { readonly id: string }) => id) : []
  return {
    benchmarks: ids.map((id) => ({ id, name: id, category: "other", metrics: [] })),
    parameters: [{ name: "seed", type: "integer" as const }]
  }
}

/** whether the server's rules of the body alone take it */
const takes = {
  job: (body: unknown) =>
    Either.match(decodeJobRequest(body, strict), {
      onLeft: () => false,
      onRight: ({ value }) => checkRequest(value).length === 0
    }),
  provider: (body: unknown) =>
    Either.isRight(Either.flatMap(decodeProvider(body, strict), ({ value }) => checkProvider(value))),
  collection: (body: unknown) =>
    Either.match(decodeCollection(body, strict), {
      onLeft: () => false,
      onRight: ({ value }) => Either.isRight(checkCollection(value, offering(body)))
    })
}

const components = (
  openApi().document as unknown as { readonly components: { readonly schemas: { readonly [name: string]: object } } }
).components.schemas

const cases = [
  { path: jobsPath, component: "JobRequest", full: fullJob, takes: takes.job },
  { path: providersPath, component: "ProviderBody", full: fullProvider, takes: takes.provider },
  { path: collectionsPath, component: "CollectionBody", full: fullCollection, takes: takes.collection }
]

describe("every limit of the document is the server's", () => {
  for (const { path, component, full, takes: isTaken } of cases) {
    const documentTakes = (body: unknown) =>
      (requestProblems({ method: "POST", path, headers: {}, body: JSON.stringify(body) }) ?? []).length === 0
    const places = brokenPlaces(components, component, full)
    const failed = (place: Place) => `${place.pointer} ${place.keyword}`

    it(`${component}: the full body is taken by both`, () => {
      assert.isTrue(isTaken(full))
      assert.isTrue(documentTakes(full))
    })

    it(`${component}: just within a limit is taken by both, just beyond it by neither`, () => {
      assert.isAbove(places.length, 30)
      assert.deepStrictEqual(
        places.filter(({ within }) => within !== undefined && !documentTakes(within)).map(failed),
        [],
        "the document refuses what is within"
      )
      assert.deepStrictEqual(
        places.filter(({ within }) => within !== undefined && !isTaken(within)).map(failed),
        [],
        "the server refuses what is within"
      )
      assert.deepStrictEqual(
        places.filter(({ beyond }) => documentTakes(beyond)).map(failed),
        [],
        "the document takes what is beyond"
      )
      assert.deepStrictEqual(
        places.filter(({ beyond }) => isTaken(beyond)).map(failed),
        [],
        "the server takes what is beyond"
      )
    })
  }
})

/** members that no body can have beside the others, or without a price */
const exclusive: { readonly [component: string]: ReadonlyArray<string> } = {
  ComparisonRequest: ["/candidate"],
  RerunRequest: ["/overrides/hardware_config/hardware_profile_name", "/overrides/budget/cost"]
}

/** names of what has to be there, lists of it, and what is judged when all else is right: beside their limit they are refused for another reason */
const ofWhatIsThere = /\/(id|provider_id|benchmark|metric|job|benchmarks|candidates|criteria|alpha)$/

describe("the limits that are looked at", () => {
  const { ComparisonRequest, GateRequest, RerunRequest, CollectionClone, NotificationTest } = fullDecisions("a", "b")
  it.each([
    ["JobRequest", [fullJob, decidedJob("a"), otherJob]],
    ["ProviderBody", [fullProvider]],
    ["CollectionBody", [fullCollection]],
    ["ComparisonRequest", [ComparisonRequest]],
    ["GateRequest", [GateRequest]],
    ["RerunRequest", [RerunRequest]],
    ["CollectionClone", [CollectionClone]],
    ["NotificationTest", [NotificationTest]]
  ] as const)("are those of every member of %s", (component, bodies) =>
    assert.deepStrictEqual(unwalkedMembers(components, component, bodies), exclusive[component] ?? [])
  )

  it.effect("are the server's where a job has to be there as well: decisions, reruns, copies and addresses", () =>
    Effect.gen(function* () {
      const { send } = yield* HttpApp
      const [job, other] = [yield* ended({ right: 15, of: 20 }), yield* ended({ right: 10, of: 20 })]
      const bodies = fullDecisions(job, other)
      const wrong: Array<string> = []
      for (const [path, component, full] of [
        [`${jobsPath}?dry_run=true`, "JobRequest", decidedJob(job)],
        ["/api/v1/evaluations/comparisons", "ComparisonRequest", bodies.ComparisonRequest],
        [`${jobsPath}/${job}/gates`, "GateRequest", bodies.GateRequest],
        [`${jobsPath}/${job}/rerun`, "RerunRequest", bodies.RerunRequest],
        [`${collectionsPath}/c/clones`, "CollectionClone", bodies.CollectionClone],
        ["/api/v1/evaluations/notifications/test", "NotificationTest", bodies.NotificationTest]
      ] as const) {
        const told = function* (body: unknown, pointer: string) {
          const answer = yield* send("POST", path, { body })
          const errors = listMember(answer.json, "errors").map((error) => textMember(error, "path") ?? "")
          return {
            // of a member that is missing or too many the place is below
            server: answer.status === 400 && errors.some((at) => at.startsWith(pointer)),
            document:
              (requestProblems({ method: "POST", path, headers: {}, body: JSON.stringify(body) }) ?? []).length > 0
          }
        }
        assert.isFalse((yield* told(full, "none")).document, component)
        for (const { pointer, keyword, within, beyond } of brokenPlaces(components, component, full)) {
          const place = pointer === "/" ? "" : pointer
          const past = yield* told(beyond, place)
          const inside = within === undefined ? { server: false, document: false } : yield* told(within, place)
          const judges = ofWhatIsThere.test(pointer) ? (["document"] as const) : (["server", "document"] as const)
          for (const by of judges) {
            if (!past[by]) wrong.push(`${component} ${pointer} ${keyword}: the ${by} takes what is beyond`)
            if (inside[by]) wrong.push(`${component} ${pointer} ${keyword}: the ${by} refuses what is within`)
          }
        }
      }
      assert.deepStrictEqual(wrong, [])
    }).pipe(Effect.provide(app()))
  )
})
