import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Column, Param, Session } from "../../../../../infrastructure/sql/connection/session.ts"
import { insertJobAtOnce } from "../../../../../infrastructure/sql/jobs/insert.ts"
import { recordTexts } from "../../../../../infrastructure/sql/rows/job-record.ts"
import { jobId, launchTasks, makeJob } from "../../../../support/stored-jobs.ts"

/** notes statements instead of running them */
const noting = () => {
  const statements: Array<{ readonly text: string; readonly params: ReadonlyArray<Param | Column> }> = []
  const hooks: Array<() => void> = []
  const refuse = () => Effect.dieMessage("a submission only writes")
  const session: Session = {
    dialect: "pg",
    query: refuse,
    write: (text, params) => Effect.sync(() => void statements.push({ text, params })).pipe(Effect.as([])),
    count: () => assert.fail("totals are part of the statement"),
    keep: () => assert.fail("nothing is kept back"),
    afterCommit: (hook) => hooks.push(hook)
  }
  return { session, statements, hooks }
}

describe("a submission on PostgreSQL", () => {
  it("is one statement whose text does not depend on the number of benchmarks, and is told of after it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const told: Array<string> = []
        const context = {
          ...{ wire: { vendorAliases: true }, now: "2026-01-01T00:00:00.000Z", hasNameIndex: () => false },
          onChange: ({ kind }: { readonly kind: string }) => told.push(kind),
          onTask: (kind: string) => told.push(kind)
        }
        const texts = new Set<string>()
        for (const benchmarks of [1, 10, 1000]) {
          const { session, statements, hooks } = noting()
          const job = makeJob({ id: jobId(benchmarks), tenant: "t", benchmarks })
          yield* insertJobAtOnce(session, context, {
            job,
            texts: recordTexts(job, context.wire),
            tasks: launchTasks(job)
          })
          const [statement] = statements
          assert.strictEqual(statements.length, 1)
          assert.strictEqual(statement?.text.split("?").length, (statement?.params.length ?? 0) + 1)
          assert.strictEqual(statement?.params.filter(Array.isArray).length, 13)
          texts.add(statement?.text ?? "")
          assert.deepEqual(told.splice(0), [])
          for (const hook of hooks) hook()
          assert.deepEqual(told.splice(0), ["created", "launch"])
        }
        assert.strictEqual(texts.size, 1)
      })
    ))
})
