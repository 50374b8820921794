/**
 * What lists say about definition files that are left out: one line for each, with the id it would have had and why. A caller of the API
 * learns no place of the server's file system. Files are named after their ids.
 */
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { Either } from "effect"
import type { LeftOut } from "../../application/ports/catalog.ts"
import type { Problem } from "../../domain/file-problem.ts"
import { defined } from "../../values/defined.ts"
import { isObject } from "../../values/json.ts"
import { positionsOf } from "./read-definitions.ts"
import { readYaml } from "./yaml-document.ts"

/** the tenant that a file says it belongs to; undefined when it says none or cannot be read */
const tenantOf = (file: string): string | undefined => {
  try {
    const value = Either.getOrUndefined(readYaml(readFileSync(file, "utf8")))?.value
    return isObject(value) && typeof value["tenant"] === "string" ? value["tenant"] : undefined
  } catch {
    return undefined
  }
}

/** the sentence, which names its member unless it does already */
export const reasonOf = ({ path, message }: Pick<Problem, "path" | "message">): string => {
  const member = `'${positionsOf(path).join(".")}'`
  return path === "" || message.includes("'") ? message : `${member} ${message}`
}

/** `errors`: of any number of files, in the order in which the lines are wanted */
export const leftOut = (errors: ReadonlyArray<Problem>): ReadonlyArray<LeftOut> =>
  [...new Set(errors.map(({ file }) => file))].map((file) => {
    const [first, ...others] = errors.filter((error) => error.file === file)
    const more = others.length === 0 ? "" : `; ${others.length} more problem${others.length === 1 ? "" : "s"}`
    const tenant = tenantOf(file)
    const line = `${basename(file).replace(/\.ya?ml$/, "")}: ${first === undefined ? "it can not be used" : reasonOf(first)}${more}`
    return { line, ...defined({ tenant }) }
  })
