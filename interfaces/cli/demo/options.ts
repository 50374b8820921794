/** What `evald demo` was asked to do. */
import { Either } from "effect"
import { parseFlags } from "../flags.ts"
import { demoHelp } from "../own-commands.ts"

export interface DemoOptions {
  readonly endpoint:
    | { readonly url: string; readonly name: string; readonly apiKeyFile: string | undefined }
    | undefined
  readonly collection: string
  readonly benchmarks: ReadonlyArray<{ readonly id: string; readonly providerId: string }>
  readonly numExamples: number | undefined
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly skill: number
  readonly seed: number
  readonly database: string | undefined
  readonly port: number
  readonly keep: boolean
}

const isHttpUrl = (text: string) => {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

/** `Left`: what is wrong with the command line, or "help" when help was asked for */
export const readOptions = (
  args: ReadonlyArray<string>
): Either.Either<DemoOptions, ReadonlyArray<string> | "help"> => {
  const { switches, values, positional, problems: wrong } = parseFlags(args, demoHelp.flags)
  if (switches.has("help")) return Either.left("help")
  const problems = [...wrong, ...positional.map((text) => `unexpected argument '${text}'`)]
  const one = (name: string) => values.get(name)?.[0]
  const number = (name: string, initial: number, minimum: number, maximum: number, whole: boolean) => {
    const text = one(name)
    if (text === undefined) return initial
    const value = text.trim() === "" ? Number.NaN : Number(text)
    if (Number.isFinite(value) && value >= minimum && value <= maximum && (!whole || Number.isInteger(value)))
      return value
    problems.push(`--${name} takes a ${whole ? "whole " : ""}number from ${minimum} to ${maximum}, not '${text}'`)
    return initial
  }
  const url = one("model-url")
  const name = one("model-name")
  const apiKeyFile = one("api-key-file")
  if (url !== undefined && !isHttpUrl(url)) problems.push(`--model-url takes an http or https address, not '${url}'`)
  if (url !== undefined && name === undefined) problems.push("--model-url needs --model-name NAME")
  if (url === undefined && name !== undefined) problems.push("--model-name needs --model-url URL")
  if (url === undefined && apiKeyFile !== undefined) problems.push("--api-key-file needs --model-url URL")
  const benchmarks = (values.get("benchmark") ?? []).map((text) => {
    const slash = text.indexOf("/")
    return slash < 0
      ? { providerId: "evald", id: text }
      : { providerId: text.slice(0, slash), id: text.slice(slash + 1) }
  })
  if (values.has("collection") && benchmarks.length > 0)
    problems.push("give either --collection or --benchmark, not both")
  const numExamples = values.has("num-examples") ? number("num-examples", 1, 1, 1_000_000, true) : undefined
  if (numExamples !== undefined && benchmarks.length === 0)
    problems.push("--num-examples needs --benchmark: a collection sets its own")
  const options: DemoOptions = {
    endpoint: url === undefined || name === undefined ? undefined : { url, name, apiKeyFile },
    collection: one("collection") ?? "quick-smoke",
    benchmarks,
    numExamples,
    maxTokens: values.has("max-tokens") ? number("max-tokens", 1, 1, 10_000_000, true) : undefined,
    temperature: values.has("temperature") ? number("temperature", 0, 0, 2, false) : undefined,
    skill: number("skill", 0.85, 0, 1, false),
    seed: number("seed", 42, 0, 2_147_483_647, true),
    database: one("database"),
    port: number("port", 0, 0, 65_535, true),
    keep: switches.has("keep")
  }
  return problems.length > 0 ? Either.left(problems) : Either.right(options)
}
