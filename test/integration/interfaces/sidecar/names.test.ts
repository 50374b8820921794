/** Where names lead: addresses are judged after the look-up, and connected as judged. Reference: gateway.md, "Outbound policy"; case 44. */
import dns, { type LookupAddress } from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { serve } from "../../../support/loopback-server.ts"
import { configOf, makeScope, type Overrides, startedSidecar } from "../../../support/running-sidecar.ts"

/** what each look-up of a name answers, one after the other; the last one for good */
const answers = new Map<string, Array<ReadonlyArray<string>>>()
const asked: Array<string> = []

type Done = (error: Error | null, addresses: ReadonlyArray<LookupAddress>) => void
const realLookup = dns.lookup
const told = (name: string, ...rest: ReadonlyArray<unknown>) => {
  const addresses = answers.get(name)
  if (addresses === undefined) return Reflect.apply(realLookup, dns, [name, ...rest])
  asked.push(name)
  const next = (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? []
  const done = rest.at(-1) as Done
  setImmediate(() =>
    done(
      null,
      next.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    )
  )
}
/** in place of the process's own look-up, for named imports too; other files that this process runs must not see it */
const lookUpWith = (lookup: unknown) => {
  Object.assign(dns, { lookup })
  syncBuiltinESMExports()
}
beforeAll(() => lookUpWith(told))
afterAll(() => lookUpWith(realLookup))

const scope = makeScope()
afterEach(async () => {
  answers.clear()
  asked.length = 0
  await scope.end()
})

const sidecar = (url: string, egress: Overrides["egress"] = { allow_cidrs: [] }, apiServer?: string) =>
  scope.keep(startedSidecar(configOf(scope.place(), { model: { url }, egress }), { apiServer }))
const codeOf = async (answer: Response) => ((await answer.json()) as { readonly message_code?: string }).message_code

describe("case 44: names", () => {
  it.each<readonly [what: string, address: string]>([
    ["the metadata service", "169.254.169.254"],
    ["the metadata service over IPv6", "fd00:ec2::254"],
    ["the metadata service, mapped", "::ffff:169.254.169.254"],
    ["loopback", "127.0.0.1"],
    ["loopback over IPv6", "::1"],
    ["loopback, mapped", "::ffff:127.0.0.1"],
    ["no address at all", "0.0.0.0"],
    ["a link-local address", "fe80::1"],
    ["the cluster's API server", "10.96.0.1"]
  ])("a name that leads to %s (%s) is refused", async (_, address) => {
    answers.set("model.example", [[address]])
    const running = await sidecar("http://model.example:9/v1", { allow_cidrs: [] }, "10.96.0.1")
    const answer = await fetch(`${running.url}/v1`)
    assert.deepStrictEqual([answer.status, await codeOf(answer)], [403, "upstream_blocked"])
  })

  it("of several addresses only those that may be reached are tried", async () => {
    const model = await scope.keep(serve((_, response) => void response.end("model")))
    answers.set("model.example", [["169.254.169.254", "127.0.0.1"]])
    const running = await sidecar(`http://model.example:${model.port}/v1`, { allow_cidrs: ["127.0.0.1/32"] })
    assert.strictEqual(await (await fetch(`${running.url}/v1`)).text(), "model")
  })

  it("a name that leads elsewhere the second time: one look-up for a connection, and the new address is judged anew", async () => {
    const model = await scope.keep(
      serve((_, response) => void response.writeHead(200, { connection: "close" }).end("model"))
    )
    answers.set("model.example", [["127.0.0.1"], ["169.254.169.254"]])
    const running = await sidecar(`http://model.example:${model.port}/v1`, { allow_cidrs: ["127.0.0.1/32"] })
    assert.strictEqual(await (await fetch(`${running.url}/v1`)).text(), "model")
    assert.deepStrictEqual(asked, ["model.example"])
    const second = await fetch(`${running.url}/v1`)
    assert.deepStrictEqual([second.status, await codeOf(second)], [403, "upstream_blocked"])
    assert.lengthOf(asked, 2)
  })

  it("a redirect to the metadata service is shown, and not followed", async () => {
    let requests = 0
    const model = await scope.keep(
      serve((_, response) => {
        requests += 1
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end()
      })
    )
    const running = await sidecar(`${model.url}/v1`, { allow_cidrs: ["127.0.0.1/32"] })
    const answer = await fetch(`${running.url}/v1`, { redirect: "manual" })
    assert.deepStrictEqual(
      [answer.status, answer.headers.get("location")],
      [302, "http://169.254.169.254/latest/meta-data"]
    )
    assert.strictEqual(requests, 1)
  })
})
