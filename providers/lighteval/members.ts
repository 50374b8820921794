/** The tasks of one run: the row's, or those that the job names. Pure. Reference: providers-and-collections.md, "lighteval". */
import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import { shippedRow } from "../sdk/framework/definition.ts"
import type { PlanRequest } from "../sdk/framework/wrapper.ts"
import { DEFINITION } from "./definition.ts"

export interface Member {
  /** name of the task, without few-shot count */
  readonly task: string
  readonly fewShot: number
  /** metric that counts in a suite; the task's first one when unknown */
  readonly primary?: string
}

const namesOf = (given: unknown): ReadonlyArray<string> | undefined => {
  const list = typeof given === "string" ? given.split(",") : given
  if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) return undefined
  const names = list.map((name: string) => name.trim()).filter((name) => name !== "")
  return names.length === 0 ? undefined : names
}

/** left: `invalid_parameter`; `task|3` carries its own few-shot count, else the parameter, else the row of the task says it */
export const membersOf = ({
  row,
  parameters
}: Pick<PlanRequest, "row" | "parameters">): Either.Either<ReadonlyArray<Member>, AdapterError> => {
  const names = namesOf(parameters.value("tasks") ?? row.task ?? row.id)
  if (names === undefined)
    return Either.left(invalidParameter("tasks must be a list of task names, or their names separated by commas"))
  const problem = names.find((name) => !/^[^|\s]+(\|\d+)?$/.test(name))
  if (problem !== undefined)
    return Either.left(invalidParameter(`tasks: ${problem} is no task name; write task or task|few-shot`))
  return Either.right(
    names.map((name) => {
      const [task = name, count] = name.split("|")
      const own = shippedRow(DEFINITION, task)
      const rowShots = names.length === 1 ? (row.fewShot ?? own.fewShot) : (own.fewShot ?? row.fewShot)
      const primary = own.primary ?? (names.length === 1 ? row.primary : undefined)
      return {
        task,
        fewShot: count === undefined ? (parameters.number("num_few_shot") ?? rowShots ?? 0) : Number(count),
        ...defined({ primary })
      }
    })
  )
}

/** several tasks, or a row whose score is the mean over its tasks */
export const isSuite = ({ row }: Pick<PlanRequest, "row">, members: ReadonlyArray<Member>): boolean =>
  members.length > 1 || row.primary === "suite_mean"
