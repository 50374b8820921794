/** Checks definition files and job bodies without a server: the same readers and rules, with places in the files. Reference: providers-and-collections.md, "Linter". */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { Effect, Either } from "effect"
import { load } from "../../../config/load.ts"
import { wirePointer, wireSentence } from "../../../config/wire-names.ts"
import { checkPolicy, checkPolicyAgainst, type KnownBenchmark, policyWarnings } from "../../../domain/gate/policy.ts"
import { submit } from "../../../domain/job/submission/submission.ts"
import { inferredScale } from "../../../domain/score/scale.ts"
import type { Violation } from "../../../domain/violation.ts"
import { lintFolder } from "../../../infrastructure/catalog/lint/lint.ts"
import { positionsOf, readDefinitions } from "../../../infrastructure/catalog/read-definitions.ts"
import { readYaml, type YamlDocument } from "../../../infrastructure/catalog/yaml-document.ts"
import { defined } from "../../../values/defined.ts"
import { isObject } from "../../../values/json.ts"
import { packagedConfig } from "../../cli/config-directory.ts"
import type { Finding } from "../../cli/findings.ts"
import { decodePolicy } from "../../http/dto/decisions/gate-policy.ts"
import { decodeJobRequest } from "../../http/dto/job-request.ts"
import { problemText } from "../../http/problem-text.ts"
import { egressPolicy } from "./cluster-options.ts"

/** the path cannot be read; exit code 2 */
export type Checked = Either.Either<ReadonlyArray<Finding>, string>

const kinds = ["providers", "collections"] as const
type Kind = (typeof kinds)[number]

const isKind = (name: string): name is Kind => kinds.some((kind) => kind === name)

