/**
 * Hardware profiles: cluster resources that platform administrators write. Reading is total over any JSON value; whatever is wrong
 * comes back as violations at the path where the request names the profile. Reference: cluster-objects.md, "Hardware profiles".
 */

import { Either } from "effect"
import { defined } from "../../values/defined.ts"
import { isObject, ownMember } from "../../values/json.ts"
import type { Path } from "../path.ts"
import { compareQuantity, printQuantity, type Quantity } from "../quantity.ts"
import { shown, type Violation, violation } from "../violation.ts"
import { extendedResourceProblem, limitChecked, numberAmount, parseAmount, type ResourceKind } from "./amount.ts"
import { readScheduling, type Scheduling } from "./scheduling.ts"

/** `defaultCount` and `maxCount` of one identifier, as quantity texts */
export interface ProfileRange {
  readonly request: string
  readonly limit?: string
}

export interface HardwareProfile {
  readonly name: string
  readonly cpu?: ProfileRange
  readonly memory?: ProfileRange
  readonly ephemeralStorage?: ProfileRange
  /** request equals limit; entries of count 0 are kept, they say "none" */
  readonly accelerators: ReadonlyArray<{ readonly name: string; readonly count: string }>
  readonly scheduling?: Scheduling
}

type Slot = "cpu" | "memory" | "storage" | "device"
const slotOfType: { readonly [type: string]: Slot } = { CPU: "cpu", Memory: "memory", Accelerator: "device" }
const slotOfName: { readonly [name: string]: Slot } = { cpu: "cpu", memory: "memory", "ephemeral-storage": "storage" }

interface Reading {
  readonly problems: Array<string>
  readonly ranges: Map<Slot, ProfileRange>
  readonly accelerators: Array<{ readonly name: string; readonly count: string }>
}

const readCount = (
  value: unknown,
  kind: ResourceKind,
  where: string,
  problems: Array<string>
): { readonly text: string; readonly quantity: Quantity } | undefined => {
  if (typeof value !== "string" && typeof value !== "number") {
    problems.push(`${where} must be a number or a quantity text`)
    return undefined
  }
  const amount = typeof value === "string" ? parseAmount(value, kind) : numberAmount(value, kind)
  if (Either.isLeft(amount)) {
    problems.push(`${where} ${shown(value)} ${amount.left.message}`)
    return undefined
  }
  return { text: typeof value === "string" ? value : printQuantity(amount.right), quantity: amount.right }
}

const readIdentifier = (value: unknown, index: number, reading: Reading): void => {
  const where = `spec.identifiers[${index}]`
  const { problems } = reading
  if (!isObject(value)) return void problems.push(`${where} must be an object`)
  const name = value["identifier"]
  if (typeof name !== "string" || name === "") return void problems.push(`${where}.identifier must be a text`)
  const type = value["resourceType"] ?? undefined
  if (type !== undefined && (typeof type !== "string" || ownMember(slotOfType, type) === undefined))
    return void problems.push(`${where}.resourceType ${shown(type)} is not known; use CPU, Memory or Accelerator`)
  const slot =
    type === undefined ? (ownMember(slotOfName, name) ?? "device") : (ownMember(slotOfType, String(type)) ?? "device")

  const request = readCount(value["defaultCount"], slot, `${where}.defaultCount`, problems)
  const max = value["maxCount"] ?? undefined
  const limit = max === undefined ? undefined : readCount(max, slot, `${where}.maxCount`, problems)
  if (request === undefined || (max !== undefined && limit === undefined)) return
  if (limit !== undefined) {
    if (compareQuantity(limit.quantity, request.quantity) < 0)
      return void problems.push(`${where}.maxCount ${shown(max)} is smaller than defaultCount`)
    const floor = limitChecked(limit.quantity, slot)
    if (Either.isLeft(floor)) return void problems.push(`${where}.maxCount ${shown(max)} ${floor.left.message}`)
  }
  if (slot === "device") {
    const illegal = extendedResourceProblem(name)
    if (illegal !== undefined) return void problems.push(`${where}.identifier ${shown(name)} ${illegal}`)
    if (reading.accelerators.some((known) => known.name === name))
      return void problems.push(`${where}: accelerator ${shown(name)} is given twice`)
    reading.accelerators.push({ name, count: request.text })
    return
  }
  if (reading.ranges.has(slot)) return void problems.push(`${where}: ${slot} is given twice`)
  reading.ranges.set(slot, { request: request.text, ...defined({ limit: limit?.text }) })
}

/**
 * Reads a HardwareProfile object. `path`: where the request names it; `platformDomain`: prefix of the
 * annotation `<platformDomain>/disabled`, which disables with exactly `"true"`. Codes: `hardware_profile_disabled`, `hardware_profile_invalid`.
 */
export const readHardwareProfile = (
  resource: unknown,
  options: { readonly name: string; readonly platformDomain: string; readonly path: Path }
): Either.Either<HardwareProfile, ReadonlyArray<Violation>> => {
  const invalid = (problem: string) =>
    violation(options.path, `hardware profile '${options.name}' is not usable: ${problem}`, "hardware_profile_invalid")
  const document = isObject(resource) ? resource : {}
  const metadata = isObject(document["metadata"]) ? document["metadata"] : {}
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {}
  if (ownMember(annotations, `${options.platformDomain}/disabled`) === "true")
    return Either.left([
      violation(
        options.path,
        `hardware profile '${options.name}' is disabled; choose another one or ask its administrator`,
        "hardware_profile_disabled"
      )
    ])
  const spec = document["spec"]
  if (!isObject(spec)) return Either.left([invalid("it has no spec")])

  const reading: Reading = { problems: [], ranges: new Map(), accelerators: [] }
  const identifiers = spec["identifiers"] ?? []
  if (Array.isArray(identifiers))
    for (const [index, identifier] of identifiers.entries()) readIdentifier(identifier, index, reading)
  else reading.problems.push("spec.identifiers must be a list")
  const scheduling = readScheduling(spec["scheduling"])
  const problems = [...reading.problems, ...(Either.isLeft(scheduling) ? scheduling.left : [])]
  if (problems.length > 0 || Either.isLeft(scheduling)) return Either.left(problems.map(invalid))

  const [cpu, memory, ephemeralStorage] = [
    reading.ranges.get("cpu"),
    reading.ranges.get("memory"),
    reading.ranges.get("storage")
  ]
  return Either.right({
    name: options.name,
    ...defined({ cpu, memory, ephemeralStorage }),
    accelerators: reading.accelerators,
    ...defined({ scheduling: scheduling.right })
  })
}

/** for messages: what a profile that does not exist in its namespace is answered with */
export const profileNotFound = (name: string, namespace: string | undefined, path: Path): Violation =>
  violation(
    path,
    namespace === undefined || namespace === ""
      ? `hardware profile '${name}' cannot be looked up: the server has no profile namespace (set SERVICE_HARDWARE_PROFILES_NAMESPACE)`
      : `hardware profile '${name}' does not exist in namespace '${namespace}'`,
    "hardware_profile_not_found"
  )
