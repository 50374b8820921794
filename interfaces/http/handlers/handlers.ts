/** Every operation of the contract with what answers it. A new one does not compile until it stands here. */
import type { Handlers } from "../handler.ts"
import * as Attestations from "./attestations.ts"
import * as Collections from "./collections.ts"
import * as Comparisons from "./comparisons.ts"
import * as Events from "./events.ts"
import * as Explanations from "./explanations.ts"
import * as Gates from "./gates.ts"
import * as About from "./info.ts"
import * as Jobs from "./jobs.ts"
import * as Logs from "./logs.ts"
import * as Notifications from "./notifications.ts"
import * as Providers from "./providers.ts"
import * as Samples from "./samples.ts"
import * as Service from "./service.ts"
import * as Usage from "./usage.ts"
import * as Watch from "./watch.ts"

export const handlers: Handlers = {
  submitJob: Jobs.submit,
  listJobs: Jobs.list,
  getJob: Jobs.get,
  cancelJob: Jobs.cancel,
  rerunJob: Jobs.rerun,
  recordEvent: Events.record,
  watchJob: Watch.watchJob,
  getJobLogs: Logs.ofJob,
  getBenchmarkLogs: Logs.ofBenchmark,
  explainJob: Explanations.ofJob,
  getJobPlan: Jobs.plan,
  getUsage: Usage.ofTenant,
  uploadSamples: Samples.upload,
  listJobSamples: Samples.ofJob,
  listBenchmarkSamples: Samples.ofBenchmark,
  getSample: Samples.get,
  createComparison: Comparisons.create,
  getComparison: Comparisons.get,
  listJobComparisons: Comparisons.ofJob,
  createGate: Gates.create,
  getGate: Gates.get,
  listJobGates: Gates.ofJob,
  getAttestation: Attestations.ofJob,
  discloseSample: Attestations.ofSample,
  listJobNotifications: Notifications.ofJob,
  testNotification: Notifications.test,
  listProviders: Providers.list,
  createProvider: Providers.create,
  getProvider: Providers.get,
  replaceProvider: Providers.replace,
  patchProvider: Providers.patch,
  removeProvider: Providers.remove,
  listBenchmarks: Providers.benchmarks,
  listCollections: Collections.list,
  createCollection: Collections.create,
  getCollection: Collections.get,
  replaceCollection: Collections.replace,
  patchCollection: Collections.patch,
  removeCollection: Collections.remove,
  cloneCollection: Collections.clone,
  getCollectionFacets: Collections.facets,
  getInfo: About.info,
  health: Service.health,
  healthAlias: Service.health,
  ready: Service.ready,
  openapi: Service.openapi,
  docs: Service.docs,
  metrics: Service.metrics
}
