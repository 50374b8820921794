/** Callers reviewed through the cluster's reviews, fail-closed row by row, and answers that go on for long. Reference: cluster-objects.md, "Reviews"; cases 33 and 34. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as AccessReview from "../../../../infrastructure/kubernetes/access/access-review.ts"
import { KubeClient } from "../../../../infrastructure/kubernetes/client/client.ts"
import * as Authentication from "../../../../interfaces/http/middleware/authentication.ts"
import { Fake, layer as fakeCluster } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropBefore, type FakeRequest } from "../../../support/fake-kubernetes/faults.ts"
import { layer as app, at, HttpApp, idleRuntime, idOf, jobBody, jobsPath } from "../../../support/http-app.ts"

const live = { excludeTestServices: true } as const
const groups = { service: "evald.internal", tracker: "mlflow.kubeflow.org" }
const endless = idleRuntime({
  logs: () =>
    Effect.succeed({
      source: "live",
      text: Stream.concat(Stream.make(new TextEncoder().encode("first\n")), Stream.never)
    })
})

/** reviews are not remembered and streams reviewed every second, so that tests see every change */
const tested = Layer.unwrapEffect(
  Effect.map(KubeClient, (client) => {
    const reviews = AccessReview.layer({
      audiences: [],
      allowSeconds: 0,
      refusedTokens: { perSource: 1000, total: 10_000 }
    }).pipe(Layer.provide(Layer.succeed(KubeClient, client)))
    const authentication = Authentication.layerReviewed({ groups, allowSeconds: 0 }).pipe(Layer.provide(reviews))
    return app({ authentication, server: { local: false }, runtime: endless })
  })
).pipe(Layer.provideMerge(fakeCluster))

const as = (token: string, tenant = "a") => ({ authorization: `Bearer ${token}`, "x-tenant": tenant })
const reviews = (request: FakeRequest) => request.plural === "tokenreviews" || request.plural === "subjectaccessreviews"
const head = (...lines: ReadonlyArray<string>) =>
  [`GET ${jobsPath} HTTP/1.1`, "host: x", "connection: close", ...lines, "", ""].join("\r\n")
const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
const codeOf = (text: string) => /"message_code":"(\w+)"/.exec(text)?.[1]

