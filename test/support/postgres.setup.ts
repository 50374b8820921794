/** A real PostgreSQL for a test run, from npm: started once, removed afterwards. `PG_URL` names another one instead. */
import type {} from "vitest"
import type { TestProject } from "vitest/node"
import { ownPostgres } from "./own-postgres.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly pgUrl: string
  }
}

export default async (project: TestProject) => {
  const external = process.env["PG_URL"]
  if (external !== undefined && external !== "") {
    project.provide("pgUrl", external)
    return
  }
  const { url, remove } = await ownPostgres()
  project.provide("pgUrl", url)
  return remove
}
