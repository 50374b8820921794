/** Rules of a provider's `runtime`: how it runs in the cluster and as a local process. Reference: providers-and-collections.md, "Provider file". */

import { Either } from "effect"
import { parseAmount, parseLimit } from "../hardware/amount.ts"
import { builtInResources } from "../hardware/resolve-resources.ts"
import type { Path } from "../path.ts"
import { compareQuantity } from "../quantity.ts"
import { member, say } from "../sentence.ts"
import { checkStrings } from "../text.ts"
import { shown, type Violation, violation } from "../violation.ts"
import type { EnvVar, KubernetesRuntime, LocalRuntime, ProviderRuntime } from "./runtime.ts"

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
const maxImage = 512
const maxCommand = 32_768

const checkEnv = (env: ReadonlyArray<EnvVar>, path: Path): ReadonlyArray<Violation> =>
  env.flatMap(({ name, value }, index) => {
    const at: Path = [...path, index]
    const legal = variableName.test(name)
      ? []
      : [
          violation(
            [...at, "name"],
            say`${member([...at, "name"])} ${shown(name)} must be a variable name: letters, digits and '_', not beginning with a digit`
          )
        ]
    return [...legal, ...(value === undefined ? [] : checkStrings(value, [...at, "value"]))]
  })

/** each quantity by itself, and request ≤ limit with the built-in default in place of an absent one */
const checkSizes = (runtime: KubernetesRuntime, kind: "cpu" | "memory", path: Path): ReadonlyArray<Violation> => {
  const [givenRequest, givenLimit] =
    kind === "cpu" ? [runtime.cpuRequest, runtime.cpuLimit] : [runtime.memoryRequest, runtime.memoryLimit]
  const [builtInRequest, builtInLimit] =
    kind === "cpu"
      ? [builtInResources.cpuRequest, builtInResources.cpuLimit]
      : [builtInResources.memoryRequest, builtInResources.memoryLimit]
  if (givenRequest === undefined && givenLimit === undefined) return []
  const [requestText, limitText] = [givenRequest ?? builtInRequest, givenLimit ?? builtInLimit]
  const request = parseAmount(requestText, kind)
  const limit = parseLimit(limitText, kind)
  const [requestPath, limitPath]: readonly [Path, Path] =
    kind === "cpu"
      ? [
          [...path, "cpuRequest"],
          [...path, "cpuLimit"]
        ]
      : [
          [...path, "memoryRequest"],
          [...path, "memoryLimit"]
        ]
  const found: Array<Violation> = []
  if (Either.isLeft(request))
    found.push(violation(requestPath, say`${member(requestPath)} ${shown(requestText)} ${request.left.message}`))
  if (Either.isLeft(limit))
    found.push(violation(limitPath, say`${member(limitPath)} ${shown(limitText)} ${limit.left.message}`))
  if (Either.isLeft(request) || Either.isLeft(limit) || compareQuantity(request.right, limit.right) <= 0) return found
  const origin = (text: string | undefined) => (text === undefined ? " (built-in default)" : "")
  const message = `${kind} request ${shown(requestText)}${origin(givenRequest)} is larger than the limit ${shown(limitText)}${origin(givenLimit)}; give both`
  return [violation(givenRequest === undefined ? limitPath : requestPath, message)]
}

const checkKubernetes = (runtime: KubernetesRuntime, path: Path): ReadonlyArray<Violation> => {
  const { image, entrypoint = [], env = [] } = runtime
  const legalImage = image === undefined || (image.length <= maxImage && /^[^\s\p{Cc}\p{Surrogate}]+$/u.test(image))
  return [
    ...(legalImage
      ? []
      : [
          violation(
            [...path, "image"],
            say`${member([...path, "image"])} ${shown(image)} must be an image reference without blanks, at most ${maxImage} characters`
          )
        ]),
    ...checkStrings(entrypoint, [...path, "entrypoint"]),
    ...(entrypoint[0]?.trim() === ""
      ? [violation([...path, "entrypoint", 0], say`${member([...path, "entrypoint", 0])} must name an executable`)]
      : []),
    ...checkSizes(runtime, "cpu", path),
    ...checkSizes(runtime, "memory", path),
    ...checkEnv(env, [...path, "env"])
  ]
}

const checkLocal = ({ command, env = [] }: LocalRuntime, path: Path): ReadonlyArray<Violation> => {
  const at: Path = [...path, "command"]
  const usable =
    command.trim() === ""
      ? [violation(at, say`${member(at)} must not be blank; give the command line that starts the adapter`)]
      : command.length > maxCommand
        ? [violation(at, say`${member(at)} has ${command.length} characters; at most ${maxCommand} are allowed`)]
        : checkStrings(command, at)
  return [...usable, ...checkEnv(env, [...path, "env"])]
}

/** `path`: of `runtime` */
export const checkProviderRuntime = ({ k8s, local }: ProviderRuntime, path: Path): ReadonlyArray<Violation> => [
  ...(k8s === undefined && local === undefined
    ? [violation(path, say`${member(path)} needs 'k8s' or 'local' or both`)]
    : []),
  ...(k8s === undefined ? [] : checkKubernetes(k8s, [...path, "k8s"])),
  ...(local === undefined ? [] : checkLocal(local, [...path, "local"]))
]
