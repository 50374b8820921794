import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Redacted } from "effect"
import { needsInternalSecret, planAdapterSecret } from "../../../../domain/credentials/placeholders.ts"
import { localPolicy, resolveRequest, sidecarPolicy } from "../../../../domain/credentials/resolve.ts"
import { classifyKey, isReferenceKey } from "../../../../domain/credentials/secret-keys.ts"
import { modelUpstream } from "../../../../domain/credentials/upstream.ts"
import { anyCharacter } from "../../../support/run/any-character.ts"

const gateway = "http://localhost:8080"
const prefix = fc.stringMatching(/^[A-Za-z0-9._-]{1,6}$/)
const key = fc.oneof(
  fc.constantFrom("api-key", "ca_cert", "hf-token", "_api-key", "_url", "constructor", "__proto__", "other"),
  fc.tuple(prefix, fc.constantFrom("_api-key", "_sa_token", "_url", "-api-key")).map(([start, end]) => start + end),
  fc.string({ minLength: 1, maxLength: 8 })
)
/** values are marked, so that a leak can be recognised */
const canary = fc.string({ maxLength: 12 }).map((text) => `CANARY-${text}`)
const secret = fc
  .array(fc.tuple(key, fc.oneof(canary, fc.constant(""), fc.constant("\r\n "))))
  .map((entries) => new Map(entries))
const mounted = (values: ReadonlyMap<string, string>) =>
  new Map([...values].map(([name, value]) => [name, Redacted.make(value)]))
const model = Either.getOrThrow(modelUpstream("http://model.example/v1"))
const header = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  key.map((name) => `Bearer ${name}:ref`),
  fc
    .tuple(
      fc.constantFrom("bearer ", "Bearer\t", "Basic ", "", "Bearer  "),
      key,
      fc.constantFrom(":ref", ":REF", "", ":ref ")
    )
    .map((parts) => parts.join(""))
)

describe("placeholders", () => {
  it("never hold a real value, and every credential key has exactly one", () => {
    fc.assert(
      fc.property(secret, (values) => {
        const plan = planAdapterSecret([...values.keys()], gateway)
        assert.notInclude(JSON.stringify(plan), "CANARY")
        for (const [name, placeholder] of Object.entries(plan.references))
          assert.strictEqual(placeholder, classifyKey(name).kind === "url" ? gateway : `${name}:ref`)
        const hidden = [...values.keys()].filter((name) => isReferenceKey(name) || classifyKey(name).kind === "url")
        assert.sameMembers(Object.keys(plan.references), hidden)
        assert.strictEqual(needsInternalSecret(plan), hidden.length > 0)
        for (const name of plan.passthrough) assert.include(["hf-token", "ca_cert"], name)
        assert.notInclude(plan.gateway, "hf-token")
      })
    )
  })
  it("resolve back: each reference that was handed out leads to its value, or to a stated refusal", () => {
    fc.assert(
      fc.property(secret, (values) => {
        for (const [name, placeholder] of Object.entries(planAdapterSecret([...values.keys()], gateway).references)) {
          const decision = resolveRequest(
            { authorization: [`Bearer ${placeholder}`] },
            mounted(values),
            model,
            sidecarPolicy
          )
          const value = (values.get(name) ?? "").replace(/[\r\n \t]+$/, "")
          if (decision._tag === "Forward" && decision.authorization._tag === "Inject")
            assert.strictEqual(Redacted.value(decision.authorization.value), `Bearer ${value}`)
          else if (decision._tag === "Forward" && decision.authorization._tag === "PodToken")
            assert.isTrue(name.endsWith("_sa_token") && value === "")
          else if (decision._tag === "Forward") assert.strictEqual(classifyKey(name).kind, "url")
        }
      })
    )
  })
})

describe("case 38: the credential decision", () => {
  it("is total for any headers and any secret, and a refusal or a printed decision never shows a value", () => {
    fc.assert(
      fc.property(
        fc.array(header, { maxLength: 3 }),
        fc.option(secret, { nil: undefined }),
        fc.constantFrom(sidecarPolicy, localPolicy),
        (authorization, values, policy) => {
          const decision = resolveRequest(
            { authorization },
            values === undefined ? undefined : mounted(values),
            model,
            policy
          )
          // what the caller sent itself may come back to it, so only values of the secret count
          if (
            !authorization.some((text) => text.includes("CANARY")) &&
            ![...(values?.keys() ?? [])].some((name) => name.includes("CANARY"))
          )
            assert.notInclude(JSON.stringify(decision), "CANARY")
          if (decision._tag === "Refuse") assert.notStrictEqual(decision.message, "")
          else if (decision.authorization._tag === "Inject")
            assert.match(Redacted.value(decision.authorization.value), /^Bearer [\x20-\x7e]+$/)
        }
      ),
      { numRuns: 1000 }
    )
  })
  it("a foreign value is forwarded byte for byte by the sidecar", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9 ._=+/-]{1,40}$/), secret, (text, values) => {
        const value = text.trim()
        fc.pre(value !== "" && !/^bearer *$/i.test(value))
        const decision = resolveRequest({ authorization: [text] }, mounted(values), model, sidecarPolicy)
        assert.deepStrictEqual(decision._tag === "Forward" ? decision.authorization : decision, { _tag: "Keep", value })
      })
    )
  })
})
