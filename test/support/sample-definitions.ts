/** Small, valid providers and collections, and the context of a submission; a test names only what it is about. */
import type { Collection } from "../../domain/collection/collection.ts"
import type { JobRequest } from "../../domain/job/job.ts"
import type { SubmissionContext } from "../../domain/job/submission/submission.ts"
import type { Provider } from "../../domain/provider/provider.ts"
import { t0 } from "./sample-job.ts"

export const sampleProvider = (given: Partial<Provider> = {}): Provider => ({
  id: "p",
  name: "p",
  scope: "system",
  readOnly: true,
  createdAt: t0,
  updatedAt: t0,
  runtime: { local: { command: "run" }, k8s: { image: "registry/p:1" } },
  benchmarks: [
    {
      id: "b",
      name: "b",
      category: "other",
      metrics: ["acc"],
      primaryScore: { metric: "acc", lowerIsBetter: false },
      threshold: 0.25
    },
    { id: "plain", name: "plain", category: "other", metrics: [] }
  ],
  ...given
})

export const sampleCollection = (given: Partial<Collection> = {}): Collection => ({
  id: "c",
  name: "c",
  category: "general",
  scope: "system",
  readOnly: true,
  createdAt: t0,
  updatedAt: t0,
  benchmarks: [{ id: "b", providerId: "p" }],
  ...given
})

export const sampleRequest = (given: Partial<JobRequest> = {}): JobRequest => ({
  name: "job",
  model: { url: "http://model.example.com/v1", name: "m" },
  benchmarks: [{ id: "b", providerId: "p" }],
  ...given
})

export const sampleContext = (
  given: Partial<SubmissionContext> & {
    readonly providers?: ReadonlyArray<Provider>
    readonly collections?: ReadonlyArray<Collection>
  } = {}
): SubmissionContext => {
  const { providers = [sampleProvider()], collections = [sampleCollection()], ...context } = given
  return {
    id: "0198c9d2-0000-7000-8000-000000000000",
    tenant: "default",
    owner: "local",
    now: t0,
    mode: "cluster",
    findProvider: (id) => providers.find((provider) => provider.id === id),
    findCollection: (id) => collections.find((collection) => collection.id === id),
    findProfile: () => undefined,
    trackerConfigured: false,
    resumable: true,
    ...context
  }
}
