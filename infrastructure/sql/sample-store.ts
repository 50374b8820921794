/** Samples in a database. The statements lie in `samples/`. */
import { Clock, Effect, Layer } from "effect"
import { SampleStore } from "../../application/ports/stores/sample-store.ts"
import { packAhead } from "../samples/pack-ahead.ts"
import { makeReadCall } from "../samples/reading/read-call.ts"
import { readThread } from "../samples/reading/read-thread.ts"
import { Database } from "./connection/client.ts"
import { addSamples } from "./samples/add-samples.ts"
import { chunkRows, findSample, pageSamples, textsIn } from "./samples/list-samples.ts"
import { expireSamples, purgeSamples } from "./samples/remove-samples.ts"
import { sampleDigests, sampleKinds, sampleSummary, samplesDigest } from "./samples/sample-figures.ts"
import { scoredSamples } from "./samples/scored-samples.ts"

const make = Effect.map(Database, (database) =>
  SampleStore.of({
    read: makeReadCall(database.pause, readThread, packAhead),
    add: (unit, samples, options) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        addSamples(database, unit, samples, options, new Date(now).toISOString())
      ),
    page: (scope, query) => database.read("pageSamples", (session) => pageSamples(session, scope, query)),
    find: (unit, key) => database.read("findSample", (session) => findSample(session, unit, key)),
    texts: (samples) =>
      Effect.flatMap(
        database.read("sampleTexts", (session) =>
          chunkRows(session, [...new Set(samples.map(({ place }) => place.chunk))])
        ),
        (rows) => textsIn(rows, samples)
      ),
    kinds: (unit) => database.read("sampleKinds", (session) => sampleKinds(session, unit)),
    summary: (unit) => database.read("sampleSummary", (session) => sampleSummary(session, unit)),
    scored: (unit, most) => scoredSamples(database, unit, most),
    digest: (unit) => samplesDigest(database, unit),
    digests: (unit) => sampleDigests(database, unit),
    expire: (before) => database.write("expireSamples", (session) => expireSamples(session, before)),
    purge: (limit) => database.write("purgeSamples", (session) => purgeSamples(session, limit))
  })
)

export const layer: Layer.Layer<SampleStore, never, Database> = Layer.effect(SampleStore, make)
