/**
 * A reading connection to a SQLite file in a thread of its own, for what may take long: the driver works in the thread that calls it, and
 * a list would hold up every event meanwhile. The thread starts with its first use; what it could not answer because it ended, or never
 * began, is read where everything else is, and the next statement starts it anew.
 */
import { createRequire } from "node:module"
import { Worker } from "node:worker_threads"
import { SqlError } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { makeAskedThread } from "../../in-process/asked-thread.ts"
import type { Column, Param, Rows } from "./session.ts"

/** what the thread runs, as text, so that it needs no file beside a bundle: each message is a statement, each answer its rows or its error */
const program = `
const { parentPort, workerData } = require("node:worker_threads")
const database = new (require(workerData.driver))(workerData.path, { readonly: true })
for (const pragma of workerData.pragmas) database.pragma(pragma)
const statements = new Map()
const prepared = (text) => {
  const known = statements.get(text)
  if (known !== undefined) return known
  if (statements.size >= 500) statements.clear()
  const statement = database.prepare(text)
  statements.set(text, statement)
  return statement
}
const answer = ({ text, params }) => {
  try {
    return { rows: prepared(text).all(...params) }
  } catch (error) {
    return { error: { code: String(error.code), message: String(error.message) } }
  }
}
parentPort.on("message", ({ id, message }) => parentPort.postMessage({ id, message: answer(message) }))
`

interface Question {
  readonly text: string
  readonly params: ReadonlyArray<Param | Column>
}

interface Answer {
  readonly rows?: ReadonlyArray<unknown>
  readonly error?: { readonly code: string; readonly message: string }
}

/** resolved here, because a program without a file has no folder to start from */
const driver = (): string => createRequire(import.meta.url).resolve("better-sqlite3")

/** the heap of a thread holds the rows of one page at a time */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 }

const start = (path: string, pragmas: ReadonlyArray<string>) => () =>
  // nothing of the flags and the environment of the server is for it
  new Worker(program, {
    eval: true,
    workerData: { driver: driver(), path, pragmas },
    resourceLimits,
    execArgv: [],
    env: {}
  })

const failed = ({ code, message }: NonNullable<Answer["error"]>) =>
  Effect.fail(
    new SqlError.SqlError({
      cause: Object.assign(new Error(message), { code }),
      message: "Failed to execute statement"
    })
  )

/**
 * Rows of a statement that changes nothing; `pragmas` without their keyword, for the connection; `otherwise` reads what the thread leaves
 * unanswered.
 */
export const make = (
  path: string,
  pragmas: ReadonlyArray<string>,
  otherwise: Rows
): Effect.Effect<Rows, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { ask, end } = makeAskedThread<Question, Answer>(start(path, pragmas))
    yield* Effect.addFinalizer(() => Effect.promise(end))
    return <Row>(text: string, params: ReadonlyArray<Param | Column>) =>
      Effect.async<ReadonlyArray<Row>, SqlError.SqlError>((resume) =>
        ask({ text, params }, (answer) => {
          if ("reason" in answer) {
            const warned = Effect.logWarning(
              `the thread that reads lists ended (${answer.reason}); they are read in the thread that serves meanwhile`
            )
            return resume(Effect.zipRight(warned, otherwise<Row>(text, params)))
          }
          resume(
            answer.error === undefined
              ? Effect.succeed((answer.rows ?? []) as ReadonlyArray<Row>)
              : failed(answer.error)
          )
        })
      )
  })
