/** `evald validate` on files and folders, held against the whole shipped catalogue. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Either } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Finding } from "../../../interfaces/cli/findings.ts"
import { validatePath } from "../../../interfaces/main/compose/validation.ts"

let folder = ""
const written = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const findings = (path: string, local = false): ReadonlyArray<Finding> =>
  Either.getOrThrowWith(validatePath(path, "config", local), (reason) => new Error(reason))
const short = (all: ReadonlyArray<Finding>) =>
  all.map(({ severity, code, path, line }) => `${severity} ${code} ${path} ${line}`)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-validation-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const job = `name: nightly
model:
  url: http://127.0.0.1:9/v1
  name: m
benchmarks:
  - id: arith_basic
    provider_id: evald
  - id: unheard_of
    provider_id: evald
`

const policy = `name: release
criteria:
  - { benchmark: arith_basic, kind: relative_to_baseline, tolerance: 0 }
  - { benchmark: arith_basic, metric: exactness, kind: absolute, threshold: 0.8 }
  - { benchmark: unheard_of, kind: absolute, threshold: 0.8 }
  - { benchmark: arith_basic, kind: absolute, threshold: 0.8, direction: lower }
`

describe("evald validate", () => {
  it("a gate policy: unknown benchmarks and metrics, contradictions, and a tolerance that nothing passes", () => {
    assert.deepStrictEqual(short(findings(written("policy.yaml", policy))), [
      "error policy_invalid /criteria/1/metric 4",
      "error policy_invalid /criteria/2/benchmark 5",
      "error policy_invalid /criteria/3/direction 6",
      "warning probably_not_meant /criteria/0/tolerance 3"
    ])
    const right = "criteria: [{ benchmark: arith_basic, kind: absolute, threshold: 0.8 }]"
    assert.isEmpty(findings(written("right-policy.yaml", right)))
    assert.deepStrictEqual(short(findings(written("odd-policy.yaml", "criteria: [{ benchmarks: x }]"))).slice(0, 1), [
      "error invalid_value /criteria/0/benchmarks 1"
    ])
  })

  it("the shipped definitions have no errors", () => {
    const errors = findings("config").filter(({ severity }) => severity === "error")
    assert.deepStrictEqual(short(errors), [])
  })
  it("a job body is held against the catalogue, with the line of what is wrong", () => {
    assert.deepStrictEqual(short(findings(written("job.yaml", job), true)), [
      "error resource_does_not_exist /benchmarks/1/id 8"
    ])
    const good = JSON.stringify({
      name: "n",
      model: { url: "http://127.0.0.1:9/v1", name: "m" },
      benchmarks: [{ id: "arith_basic", provider_id: "evald" }]
    })
    assert.deepStrictEqual(findings(written("job.json", good), true), [])
    assert.deepStrictEqual(short(findings(written("shape.json", '{"model": {"url": 1}}'))).length > 0, true)
  })
  it("a job for a cluster may not name an address that its pods can not reach; the embedded benchmarks have an image there", () => {
    const body = (url: string) =>
      JSON.stringify({
        name: "n",
        model: { url, name: "m" },
        benchmarks: [{ id: "arith_basic", provider_id: "evald" }]
      })
    assert.deepStrictEqual(short(findings(written("inside.json", body("http://169.254.169.254/v1")))), [
      "error invalid_value /model/url 1"
    ])
    assert.deepStrictEqual(findings(written("fine.json", body("http://10.0.0.1/v1"))), [])
  })
  it("a definition outside the catalogue is checked as a part of it, under its own name", () => {
    const path = written(
      "my.yaml",
      "id: my\ntype: builtin\nname: my\nruntime: {local: {command: run}}\nbenchmarks: [{id: a, colour: red}]\n"
    )
    const [finding] = findings(path)
    assert.deepStrictEqual(
      [finding?.file, finding?.code, finding?.path, finding?.line],
      [path, "L001", "/benchmarks/0/colour", 5]
    )
  })
  it("a folder of one kind is checked together with its neighbour, and only its own problems are told", () => {
    mkdirSync(join(folder, "set", "providers"), { recursive: true })
    mkdirSync(join(folder, "set", "collections"), { recursive: true })
    written(
      "set/providers/p.yaml",
      "id: q\ntype: builtin\nname: p\nruntime: {local: {command: run}}\nbenchmarks: [{id: a}]\n"
    )
    written(
      "set/collections/c.yaml",
      "id: c\ntype: builtin\nname: c\ncategory: x\nbenchmarks: [{id: a, provider_id: unknown}]\n"
    )
    const own = findings(join(folder, "set", "providers"))
    assert.isTrue(own.some(({ code }) => code === "L002"))
    assert.isTrue(own.every(({ file }) => file.endsWith("p.yaml")))
    assert.isTrue(findings(join(folder, "set")).some(({ code, file }) => code === "L003" && file.endsWith("c.yaml")))
  })
  it("what is not there is unreadable, not clean", () => {
    assert.match(Either.getOrThrow(Either.flip(validatePath(join(folder, "absent.yaml"), "config", false))), /ENOENT/)
    mkdirSync(join(folder, "empty"))
    assert.isTrue(Either.isLeft(validatePath(join(folder, "empty"), "config", false)))
  })
})
