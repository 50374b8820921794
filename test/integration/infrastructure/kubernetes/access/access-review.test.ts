/** Reviews against a fake API: what counts as a yes, how long it is remembered, and who waits for whom. Reference: cluster-objects.md, "Reviews"; cases 33, 34. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, Redacted, TestClock } from "effect"
import { Throttled } from "../../../../../application/errors.ts"
import { type AccessReviewOptions, make } from "../../../../../infrastructure/kubernetes/access/access-review.ts"
import { KubeClient, make as makeClient } from "../../../../../infrastructure/kubernetes/client/client.ts"
import { pods } from "../../../../../infrastructure/kubernetes/client/resources.ts"
import { type FakeKubernetes, fakeKubernetes } from "../../../../support/fake-kubernetes/fake-kubernetes.ts"
import { answers, dropBefore, type FakeRequest } from "../../../../support/fake-kubernetes/faults.ts"
import { quiet, untilTrue } from "../../../../support/until.ts"

const alice = { username: "alice", uid: "1", groups: ["g2", "g1"], extra: { scopes: ["a"] } }
const action = { group: "evald.internal", resource: "evaluations", verb: "get", namespace: "team-a" }
const tokenReview = (request: FakeRequest) => request.plural === "tokenreviews"
const accessReview = (request: FakeRequest) => request.plural === "subjectaccessreviews"

const setUp = (options: Partial<AccessReviewOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* fakeKubernetes
    const client = yield* makeClient({ connection: fake.connection, qps: 1, burst: 1 })
    const access = yield* make({
      audiences: [],
      allowSeconds: 60,
      refusedTokens: { perSource: 20, total: 1000 },
      ...options
    }).pipe(Effect.provideService(KubeClient, client))
    fake.reviews.token = () => ({ authenticated: true, user: alice })
    fake.reviews.access = () => ({ allowed: true })
    const count = (kind: (request: FakeRequest) => boolean) => fake.requests.filter(kind).length
    return {
      fake,
      access,
      count,
      identify: (token: string, source = "10.0.0.1") => access.identify(Redacted.make(token), source)
    }
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
      assert.deepInclude(error, { _tag: "Unavailable", peer: "review" })
    })
  )

  it.scoped.each([401, 403, 404, 422, 429, 500])(
    "a reviewer that answers %s is unavailable, and that is not remembered",
    (status) =>
      Effect.gen(function* () {
        const { fake, access, identify } = yield* setUp()
        fake.faults.add({ when: tokenReview, fault: answers(status), times: status === 401 ? 2 : 1 })
        assert.deepInclude(yield* Effect.flip(identify("t")), { peer: "review" })
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
      const waiting = yield* Effect.fork(
        Effect.all([Effect.flip(identify("t")), Effect.flip(identify("t"))], { concurrency: 2 })
      )
      yield* untilTrue(Effect.sync(() => count(tokenReview) === 1))
      yield* TestClock.adjust("4900 millis")
      assert.isNull(waiting.unsafePoll())
      yield* TestClock.adjust("200 millis")
      const errors = yield* Fiber.join(waiting)
      for (const error of errors) assert.deepInclude(error, { peer: "review" })
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

  it.scoped(
    "whose and which action matters, the order of groups does not; an empty namespace is never asked about",
    () =>
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
          ...(["namespace", "verb", "group", "resource"] as const).map(
            (member) => [alice, { ...action, [member]: "x" }] as const
          )
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
      const rest = yield* Effect.fork(
        Effect.forEach(Array.from({ length: 999 }), () => identify("t"), { concurrency: "unbounded" })
      )
      yield* quiet
      yield* Fiber.interrupt(first)
      letGo()
      const found = yield* Fiber.join(rest)
      assert.isTrue(found.every((identity) => identity?.username === "alice"))
      assert.strictEqual(count(tokenReview), 1)
    })
  )
})

describe("floods without a valid identity", () => {
  const flood = (
    identify: (token: string, source: string) => Effect.Effect<unknown, unknown>,
    tokens: number,
    sourceOf: (n: number) => string
  ) =>
    Effect.forEach(Array.from({ length: tokens }), (_, n) => Effect.either(identify(`random-${n}`, sourceOf(n))), {
      concurrency: 64
    })
  const onlyNamed = (fake: FakeKubernetes) => {
    fake.reviews.token = (spec) => {
      const { token } = spec as { readonly token: string }
      return token.startsWith("random")
        ? { authenticated: false }
        : { authenticated: true, user: { ...alice, username: token } }
    }
  }

  it.scoped("10,000 random tokens of one source give 20 token reviews, and the rest is told to wait", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      onlyNamed(fake)
      const answers = yield* flood(identify, 10_000, () => "10.0.0.9")
      assert.strictEqual(count(tokenReview), 20)
      assert.lengthOf(answers.filter(Either.isRight), 20)
      const throttled = answers.flatMap((one) =>
        Either.isLeft(one) && one.left instanceof Throttled ? [one.left] : []
      )
      assert.lengthOf(throttled, 9980)
      assert.deepStrictEqual(new Set(throttled.map(({ scope }) => scope)), new Set(["source"]))
      assert.isTrue(throttled.every(({ retryAfterSeconds }) => retryAfterSeconds >= 1 && retryAfterSeconds <= 3))
      yield* TestClock.adjust("3 seconds")
      yield* flood(
        (token, source) => identify(`${token}-again`, source),
        100,
        () => "10.0.0.9"
      )
      assert.strictEqual(count(tokenReview), 21)
    })
  )

  it.scoped("an unauthenticated flood does not push out valid identities, and their callers keep their answers", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp({
        refusedTokens: { perSource: 100_000, total: 100_000 },
        remembered: { identities: 30, decisions: 30 }
      })
      onlyNamed(fake)
      for (let n = 0; n < 20; n++) yield* identify(`valid-${n}`, `10.1.0.${n}`)
      yield* flood(identify, 200, () => "10.0.0.9")
      assert.strictEqual(count(tokenReview), 220)
      for (let n = 0; n < 20; n++)
        assert.strictEqual((yield* identify(`valid-${n}`, "10.0.0.9"))?.username, `valid-${n}`)
      assert.strictEqual(count(tokenReview), 220)
    })
  )

  it.scoped("2,000 sources with one random token each give a bounded number of token reviews", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp({ refusedTokens: { perSource: 20, total: 100 } })
      onlyNamed(fake)
      const answers = yield* flood(identify, 2000, (n) => `10.2.${n >> 8}.${n & 255}`)
      assert.strictEqual(count(tokenReview), 100)
      assert.isTrue(
        answers.some((one) => Either.isLeft(one) && one.left instanceof Throttled && one.left.scope === "total")
      )
    })
  )

  it.scoped("while 30 other sources flood, a valid caller that was never seen gets through at once", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp({ refusedTokens: { perSource: 20, total: 200 } })
      onlyNamed(fake)
      const flooding = yield* Effect.fork(flood(identify, 2000, (n) => `10.3.0.${n % 30}`))
      yield* untilTrue(Effect.sync(() => count(tokenReview) > 20))
      assert.strictEqual((yield* identify("newcomer-1", "10.4.0.1"))?.username, "newcomer-1")
      yield* Fiber.join(flooding)
      assert.strictEqual((yield* identify("newcomer-2", "10.4.0.2"))?.username, "newcomer-2")
      assert.isAtMost(count(tokenReview), 202)
    })
  )

  it.scoped("an answer that ends during the flood is renewed, also for a caller behind the flooding source", () =>
    Effect.gen(function* () {
      const { fake, identify } = yield* setUp()
      onlyNamed(fake)
      yield* identify("valid", "10.0.0.9")
      yield* TestClock.adjust("60 seconds")
      yield* flood(identify, 1000, () => "10.0.0.9")
      assert.strictEqual((yield* identify("valid", "10.0.0.9"))?.username, "valid")
      fake.reviews.token = () => ({ authenticated: false })
      yield* TestClock.adjust("60 seconds")
      assert.isUndefined(yield* identify("valid", "10.0.0.9"), "revoked")
    })
  )

  it.scoped("a token that says itself that it has ended is no renewal", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      yield* TestClock.setTime(1_000_000_000_000)
      const token = jwt({ exp: 1_000_000_030 })
      yield* identify(token, "10.0.0.9")
      onlyNamed(fake)
      yield* TestClock.adjust("30 seconds")
      yield* flood(identify, 100, () => "10.0.0.9")
      const before = count(tokenReview)
      assert.instanceOf(yield* Effect.flip(identify(token, "10.0.0.9")), Throttled)
      assert.strictEqual(count(tokenReview), before)
    })
  )

  it.scoped("200 valid callers behind one address all get in, however many come at once", () =>
    Effect.gen(function* () {
      const { fake, identify, count } = yield* setUp()
      onlyNamed(fake)
      const names = Array.from({ length: 200 }, (_, n) => `valid-${n}`)
      const found = yield* Effect.forEach(names, (name) => identify(name, "10.0.0.1"), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        found.map((identity) => identity?.username),
        names
      )
      assert.strictEqual(count(tokenReview), 200)
    })
  )

  it.scoped("refused actions do not push out allowed ones", () =>
    Effect.gen(function* () {
      const { fake, access, count } = yield* setUp({ remembered: { identities: 10, decisions: 10 } })
      fake.reviews.access = (spec) => ({
        allowed: (spec as { readonly resourceAttributes: { readonly verb: string } }).resourceAttributes.verb === "get"
      })
      yield* access.allows(alice, action)
      for (let n = 0; n < 50; n++) yield* access.allows(alice, { ...action, verb: "delete", namespace: `t${n}` })
      const before = count(accessReview)
      assert.isTrue(yield* access.allows(alice, action))
      assert.strictEqual(count(accessReview), before)
    })
  )

  it.scoped(
    "a reviewer that is slow to answer strangers holds up nobody's launch, and launches hold up no review",
    () =>
      Effect.gen(function* () {
        const fake = yield* fakeKubernetes
        const client = yield* makeClient({ connection: fake.connection, qps: 1000, burst: 1000 })
        fake.reviews.token = () => ({ authenticated: true, user: alice })
        const access = yield* make({
          audiences: [],
          allowSeconds: 60,
          refusedTokens: { perSource: 20, total: 1000 }
        }).pipe(Effect.provideService(KubeClient, client))
        fake.faults.add({ when: ({ plural }) => plural === "pods", times: 200, fault: { type: "hang" } })
        const calls = Array.from({ length: 100 }, (_, n) =>
          client.get({ namespace: "team-a", resource: pods, name: `p${n}`, lane: "launch" })
        )
        yield* Effect.fork(Effect.all(calls, { concurrency: "unbounded" }))
        yield* untilTrue(Effect.sync(() => fake.requests.length >= 48))
        assert.strictEqual((yield* access.identify(Redacted.make("t"), "10.0.0.1"))?.username, "alice")
      })
  )
})
