/**
 * Rules of a job request that can be judged from the request alone, all problems at once, and the request as it is stored (names
 * trimmed). What needs providers, collections or the server's settings is in `submission.ts`. Reference: api.md, "Submitting a job", "Requests".
 */

import { defined } from "../../../values/defined.ts"
import { checkFreeForm } from "../../free-form.ts"
import { checkHardware } from "../../hardware/hardware-config.ts"
import { checkQueue } from "../../hardware/queue.ts"
import { checkNotifications } from "../../notification/check-notifications.ts"
import type { Path } from "../../path.ts"
import { member, say } from "../../sentence.ts"
import { checkName, checkTags, checkText } from "../../text.ts"
import { type Violation, violation } from "../../violation.ts"
import type { BenchmarkEntry, Experiment, JobRequest, ModelRef } from "../job.ts"
import { checkEntry, checkFinite, checkSecretName } from "./check-entry.ts"
import { checkOciExport } from "./check-exports.ts"
import { checkLimits } from "./check-limits.ts"
import { checkModelUrl } from "./check-model-url.ts"
import { checkCollectionParameters } from "./collection-parameters.ts"
import {
  maxBenchmarks,
  maxDescription,
  maxExperimentTags,
  maxId,
  maxName,
  maxTagKey,
  maxTagValue,
  maxUrl
} from "./submission-limits.ts"

const checkModel = (model: ModelRef): ReadonlyArray<Violation> => {
  return [
    ...checkModelUrl(model.url),
    ...checkName(model.name, ["model", "name"], maxName),
    ...(model.parameters === undefined ? [] : checkFreeForm(model.parameters, ["model", "parameters"])),
    ...(model.auth === undefined ? [] : checkSecretName(model.auth.secretRef, ["model", "auth", "secretRef"]))
  ]
}

const checkExperiment = (experiment: Experiment): ReadonlyArray<Violation> => {
  const tags = experiment.tags ?? []
  const many =
    tags.length > maxExperimentTags
      ? [
          violation(
            ["experiment", "tags"],
            say`${member(["experiment", "tags"])} has ${tags.length} tags; at most ${maxExperimentTags} are allowed`
          )
        ]
      : []
  const each = tags.slice(0, maxExperimentTags).flatMap(({ key, value }, index) => {
    const path: Path = ["experiment", "tags", index]
    return [...checkName(key, [...path, "key"], maxTagKey), ...checkText(value, [...path, "value"], maxTagValue)]
  })
  return [
    ...checkName(experiment.name, ["experiment", "name"], maxName),
    ...many,
    ...each,
    ...(experiment.artifactLocation === undefined
      ? []
      : checkName(experiment.artifactLocation, ["experiment", "artifactLocation"], maxUrl))
  ]
}

const checkWhatToRun = ({ benchmarks = [], collection }: JobRequest): ReadonlyArray<Violation> => {
  if (collection !== undefined && benchmarks.length > 0)
    return [violation(["collection"], "'benchmarks' and 'collection' exclude each other; give one of them")]
  if (collection !== undefined)
    return [
      ...checkName(collection.id, ["collection", "id"], maxId),
      ...checkCollectionParameters(collection.parameters)
    ]
  if (benchmarks.length === 0)
    return [
      violation(
        ["benchmarks"],
        "the job has nothing to run: give at least one entry in 'benchmarks', or a 'collection'",
        "evaluation_job_empty"
      )
    ]
  if (benchmarks.length > maxBenchmarks)
    return [
      violation(
        ["benchmarks"],
        `'benchmarks' has ${benchmarks.length} entries; at most ${maxBenchmarks} are allowed: split the job`
      )
    ]
  return []
}

/** every problem of the request itself, in the order of its members; empty when there is none */
export const checkRequest = (request: JobRequest): ReadonlyArray<Violation> => [
  ...checkName(request.name, ["name"], maxName),
  ...(request.description === undefined ? [] : checkText(request.description, ["description"], maxDescription)),
  ...(request.tags === undefined ? [] : checkTags(request.tags, ["tags"])),
  ...checkModel(request.model),
  ...checkWhatToRun(request),
  ...(request.benchmarks ?? [])
    .slice(0, maxBenchmarks)
    .flatMap((entry, index) => checkEntry(entry, ["benchmarks", index])),
  ...(request.threshold === undefined ? [] : checkFinite(request.threshold, ["threshold"])),
  ...(request.experiment === undefined ? [] : checkExperiment(request.experiment)),
  ...(request.exports === undefined ? [] : checkOciExport(request.exports.oci, ["exports", "oci"])),
  ...(request.queue === undefined ? [] : checkQueue(request.queue, ["queue"])),
  ...(request.hardware === undefined ? [] : checkHardware(request.hardware, ["hardware"])),
  ...(request.validityLimits === undefined ? [] : checkLimits(request.validityLimits, ["validityLimits"])),
  ...checkNotifications(request.notifications ?? []),
  ...(request.custom === undefined ? [] : checkFreeForm(request.custom, ["custom"]))
]

const trimmedEntry = (entry: BenchmarkEntry): BenchmarkEntry => ({
  ...entry,
  id: entry.id.trim(),
  providerId: entry.providerId.trim()
})

/** the request as it is stored and shown: names without blanks around them */
export const normalised = (request: JobRequest): JobRequest => ({
  ...request,
  name: request.name.trim(),
  model: { ...request.model, name: request.model.name.trim() },
  ...defined({ tags: request.tags?.map((tag) => tag.trim()), benchmarks: request.benchmarks?.map(trimmedEntry) }),
  ...(request.collection === undefined
    ? {}
    : { collection: { ...request.collection, id: request.collection.id.trim() } }),
  ...(request.experiment === undefined
    ? {}
    : { experiment: { ...request.experiment, name: request.experiment.name.trim() } })
})
