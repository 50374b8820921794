import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Redacted } from "effect"
import { lastDecision } from "../../../../domain/credentials/last-decision.ts"
import {
  type CredentialDecision,
  localPolicy,
  resolveRequest,
  sidecarPolicy
} from "../../../../domain/credentials/resolve.ts"
import { modelUpstream } from "../../../../domain/credentials/upstream.ts"

const secrets = [
  undefined,
  new Map<string, Redacted.Redacted>(),
  new Map([["api-key", Redacted.make("one")]]),
  new Map([["api-key", Redacted.make("two")]]),
  new Map([
    ["a_api-key", Redacted.make("three")],
    ["a_url", Redacted.make("https://a.example/v1")]
  ])
]
const models = ["http://model.example/v1", "https://model.example/v1", "http://m.ns.svc/v1"].map((url) =>
  Either.getOrThrow(modelUpstream(url))
)
const policies = [
  sidecarPolicy,
  localPolicy,
  { ...sidecarPolicy, requireTls: true },
  { ...sidecarPolicy, refHeaders: ["x-key"] }
]
const values = ["Bearer api-key:ref", "Bearer a_api-key:ref", "Bearer b_api-key:ref", "Bearer sk-own", "", "Bearer"]
const step = fc.record({
  authorization: fc.array(fc.constantFrom(...values), { maxLength: 2 }),
  named: fc.option(fc.array(fc.constant(["x-key", "api-key:ref"] as const), { maxLength: 1 }), { nil: undefined }),
  secret: fc.constantFrom(...secrets),
  model: fc.constantFrom(...models),
  policy: fc.constantFrom(...policies)
})

const shown = (decision: CredentialDecision): unknown => {
  if (decision._tag === "Refuse") return decision
  const { authorization, named } = decision
  return {
    ...decision,
    authorization:
      authorization._tag === "Inject" ? { _tag: "Inject", value: Redacted.value(authorization.value) } : authorization,
    named: named.map(([name, value]) => [name, Redacted.value(value)])
  }
}

describe("the last decision about a credential", () => {
  it("is told again only where it would be made again: any order of requests, secrets, models and policies is decided as each by itself", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const decide = lastDecision(resolveRequest)
        for (const { authorization, named, secret, model, policy } of steps) {
          const request = { authorization, ...(named === undefined ? {} : { named }) }
          assert.deepStrictEqual(
            shown(decide(request, secret, model, policy)),
            shown(resolveRequest(request, secret, model, policy))
          )
        }
      })
    )
  })

  it("is not made again for the same request", () => {
    let asked = 0
    const decide = lastDecision((...given) => {
      asked += 1
      return resolveRequest(...given)
    })
    const [model] = models
    assert.isDefined(model)
    for (let at = 0; at < 3; at++) decide({ authorization: ["Bearer api-key:ref"] }, secrets[2], model, sidecarPolicy)
    assert.strictEqual(asked, 1)
  })
})
