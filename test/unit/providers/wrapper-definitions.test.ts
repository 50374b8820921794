import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { FRAMEWORKS } from "../../../providers/contract/frameworks.ts"
import type { FrameworkDefinition } from "../../../providers/sdk/framework/definition.ts"

interface ProviderFile {
  readonly parameters: ReadonlyArray<{ readonly [member: string]: unknown }>
  readonly runtime: { readonly local: { readonly command: string } }
  readonly benchmarks: ReadonlyArray<{
    readonly id: string
    readonly num_few_shot?: number
    readonly primary_score?: { readonly metric: string }
    readonly requirements: {
      readonly endpoint: string
      readonly framework_task?: string
      readonly flags?: unknown
      readonly percent_metrics?: unknown
    }
  }>
}

const given = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const folders = FRAMEWORKS.map(({ id }) => ({
  id,
  module: `../../../providers/${id.replaceAll("_", "-")}/definition.ts`
})).filter(({ id }) => existsSync(`providers/${id.replaceAll("_", "-")}/definition.ts`))

describe("what wrappers know of their shipped provider file", () => {
  it("some wrappers have a definition", () =>
    assert.includeMembers(
      folders.map(({ id }) => id),
      ["lm_evaluation_harness", "lighteval"]
    ))
  for (const { id, module } of folders) {
    it(`${id}: node deploy/generate-wrapper-definitions.mjs has nothing to change`, async () => {
      const { DEFINITION } = (await import(module)) as { readonly DEFINITION: FrameworkDefinition }
      const file = parse(readFileSync(`config/providers/${id}.yaml`, "utf8")) as ProviderFile
      assert.strictEqual(file.runtime.local.command, `evald adapter ${id}`)
      assert.deepStrictEqual(
        DEFINITION.parameters.map((one) => ({ ...one })),
        file.parameters.map(({ description: _, ...rest }) => rest) as unknown
      )
      assert.deepStrictEqual(
        DEFINITION.rows.map((one) => ({ ...one })) as unknown,
        file.benchmarks.map(
          ({
            id: row,
            num_few_shot,
            primary_score,
            requirements: { endpoint, framework_task, flags, percent_metrics }
          }) =>
            given({
              id: row,
              endpoint,
              task: framework_task,
              flags,
              percentMetrics: percent_metrics,
              fewShot: num_few_shot,
              primary: primary_score?.metric
            })
        )
      )
    })
  }
})
