import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import {
  type CredentialDecision,
  type CredentialPolicy,
  localPolicy,
  resolveRequest,
  sidecarPolicy
} from "../../../../domain/credentials/resolve.ts"
import { modelUpstream } from "../../../../domain/credentials/upstream.ts"

const model = Either.getOrThrow(modelUpstream("https://model.example/v1"))
const plain = Either.getOrThrow(modelUpstream("http://model.example/v1"))
const secretOf = (keys: { readonly [key: string]: string }) =>
  new Map(Object.entries(keys).map(([key, value]) => [key, Redacted.make(value)]))

/** "<host> <authorization>" or "refused: <code>" */
const shown = (decision: CredentialDecision): string => {
  if (decision._tag === "Refuse") return `refused: ${decision.code}`
  const { authorization, upstream } = decision
  const header =
    authorization._tag === "Inject"
      ? Redacted.value(authorization.value)
      : authorization._tag === "Keep"
        ? `keep ${authorization.value}`
        : authorization._tag === "PodToken"
          ? "pod token"
          : "none"
  return `${upstream.host} ${header}`
}
const decide = (
  authorization: string | ReadonlyArray<string> | undefined,
  keys: { readonly [key: string]: string } | undefined,
  policy: Partial<CredentialPolicy> = {},
  upstream = model
) =>
  shown(
    resolveRequest(
      {
        authorization:
          authorization === undefined ? [] : typeof authorization === "string" ? [authorization] : authorization
      },
      keys === undefined ? undefined : secretOf(keys),
      upstream,
      { ...sidecarPolicy, ...policy }
    )
  )

const keys = {
  "api-key": "main",
  "a_api-key": "ka\r\n",
  a_url: "https://a.example/base/",
  "b_api-key": "kb",
  c_sa_token: "",
  c_url: "http://svc.ns.svc:8443",
  d_sa_token: "td",
  empty: "",
  "e_api-key": " \n",
  "f_api-key": "x\u0000y",
  "g_api-key": "k",
  g_url: "ftp://g",
  "h_api-key": "k",
  h_url: "https://u:p@h",
  "i_api-key": "k",
  i_url: "https://i.example/#frag",
  "j_api-key": "käse",
  "hf-token": "hf",
  ca_cert: "pem"
}

