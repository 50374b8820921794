/** The page that compares two models, gates them, kills one and goes on is carried out: what it shows is what comes. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { listen, run } from "../support/evald-process.ts"
import {
  type Answer,
  type HostedJob,
  type HostOptions,
  type ServiceHost,
  serviceHost
} from "../support/service-host.ts"
import { plantedModel } from "../trust/support/planted-model.ts"
import { endedJob, killUnits, settledAnswers } from "./frameworks/killed-units.ts"

const page = readFileSync("docs/comparing.md", "utf8")

/** the block of text below a heading */
const blockOf = (heading: string): string => {
  const found = new RegExp(`^${heading}\\n[\\s\\S]*?\`\`\`text\\n([\\s\\S]*?)\`\`\``, "m").exec(page)?.[1]
  assert.isDefined(found, heading)
  return found ?? ""
}

interface Exchange {
  readonly method: string
  readonly path: string
  readonly body: string
  /** what is shown of the answer */
  readonly shown: string
}

/** `POST path`, its body up to an empty line, and what came up to the next request */
const exchangesIn = (block: string): ReadonlyArray<Exchange> =>
  block.split(/^(?=(?:GET|POST) )/m).map((text) => {
    const [first = "", ...rest] = text.split("\n")
    const [method = "", path = ""] = first.split(" ")
    const end = rest.indexOf("")
    const hasBody = rest[0]?.startsWith("{") === true
    const [body, shown] = hasBody ? [rest.slice(0, end), rest.slice(end)] : [[], rest]
    return { method, path: path.replace("/api/v1/evaluations/", ""), body: body.join("\n"), shown: shown.join("\n") }
  })

/** every value that an answer has under a name, however deep */
const valuesOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([own, inner]) => [...(own === name ? [inner] : []), ...valuesOf(inner, name)])
}

/** rounded as it is shown; texts up to their dots */
const isShownAs = (value: unknown, shown: string): boolean => {
  if (shown.startsWith('"')) {
    const text = JSON.parse(shown) as string
    return typeof value === "string" && (text.endsWith("…") ? value.startsWith(text.slice(0, -1)) : value === text)
  }
  if (typeof value !== "number") return String(value) === shown
  const [, digits = "", exponent] = /^-?\d+(?:\.(\d+))?(e.*)?$/.exec(shown) ?? []
  return (
    Number(exponent === undefined ? value.toFixed(digits.length) : value.toExponential(digits.length)) === Number(shown)
  )
}

