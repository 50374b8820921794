/**
 * Folders and environment of one run: working directory, temporary files and caches of answers are the job's own and vanish with it; raw
 * output goes below the results; caches of models and data sets (HF_HOME and what the environment says) are shared. Reference:
 * providers-and-collections.md, "Framework wrappers"; adapter-contract.md, "Result files".
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { rootCertificates } from "node:tls"
import { Effect, Option, Redacted, type Scope } from "effect"
import { defined } from "../../../values/defined.ts"
import type { JobSpec } from "../../contract/job-spec.ts"
import { readModelAuthKey, selectModelKey } from "../credentials.ts"
import { filesBelow } from "./result-search.ts"

export interface Workspace {
  /** `output_dir` of the job */
  readonly results: string
  /** `output_dir/framework`: raw output, kept and exported; nothing secret belongs here */
  readonly output: string
  /** working directory, 0700, removed at the end: files with keys belong here */
  readonly work: string
  /** caches of answers, within `work` */
  readonly cache: string
  /** environment that every framework gets; a plan adds to it */
  readonly env: { readonly [name: string]: string }
}

export interface ModelKeys {
  /** as the request is to carry it: behind a gateway a reference */
  readonly apiKey?: string
  /** values to hide in messages */
  readonly secrets: ReadonlyArray<string>
  readonly hfToken?: string
  readonly caCert?: string
  /** those asked for by name that are there */
  readonly others: { readonly [name: string]: string }
}

type Variables = { readonly [name: string]: string | undefined }

/** the keys that the unit's secret offers; `authKey` names another one than usual, `otherNames` are wanted beside it */
export const readKeys = (
  authKey: string | undefined,
  otherNames: ReadonlyArray<string> = []
): Effect.Effect<ModelKeys> =>
  Effect.gen(function* () {
    const plain = (key: Option.Option<Redacted.Redacted>) => Option.getOrUndefined(Option.map(key, Redacted.value))
    const apiKey = plain(yield* selectModelKey(authKey))
    const hfToken = plain(yield* readModelAuthKey("hf-token"))
    const caCert = plain(yield* readModelAuthKey("ca_cert"))
    const read = yield* Effect.forEach(otherNames, (name) =>
      Effect.map(readModelAuthKey(name), (key) => [name, plain(key)] as const)
    )
    const others = Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
    return {
      secrets: [
        apiKey,
        hfToken,
        ...Object.entries(others).flatMap(([name, value]) => (name.endsWith("_url") ? [] : [value]))
      ].filter((secret) => secret !== undefined),
      others,
      ...defined({ apiKey, hfToken, caCert })
    }
  })

const given = (env: Variables) =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

const resultFolder = (given: string | undefined, env: Variables) => given ?? env["EVALD_OUTPUT_DIR"] ?? "/data/results"

/**
 * Sockets have addresses of at most 107 bytes, and frameworks put them some forty below TMPDIR (`pymp-…/listener-…`): behind the long path of a
 * unit they could not start their workers.
 */
const maxTemporaryPath = 60

/** a short way to `folder`, which stays the one place where files are; itself when it is short or there is no shorter one */
const shortened = (folder: string): { readonly path: string; readonly made?: string } => {
  if (Buffer.byteLength(folder) <= maxTemporaryPath || !existsSync("/tmp")) return { path: folder }
  const made = mkdtempSync("/tmp/evald-")
  const path = join(made, "t")
  symlinkSync(folder, path)
  return { path, made }
}

/** made for the job, removed with the scope, except for the results */
export const openWorkspace = (
  job: Pick<JobSpec, "output_dir">,
  keys: ModelKeys,
  env: Variables = process.env
): Effect.Effect<Workspace, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const results = resultFolder(job.output_dir, env)
      const output = join(results, "framework")
      const work = mkdtempSync(join(env["TMPDIR"] ?? tmpdir(), "framework-"))
      const [tmp, cache, ca] = [join(work, "tmp"), join(work, "cache"), join(work, "authorities.pem")]
      for (const folder of [output, tmp, cache]) mkdirSync(folder, { recursive: true })
      const short = shortened(tmp)
      // the model's authority beside the usual ones: the same process also talks to the data hub
      if (keys.caCert !== undefined) writeFileSync(ca, `${[...rootCertificates, keys.caCert].join("\n")}\n`)
      return {
        ...{ results, output, work, cache, links: short.made },
        env: {
          ...given(env),
          TMPDIR: short.path,
          PYTHONUNBUFFERED: "1",
          NO_COLOR: "1",
          ...(env["HF_HOME"] === undefined && env["HOME"] === undefined ? { HF_HOME: join(work, "hf") } : {}),
          ...defined({ HF_TOKEN: keys.hfToken }),
          ...(keys.caCert === undefined ? {} : { SSL_CERT_FILE: ca, REQUESTS_CA_BUNDLE: ca })
        }
      }
    }),
    ({ work, links }) =>
      Effect.sync(() => {
        for (const folder of [work, links])
          if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      })
  )

/** files of a plan by absolute path, readable by the user only */
export const writePlanned = (files: { readonly [path: string]: string }): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content, { mode: 0o600 })
    }
  })

/** secrets of gateway addresses: whoever has one may report for the unit */
const gatewaySecrets = (job: Pick<JobSpec, "callback_url" | "model">): ReadonlyArray<string> =>
  [job.callback_url, job.model.url].flatMap((url) => {
    const found = /\/cb\/([A-Za-z0-9_-]{20,})/.exec(url)?.[1]
    return found === undefined ? [] : [found]
  })

/**
 * Frameworks write the address and sometimes the key they were given into their reports, which are kept and exported: the values are
 * replaced by as many asterisks, so that nothing else moves. References (`<key>:ref`) are no secrets.
 */
export const scrubOutput = (
  folder: string,
  job: Pick<JobSpec, "callback_url" | "model">,
  secrets: ReadonlyArray<string>
): Effect.Effect<void> =>
  Effect.sync(() => {
    const hidden = [...gatewaySecrets(job), ...secrets].filter(
      (secret) => secret.length >= 8 && !secret.endsWith(":ref")
    )
    for (const path of hidden.length === 0 ? [] : filesBelow(folder, /./)) {
      const content = readFileSync(path)
      let found = false
      for (const secret of new Set(hidden)) {
        for (let at = content.indexOf(secret); at >= 0; at = content.indexOf(secret, at + 1)) {
          content.fill("*", at, at + Buffer.byteLength(secret))
          found = true
        }
      }
      if (found) writeFileSync(path, content)
    }
  })
