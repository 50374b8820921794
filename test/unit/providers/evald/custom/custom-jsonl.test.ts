import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JobSpec } from "../../../../../providers/contract/job-spec.ts"
import { customJsonl } from "../../../../../providers/evald/custom/custom-jsonl.ts"
import type { ChatMessage } from "../../../../../providers/sdk/model/model-exchange.ts"
import { type FakeClient, fakeClient, metric, run, scoreOf, temporaryFolder } from "../fake-client.ts"

type Files = { readonly [path: string]: string }

const lines = (...records: ReadonlyArray<object>) => records.map((record) => JSON.stringify(record)).join("\n")

/** runs the benchmark over the given files in a fresh test data folder */
const evaluate = (
  files: Files,
  parameters: JobSpec["parameters"],
  client: FakeClient,
  data = (folder: string) => folder
) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    return yield* run(customJsonl, client, { parameters, job: { test_data_dir: data(folder) } })
  })

const says = (replies: ReadonlyArray<string>) => fakeClient((_, call) => replies[call - 1] ?? "")
const last = (messages: ReadonlyArray<ChatMessage> | undefined) => messages?.at(-1)?.content ?? ""
const serial = { num_concurrent: 1 }

const refusal = (files: Files, parameters: JobSpec["parameters"], data?: (folder: string) => string) =>
  Effect.flip(evaluate(files, parameters, says([]), data))

