/**
 * The definition files as a server uses them: read, checked against each other and linted. A file with an error is left out, and so is
 * what needs it; every problem is kept. Contract: providers 2.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import type { CatalogSnapshot } from "../../application/ports/catalog.ts"
import { leftOut } from "./left-out.ts"
import { lintDefinitions } from "./lint/lint.ts"
import type { Problem } from "./problem.ts"
import { filesOf, type ReadOptions, readDefinitions } from "./read-definitions.ts"

export interface LoadedCatalog {
  readonly snapshot: CatalogSnapshot
  readonly errors: ReadonlyArray<Problem>
  /** number of problems by severity */
  readonly problems: Readonly<Record<Problem["severity"], number>>
  /** lint code -> number of warnings */
  readonly warnings: ReadonlyMap<string, number>
}

/** never fails; leaves out files with errors until what remains has none */
export const loadCatalog = (options: ReadOptions): LoadedCatalog => {
  const without = new Set(options.without)
  const errors: Array<Problem> = []
  for (;;) {
    const definitions = readDefinitions({ ...options, without })
    const placed = lintDefinitions(definitions, options.configDir)
    const broken = placed.filter(({ severity, file }) => severity === "error" && !without.has(file)).map(({ problem }) => problem())
    const fresh = broken.filter(({ file, code, path }) => !errors.some((known) => known.file === file && known.code === code && known.path === path))
    errors.push(...fresh)
    if (fresh.length > 0) {
      for (const { file } of fresh) without.add(file)
      continue
    }
    const warnings = new Map<string, number>()
    for (const { code, severity } of placed) if (severity === "warning") warnings.set(code, (warnings.get(code) ?? 0) + 1)
    const count = (severity: Problem["severity"]) => placed.filter((one) => one.severity === severity).length
    return {
      snapshot: {
        providers: definitions.providers.map(({ record }) => record),
        collections: definitions.collections.map(({ record }) => record),
        errors: leftOut(errors),
        version: definitions.version
      },
      errors,
      problems: { error: errors.length, warning: count("warning"), info: count("info") },
      warnings
    }
  }
}

const contentOf = (file: string): string => {
  try {
    return readFileSync(file, "latin1")
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unreadable"
  }
}

/** SHA-256 over names and contents of everything a catalogue is made of, whether usable or not */
export const contentHash = (configDir: string): string => {
  const hash = createHash("sha256")
  for (const folder of ["providers", "collections"]) {
    const path = join(configDir, folder)
    const files = filesOf(path)
    if (!existsSync(path)) hash.update(`${folder} missing\n`)
    else if (Either.isLeft(files)) hash.update(`${folder} ${files.left}\n`)
    else for (const file of files.right) hash.update(`${file}\n${contentOf(file)}\n`)
  }
  return hash.digest("hex")
}
