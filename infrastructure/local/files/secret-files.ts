/**
 * The model-credential files of one local unit: references instead of keys, the gateway's address instead of model addresses, and the
 * two keys an adapter needs for real (`hf-token`, `ca_cert`). Reference: adapter-contract.md, "Credential helpers".
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { LaunchRefused } from "../../../application/ports/runtime.ts"
import type { SecretReader, SecretUnusable } from "../../../application/ports/secret-reader.ts"
import { planAdapterSecret } from "../../../domain/credentials/placeholders.ts"
import type { ModelAuth } from "../local-options.ts"

const refused = ({ reason, message }: SecretUnusable): LaunchRefused => ({
  _tag: "LaunchRefused",
  code: reason === "absent" ? "secret_not_found" : "container_config_error",
  message:
    reason === "absent"
      ? `${message}; create it as a directory with one file per key (mode 600) below local.secrets_dir`
      : message
})

/** an unfinished file is never seen: the directory is the unit's own and its process is not started yet */
const writeFiles = (directory: string, files: ReadonlyArray<readonly [name: string, content: string]>) =>
  Effect.try({
    try: () => {
      for (const [name, content] of files) writeFileSync(join(directory, name), content, { mode: 0o600, flag: "wx" })
    },
    catch: (cause): LaunchRefused => ({
      _tag: "LaunchRefused",
      code: "launch_failed",
      message: `the model credentials could not be written to the unit's folder: ${(cause as NodeJS.ErrnoException).code ?? "failed"}`
    })
  })

/** the local runtime's `modelAuth`; answers with every real value, so that logs can be cleaned of them */
export const modelAuth =
  (secrets: SecretReader["Type"]): ModelAuth =>
  ({ secretRef, gateway, directory }) =>
    Effect.gen(function* () {
      const secret = yield* Effect.mapError(secrets.read(secretRef), refused)
      const plan = planAdapterSecret([...secret.keys()], gateway)
      if (plan.warning !== undefined)
        yield* Effect.logWarning(plan.warning).pipe(Effect.annotateLogs({ secret: secretRef }))
      const passed = plan.passthrough.flatMap((name): ReadonlyArray<readonly [string, string]> => {
        const value = secret.get(name)
        return value === undefined ? [] : [[name, Redacted.value(value)]]
      })
      yield* writeFiles(directory, [...Object.entries(plan.references), ...passed])
      return [...secret.values()]
    })
