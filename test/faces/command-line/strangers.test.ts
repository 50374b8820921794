/** Commands that decide, import, check and run again, as somebody types them who guesses: what is wrong, where, and what would be right. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { listen, type Running, run } from "../../support/evald-process.ts"

let home = ""
let server: Running
let model: Running
let id = ""
let another = ""
const absent = "0198b2a0-0000-7000-8000-00000000dead"

const file = (name: string, content: string | Buffer): string => {
  const path = join(home, name)
  writeFileSync(path, content)
  return path
}
const environment = () => ({ HOME: home, TMPDIR: home, EVALD_SERVER: server.url })

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "evald-strangers-"))
  mkdirSync(join(home, "folder"))
  server = await listen(["server", "-local"], { PORT: "0", HOME: home, TMPDIR: home })
  model = await listen(["demo-model", "--port", "0"])
  const target = ["--model", model.url, "--name", "evald-demo", "--benchmark", "arith_basic", "--num-examples", "10"]
  const made = await Promise.all([1, 2].map(() => run(["run", ...target, "--wait", "-o", "name"], environment())))
  const [first = "", second = ""] = made.map(({ stdout }) => stdout.trim().replace("job/", ""))
  id = first
  another = second
})
afterAll(async () => {
  await Promise.all([server.stop(), model.stop()])
  rmSync(home, { recursive: true, force: true })
})

/** what is typed, and what the complaint must name */
type Guess = readonly [args: ReadonlyArray<string>, names: RegExp]

const policy = (criteria: unknown) => JSON.stringify({ criteria })
const job = (more: object) =>
  JSON.stringify({
    ...{ name: "guessed", model: { url: model.url, name: "evald-demo" } },
    benchmarks: [{ id: "arith_basic", provider_id: "evald", parameters: { num_examples: 1 } }],
    ...more
  })