describe("case 38: sidecar rules", () => {
  it.each<readonly [string, string | ReadonlyArray<string> | undefined, string]>([
    ["C1 two headers", ["Bearer api-key:ref", "Bearer x"], "refused: authorization_ambiguous"],
    ["C2 none", undefined, "model.example pod token"],
    ["C2 blank", "  ", "model.example pod token"],
    ["C2 empty bearer", "Bearer", "model.example pod token"],
    ["C2 empty bearer with blanks", "bEARER \t ", "model.example pod token"],
    ["C3 api-key", "Bearer api-key:ref", "model.example Bearer main"],
    ["C3 scheme in any case, tabs, padding", " \tbearer \t api-key:ref ", "model.example Bearer main"],
    ["C3 prefixed with address, trailing line end dropped", "Bearer a_api-key:ref", "a.example Bearer ka"],
    ["C3 prefixed without address", "Bearer b_api-key:ref", "model.example Bearer kb"],
    ["C4 empty service account token", "Bearer c_sa_token:ref", "svc.ns.svc:8443 pod token"],
    ["C4 given service account token", "Bearer d_sa_token:ref", "model.example Bearer td"],
    ["C5 empty", "Bearer e_api-key:ref", "refused: credential_empty"],
    ["control character", "Bearer f_api-key:ref", "refused: credential_invalid"],
    ["not ASCII", "Bearer j_api-key:ref", "refused: credential_invalid"],
    ["C6 address", "Bearer a_url:ref", "refused: credential_ref_not_allowed"],
    ["C6 address that does not exist", "Bearer zz_url:ref", "refused: credential_ref_not_allowed"],
    ["C7 absent", "Bearer zz_api-key:ref", "refused: credential_ref_unknown"],
    ["C7 hub token", "Bearer hf-token:ref", "refused: credential_ref_unknown"],
    ["C7 CA", "Bearer ca_cert:ref", "refused: credential_ref_unknown"],
    ["C7 no prefix", "Bearer _api-key:ref", "refused: credential_ref_unknown"],
    ["C7 other key", "Bearer empty:ref", "refused: credential_ref_unknown"],
    ["C7 prototype name", "Bearer constructor:ref", "refused: credential_ref_unknown"],
    ["C8 basic", "Basic dTpw", "model.example keep Basic dTpw"],
    ["C8 key", "Bearer sk-1", "model.example keep Bearer sk-1"],
    ["C8 other case of ref", "Bearer api-key:REF", "model.example keep Bearer api-key:REF"],
    ["C8 inner blank", "Bearer api-key:ref x", "model.example keep Bearer api-key:ref x"],
    ["C8 no scheme", "api-key:ref", "model.example keep api-key:ref"],
    ["C8 not ASCII", "Bearer ké:ref", "model.example keep Bearer ké:ref"],
    ["C8 no blank after the scheme", "Bearerapi-key:ref", "model.example keep Bearerapi-key:ref"],
    ["address not http", "Bearer g_api-key:ref", "refused: upstream_invalid"],
    ["address with credentials", "Bearer h_api-key:ref", "refused: upstream_invalid"],
    ["address with fragment", "Bearer i_api-key:ref", "refused: upstream_invalid"]
  ])("%s", (_, header, expected) => assert.strictEqual(decide(header, keys), expected))

  it("C5 the plain key", () =>
    assert.strictEqual(decide("Bearer api-key:ref", { "api-key": "" }), "refused: credential_empty"))
  it("C7 without a secret, and known keys are named without values", () => {
    assert.strictEqual(decide("Bearer api-key:ref", undefined), "refused: credential_ref_unknown")
    const refusal = resolveRequest({ authorization: ["Bearer x_api-key:ref"] }, secretOf(keys), model, sidecarPolicy)
    assert.match(refusal._tag === "Refuse" ? refusal.message : "", /'a_api-key:ref', 'api-key:ref'/)
    assert.notMatch(refusal._tag === "Refuse" ? refusal.message : "", /main|ka|td/)
  })

  it.each<readonly [CredentialPolicy["podToken"], string, string]>([
    ["always", "http://elsewhere.example", "elsewhere.example pod token"],
    ["never", "http://m.ns.svc", "m.ns.svc none"],
    ["in_cluster", "http://elsewhere.example", "elsewhere.example none"],
    ["in_cluster", "http://m.ns.svc/v1", "m.ns.svc pod token"],
    ["in_cluster", "http://m.ns.svc.cluster.local", "m.ns.svc.cluster.local pod token"],
    ["in_cluster", "http://m.ns.svc.evil.example", "m.ns.svc.evil.example none"],
    ["in_cluster", "http://inside.example", "inside.example pod token"],
    ["absent", "http://m.ns.svc", "m.ns.svc none"]
  ])("token injection %s to %s", (podToken, url, expected) => {
    assert.strictEqual(
      decide(undefined, {}, { podToken, podTokenHosts: ["inside.example"] }, Either.getOrThrow(modelUpstream(url))),
      expected
    )
  })

  it("keys over plain http can be refused outside the cluster; what the caller sends itself is its own", () => {
    const requireTls = { requireTls: true }
    assert.strictEqual(decide("Bearer api-key:ref", keys, requireTls, plain), "refused: upstream_blocked")
    assert.strictEqual(decide(undefined, keys, requireTls, plain), "refused: upstream_blocked")
    assert.strictEqual(decide("Bearer mine", keys, requireTls, plain), "model.example keep Bearer mine")
    assert.strictEqual(decide("Bearer api-key:ref", keys, requireTls), "model.example Bearer main")
    assert.strictEqual(decide("Bearer c_sa_token:ref", keys, requireTls), "svc.ns.svc:8443 pod token")
  })
})

