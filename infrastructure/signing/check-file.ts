/**
 * Whether a file is what was signed: a signed result, one sample disclosed from it, or a signed image. Nothing but the file and the keys is
 * looked at. Every bit counts: the file has to be the compact JSON that was handed out. Reference: signing.md, "Verifying".
 */
import { Either } from "effect"
import { imageKind, type Results, resultKind, statementKind } from "../../domain/attestation/statement.ts"
import { comparedMembers } from "../../domain/sample/kept-document.ts"
import { digestOf } from "../../values/digest.ts"
import { isObject, type JsonObject, parseJson } from "../../values/json.ts"
import { exactBase64, type Opened } from "../../values/signing/dsse.ts"
import { rootFrom } from "../../values/signing/merkle.ts"

export interface Checked {
  readonly keyId: string
  /** name and SHA-256 (hex) of what was signed */
  readonly subject: { readonly name: string; readonly sha256: string }
  /** absent for an image */
  readonly results?: Results
  /** the sample that the file discloses */
  readonly disclosed?: { readonly benchmark: number; readonly sample: JsonObject }
}

type Verdict<A> = Either.Either<A, string>
const no = (why: string) => Either.left(why)

const hasOnly = (value: JsonObject, ...names: ReadonlyArray<string>): boolean =>
  Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))

/** the whole document in its one spelling, a line feed at its end aside */
const documentOf = (text: string): Verdict<unknown> => {
  const document = parseJson(text)
  if (document === undefined) return no("it is no JSON")
  return JSON.stringify(document) === text.replace(/\n$/, "")
    ? Either.right(document)
    : no("it is not written as it was handed out; fetch it again, and keep the bytes as they come")
}

const subjectOf = (statement: JsonObject): Checked["subject"] | undefined => {
  const [subject] = Array.isArray(statement["subject"]) ? (statement["subject"] as ReadonlyArray<unknown>) : []
  if (!isObject(subject) || !isObject(subject["digest"])) return undefined
  const { name, digest } = subject
  const sha256 = digest["sha256"]
  return typeof name === "string" && typeof sha256 === "string" ? { name, sha256 } : undefined
}

const statementOf = (envelope: unknown, open: (envelope: unknown) => Opened): Verdict<Checked> => {
  const opened = open(envelope)
  if (opened._tag === "Refused") return no(opened.why)
  const statement = parseJson(opened.text)
  if (!isObject(statement) || statement["_type"] !== statementKind) return no("what was signed is no in-toto statement")
  const subject = subjectOf(statement)
  if (subject === undefined) return no("the statement names no subject with a SHA-256")
  const { predicateType, predicate } = statement
  if (predicateType === imageKind) return Either.right({ keyId: opened.keyId, subject })
  if (predicateType !== resultKind) return no("the statement is not about results or an image of evald")
  // signed by a key that was given, and of a type that only our own statements have
  const results = predicate as Results
  return digestOf(results.job) === subject.sha256
    ? Either.right({ keyId: opened.keyId, subject, results })
    : no("the statement's digest is not that of its record")
}

const disclosedIn = (document: JsonObject, checked: Checked): Verdict<Checked> => {
  const { sample, proof } = document
  if (!isObject(sample) || !isObject(proof)) return no("sample and proof are no objects")
  if (!hasOnly(proof, "benchmark_index", "leaf_index", "tree_size", "path")) return no("the proof has other members")
  const { benchmark_index: benchmark, leaf_index: index, tree_size: size } = proof
  const path = exactBase64(proof["path"])
  if (typeof benchmark !== "number" || typeof index !== "number" || typeof size !== "number" || path === undefined)
    return no("a member of the proof has another type")
  const sealed = checked.results?.samples.find((one) => one.benchmark_index === benchmark)
  if (sealed === undefined || sealed.count !== size) return no("the statement has no such tree of samples")
  const compared = comparedMembers(sample)
  if (Object.keys(compared).length !== Object.keys(sample).length)
    return no("the sample has members that no digest covers")
  const leaf = Buffer.from(digestOf(compared), "hex")
  return rootFrom(leaf, { index, size, path })?.toString("hex") === sealed.root
    ? Either.right({ ...checked, disclosed: { benchmark, sample } })
    : no("the sample is not among those that were signed")
}

/** `open`: opens an envelope with the keys that the caller trusts. Left: why the file is not what was signed. */
export const checkFile = (text: string, open: (envelope: unknown) => Opened): Verdict<Checked> =>
  Either.flatMap(documentOf(text), (document) => {
    if (!isObject(document) || !Object.hasOwn(document, "attestation")) return statementOf(document, open)
    if (!hasOnly(document, "attestation", "sample", "proof")) return no("it has other members than a disclosure")
    return Either.flatMap(statementOf(document["attestation"], open), (checked) => disclosedIn(document, checked))
  })