const guesses: { readonly [command: string]: () => ReadonlyArray<Guess> } = {
  compare: () => [
    [[], /compare/],
    [[id], /candidate|job/i],
    [[id, absent], /dead/],
    [[id, id], /twice|other/],
    [["", another], /baseline|job/],
    [[id, another, "--tolerance", "lots"], /tolerance/],
    [[id, another, "--tolerance", "-1"], /tolerance/],
    [[id, another, "-o", "pdf"], /output|pdf/],
    [[id, "a\u001b[2J"], /candidate|job/],
    [[id, ...Array.from({ length: 8 }, () => another)], /candidates|twice/],
    [[id, another, "--alpha", "1"], /alpha/]
  ],
  gate: () => {
    const by = (name: string, content: string | Buffer) => ["--policy", file(name, content)]
    return [
      [[id], /--policy/],
      [["--policy", join(home, "nowhere.yaml"), id], /nowhere\.yaml/],
      [["--policy", join(home, "folder"), id], /folder/],
      [[id, ...by("empty.yaml", "")], /empty\.yaml is empty/],
      [[id, ...by("text.yaml", "be strict")], /policy/],
      [[id, ...by("broken.yaml", "criteria: [")], /broken\.yaml/],
      [[id, ...by("bytes.yaml", Buffer.from([0xff, 0xfe, 0, 1]))], /bytes\.yaml|policy/],
      [[id, ...by("list.json", "[]")], /policy/],
      [[id, ...by("none.json", policy([]))], /criteria/],
      [[id, ...by("benchmark.json", policy([{ benchmark: "gsm8k", kind: "absolute", threshold: 0.5 }]))], /benchmark/],
      [[id, ...by("kind.json", policy([{ benchmark: "arith_basic", kind: "best" }]))], /kind/],
      [[absent, ...by("good.json", policy([{ benchmark: "arith_basic", kind: "absolute", threshold: 0.5 }]))], /dead/],
      [
        [
          id,
          "--baseline",
          absent,
          ...by("relative.json", policy([{ benchmark: "arith_basic", kind: "relative_to_baseline", tolerance: 0.1 }]))
        ],
        /dead|baseline/
      ]
    ]
  },
  rerun: () => [
    [[], /job|rerun/i],
    [[absent], /dead/],
    [["not-an-id"], /not-an-id/],
    [[""], /argument 1 is empty/],
    [[id, "--failed"], /failed/],
    [[id, "--invalid"], /invalid/],
    [[id, "--failed", "--invalid"], /--failed|--invalid|which/],
    [[id, another], /argument|one/],
    [[id, "--everything"], /everything/],
    [["a\u001b[2J"], /job|a/]
  ],
  run: () => {
    const of = (name: string, more: object) => ["-f", file(name, job(more))]
    const hook = { url: "https://hooks.example.com", events: ["completed"], secret_ref: "hook" }
    return [
      [of("requests.json", { budget: { requests: 0 } }), /budget\/requests/],
      [of("tokens.json", { budget: { tokens: "many" } }), /budget\/tokens/],
      [of("cost.json", { budget: { cost: 1 } }), /budget\/cost/],
      [of("events.json", { notifications: [{ ...hook, events: ["done"] }] }), /notifications\/0\/events/],
      [of("http.json", { notifications: [{ ...hook, url: "http://hooks.example.com" }] }), /notifications\/0\/url/],
      [of("file.json", { notifications: [{ ...hook, url: "file:///etc/passwd" }] }), /notifications\/0\/url/],
      [
        of("metric.json", {
          gate: { policy: { criteria: [{ benchmark: "arith_basic", kind: "absolute", threshold: 0.5, metric: "f2" }] } }
        }),
        /gate\/policy\/criteria\/0\/metric/
      ],
      [
        of("baseline.json", {
          gate: {
            policy: { criteria: [{ benchmark: "arith_basic", kind: "relative_to_baseline", tolerance: 0 }] },
            baseline: { job: absent }
          }
        }),
        /gate\/baseline/
      ],
      [of("resume.json", { resume: "yes" }), /resume/],
      [["-f", join(home, "nowhere.json")], /nowhere\.json/]
    ]
  },
  import: () => {
    const openai = (name: string, content: string | Buffer) => ["openai-evals", file(name, content)]
    const foo = (name: string, content: string) => ["promptfoo", file(name, content)]
    return [
      [[], /format/],
      [["excel", file("a.xlsx", "")], /openai-evals/],
      [["promptfoo"], /file/],
      [["openai-evals", join(home, "nowhere.json")], /nowhere\.json/],
      [["openai-evals", join(home, "folder")], /folder/],
      [openai("empty.json", ""), /empty\.json/],
      [openai("bytes.json", Buffer.from([0xff, 0xfe])), /bytes\.json/],
      [openai("list.json", "[]"), /list\.json/],
      [openai("number.json", "7"), /number\.json/],
      [openai("criteria.json", JSON.stringify({ object: "eval", testing_criteria: "all" })), /criteria/],
      [["openai-evals", file("eval.json", "{}"), "--data", file("rows.jsonl", "{]")], /rows\.jsonl|eval\.json/],
      [foo("empty.yaml", ""), /empty\.yaml/],
      [foo("text.yaml", "prompts"), /text\.yaml/],
      [foo("tests.yaml", "prompts: [hello]\ntests: 7\n"), /tests/],
      [
        foo(
          "bomb.yaml",
          `a: &a [x]\n${Array.from({ length: 9 }, (_, at) => `${"bcdefghij"[at]}: &${"bcdefghij"[at]} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[at]}`).join(",")}]`).join("\n")}\n`
        ),
        /bomb\.yaml/
      ],
      [foo("colon.yaml", "prompts: [a\n"), /colon\.yaml/]
    ]
  },
  verify: () => {
    const key = [
      "--key",
      file(
        "key.pem",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"
      )
    ]
    const envelope = (more: object) =>
      JSON.stringify({
        payload: "e30=",
        payloadType: "application/vnd.in-toto+json",
        signatures: [{ sig: "AA==" }],
        ...more
      })
    return [
      [[], /which file/],
      [[file("a.json", "{}")], /--key/],
      [[file("b.json", "{}"), "--key", join(home, "nowhere.pem")], /nowhere\.pem/],
      [[file("c.json", "{}"), "--key", file("text.pem", "my key")], /text\.pem/],
      [[join(home, "nowhere.json"), ...key], /nowhere\.json/],
      [[join(home, "folder"), ...key], /folder can not be read/],
      [[file("empty.json", ""), ...key], /empty\.json/],
      [[file("bytes.json", Buffer.from([0xff, 0xfe])), ...key], /UTF-8/],
      [[file("list.json", "[]"), ...key], /list\.json/],
      [[file("none.json", "{}"), ...key], /none\.json/],
      [[file("unsigned.json", envelope({ signatures: [] })), ...key], /unsigned\.json/],
      [[file("forged.json", envelope({})), ...key], /forged\.json/],
      [[file("type.json", envelope({ payloadType: 7 })), ...key], /type\.json/],
      [[file("d.json", "{}"), file("e.json", "{}"), ...key], /one file/]
    ]
  },
  validate: () => [
    [[join(home, "nowhere.yaml")], /nowhere\.yaml/],
    [[file("policy-empty.json", policy([]))], /criteria/],
    [
      [
        file(
          "policy-metric.json",
          policy([{ benchmark: "arith_basic", kind: "absolute", threshold: 0.5, metric: "f2" }])
        )
      ],
      /metric/
    ],
    [[file("policy-kind.json", policy([{ benchmark: "arith_basic", kind: "best" }]))], /kind/],
    [
      [file("policy-alpha.json", policy([{ benchmark: "arith_basic", kind: "absolute", threshold: 0.5, alpha: 2 }]))],
      /alpha/
    ],
    [[file("job-budget.json", job({ budget: { requests: -1 } }))], /budget\/requests/]
  ]
}

describe("a guess", () => {
  for (const [command, made] of Object.entries(guesses))
    it(`at ${command} ends with a sentence that names what is wrong`, async () => {
      const found: Array<string> = []
      for (const [args, names] of made()) {
        const { code, stdout, stderr } = await run([command, ...args], environment())
        const isRight =
          code !== 0 && code !== 70 && names.test(stderr + stdout) && !/\n\s+at |undefined|\[object|NaN/.test(stderr)
        const hasControl = (stdout + stderr).includes("\u001b")
        if (!isRight || hasControl) found.push(`${args.join(" ")}: exit ${code}: ${(stderr + stdout).slice(0, 300)}`)
      }
      assert.deepStrictEqual(found, [])
    })
})
