/** How the demo model behaves: options of the server, each of which a request may override by a header `X-Demo-<Name>`. Reference: providers-and-collections.md, "Demo model". */
import type { IncomingHttpHeaders } from "node:http"
import { Either } from "effect"

/** 0..1 for all families, or per family with `default` for the others */
export type Skill = number | { readonly [family: string]: number }

export interface DemoKnobs {
  readonly skill: Skill
  /** milliseconds from the request to the first token */
  readonly ttftMs: number
  /** 0: as fast as possible */
  readonly tokensPerSecond: number
  /** share of requests that are answered with status 500; a repeated request draws anew */
  readonly errorRate: number
  /** what happens to the requests one after the other: `ok`, a status with optional seconds of `Retry-After` (`429@2`), or a fault; `ok` afterwards */
  readonly statusScript: ReadonlyArray<string>
  /** share of attacks that succeed */
  readonly jailbreak: number
  /** share of harmless requests that are refused */
  readonly refusal: number
  /** tokens of a prompt beyond which it is refused */
  readonly contextLimit: number
  /** the key that `Authorization: Bearer` must carry */
  readonly requireKey?: string
  readonly seed: number
}

const defaultSkill = 0.85

export const defaultKnobs: DemoKnobs = {
  skill: defaultSkill,
  ttftMs: 0,
  tokensPerSecond: 0,
  errorRate: 0,
  statusScript: [],
  jailbreak: 0.1,
  refusal: 0.05,
  contextLimit: 131_072,
  seed: 42
}

export const faults = ["ok", "hang", "reset", "cut", "nostream", "garbage", "html", "empty"] as const

type Read<A> = (text: string) => Either.Either<A, string>

const number =
  (lowest: number, highest: number): Read<number> =>
  (text) => {
    const value = Number(text)
    return text.trim() !== "" && value >= lowest && value <= highest
      ? Either.right(value)
      : Either.left(`must be a number from ${lowest} to ${highest}`)
  }
const share = number(0, 1)

/** `0.8`, or `0.8,arithmetic=0.5,logic=1` */
const readSkill: Read<Skill> = (text) =>
  Either.map(
    Either.all(
      text.split(",").map((part) => {
        const [family, value] = part.includes("=") ? part.split("=") : ["default", part]
        return Either.map(share(value ?? ""), (skill) => [(family ?? "").trim(), skill] as const)
      })
    ),
    (pairs) => Object.fromEntries(pairs)
  )

/** comma list of `ok`, statuses and faults */
const readStatusScript: Read<ReadonlyArray<string>> = (text) => {
  const steps = text
    .split(",")
    .map((step) => step.trim().toLowerCase())
    .filter((step) => step !== "")
  const known = (step: string) => /^[1-5]\d\d(@\d+(\.\d+)?)?$/.test(step) || faults.some((fault) => fault === step)
  return steps.every(known)
    ? Either.right(steps)
    : Either.left(`must be a comma list of statuses (429, 429@2) and ${faults.join(", ")}`)
}

const readers: {
  readonly [Name in keyof Required<DemoKnobs>]: readonly [header: string, read: Read<Required<DemoKnobs>[Name]>]
} = {
  skill: ["x-demo-skill", readSkill],
  ttftMs: ["x-demo-ttft-ms", number(0, 600_000)],
  tokensPerSecond: ["x-demo-tokens-per-second", number(0, 1_000_000)],
  errorRate: ["x-demo-error-rate", share],
  statusScript: ["x-demo-status-script", readStatusScript],
  jailbreak: ["x-demo-jailbreak", share],
  refusal: ["x-demo-refusal", share],
  contextLimit: ["x-demo-context-limit", number(1, Number.MAX_SAFE_INTEGER)],
  requireKey: ["x-demo-require-key", (text) => Either.right(text)],
  seed: ["x-demo-seed", number(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)]
}

/** the server's knobs with those of the request over them; left: the header that cannot be read, and why */
export const knobsOf = (base: DemoKnobs, headers: IncomingHttpHeaders): Either.Either<DemoKnobs, string> => {
  const given = Object.entries(readers).flatMap(([name, [header, read]]) => {
    const text = headers[header]
    const result: Either.Either<unknown, string> | undefined = typeof text === "string" ? read(text) : undefined
    return result === undefined
      ? []
      : [
          Either.mapBoth(result, {
            onLeft: (why) => `${header} ${why}, got ${String(text)}`,
            onRight: (value) => [name, value] as const
          })
        ]
  })
  return given.length === 0
    ? Either.right(base)
    : Either.map(Either.all(given), (pairs) => ({ ...base, ...Object.fromEntries(pairs) }))
}

export const skillOf = (skill: Skill, family: string): number =>
  typeof skill === "number" ? skill : (skill[family] ?? skill["default"] ?? defaultSkill)
