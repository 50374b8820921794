/** Where the framework is and which version it says to be. Reference: providers-and-collections.md, "Framework wrappers". */
import { Effect } from "effect"
import {
  type Framework,
  findExecutable,
  frameworkCommandVariable,
  missingFramework
} from "../../contract/frameworks.ts"
import type { AdapterError } from "../adapter.ts"
import { frameworkMissing } from "../failures.ts"
import { runFramework } from "./process.ts"

type Variables = { readonly [name: string]: string | undefined }

/** path of the executable, from `EVALD_FRAMEWORK_COMMAND`, else PATH; fails with `framework_missing` and the install command */
export const locateFramework = (
  framework: Framework,
  provider: string,
  env: Variables = process.env
): Effect.Effect<string, AdapterError> =>
  Effect.suspend(() => {
    const command = env[frameworkCommandVariable] || undefined
    const found = findExecutable(framework, command, env["PATH"])
    return found === undefined
      ? frameworkMissing(missingFramework(framework, provider, command))
      : Effect.succeed(found)
  })

/** first version number the executable prints when called with `args`; undefined when it prints none within 20 s */
export const askVersion = (
  executable: string,
  cwd: string,
  env: { readonly [name: string]: string },
  args: ReadonlyArray<string> = ["--version"]
): Effect.Effect<string | undefined> =>
  runFramework({ file: executable, args, env, cwd, timeoutMillis: 20_000, log: () => undefined }).pipe(
    Effect.map(({ lines }) => /\b\d+\.\d+(?:\.\d+)?(?:[.a-z]+\d+)*/.exec(lines.join("\n"))?.[0]),
    Effect.orElseSucceed(() => undefined)
  )