/** the definitions of a folder are checked beside those that a server with this folder would have */
const foldersOf = (configDir: string) => {
  const loaded = Effect.runSync(Effect.either(load(configDir, {})))
  const shipped = Either.isLeft(loaded) || loaded.right["catalog.shipped"]
  return { configDir, ...(shipped ? { shippedDir: packagedConfig } : {}) }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unreadable"

/** a folder with `providers/` and `collections/`, or one of these two */
const folder = (path: string): Checked => {
  if (kinds.some((kind) => existsSync(join(path, kind)))) return Either.right(lintFolder(foldersOf(path)).problems)
  const full = resolve(path)
  if (!isKind(basename(full))) return Either.left(`${path} has neither providers/ nor collections/`)
  return Either.right(
    lintFolder(foldersOf(dirname(full))).problems.filter(({ file }) => resolve(file).startsWith(`${full}/`))
  )
}

/** a definition that lies elsewhere, checked as if it were in the catalogue */
const loose = (path: string, kind: Kind, configDir: string): Checked => {
  const place = mkdtempSync(join(tmpdir(), "evald-validate-"))
  try {
    for (const one of [...kinds, "facts"])
      if (existsSync(join(configDir, one))) cpSync(join(configDir, one), join(place, one), { recursive: true })
    mkdirSync(join(place, kind), { recursive: true })
    const copy = join(place, kind, basename(path))
    cpSync(path, copy)
    return Either.right(
      lintFolder({ ...foldersOf(configDir), configDir: place })
        .problems.filter(({ file }) => file === copy)
        .map((problem) => ({ ...problem, file: path, message: problem.message.replaceAll(`${place}/`, "") }))
    )
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** what only a server can know: profiles of its cluster */
const unknowable = new Set(["hardware_profile_not_found"])

/** what the settings beside the catalogue say about jobs in a cluster; with unusable settings, what the defaults say */
const clusterRules = (configDir: string) => {
  const loaded = Effect.runSync(Effect.either(load(configDir, {})))
  if (Either.isLeft(loaded))
    return { images: {}, embeddedImage: "evald", egress: { denied: [], allowed: [], hosts: [] } }
  // a server in a cluster has an image, whether or not it is written here
  const { "providers.images": images, "runtime.k8s.image": embeddedImage = "evald" } = loaded.right
  return { images, embeddedImage, egress: egressPolicy(loaded.right, undefined) }
}

/** a problem with its place in the file */
const findingIn =
  (file: string, document: YamlDocument, severity: Finding["severity"]) =>
  (problem: Violation): Finding => {
    const path = wirePointer(problem.path)
    return {
      code: problem.code,
      severity,
      file,
      path,
      message: problemText(problem),
      ...document.positionOf(positionsOf(path))
    }
  }

const jobFindings = (
  file: string,
  document: YamlDocument,
  configDir: string,
  local: boolean
): ReadonlyArray<Finding> => {
  const found = findingIn(file, document, "error")
  const decoded = decodeJobRequest(document.value, { lenient: false })
  if (Either.isLeft(decoded)) return decoded.left.violations.map(found)
  const { egress, ...images } = local ? { images: {}, egress: undefined } : clusterRules(configDir)
  const { providers, collections } = readDefinitions({ ...foldersOf(configDir), ...images })
  const submission = submit(decoded.right.value, {
    id: "00000000-0000-7000-8000-000000000000",
    tenant: "default",
    now: "1970-01-01T00:00:00.000Z",
    mode: local ? "local" : "cluster",
    findProvider: (id) => providers.find(({ record }) => record.id === id)?.record,
    findCollection: (id) => collections.find(({ record }) => record.id === id)?.record,
    findProfile: () => undefined,
    trackerConfigured: true,
    resumable: true,
    ...defined({ egress })
  })
  if (Either.isLeft(submission)) {
    return submission.left.map((one) =>
      unknowable.has(one.code)
        ? { ...found(one), severity: "warning" as const, message: `not checked here: ${wireSentence(one.message)}` }
        : found(one)
    )
  }
  return submission.right.warnings.map((warning) => ({
    ...found({ ...warning, code: "probably_not_meant" }),
    severity: "warning" as const
  }))
}

/** a policy is held against every benchmark that the catalogue offers */
const policyFindings = (file: string, document: YamlDocument, configDir: string): ReadonlyArray<Finding> => {
  const [error, warning] = [findingIn(file, document, "error"), findingIn(file, document, "warning")]
  const decoded = decodePolicy(document.value, { lenient: false })
  if (Either.isLeft(decoded)) return decoded.left.violations.map(error)
  const { providers } = readDefinitions({ ...foldersOf(configDir), ...clusterRules(configDir) })
  const known = providers.flatMap(({ record }) =>
    record.benchmarks.map(
      (benchmark): KnownBenchmark => ({
        id: benchmark.id,
        providerId: record.id,
        scale: benchmark.primaryScore?.scale ?? inferredScale(benchmark.threshold),
        ...defined({
          primary: benchmark.primaryScore,
          metrics: benchmark.metrics.length === 0 ? undefined : benchmark.metrics
        })
      })
    )
  )
  const policy = decoded.right.value
  return [
    ...[...checkPolicy(policy), ...checkPolicyAgainst(policy, known)].map(error),
    ...policyWarnings(policy).map(warning)
  ]
}

/** a body of POST jobs names its model; a provider says how it runs */
const file = (path: string, configDir: string, local: boolean): Checked => {
  const full = resolve(path)
  const parent = basename(dirname(full))
  if (isKind(parent) && /\.ya?ml$/.test(path)) {
    return Either.right(
      lintFolder(foldersOf(dirname(dirname(full))))
        .problems.filter((problem) => resolve(problem.file) === full)
        .map((problem) => ({ ...problem, file: path }))
    )
  }
  const read = readYaml(readFileSync(path, "utf8"))
  if (Either.isLeft(read))
    return Either.right(
      read.left.map(({ line, column, message }) => ({
        code: "L001",
        severity: "error",
        file: path,
        line,
        column,
        path: "",
        message
      }))
    )
  const { value } = read.right
  if (isObject(value) && "runtime" in value) return loose(path, "providers", configDir)
  if (isObject(value) && "criteria" in value) return Either.right(policyFindings(path, read.right, configDir))
  if (isObject(value) && !("model" in value) && "benchmarks" in value) return loose(path, "collections", configDir)
  return Either.right(jobFindings(path, read.right, configDir, local))
}

/** `configDir`: the catalogue that job bodies and single files are held against */
export const validatePath = (path: string, configDir: string, local: boolean): Checked => {
  try {
    return statSync(path).isDirectory() ? folder(path) : file(path, configDir, local)
  } catch (error) {
    return Either.left(`${path} cannot be read (${reasonOf(error)})`)
  }
}