describe("custom data", () => {
  it.scoped("exact match: strict, flexible, and what the prompt says", () =>
    Effect.gen(function* () {
      const data = lines(
        { id: "a", question: "Capital of France?", answer: "Paris" },
        { id: "b", question: "Capital of Italy?", answer: ["Rome", "Roma"], context: "Think of the Tiber." },
        { id: "c", question: "Capital of Spain?", answer: "Madrid" },
        { id: "d", question: "2 + 2?", answer: 4 }
      )
      const client = says(["Answer: Paris", "It is\nanswer: Roma", "the MADRID.", "I count and get 4 in the end"])
      const results = yield* evaluate(
        { "q.jsonl": data },
        { ...serial, data_path: "q.jsonl", scorer: "exact_match" },
        client
      )
      assert.strictEqual(scoreOf(results, "exact_match"), 0.5)
      assert.strictEqual(scoreOf(results, "exact_match_flexible"), 1)
      assert.strictEqual(
        last(client.chats[1]?.messages),
        'Think of the Tiber.\n\nCapital of Italy?\n\nFinish with a last line of the form "Answer: <x>", where <x> is nothing but your answer.'
      )
    })
  )

  it.scoped("whatever the scorer, its metric is also the primary one, `score`", () =>
    Effect.gen(function* () {
      const data = { "q.jsonl": lines({ question: "2 + 2?", answer: "4" }, { question: "2 + 3?", answer: "5" }) }
      const choices = {
        "q.jsonl": lines(
          { question: "Q", choices: ["a", "b"], answer: "a" },
          { question: "R", choices: ["a", "b"], answer: "a" }
        )
      }
      const cases: ReadonlyArray<readonly [Files, JobSpec["parameters"], ReadonlyArray<string>, string]> = [
        [data, {}, ["It makes 4.", "Answer: 6"], "exact_match_flexible"],
        [data, { scorer: "exact_match" }, ["It makes 4.", "Answer: 5"], "exact_match"],
        [data, { scorer: "numeric_match" }, ["It makes 4.", "6"], "numeric_match"],
        [data, { scorer: "regex_match" }, ["4", "no"], "regex_match"],
        [data, { scorer: "f1" }, ["4", "6"], "f1"],
        [data, { scorer: "rouge_l" }, ["4", "6"], "rouge_l"],
        [data, { scorer: "bleu" }, ["4", "6"], "bleu"],
        [data, { scorer: "chrf" }, ["4", "6"], "chrf"],
        [choices, {}, ["Answer: A", "Answer: B"], "acc"]
      ]
      for (const [files, parameters, replies, name] of cases) {
        const results = yield* evaluate(files, { ...serial, ...parameters }, says(replies))
        assert.strictEqual(results.metrics[0]?.name, "score", name)
        assert.strictEqual(scoreOf(results, "score"), scoreOf(results, name), name)
        assert.closeTo(scoreOf(results, "score"), 0.5, 1e-9, name)
      }
    })
  )

  it.scoped("prompts and messages are sent as they are", () =>
    Effect.gen(function* () {
      const messages = [
        { role: "system", content: "Be short." },
        { role: "user", content: "Say yes." }
      ]
      const client = says(["yes", "no"])
      const results = yield* evaluate(
        { "q.jsonl": lines({ messages, answer: "yes" }, { prompt: "Say no.", answer: "no" }) },
        serial,
        client
      )
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.deepStrictEqual(client.chats[0]?.messages, messages as ReadonlyArray<ChatMessage>)
      assert.strictEqual(last(client.chats[1]?.messages), "Say no.")
    })
  )

  it.scoped("CSV with renamed columns and choices is scored by letter", () =>
    Effect.gen(function* () {
      const csv = 'q,opts,key\n"Which is a fruit?",apple|brick|cloud,apple\nWhich is a metal?,wood|tin|milk|salt,B'
      const parameters = { ...serial, columns: { question: "q", choices: "opts", answer: "key" } }
      const client = says(["Answer: A", "Answer: C"])
      const results = yield* evaluate({ "q.csv": csv }, parameters, client)
      assert.strictEqual(scoreOf(results, "acc"), 0.5)
      assert.include(last(client.chats[0]?.messages), "the letter of the right option: A, B or C.")
      assert.include(last(client.chats[1]?.messages), "D) salt")
    })
  )

  it.scoped("numbers within a tolerance, patterns, and overlaps", () =>
    Effect.gen(function* () {
      const numbers = lines(
        { question: "length?", answer: 3.251 },
        { question: "width?", answer: "2.718" },
        { question: "g?", answer: 9.81 }
      )
      const near = yield* evaluate(
        { "n.jsonl": numbers },
        { ...serial, scorer: "numeric_match", tolerance: 0.01 },
        says(["Answer: 3.25", "about 2.9", "no idea"])
      )
      assert.strictEqual(scoreOf(near, "numeric_match"), 1 / 3)
      assert.deepInclude(near.additionalInfo?.["counts"], { invalid: 1 })

      const greet = lines(
        { prompt: "Greet.", answer: "^(Hello|Hi)\\b" },
        { prompt: "Greet.", answer: "^(Hello|Hi)\\b" }
      )
      assert.strictEqual(
        scoreOf(
          yield* evaluate({ "r.jsonl": greet }, { ...serial, scorer: "regex_match" }, says(["Hi there", "Oh, Hi"])),
          "regex_match"
        ),
        0.5
      )
      const code = lines({ prompt: "Code?", answer: "A7" }, { prompt: "Code?", answer: "A7" })
      const grouped = { ...serial, scorer: "regex_match", regex: "code: (\\w+)" }
      assert.strictEqual(
        scoreOf(yield* evaluate({ "r.jsonl": code }, grouped, says(["code: A7", "code: B7"])), "regex_match"),
        0.5
      )

      const text = lines({ question: "Q", answer: "big red bus" }, { question: "Q", answer: "one two three" })
      const overlap = yield* evaluate(
        { "t.jsonl": text },
        { ...serial, scorer: "f1" },
        says(["red car", "one two three"])
      )
      assert.closeTo(scoreOf(overlap, "f1"), 0.7, 1e-9)
      const rouge = yield* evaluate(
        { "t.jsonl": text },
        { ...serial, scorer: "rouge_l" },
        says(["big blue bus", "three two one"])
      )
      assert.closeTo(scoreOf(rouge, "rouge_l"), 0.5, 1e-9)
    })
  )

  it.scoped("bleu and chrf are scores of the set, with an interval from twenty and from thirty rows on", () =>
    Effect.gen(function* () {
      const text = lines(
        { prompt: "P", answer: ["The dog bit the man.", "The dog had bit the man."] },
        { prompt: "P", answer: ["It was not unexpected.", "No one was surprised."] },
        { prompt: "P", answer: ["The man bit him first.", "The man had bitten the dog."] }
      )
      const replies = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
      const bleu = yield* evaluate({ "t.jsonl": text }, { ...serial, scorer: "bleu" }, says(replies))
      assert.closeTo(scoreOf(bleu, "bleu"), 0.4853, 5e-5)
      assert.isUndefined(metric(bleu, "bleu").ci, "three rows say nothing about their spread")
      const many = (length: number) => ({
        "t.jsonl": lines(
          ...Array.from({ length }, (_, index) => ({ prompt: `P${index}`, answer: "The dog bit the man." }))
        )
      })
      const some = (length: number) =>
        says(Array.from({ length }, (_, at) => replies[Math.floor((3 * at) / length)] ?? ""))
      const wide = metric(yield* evaluate(many(20), { ...serial, scorer: "bleu" }, some(20)), "bleu")
      assert.strictEqual(wide.ciMethod, "jackknife")
      assert.isTrue((wide.ci?.[0] ?? 1) < Number(wide.value) && Number(wide.value) < (wide.ci?.[1] ?? 0))
      const chrf = yield* evaluate({ "t.jsonl": text }, { ...serial, scorer: "chrf" }, says(replies))
      assert.closeTo(scoreOf(chrf, "chrf"), 0.5973, 5e-5)
      const of = (length: number) => evaluate(many(length), { ...serial, scorer: "chrf" }, some(length))
      assert.isUndefined(metric(yield* of(29), "chrf").ci, "it would promise too much")
      assert.strictEqual(metric(yield* of(30), "chrf").ciMethod, "jackknife")
    })
  )

  it.scoped("few-shot examples are taken out of the data", () =>
    Effect.gen(function* () {
      const data = lines(...Array.from({ length: 6 }, (_, index) => ({ question: `Q${index}`, answer: `A${index}` })))
      const client = fakeClient((messages) => `Answer: A${/Q(\d)/.exec(last(messages))?.[1]}`)
      const results = yield* evaluate({ "q.jsonl": data }, { num_few_shot: 2 }, client)
      assert.strictEqual(metric(results, "exact_match").n, 4)
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      const asked = client.chats.map(({ messages }) => last(messages))
      const shown =
        client.chats[0]?.messages
          .filter(({ role }, index, all) => role === "user" && index < all.length - 1)
          .map(({ content }) => content) ?? []
      assert.strictEqual(shown.length, 2)
      assert.isTrue(shown.every((content) => !asked.includes(content)))
      assert.strictEqual((yield* refusal({ "q.jsonl": data }, { num_few_shot: 6 })).code, "dataset_invalid")
    })
  )

  it.scoped("a folder is read in order of names; ids are stable", () =>
    Effect.gen(function* () {
      const client = says(["x", "y"])
      const files = {
        "set/b.csv": "question,answer\nQ2,y",
        "set/a.jsonl": lines({ question: "Q1", answer: "x" }),
        "set/notes.txt": "ignored",
        "other.jsonl": "broken"
      }
      const results = yield* evaluate(files, { ...serial, data_path: "set" }, client)
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
      assert.deepInclude(results.additionalInfo?.["dataset"], { id: "custom_jsonl", size: 2, used: 2 })
    })
  )

  it.scoped("the first bad line is named with its file", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Files, JobSpec["parameters"], string, string]> = [
        [
          { "q.jsonl": `${lines({ question: "Q", answer: "x" })}\n{"question":` },
          {},
          "dataset_invalid",
          "q.jsonl line 2 is not JSON"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }, { answer: "x" }) },
          {},
          "dataset_invalid",
          "q.jsonl line 2 has none of the columns"
        ],
        [
          { "q.jsonl": lines({ id: "a", question: "Q", answer: "x" }, { id: "a", question: "R", answer: "x" }) },
          {},
          "dataset_invalid",
          'line 2 repeats the id "a"'
        ],
        [{ "q.csv": "question,answer\n1,2,3" }, {}, "dataset_invalid", "q.csv line 2 has 3 cells"],
        [{ "q.jsonl": "" }, {}, "dataset_invalid", "no record"],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }) },
          { scorer: "acc" },
          "dataset_invalid",
          "q.jsonl line 1 has no choices"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }) },
          { scorer: "numeric_match" },
          "dataset_invalid",
          "line 1 has a reference that is not a number"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "(" }) },
          { scorer: "regex_match" },
          "dataset_invalid",
          "line 1 has a reference that is no regular expression"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }) },
          { scorer: "regex_match", regex: "(" },
          "invalid_parameter",
          "regex does not compile"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }) },
          { scorer: "vibes" },
          "invalid_parameter",
          "known are exact_match"
        ],
        [
          { "q.jsonl": lines({ question: "Q", answer: "x" }) },
          { columns: { frage: "question" } },
          "invalid_parameter",
          "columns.frage"
        ],
        [{ "q.txt": "x" }, {}, "dataset_unavailable", "no .jsonl, .ndjson or .csv file"],
        [{ "q.txt": "x" }, { data_path: "q.txt" }, "dataset_invalid", "format is not known"],
        [{ "q.jsonl": "x" }, { data_path: "missing.jsonl" }, "dataset_unavailable", "missing.jsonl"]
      ]
      for (const [files, parameters, code, words] of cases) {
        const error = yield* refusal(files, parameters)
        assert.strictEqual(error.code, code, error.message)
        assert.include(error.message, words)
      }
    })
  )

  it.scoped("no path and no link leads out of the test data folder", () =>
    Effect.gen(function* () {
      const outside = yield* temporaryFolder
      writeFileSync(join(outside, "secret.jsonl"), lines({ question: "Q", answer: "x" }))
      const good = { "q.jsonl": lines({ question: "Q", answer: "x" }) }
      for (const data_path of [
        "../x.jsonl",
        "a/../../x.jsonl",
        "..\\x.jsonl",
        join(outside, "secret.jsonl"),
        "/etc/passwd",
        "q.jsonl\0",
        "link.jsonl",
        "linked"
      ]) {
        const error = yield* refusal(good, { data_path }, (folder) => {
          symlinkSync(join(outside, "secret.jsonl"), join(folder, "link.jsonl"))
          symlinkSync(outside, join(folder, "linked"))
          return folder
        })
        assert.strictEqual(error.code, "invalid_parameter", data_path)
        assert.include(error.message, "test data folder")
      }
      const inFolder = yield* refusal(good, {}, (folder) => {
        symlinkSync(join(outside, "secret.jsonl"), join(folder, "link.jsonl"))
        return folder
      })
      assert.strictEqual(inFolder.code, "invalid_parameter")
    })
  )

  it.scoped("an absolute path inside the folder is fine", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      writeFileSync(join(folder, "q.jsonl"), lines({ question: "Q", answer: "x" }))
      const results = yield* run(customJsonl, says(["x"]), {
        parameters: { data_path: join(folder, "q.jsonl") },
        job: { test_data_dir: folder }
      })
      assert.strictEqual(scoreOf(results, "exact_match"), 1)
    })
  )
})
