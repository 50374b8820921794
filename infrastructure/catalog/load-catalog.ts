/**
 * The definition files as a server uses them: read, checked against each other and linted. A file with an error is left out, and so is
 * what needs it; every problem is kept. Reference: providers-and-collections.md, "Loading".
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import type { CatalogSnapshot } from "../../application/ports/catalog.ts"
import type { Problem } from "../../domain/file-problem.ts"
import { leftOut } from "./left-out.ts"
import { lintDefinitions } from "./lint/lint.ts"
import { filesOf, isShipped, type ReadOptions, readDefinitions } from "./read-definitions.ts"
import { readTenantDefinitions } from "./tenant-definitions.ts"

export interface LoadedCatalog {
  readonly snapshot: CatalogSnapshot
  readonly errors: ReadonlyArray<Problem>
  /** number of problems by severity */
  readonly problems: Readonly<Record<Problem["severity"], number>>
  /** lint code -> number of warnings about the user's own files */
  readonly warnings: ReadonlyMap<string, number>
  /** how many definitions come from the user's own files */
  readonly own: { readonly providers: number; readonly collections: number }
  /** how many definitions tenants bring */
  readonly ofTenants: { readonly providers: number; readonly collections: number }
  /** shipped files that do not fit the user's own, which come first: they are left out */
  readonly unfit: ReadonlyArray<string>
}

/** never fails; leaves out files with errors until what remains has none */
export const loadCatalog = (options: ReadOptions): LoadedCatalog => {
  const without = new Set(options.without)
  const errors: Array<Problem> = []
  const unfit: Array<string> = []
  for (;;) {
    const definitions = readDefinitions({ ...options, without })
    const placed = lintDefinitions(definitions, options)
    const wrong = placed.filter(({ severity, file }) => severity === "error" && !without.has(file))
    const besides = new Set(wrong.flatMap(({ file }) => (isShipped(file, options) ? [file] : [])))
    const broken = wrong.filter(({ file }) => !besides.has(file)).map(({ problem }) => problem())
    const fresh = broken.filter(
      ({ file, code, path }) =>
        !errors.some((known) => known.file === file && known.code === code && known.path === path)
    )
    errors.push(...fresh)
    unfit.push(...besides)
    if (fresh.length > 0 || besides.size > 0) {
      for (const file of [...fresh.map((one) => one.file), ...besides]) without.add(file)
      continue
    }
    const own = placed.filter(({ file }) => !isShipped(file, options))
    const ownOnes = (all: ReadonlyArray<{ readonly file: string }>) =>
      all.filter(({ file }) => !isShipped(file, options)).length
    const warnings = new Map<string, number>()
    for (const { code, severity } of own) if (severity === "warning") warnings.set(code, (warnings.get(code) ?? 0) + 1)
    const count = (severity: Problem["severity"]) => own.filter((one) => one.severity === severity).length
    const system = {
      providers: definitions.providers.map(({ record }) => record),
      collections: definitions.collections.map(({ record }) => record)
    }
    const ofTenants =
      options.tenantDir === undefined
        ? { providers: [], collections: [], errors: [] }
        : readTenantDefinitions(options.tenantDir, system)
    return {
      snapshot: {
        providers: [...system.providers, ...ofTenants.providers],
        collections: [...system.collections, ...ofTenants.collections],
        errors: [...leftOut(errors), ...ofTenants.errors],
        version: options.tenantDir === undefined ? definitions.version : contentHash(options, definitions.version)
      },
      ofTenants: { providers: ofTenants.providers.length, collections: ofTenants.collections.length },
      errors,
      own: { providers: ownOnes(definitions.providers), collections: ownOnes(definitions.collections) },
      unfit,
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

/** SHA-256 over names and contents of everything a catalogue is made of, whether usable or not; `salt`: what else it is made of */
export const contentHash = (
  { configDir, tenantDir }: Pick<ReadOptions, "configDir" | "tenantDir">,
  salt = ""
): string => {
  const hash = createHash("sha256").update(salt)
  const folders = [join(configDir, "providers"), join(configDir, "collections")]
  for (const path of tenantDir === undefined ? folders : [...folders, tenantDir]) {
    const files = filesOf(path)
    if (!existsSync(path)) hash.update(`${path} missing\n`)
    else if (Either.isLeft(files)) hash.update(`${path} ${files.left}\n`)
    else for (const file of files.right) hash.update(`${file}\n${contentOf(file)}\n`)
  }
  return hash.digest("hex")
}
