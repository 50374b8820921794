/** Reviews against a fake API: what counts as a yes, how long it is remembered, and who waits for whom. Contract: cluster 5, cases 33, 34. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, TestClock } from "effect"
import { type AccessReviewOptions, make } from "../../../../infrastructure/kubernetes/access-review.ts"
import { KubeClient, make as makeClient } from "../../../../infrastructure/kubernetes/client.ts"
import { fakeKubernetes } from "../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropBefore, type FakeRequest } from "../../../support/fake-kubernetes/faults.ts"
import { quiet, untilTrue } from "../../../support/until.ts"

const alice = { username: "alice", uid: "1", groups: ["g2", "g1"], extra: { scopes: ["a"] } }
const action = { group: "evald.internal", resource: "evaluations", verb: "get", namespace: "team-a" }
const tokenReview = (request: FakeRequest) => request.plural === "tokenreviews"
const accessReview = (request: FakeRequest) => request.plural === "subjectaccessreviews"

const setUp = (options: Partial<AccessReviewOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    const client = yield* makeClient({ connection: fake.connection, qps: 1, burst: 1 })
    const access = yield* make({ audiences: [], allowSeconds: 60, ...options }).pipe(Effect.provideService(KubeClient, client))
    fake.reviews.token = () => ({ authenticated: true, user: alice })
    fake.reviews.access = () => ({ allowed: true })
    const count = (kind: (request: FakeRequest) => boolean) => fake.requests.filter(kind).length
    return { fake, access, count, identify: (token: string) => access.identify(Redacted.make(token)) }
  })

const jwt = (claims: unknown) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`

describe("who a token belongs to", () => {
  it.scoped("user, uid, groups and extra go into the access review as they came", () =>
    Effect.gen(function* () {
      const { fake, access, identify } = yield* setUp({ audiences: ["evald"] })
      fake.reviews.token = () => ({ authenticated: true, user: alice, audiences: ["other", "evald"] })
      const identity = yield* identify("t")
      assert.deepStrictEqual(identity, alice)
      assert.isTrue(yield* access.allows(alice, action))
      const [token, review] = fake.requests.map(({ body }) => (body as { readonly spec: unknown }).spec)
      assert.deepStrictEqual(token, { token: "t", audiences: ["evald"] })
      const { username: user, uid, groups, extra } = alice
      assert.deepStrictEqual(review, { user, uid, groups, extra, resourceAttributes: { ...action, version: "*" } })
    })
  )

  const refusals: ReadonlyArray<readonly [name: string, status: unknown]> = [
    ["not authenticated", { authenticated: false, error: "expired" }],
    ["nothing said", {}],
    ["no user name", { authenticated: true, user: { username: "" } }],
    ["another audience", { authenticated: true, user: alice, audiences: ["other"] }],
    ["no audience said", { authenticated: true, user: alice }]
  ]
  it.scoped.each(refusals)("refused: %s", ([, status]) =>
    Effect.gen(function* () {
      const { fake, identify } = yield* setUp({ audiences: ["evald"] })
      fake.reviews.token = () => status
      assert.isUndefined(yield* identify("t"))
    })
  )

  const failures: ReadonlyArray<readonly [name: string, status: unknown]> = [
    ["no status", "yes"],
    ["authenticated is a text", { authenticated: "true", user: alice }],
    ["no user", { authenticated: true }]
  ]
  it.scoped.each(failures)("not understood: %s", ([, status]) =>
    Effect.gen(function* () {
      const { fake, identify } = yield* setUp()
      fake.reviews.token = () => status
      const error = yield* Effect.flip(identify("t"))
      assert.deepStrictEqual([error._tag, error.peer], ["Unavailable", "review"])
    })
  )

  it.scoped.each([401, 403, 404, 422, 429, 500])("a reviewer that answers %s is unavailable, and that is not remembered", (status) =>
    Effect.gen(function* () {
      const { fake, access, identify } = yield* setUp()
      fake.faults.add({ when: tokenReview, fault: answers(status), times: status === 401 ? 2 : 1 })
      assert.strictEqual((yield* Effect.flip(identify("t"))).peer, "review")
      assert.deepStrictEqual(yield* identify("t"), alice)
      fake.faults.add({ when: accessReview, fault: dropBefore })
      assert.strictEqual((yield* Effect.flip(access.allows(alice, action))).peer, "review")
      assert.isTrue(yield* access.allows(alice, action))
    })
  )

  it.scoped("a silent reviewer is unavailable after 5 s, for everybody who waits", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      fake.faults.add({ when: tokenReview, fault: { type: "hang" } })
      const waiting = yield* Effect.fork(Effect.all([Effect.flip(identify("t")), Effect.flip(identify("t"))], { concurrency: 2 }))
      yield* untilTrue(Effect.sync(() => count(tokenReview) === 1))
      yield* TestClock.adjust("4900 millis")
      assert.isNull(waiting.unsafePoll())
      yield* TestClock.adjust("200 millis")
      const errors = yield* Fiber.join(waiting)
      assert.deepStrictEqual(
        errors.map(({ peer }) => peer),
        ["review", "review"]
      )
      assert.strictEqual(count(tokenReview), 1)
    })
  )
})

describe("how long an answer counts", () => {
  it.scoped("an accepted token 60 s, a refused one 10 s", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      yield* identify("good")
      yield* TestClock.adjust("59 seconds")
      yield* identify("good")
      assert.strictEqual(count(tokenReview), 1)
      yield* TestClock.adjust("1 seconds")
      yield* identify("good")
      assert.strictEqual(count(tokenReview), 2)
      fake.reviews.token = () => ({ authenticated: false })
      yield* identify("bad")
      yield* TestClock.adjust("9 seconds")
      yield* identify("bad")
      assert.strictEqual(count(tokenReview), 3)
      yield* TestClock.adjust("1 seconds")
      yield* identify("bad")
      assert.strictEqual(count(tokenReview), 4)
    })
  )

  it.scoped("never longer than the token itself", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      yield* TestClock.setTime(1_000_000_000_000)
      const token = jwt({ exp: 1_000_000_005 })
      yield* identify(token)
      yield* TestClock.adjust("4 seconds")
      yield* identify(token)
      assert.strictEqual(count(tokenReview), 1)
      yield* TestClock.adjust("1 seconds")
      fake.reviews.token = () => ({ authenticated: false })
      assert.isUndefined(yield* identify(token))
    })
  )

  it.scoped("a grant shows after 10 s, a revocation after `allow_seconds`; a doubtful no is asked again", () =>
    Effect.gen(function* () {
      const { fake, access, count } = yield* setUp({ allowSeconds: 20 })
      fake.reviews.access = () => ({ allowed: false })
      assert.isFalse(yield* access.allows(alice, action))
      fake.reviews.access = () => ({ allowed: true })
      yield* TestClock.adjust("9 seconds")
      assert.isFalse(yield* access.allows(alice, action))
      yield* TestClock.adjust("1 seconds")
      assert.isTrue(yield* access.allows(alice, action))
      fake.reviews.access = () => ({ allowed: true, denied: true })
      yield* TestClock.adjust("19 seconds")
      assert.isTrue(yield* access.allows(alice, action))
      yield* TestClock.adjust("1 seconds")
      assert.isFalse(yield* access.allows(alice, action))
      const before = count(accessReview)
      fake.reviews.access = () => ({ allowed: false, evaluationError: "role not found" })
      const other = { ...action, verb: "delete" }
      yield* access.allows(alice, other)
      yield* access.allows(alice, other)
      assert.strictEqual(count(accessReview), before + 2)
    })
  )

  it.scoped("whose and which action matters, the order of groups does not; an empty namespace is never asked about", () =>
    Effect.gen(function* () {
      const { access, count } = yield* setUp()
      yield* access.allows(alice, action)
      yield* access.allows({ ...alice, groups: ["g1", "g2"] }, action)
      assert.strictEqual(count(accessReview), 1)
      const others = [
        [{ ...alice, uid: "2" }, action],
        [{ ...alice, groups: ["g1"] }, action],
        [{ ...alice, extra: { scopes: ["b"] } }, action],
        [{ ...alice, username: "bob" }, action],
        ...(["namespace", "verb", "group", "resource"] as const).map((member) => [alice, { ...action, [member]: "x" }] as const)
      ] as const
      for (const [identity, asked] of others) yield* access.allows(identity, asked)
      assert.strictEqual(count(accessReview), 1 + others.length)
      assert.isFalse(yield* access.allows(alice, { ...action, namespace: "" }))
      assert.strictEqual(count(accessReview), 1 + others.length)
    })
  )
})

describe("many callers at once", () => {
  it.scoped("1,000 first calls are one review, and a caller that leaves takes nothing away", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      let letGo = () => {}
      const until = new Promise<void>((resolve) => {
        letGo = resolve
      })
      fake.faults.add({ when: tokenReview, fault: { type: "wait", until } })
      const first = yield* Effect.fork(identify("t"))
      yield* untilTrue(Effect.sync(() => count(tokenReview) === 1))
      const rest = yield* Effect.fork(Effect.forEach(Array.from({ length: 999 }), () => identify("t"), { concurrency: "unbounded" }))
      yield* quiet
      yield* Fiber.interrupt(first)
      letGo()
      const found = yield* Fiber.join(rest)
      assert.isTrue(found.every((identity) => identity?.username === "alice"))
      assert.strictEqual(count(tokenReview), 1)
    })
  )
})
