import { Either, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { type Settings, settings } from "../../../../../config/settings.ts"
import { serving } from "../../../../../interfaces/main/compose/serving.ts"

const initial = Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.initial]))
const withSettings = (given: Partial<Settings>): Settings =>
  ({ ...initial, "providers.images": {}, "validity.tenants": {}, frameworks: {}, files: {}, ...given }) as Settings

const refusal = (given: Partial<Settings>, local = false) =>
  Either.getOrUndefined(Either.flip(serving(withSettings(given), local))) ?? "accepted"

describe("serving", () => {
  it("is plain HTTP without limits unless configured", () => {
    assert.deepStrictEqual(serving(withSettings({}), false), Either.right({ anyHost: false }))
  })
  it("takes certificate and key together, and never one of them", () => {
    const files = { "service.tls.cert_path": "/c.pem", "service.tls.key_path": "/k.pem" }
    assert.deepStrictEqual(
      Either.map(serving(withSettings(files), false), ({ tls }) => [tls?.certPath, tls?.keyPath]),
      Either.right(["/c.pem", "/k.pem"])
    )
    assert.match(refusal({ "service.tls.cert_path": "/c.pem" }), /service\.tls\.key_path; set both/)
    assert.match(refusal({ "service.tls.key_path": "/k.pem" }), /service\.tls\.cert_path; set both/)
    assert.match(refusal(files, true), /-local/)
  })
  it("a rate allows twice as much at once unless a burst is given; a burst alone means nothing", () => {
    const limitOf = (given: Partial<Settings>) =>
      Either.map(serving(withSettings(given), false), ({ rateLimit }) => rateLimit)
    assert.deepStrictEqual(limitOf({ "rate_limit.per_second": 10 }), Either.right({ perSecond: 10, burst: 20 }))
    assert.deepStrictEqual(
      limitOf({ "rate_limit.per_second": 10, "rate_limit.burst": 50 }),
      Either.right({ perSecond: 10, burst: 50 })
    )
    assert.match(refusal({ "rate_limit.burst": 5 }), /rate_limit\.per_second/)
  })
  it("lets local benchmarks outlive the server only where their job does", () => {
    assert.match(refusal({ "local.adopt": true }, true), /local\.adopt needs a database that outlives the server/)
    assert.match(refusal({ "local.adopt": true, "database.url": Redacted.make("file::memory:") }, true), /local\.adopt/)
    assert.isTrue(
      Either.isRight(serving(withSettings({ "local.adopt": true, "database.url": Redacted.make("file:x.db") }), true))
    )
  })
})