/** everything that the page shows is in the answer; `skip`: names of what differs from run to run */
const assertShown = ({ shown }: Exchange, { status, json, text }: Answer, skip: ReadonlyArray<string> = []): void => {
  const wanted = /^\s*(\d{3})$/m.exec(shown)?.[1]
  if (wanted !== undefined) assert.strictEqual(status, Number(wanted), text)
  const pairs = [...shown.matchAll(/"(\w+)": (-?\d[\d.e+-]*|"(?:[^"\\]|\\.)*"|true|false)/g)]
  assert.isAbove(pairs.length, 0, shown)
  for (const [, name = "", value = ""] of pairs) {
    if (skip.includes(name)) continue
    const found = valuesOf(json, name)
    assert.isTrue(
      found.some((one) => isShownAs(one, value)),
      `the page says "${name}": ${value}, the answer ${JSON.stringify(found)}`
    )
  }
}

/** the page names jobs by how their ids begin */
const filledIn = (text: string, ids: { readonly [begin: string]: string }, model?: object): string =>
  Object.entries(ids)
    .reduce((filled, [begin, id]) => filled.replaceAll(`${begin}-…`, id), text)
    .replace('"model": {…}', `"model": ${JSON.stringify(model)}`)

const asked = (
  host: ServiceHost,
  { method, path, body }: Exchange,
  ids: { readonly [begin: string]: string },
  model?: object
) =>
  host.call(method, filledIn(path, ids), body === "" ? undefined : (JSON.parse(filledIn(body, ids, model)) as object))

const closing: Array<() => unknown> = []
const hosted = async (options: HostOptions) => {
  const host = await serviceHost({ shipped: true, ...options })
  closing.push(host.stop)
  return host
}
const demo = async (skill: string) => {
  const model = await listen(["demo-model", "--port", "0", "--skill", skill])
  closing.push(() => model.stop("SIGKILL"))
  return { url: model.url, name: "evald-demo" }
}
const idIn = ({ json }: Answer) => (json as HostedJob).resource.id

describe("the page about comparing two models", () => {
  const folder = mkdtempSync(join(tmpdir(), "evald-example-"))
  afterAll(async () => {
    for (const close of closing.splice(0)) await close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("shows the comparison, the decision, and the run that was killed at 90 % and went on", async () => {
    const commands = [...page.matchAll(/^evald (demo .*)$/gm)].map(([, words = ""]) => words.split(" "))
    assert.lengthOf(commands, 2)
    const database = join(folder, "demo.db")
    for (const words of commands) {
      const { code, stderr } = await run(words.map((word) => (word === "demo.db" ? database : word)))
      assert.strictEqual(code, 0, stderr)
    }
    const host = await hosted({ env: { DB_URL: `file:${database}` } })
    const { json: list } = await host.expected(200, "GET", "jobs")
    const [second, first] = (list as { readonly items: ReadonlyArray<HostedJob> }).items.map(
      ({ resource }) => resource.id
    )
    const ids: { [begin: string]: string } = { "01a20312-1ffd": first ?? "", "01a20312-4327": second ?? "" }
    for (const heading of ["## Is it worse", "## May it ship"])
      for (const exchange of exchangesIn(blockOf(heading))) assertShown(exchange, await asked(host, exchange, ids))

    const skilled = await demo("0.9")
    let [questions, mostAnswered] = [0, Number.POSITIVE_INFINITY]
    const model = await plantedModel(skilled.url, skilled.name, (answer, { number }) => {
      questions = Math.max(questions, number)
      return number > mostAnswered ? "hang" : answer
    })
    closing.push(model.close)
    const at = { url: model.url, name: model.name }
    const [submit, read, again, resumed, ...more] = exchangesIn(blockOf("## One that was killed goes on"))
    if (submit === undefined || read === undefined || again === undefined || resumed === undefined)
      return assert.fail("an exchange is missing on the page")
    assert.lengthOf(more, 0)
    const { json } = await host.expected(202, "POST", "jobs", {
      ...{ name: "probes", model: at },
      benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 1 } }]
    })
    await endedJob(host, (json as HostedJob).resource.id)
    const probes = questions - 1
    const [, killedAfter = ""] = /killed with -9 when (\d+) of them were there/.exec(page) ?? []
    mostAnswered = questions + probes + Number(killedAfter)
    const killed = idIn(await asked(host, submit, ids, at))
    ids["01a203b2-2b3e"] = killed
    await settledAnswers(host, () => questions > mostAnswered)
    assert.isAbove(killUnits(host, killed), 0)
    await endedJob(host, killed)
    assertShown(read, await asked(host, read, ids), ["status"])
    const before = questions
    mostAnswered = Number.POSITIVE_INFINITY
    const made = await asked(host, again, ids)
    ids["01a203b2-b102"] = idIn(made)
    assertShown({ ...again, shown: filledIn(again.shown, ids) }, made)
    await endedJob(host, idIn(made))
    assertShown(resumed, await asked(host, resumed, ids))
    const [, askedMore = ""] = /The model was asked (\d+) questions more/.exec(page) ?? []
    // and what finds out what the endpoint can do, as far as it was not kept
    assert.isAtLeast(questions - before, Number(askedMore))
    assert.isAtMost(questions - before, 0.11 * 200)
  })

  it("shows what a budget leaves, what was used, and what is expected", async () => {
    const host = await hosted({ config: { prices: { "evald-demo": { input: 0.5, output: 2 } } } })
    const model = await demo("0.9")
    const [submit, read, plan] = exchangesIn(blockOf("## What it may use"))
    if (submit === undefined || read === undefined || plan === undefined) return assert.fail("an exchange is missing")
    const parameters = { num_examples: 60 }
    const benchmark = { id: "arith_basic", provider_id: "evald", parameters }
    await host.evaluate(model, [benchmark], { budget: { requests: 1000 } })
    const made = await asked(host, submit, {}, model)
    await endedJob(host, idIn(made))
    assertShown(read, await host.call("GET", `jobs/${idIn(made)}`))
    const dryRun = await host.call("POST", plan.path, { name: "b", model, benchmarks: [benchmark] })
    assertShown(plan, dryRun)
  })
})
