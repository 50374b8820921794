/**
 * Evaluations of other tools, imported with the command line and run as jobs of a real server. What model and grader reply is known, so the
 * scores are.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { run } from "../../support/evald-process.ts"
import { bodyOf, type Running, serve } from "../../support/loopback-server.ts"
import { outcomes, type ServiceHost, serviceHost } from "../../support/service-host.ts"

/** what is asked → what is said; of the grader by the reply that it is shown */
const replies: ReadonlyArray<readonly [asked: RegExp, reply: string]> = [
  [/monitor/, "Hardware"],
  [/vim/, "It is software"],
  [/Cleveland/, "Other"],
  [/France/, "Paris, PARIS"],
  [/Italy/, "The capital is Rome"],
  [/Japan/, "Tokyo"],
  [/Peru/, "Lima, my friend"]
]

const gradeOf = (question: string): string => {
  if (question.includes("Label:"))
    return /Reply: Hardware/.test(question)
      ? "Label: terse"
      : /Lima/.test(question)
        ? "Friendly.\nLabel: yes"
        : "Label: rude"
  return /: It is software/.test(question) ? "Score: 7" : "Score: 2.5"
}

const model = () =>
  serve((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}")
      const { messages, model: name } = JSON.parse(body.toString()) as {
        readonly model: string
        readonly messages: ReadonlyArray<{ readonly content: string }>
      }
      const asked = messages.at(-1)?.content ?? ""
      const content =
        name === "grader-mini" ? gradeOf(asked) : (replies.find(([pattern]) => pattern.test(asked))?.[1] ?? "no idea")
      const answer = {
        id: "1",
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
        usage: { prompt_tokens: 1, completion_tokens: 1 }
      }
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })

let folder: string
let host: ServiceHost
let endpoint: Running

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "evald-imported-"))
  mkdirSync(join(folder, "data"))
  endpoint = await model()
  host = await serviceHost({ shipped: true, config: { local: { test_data_dir: join(folder, "data") } } })
})
afterAll(async () => {
  await host.stop()
  await endpoint.close()
  rmSync(folder, { recursive: true, force: true })
})

const fixture = (name: string) => join("test/fixtures/import", name)

interface Record {
  readonly files: ReadonlyArray<{ readonly file: string; readonly rows: number }>
  readonly left_out: ReadonlyArray<{ readonly what: string; readonly why: string }>
}

/** imports, lets the server know the collection, runs a job of it; scores by data file */
const evaluated = async (format: string, file: string, id: string) => {
  const output = join(folder, format)
  const judge = ["--judge-url", `${endpoint.url}/v1`, "--judge-name", "grader-mini"]
  const { code, stdout, stderr } = await run(["import", format, fixture(file), "--output", output, ...judge])
  assert.strictEqual(code, 0, stderr)
  const { id: _, ...definition } = parse(readFileSync(join(output, "collections", `${id}.yaml`), "utf8")) as {
    readonly id: string
    readonly benchmarks: ReadonlyArray<{ readonly parameters: { readonly data_path: string } }>
  }
  cpSync(join(output, "data"), join(folder, "data"), { recursive: true })
  const made = await host.expected(201, "POST", "collections", definition)
  const collection = (made.json as { readonly resource: { readonly id: string } }).resource.id
  const job = await host.evaluate({ url: `${endpoint.url}/v1`, name: "m" }, [], { collection: { id: collection } })
  assert.deepStrictEqual(
    outcomes(job),
    definition.benchmarks.map(() => "completed"),
    JSON.stringify(job.status)
  )
  const record = JSON.parse(readFileSync(join(output, `${id}.import.json`), "utf8")) as Record
  const scores = Object.fromEntries(
    job.results.benchmarks.map(({ metrics }, index) => [definition.benchmarks[index]?.parameters.data_path, metrics])
  )
  return { stdout, record, scores }
}

const third = (count: number) => count / 3

describe("evald import", () => {
  it("openai-evals: an eval with its run becomes a job with the scores that it had, and says what it left out", async () => {
    const { stdout, record, scores } = await evaluated("openai-evals", "eval.json", "support-answers")
    const metric = (file: string, name = "score") => scores[file]?.[name]
    assert.deepStrictEqual(
      [
        metric("1-exact-label.jsonl"),
        metric("2-names-it-anywhere.jsonl"),
        metric("3-is-not-other.jsonl"),
        metric("6-tone.jsonl"),
        metric("7-helpful.jsonl"),
        metric("7-helpful.jsonl", "grader_value")
      ].map((value) => Number(Number(value).toFixed(6))),
      [third(2), 1, third(2), third(1), third(1), (0.25 + 1 + 0.25) / 3].map((value) => Number(value.toFixed(6)))
    )
    assert.match(stdout, /left out: criterion 'Cosine': its metric 'cosine'/)
    assert.strictEqual(record.left_out.length, 3)
    assert.deepStrictEqual(
      record.files.map(({ rows }) => rows),
      [3, 3, 3, 3, 3, 3]
    )
  })

  it("promptfoo: tests become a job in which a test passes when its assertions hold", async () => {
    const { stdout, record, scores } = await evaluated("promptfoo", "promptfooconfig.yaml", "capitals-and-manners")
    // all pass under both prompts but Japan, which does not begin as it must
    assert.strictEqual(scores["assertions.jsonl"]?.["score"], 8 / 10)
    assert.strictEqual(scores["rubrics.jsonl"]?.["score"], 1)
    assert.match(stdout, /left out: test 4, prompt 1: its assertion 'javascript' has no counterpart/)
    assert.strictEqual(record.left_out.length, 4)
  })

  it("a file that is none: exit 1 with the reason, and nothing is written; a wrong command line: exit 64", async () => {
    const output = join(folder, "none")
    const wrong = await run(["import", "promptfoo", fixture("eval.json"), "--output", output])
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /eval\.json can not be imported as promptfoo: it has no prompts/)
    const unread = await run(["import", "openai-evals", fixture("promptfooconfig.yaml"), "--output", output])
    assert.match(unread.stderr, /cannot be read as JSON/)
    assert.strictEqual((await run(["import", "openai-evals", join(folder, "absent.json")])).code, 1)
    assert.isFalse(existsSync(output))
    for (const args of [
      [],
      ["garak", "x"],
      ["promptfoo"],
      ["promptfoo", "a", "b"],
      ["promptfoo", "a", "--outptu", "x"]
    ]) {
      const { code, stderr } = await run(["import", ...args])
      assert.strictEqual(code, 64)
      assert.match(stderr, /Usage: evald import/)
    }
  })
})
