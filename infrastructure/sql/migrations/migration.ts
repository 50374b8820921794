/** One step of the schema. Steps are numbered files beside this one, only forward. */
import type { Dialect } from "../connection/session.ts"

export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: (dialect: Dialect) => ReadonlyArray<string>
}
