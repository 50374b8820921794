/** T0: whatever the server can be configured with, an instance can be given, or the reference says why not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { load } from "../../../../../config/load.ts"
import type { Setting } from "../../../../../config/settings/kinds.ts"
import { settingMaps, settings } from "../../../../../config/settings.ts"
import { customResourceDefinition } from "../../../../../infrastructure/kubernetes/manifests/crd.ts"
import {
  configProblems,
  ownedSettings,
  paths
} from "../../../../../infrastructure/kubernetes/manifests/server-config.ts"
import { textMember } from "../../../../../values/json.ts"
import { desiredOf, instanceOf, sqlite } from "../../../../support/operator-inputs.ts"

const table: { readonly [key: string]: Setting<unknown> } = settings
const definition = JSON.stringify(customResourceDefinition("evald.internal"))

/** settings by what the reference says of them, in the first column of its table */
const documented = (words: RegExp): ReadonlyArray<string> =>
  readFileSync("docs/reference/operator.md", "utf8")
    .split("## Configuration of the server")[1]
    ?.split("\n## ")[0]
    ?.split("\n")
    .flatMap((line) => {
      const [, first = "", second = ""] = /^\| (`.+) \| (.+) \|$/.exec(line) ?? []
      return words.test(second) ? [...first.matchAll(/`([^`]+)`/g)].map(([, key = ""]) => key) : []
    }) ?? []

const isBelow = (key: string, prefixes: Iterable<string>): boolean =>
  [...prefixes].some((prefix) => key === prefix || key.startsWith(`${prefix}.`))

const useless = documented(/^not at all: /)
const asFiles = documented(/files that `spec\.mounts` brings$/)
const asVariables = documented(/^variables of `spec\.env`, taken/)
const owned = Object.keys(ownedSettings)

const candidates = [
  "some-text",
  "1",
  "2",
  "30",
  "0.5",
  "false",
  "true",
  "20000",
  "100000000",
  "mirror.example/images",
  "/m",
  "requests=200"
]

/** a value that is read and is not the default */
const sample = ({ initial, read }: Setting<unknown>): string => {
  const choices = Either.match(read("?"), {
    onLeft: (reason) => /one of (.+)$/.exec(reason)?.[1]?.split(", ") ?? [],
    onRight: () => []
  })
  const isNew = (text: string) =>
    Either.match(read(text), { onLeft: () => false, onRight: (value) => value !== initial })
  return [...choices, ...candidates].find(isNew) ?? ""
}

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "evald-test-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const served = (config: object, environment: { readonly [name: string]: string } = {}) => {
  const desired = desiredOf(instanceOf({ ...sqlite, config }))
  const map = desired.config.find(({ metadata }) => metadata.name === "evald.config")
  writeFileSync(join(folder, "config.yaml"), textMember(map?.["data"], "config.yaml") ?? "")
  return Effect.runSync(load(folder, environment)) as unknown as { readonly [key: string]: unknown }
}

const free = Object.keys(table).filter((key) => !isBelow(key, [...owned, ...useless]) && table[key]?.secret === false)

describe("T0: settings of an instance", () => {
  it("all that are free reach the server through spec.config", () => {
    assert.isAbove(free.length, 100)
    const given = free.map((key) => [key, sample(table[key] as Setting<unknown>)] as const)
    assert.deepStrictEqual(
      given.flatMap(([key, text]) => (text === "" ? [key] : [])),
      []
    )
    const found = served(Object.fromEntries(given))
    for (const [key, text] of given)
      assert.deepStrictEqual(found[key], Either.getOrThrow((table[key] as Setting<unknown>).read(text)), key)
  })

  it("secrets reach it by a variable that spec.env may set", () => {
    const secrets = Object.keys(table).filter(
      (key) => table[key]?.secret === true && !isBelow(key, [...owned, ...useless])
    )
    assert.sameMembers(secrets, [...asVariables])
    for (const key of secrets) {
      const variable = table[key]?.variable
      assert.isString(variable, `${key} has no variable: give it one, or say in operator.md why an instance needs none`)
      assert.notInclude(definition, `'${variable}'`)
      assert.isDefined(served({}, { [String(variable)]: "text" })[key], key)
    }
  })

  it("those that name a file are known, and spec.mounts brings the file to where they say", () => {
    const named = free.filter((key) => /(_path|_dir|\.dir|_file)$/.test(key))
    assert.sameMembers(named, [...asFiles], "say in operator.md where the file comes from")
    const desired = desiredOf(
      instanceOf({
        ...sqlite,
        mounts: [
          { path: "notifications/team-a/hook", secret: "team-a-hook" },
          { path: "roots", configMap: "site-roots", optional: true }
        ]
      })
    )
    const { template } = desired.deployment["spec"] as {
      template: {
        spec: { volumes: Array<{ name: string }>; containers: Array<{ volumeMounts: Array<{ name: string }> }> }
      }
    }
    const volumes = template.spec.volumes.filter(({ name }) => name.startsWith("mount-"))
    assert.deepStrictEqual(
      volumes.map(({ name: _, ...source }) => source),
      [
        { secret: { secretName: "team-a-hook", defaultMode: 0o440 } },
        { configMap: { name: "site-roots", optional: true } }
      ]
    )
    assert.deepStrictEqual(
      template.spec.containers[0]?.volumeMounts.filter(({ name }) => name.startsWith("mount-")),
      volumes.map(({ name }, place) => ({
        name,
        mountPath: `${paths.mounts}/${["notifications/team-a/hook", "roots"][place]}`,
        readOnly: true
      }))
    )
  })

  it("those that something else decides are in the reference, each once, and no others", () => {
    const rows = documented(/./).filter((key) => !isBelow(key, [...useless, ...asFiles, ...asVariables]))
    assert.sameMembers([...rows], owned)
    for (const key of [...rows, ...useless])
      assert.isTrue(
        [...Object.keys(table), ...Object.keys(settingMaps)].some((one) => isBelow(one, [key])),
        `${key} is no setting`
      )
  })

  it("names in free maps are judged before a pod has to read them", () => {
    const problems = (config: object) => configProblems(instanceOf({ ...sqlite, config }))
    const maps = {
      prices: { "gpt-4.1": { input: 2, output: 8 } },
      budgets: { caps: { "team-a": { requests: 10 } } },
      validity: { tenants: { "team-a": { truncated: 0.1 } } },
      notifications: {
        tenants: { "team-a": { hook: { url: "https://x.example", events: ["failed"], secret_ref: "hook" } } }
      },
      providers: { images: { evald: "registry.example/evald:1" } }
    }
    assert.deepStrictEqual(problems(maps), [])
    assert.deepStrictEqual(served(maps)["prices"], maps.prices)
    assert.sameMembers(
      Object.keys(settingMaps).filter((key) => !isBelow(key, [...owned, ...useless])),
      ["providers.images", "validity.tenants", "notifications.tenants", "budgets.defaults", "budgets.caps", "prices"]
    )
    assert.deepStrictEqual(problems({ prices: { m: { input: 2 } } }), [
      "spec.config: prices.m needs both input and output"
    ])
    assert.deepStrictEqual(problems({ budgets: { caps: { a: { requests: -1 } } } }), [
      "spec.config: budgets.caps.a.requests expected a number from 0, not '-1'"
    ])
    assert.deepStrictEqual(problems({ notifications: { tenants: { a: { hook: { url: "https://x.example" } } } } }), [
      "spec.config: notifications.tenants.a.hook.events is missing in the configuration",
      "spec.config: notifications.tenants.a.hook.secret_ref is missing in the configuration"
    ])
  })
})
