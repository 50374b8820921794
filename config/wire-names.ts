/**
 * The one place that knows how callers call the members that the domain names in its own words: paths become JSON Pointers into the wire
 * form, and sentences get the wire's names. Reference: errors.md, "Error body".
 */
import { visible } from "../values/clean-text.ts"
import { pointer } from "../values/json-pointer.ts"

type Path = ReadonlyArray<string | number | { readonly given: string }>
type Sentence = string | ReadonlyArray<string | { readonly path: Path; readonly quoted: boolean }>

/** members whose wire name is not the snake case of the domain's, wherever they stand */
const wireNames: { readonly [member: string]: ReadonlyArray<string> } = {
  benchmarkId: ["id"],
  connection: ["k8s", "connection"],
  hardware: ["hardware_config"],
  host: ["oci_host"],
  profileName: ["hardware_profile_name"],
  repository: ["oci_repository"],
  statusEvent: ["benchmark_status_event"],
  subject: ["oci_subject"],
  tag: ["oci_tag"],
  testData: ["test_data_ref"],
  threshold: ["pass_criteria", "threshold"]
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** the JSON Pointer of a path */
export const wirePointer = (path: Path): string =>
  pointer(
    path.flatMap((step): ReadonlyArray<string | number> => {
      if (typeof step === "number") return [step]
      return typeof step === "string" ? (wireNames[step] ?? [snakeCase(step)]) : [step.given]
    })
  )

/** a place as a sentence names it: `/benchmarks/0/id` is `benchmarks.0.id` */
const dotted = (place: string): string => visible(place.slice(1).replaceAll("/", "."))

/** the sentence in the words of the wire */
export const wireSentence = (sentence: Sentence): string =>
  typeof sentence === "string"
    ? sentence
    : sentence
        .map((part) => {
          if (typeof part === "string") return part
          const name = dotted(wirePointer(part.path))
          if (!part.quoted) return name
          return name === "" ? "the document" : `'${name}'`
        })
        .join("")

/** a violation or warning as callers read it */
export const inWireWords = <A extends { readonly path: Path; readonly message: Sentence }>(
  told: A
): Omit<A, "path" | "message"> & { readonly path: string; readonly message: string } => ({
  ...told,
  path: wirePointer(told.path),
  message: wireSentence(told.message)
})