describe("credentials over plain http outside the cluster", () => {
  const exposed = (header: string | undefined, url: string) => {
    const decision = resolveRequest(
      { authorization: header === undefined ? [] : [header] },
      secretOf(keys),
      Either.getOrThrow(modelUpstream(url)),
      sidecarPolicy
    )
    return decision._tag === "Forward" && decision.exposed
  }
  it.each<readonly [string | undefined, string, boolean]>([
    ["Bearer api-key:ref", "http://m.example", true],
    [undefined, "http://m.example", true],
    ["Bearer own", "http://m.example", false],
    ["Bearer api-key:ref", "https://m.example", false],
    ["Bearer api-key:ref", "http://m.ns.svc", false]
  ])("%s to %s: %s", (header, url, expected) => assert.strictEqual(exposed(header, url), expected))
})

describe("named headers", () => {
  const policy = { ...sidecarPolicy, refHeaders: ["x-api-key"] }
  const named = (value: string, authorization: ReadonlyArray<string> = []) =>
    resolveRequest({ authorization, named: [["x-api-key", value]] }, secretOf(keys), model, policy)
  it("are replaced, route by prefix, and no token is added beside them", () => {
    const decision = named("a_api-key:ref")
    assert.strictEqual(shown(decision), "a.example none")
    assert.deepStrictEqual(
      decision._tag === "Forward" ? decision.named.map(([name, value]) => [name, Redacted.value(value)]) : [],
      [["x-api-key", "ka"]]
    )
  })
  it.each([
    ["e_api-key:ref", "refused: credential_empty"],
    ["a_url:ref", "refused: credential_ref_not_allowed"],
    ["d_sa_token:ref", "refused: credential_ref_unknown"],
    ["zz_api-key:ref", "refused: credential_ref_unknown"],
    ["plain", "model.example pod token"]
  ])("%s", (value, expected) => assert.strictEqual(shown(named(value)), expected))
  it("cannot name another model than the Authorization header", () => {
    assert.strictEqual(shown(named("a_api-key:ref", ["Bearer b_api-key:ref"])), "refused: authorization_ambiguous")
    assert.strictEqual(shown(named("a_api-key:ref", ["Bearer a_api-key:ref"])), "a.example Bearer ka")
  })
  it("are left alone unless configured", () => {
    assert.strictEqual(
      shown(resolveRequest({ authorization: [], named: [["x-other", "api-key:ref"]] }, secretOf(keys), model, policy)),
      "model.example pod token"
    )
  })
})

describe("local gateway", () => {
  const local = (header: string | undefined, given: { readonly [key: string]: string } | undefined) =>
    decide(header, given, localPolicy)
  it.each<readonly [string, string | undefined, { readonly [key: string]: string } | undefined, string]>([
    ["a reference is resolved", "Bearer a_api-key:ref", keys, "a.example Bearer ka"],
    ["a dummy is replaced", "Bearer EMPTY", keys, "model.example Bearer main"],
    ["nothing is completed", undefined, keys, "model.example Bearer main"],
    ["without the key a dummy passes", "Bearer EMPTY", { ca_cert: "pem" }, "model.example keep Bearer EMPTY"],
    ["without the key nothing is sent", undefined, { ca_cert: "pem" }, "model.example none"],
    ["without a secret nothing is sent", undefined, undefined, "model.example none"],
    ["an empty key is said", undefined, { "api-key": "" }, "refused: credential_empty"],
    ["there is no pod token", "Bearer c_sa_token:ref", keys, "refused: credential_empty"],
    ["a given token is sent", "Bearer d_sa_token:ref", keys, "model.example Bearer td"]
  ])("%s", (_, header, given, expected) => assert.strictEqual(local(header, given), expected))
})
