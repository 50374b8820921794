/** Rules of one benchmark entry that need no provider, for jobs and for collections alike. Reference: api.md, "Submitting a job", "Bodies". */

import { dnsSubdomainProblem } from "../../dns-name.ts"
import { checkHardware } from "../../hardware/hardware-config.ts"
import type { Path } from "../../path.ts"
import { isOutside, rangeOf, shownRange } from "../../score/scale.ts"
import { member, say } from "../../sentence.ts"
import { checkName, checkText, utf8Length } from "../../text.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, PrimaryScore, S3Reference } from "../job.ts"
import { checkParameters } from "./parameters.ts"
import { maxId, maxObjectKeyBytes, maxUrl } from "./submission-limits.ts"

/** the name of a secret in the tenant */
export const checkSecretName = (name: string, path: Path): ReadonlyArray<Violation> => {
  const problem = dnsSubdomainProblem(name)
  return problem === undefined ? [] : [violation(path, say`${member(path)} ${shown(name)} ${problem}`)]
}

/** a threshold or another number that decides: JSON numbers such as 1e400 are infinite */
export const checkFinite = (value: number, path: Path): ReadonlyArray<Violation> =>
  Number.isFinite(value) ? [] : [violation(path, say`${member(path)} ${shown(String(value))} must be a finite number`)]

/** a range has ends in order, and the threshold beside a declared scale lies on it */
export const checkScale = (
  { primaryScore, threshold }: { readonly primaryScore?: PrimaryScore; readonly threshold?: number },
  path: Path
): ReadonlyArray<Violation> => {
  const scale = primaryScore?.scale
  const range = scale === undefined ? undefined : rangeOf(scale)
  if (scale === undefined || range === undefined) return []
  const at: Path = [...path, "primaryScore", "scale"]
  if (!(Number.isFinite(range.min) && Number.isFinite(range.max) && range.min < range.max))
    return [violation(at, say`${member(at)} must have a finite min below a finite max, got ${shownRange(range)}`)]
  const limit: Path = [...path, "threshold"]
  return threshold === undefined || !isOutside(scale, threshold)
    ? []
    : [
        violation(
          limit,
          say`${member(limit)} ${threshold} lies outside the scale ${shownRange(range)} of ${shown(primaryScore?.metric)}`
        )
      ]
}

const checkWeight = (weight: number, path: Path): ReadonlyArray<Violation> =>
  Number.isFinite(weight) && weight >= 0
    ? []
    : [
        violation(
          path,
          say`${member(path)} ${weight} must be a finite number of at least 0; 0 leaves the benchmark out of the score`
        )
      ]

const checkS3 = (s3: S3Reference, path: Path): ReadonlyArray<Violation> => {
  const bucket = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(s3.bucket)
    ? []
    : [
        violation(
          [...path, "bucket"],
          say`${member([...path, "bucket"])} ${shown(s3.bucket)} must be a bucket name: 2 to 255 letters, digits, '.', '-' or '_'`
        )
      ]
  const bytes = utf8Length(s3.key)
  const key =
    bytes > maxObjectKeyBytes
      ? [
          violation(
            [...path, "key"],
            say`${member([...path, "key"])} takes ${bytes} bytes; object keys have at most ${maxObjectKeyBytes}`
          )
        ]
      : s3.key.split("/").includes("..")
        ? [
            violation(
              [...path, "key"],
              say`${member([...path, "key"])} ${shown(s3.key)} has a segment '..', which no key can mean; give the prefix itself`
            )
          ]
        : checkText(s3.key, [...path, "key"], maxObjectKeyBytes)
  return [
    ...bucket,
    ...key,
    ...(s3.secretRef === undefined ? [] : checkSecretName(s3.secretRef, [...path, "secretRef"]))
  ]
}

/** `path`: of the entry */
export const checkEntry = (entry: BenchmarkEntry, path: Path): ReadonlyArray<Violation> => [
  ...checkName(entry.id, [...path, "id"], maxId),
  ...checkName(entry.providerId, [...path, "providerId"], maxId),
  ...(entry.url === undefined ? [] : checkText(entry.url, [...path, "url"], maxUrl)),
  ...(entry.weight === undefined ? [] : checkWeight(entry.weight, [...path, "weight"])),
  ...(entry.primaryScore === undefined
    ? []
    : checkName(entry.primaryScore.metric, [...path, "primaryScore", "metric"], maxId)),
  ...(entry.threshold === undefined ? [] : checkFinite(entry.threshold, [...path, "threshold"])),
  ...checkScale(entry, path),
  ...(entry.parameters === undefined ? [] : checkParameters(entry.parameters, [...path, "parameters"])),
  ...(entry.testData === undefined ? [] : checkS3(entry.testData.s3, [...path, "testData", "s3"])),
  ...(entry.hardware === undefined ? [] : checkHardware(entry.hardware, [...path, "hardware"]))
]
