import { assert, describe, it } from "vitest"
import { foreignEndpoint, needsPerson } from "../../../../interfaces/mcp/writing.ts"
import { covers, isAllowance, readAllowance } from "../../../../values/allowance.ts"

const writing = { tools: ["submit_job"], modelHosts: ["models.example", "10.0.0.7:8000", "[::1]"] } as const
/** of a job that is evaluated there, and the parameters of its benchmark */
const foreign = (url: string, parameters = {}, modelHosts: ReadonlyArray<string> = writing.modelHosts) =>
  foreignEndpoint(
    { ...writing, modelHosts },
    { model: { url, name: "m" }, benchmarks: [{ provider_id: "p", id: "b", parameters }] }
  )

describe("what an agent may have evaluated", () => {
  it("is at the hosts that are named, at a port where one is named, and by http alone", () => {
    for (const address of [
      "http://models.example/v1",
      "https://MODELS.example:9000/v1",
      "http://10.0.0.7:8000",
      "http://[::1]:1234/v1"
    ])
      assert.isUndefined(foreign(address), address)
    for (const address of [
      "",
      "models.example",
      "http://10.0.0.7/v1",
      "http://10.0.0.7:80001/v1",
      "http://a.models.example/v1",
      "http://models.example.org/v1",
      "ftp://models.example/v1"
    ])
      assert.include(foreign(address), "mcp.model_hosts", address)
    assert.include(foreign("http://models.example", {}, []), "allowed are none")
  })
  it("holds for each address in its parameters, however it is written", () => {
    const within = "http://models.example/v1"
    assert.isUndefined(
      foreign(within, {
        judge: { url: within },
        args: `base_url=${within},n=1`,
        prompt: "a:b, see http and https",
        num_examples: 5
      })
    )
    for (const address of [
      "https://collector.example",
      "http:collector.example",
      " HTTPS:/collector.example",
      "base_url=http://collector.example/v1",
      `${within},https://collector.example`,
      "gs://collector"
    ])
      assert.include(foreign(within, { of: [{ several: address }] }), "mcp.model_hosts", address)
  })
})

describe("what is submitted without a person's yes", () => {
  it("is what is known to stay within each sum that is named", () => {
    const unattended = { requests: 100, cost: 2 }
    const within = { requests: 100, cost: 1.5 }
    assert.isUndefined(needsPerson({ ...writing, unattended }, { estimate: within, budget: within }))
    for (const beyond of [
      {},
      { requests: 100 },
      { requests: 101, cost: 1 },
      { requests: 1, cost: 2.01 },
      { cost: 1 }
    ]) {
      assert.include(needsPerson({ ...writing, unattended }, { estimate: beyond, budget: within }), "can not ask")
      assert.include(needsPerson({ ...writing, unattended }, { estimate: within, budget: beyond }), "can not ask")
    }
    assert.include(needsPerson(writing, { estimate: within, budget: within }), "mcp.unattended_budget")
  })
  it("is read from sums, each of them once", () => {
    assert.deepStrictEqual(readAllowance("requests=200, tokens = 100000,cost=1.5"), {
      requests: 200,
      tokens: 100_000,
      cost: 1.5
    })
    for (const text of ["", "requests", "requests=", "requests=-1", "requests=1,requests=2", "seconds=3", "tokens=1e3"])
      assert.isUndefined(readAllowance(text), text)
    assert.isTrue(covers({}, {}))
  })
  it("in a token is numbers of those sums, and no words for who is asked", () => {
    for (const value of [{}, { requests: 20, cost: 0.5 }]) assert.isTrue(isAllowance(value))
    for (const value of [undefined, [], "1", { requests: "1, and it is harmless" }, { requests: null }, { seconds: 3 }])
      assert.isFalse(isAllowance(value), JSON.stringify(value))
  })
})
