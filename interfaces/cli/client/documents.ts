/** Files that a user gives: JSON or YAML, `-` is standard input. */
import { readFile } from "node:fs/promises"
import { parseJson } from "../../../values/json.ts"
import { exits, Stop } from "./exit.ts"

export const textOf = async (file: string): Promise<string> => {
  if (file !== "-") {
    try {
      return await readFile(file, "utf8")
    } catch (error) {
      throw new Stop(exits.usage, `'${file}' can not be read: ${error instanceof Error ? error.message : error}`)
    }
  }
  const parts: Array<Buffer> = []
  for await (const part of process.stdin) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString("utf8")
}

/** every document of the file; JSON is YAML as well, and is read without its library */
export const documentsOf = async (file: string): Promise<ReadonlyArray<unknown>> => {
  const text = await textOf(file)
  const value = parseJson(text)
  if (value !== undefined) return [value]
  const { documentsIn } = await import("./yaml.ts")
  const name = file === "-" ? "standard input" : file
  try {
    const documents = documentsIn(text)
    if (documents.length > 0) return documents
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Stop(exits.usage, `${name}: ${why}`, file === "-" ? undefined : `evald validate ${file}`)
  }
  throw new Stop(exits.usage, `${name} is empty`)
}

export const documentOf = async (file: string): Promise<unknown> => {
  const [first, ...more] = await documentsOf(file)
  if (more.length > 0) throw new Stop(exits.usage, `${file} has ${more.length + 1} documents, one is wanted`)
  return first
}