layer(tested, live)("fail closed", (it) => {
  const everybodyMayAll = Effect.tap(Fake, (fake) =>
    Effect.sync(() => {
      fake.faults.clear()
      fake.reviews.token = (spec) => ({ authenticated: true, user: { username: at(spec, "token"), groups: [] } })
      fake.reviews.access = () => ({ allowed: true })
    })
  )

  it.effect("case 33: the header twice, too long, of another scheme: 401, and nobody is asked", () =>
    Effect.gen(function* () {
      const fake = yield* everybodyMayAll
      const http = yield* HttpApp
      const before = fake.requests.length
      const refused = [
        ["authorization: Bearer one", "Authorization: Bearer one"],
        [`authorization: Bearer ${"x".repeat(17 * 1024)}`],
        ["authorization: Basic YWxpY2U6eA=="],
        ["authorization: Bearer"],
        ["authorization: Bearer a b"],
        ["authorization: "],
        []
      ]
      for (const lines of refused) {
        const answer = yield* http.raw(head("x-tenant: a", ...lines))
        assert.deepStrictEqual([statusOf(answer), codeOf(answer)], [401, "unauthorized"], lines.join().slice(0, 60))
        assert.match(answer, /www-authenticate: Bearer/i)
      }
      assert.strictEqual(fake.requests.length, before)
      const longest = yield* http.raw(head("x-tenant: a", `AUTHORIZATION: bEARER ${"x".repeat(16_000)}`))
      assert.strictEqual(statusOf(longest), 200)
    })
  )

  it.effect("case 33: the tenant twice or out of line: 400 after the token and before the review", () =>
    Effect.gen(function* () {
      const fake = yield* everybodyMayAll
      const http = yield* HttpApp
      const asked = () => fake.requests.filter(({ plural }) => plural === "subjectaccessreviews").length
      const before = asked()
      for (const [lines, code] of [
        [["x-tenant: a", "X-Tenant: a"], "invalid_value"],
        [["x-tenant: ../x"], "invalid_value"],
        [["x-tenant: a,b"], "invalid_value"],
        [[], "missing_tenant_header"]
      ] as const) {
        const answer = yield* http.raw(head("authorization: Bearer t", ...lines))
        assert.deepStrictEqual([statusOf(answer), codeOf(answer)], [400, code], lines.join())
      }
      assert.strictEqual(asked(), before)
    })
  )

  it.effect("case 33: a reviewer in trouble is 503, and no handler runs", () =>
    Effect.gen(function* () {
      const fake = yield* everybodyMayAll
      const http = yield* HttpApp
      for (const kind of ["tokenreviews", "subjectaccessreviews"])
        for (const fault of [answers(500), answers(403), answers(422), dropBefore]) {
          fake.faults.clear()
          fake.faults.add({ when: ({ plural }) => plural === kind, fault, times: 5 })
          const answer = yield* http.send("POST", jobsPath, {
            headers: as(`${kind}-${JSON.stringify(fault)}`.replaceAll(/[^a-z0-9-]/g, "")),
            body: jobBody({ name: "never" })
          })
          assert.deepStrictEqual(
            [answer.status, answer.code, answer.headers["retry-after"]],
            [503, "review_unavailable", "5"],
            kind
          )
        }
      fake.faults.clear()
      assert.notInclude((yield* http.send("GET", jobsPath, { headers: as("t") })).text, "never")
    })
  )

  it.effect("case 33: all reviews of a rule must allow; one no outweighs another's silence", () =>
    Effect.gen(function* () {
      const fake = yield* everybodyMayAll
      const http = yield* HttpApp
      const experiments = (spec: unknown) => JSON.stringify(spec).includes("experiments")
      fake.reviews.access = (spec) => ({ allowed: !experiments(spec) })
      const refused = yield* http.send("POST", jobsPath, { headers: as("t1"), body: jobBody() })
      assert.deepStrictEqual([refused.status, refused.code], [403, "forbidden"])
      fake.faults.add({
        when: (request) => request.plural === "subjectaccessreviews" && !experiments(request.body),
        fault: answers(500),
        times: 5
      })
      assert.strictEqual((yield* http.send("POST", jobsPath, { headers: as("t1"), body: jobBody() })).status, 403)
    })
  )

  it.effect("case 34: streams end with a record once the right is taken away or can not be reviewed", () =>
    Effect.gen(function* () {
      const fake = yield* everybodyMayAll
      const http = yield* HttpApp
      const id = idOf(yield* http.send("POST", jobsPath, { headers: as("t"), body: jobBody() }))
      const [job, all] = [
        yield* http.stream(`${jobsPath}/${id}/watch`, as("t")),
        yield* http.stream(`${jobsPath}?watch=true`, as("t"))
      ]
      const log = yield* http.stream(`${jobsPath}/${id}/benchmarks/0/logs?follow=true`, as("t"))
      yield* job.until('"state":"pending"')
      yield* log.until("first")
      fake.reviews.access = () => ({ allowed: false })
      yield* Effect.all([job.ended, all.ended, log.ended], { concurrency: 3 })
      for (const stream of [job, all])
        assert.match(stream.received(), /event: error\ndata: \{.*"message_code":"forbidden"\}\n\n$/)
      assert.match(log.received(), /^first\n\n\[evald\] the log is no longer followed: forbidden: .*\n$/)
      fake.reviews.access = () => ({ allowed: true })
      // a no is remembered for 10 s: another caller asks anew
      const open = yield* http.stream(`${jobsPath}/${id}/watch`, as("other"))
      yield* open.until('"state":"pending"')
      fake.faults.add({ when: reviews, fault: answers(500), times: 100 })
      yield* open.ended
      assert.include(open.received(), '"message_code":"review_unavailable"')
    })
  )
})
