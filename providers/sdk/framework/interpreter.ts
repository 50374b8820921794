/** The Python that runs a framework's command: what the framework needs to read its own files lies beside it. */
import { closeSync, openSync, readSync } from "node:fs"

const beginning = 1024

const firstBytes = (path: string): string => {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(beginning)
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, beginning, 0))
  } finally {
    closeSync(file)
  }
}

/** the interpreter that the script's first lines name, also where its path is too long for the first; undefined for anything else */
export const interpreterOf = (executable: string): string | undefined => {
  try {
    const [first = "", second = ""] = firstBytes(executable).split("\n")
    const named = /^#!\s*(\S+)\s*$/.exec(first)?.[1] ?? ""
    const path = named === "/bin/sh" ? /^'''exec' "?([^"\s]+)"? "\$0"/.exec(second)?.[1] : named
    return path !== undefined && /\/python[\d.]*$/.test(path) ? path : undefined
  } catch {
    return undefined
  }
}
