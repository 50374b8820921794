import { assert, describe, it } from "@effect/vitest"
import {
  afterAttempt,
  type Delivery,
  type Next,
  noTries,
  pauseAfter,
  type Tries
} from "../../../../interfaces/sidecar/delivery-decision.ts"

const answered = (status: number, retryAfterMillis?: number): Delivery => ({
  _tag: "Answered",
  status,
  body: "",
  contentType: "",
  retryAfterMillis
})
const unreachable: Delivery = { _tag: "Unreachable", reason: "refused" }
const next = (delivery: Delivery, tries: Partial<Tries> = {}, now = 0): Next =>
  afterAttempt(delivery, { ...noTries, ...tries }, now, 1000)

describe("after an attempt at the server, the event", () => {
  it("is taken", () => assert.deepStrictEqual(next(answered(202)), { _tag: "Taken" }))

  it.each([408, 425, 429, 500, 503])("is tried again after %d", (status) =>
    assert.deepStrictEqual(next(answered(status), { attempts: 3 }), {
      _tag: "Again",
      tries: { ...noTries, attempts: 4 },
      renewToken: false,
      atOnce: false
    })
  )
  it("is tried again when the server cannot be reached", () => assert.strictEqual(next(unreachable)._tag, "Again"))

  it("is tried at once with another token after the first 401, and patiently after the next", () => {
    assert.deepStrictEqual(next(answered(401)), {
      _tag: "Again",
      tries: { ...noTries, renewed: true },
      renewToken: true,
      atOnce: true
    })
    assert.deepStrictEqual(next(answered(401), { renewed: true }), {
      _tag: "Again",
      tries: { attempts: 1, forbiddenSince: undefined, renewed: true },
      renewToken: true,
      atOnce: false
    })
  })

  it("is refused by a 403 that lasts", () => {
    const first = next(answered(403), {}, 5000)
    assert.deepStrictEqual(first, {
      _tag: "Again",
      tries: { ...noTries, attempts: 1, forbiddenSince: 5000 },
      renewToken: false,
      atOnce: false
    })
    assert.strictEqual(next(answered(403), { forbiddenSince: 5000 }, 5999)._tag, "Again")
    assert.deepStrictEqual(next(answered(403), { forbiddenSince: 5000 }, 6000), {
      _tag: "Refused",
      gone: false,
      settled: false
    })
  })

  it.each<readonly [number, boolean, boolean]>([
    [400, false, false],
    [404, true, false],
    [409, false, true],
    [413, false, false]
  ])("is refused by %d", (status, gone, settled) =>
    assert.deepStrictEqual(next(answered(status)), { _tag: "Refused", gone, settled })
  )
})

describe("the pause before another attempt", () => {
  const backoff = { firstMillis: 500, maxMillis: 30_000 }
  it("doubles up to the longest, and is a random part of that", () => {
    assert.deepStrictEqual(
      [0, 1, 5, 6, 1000].map((attempts) => pauseAfter(unreachable, attempts, backoff, false, 1)),
      [500, 1000, 16_000, 30_000, 30_000]
    )
    assert.strictEqual(pauseAfter(unreachable, 1, backoff, false, 0.25), 250)
  })
  it("is short while the relay is emptied", () =>
    assert.strictEqual(pauseAfter(unreachable, 10, backoff, true, 1), 1000))
  it("is what the server asks for, at most five minutes", () => {
    assert.strictEqual(pauseAfter(answered(503, 7000), 10, backoff, true, 0), 7000)
    assert.strictEqual(pauseAfter(answered(503, 3_600_000), 0, backoff, false, 0), 300_000)
  })
})
