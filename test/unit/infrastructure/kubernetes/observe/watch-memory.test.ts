import { assert, describe, it } from "@effect/vitest"
import type { BenchmarkState } from "../../../../../domain/job/job.ts"
import {
  dropIdle,
  emptyMemory,
  isSynced,
  takeDirty,
  takeLive,
  takeNotice,
  takeTerminal,
  type WatchMemory
} from "../../../../../infrastructure/kubernetes/observe/watch-memory.ts"
import { unitKey } from "../../../../../infrastructure/unit/names.ts"
import { domain, jobDocument, queueDomain } from "../../../../support/cluster-documents.ts"
import { sampleBenchmark } from "../../../../support/sample-job.ts"

const tenant = "team-a"
const unit = { tenant, jobId: "job-1", index: 0, attempt: 1 }
const fresh = () => emptyMemory(domain, queueDomain)
const seen = () => true
const notSeen = () => false

const liveIn = (state: BenchmarkState, backed = true) => {
  const benchmark = sampleBenchmark({
    state,
    ...(backed ? { backing: { name: "evald-job-1-0-1", uid: "uid-job" } } : {})
  })
  return {
    units: new Map([[unitKey(unit), { tenant, jobId: unit.jobId, benchmark, jobState: "running" as const }]]),
    tenants: new Set([tenant])
  }
}
const nothingLive = { units: new Map(), tenants: new Set<string>() }

const withJob = (job = jobDocument()): WatchMemory => {
  const memory = fresh()
  takeNotice(memory, tenant, "jobs", { _tag: "Listed", objects: [job] }, 0)
  takeNotice(memory, tenant, "pods", { _tag: "Listed", objects: [] }, 0)
  return memory
}

describe("a notice of a watch", () => {
  it("a scope is seen whole once Jobs and pods were both listed", () => {
    const memory = fresh()
    takeNotice(memory, tenant, "jobs", { _tag: "Listed", objects: [] }, 0)
    assert.isFalse(isSynced(memory, tenant))
    takeNotice(memory, tenant, "pods", { _tag: "Listed", objects: [] }, 0)
    assert.isTrue(isSynced(memory, tenant))
    assert.isFalse(isSynced(memory, "team-b"))
  })

  it("a unit that the store was not asked about asks it again, one that is over does not", () => {
    const memory = fresh()
    const notice = { _tag: "Changed", object: jobDocument() } as const
    assert.deepStrictEqual(takeNotice(memory, tenant, "jobs", notice, 0), {
      isUnknown: true,
      jobs: ["job-1"],
      refusal: undefined
    })
    takeTerminal(memory, 5, 1000, seen)
    assert.isFalse(takeNotice(memory, tenant, "jobs", { _tag: "Listed", objects: [jobDocument()] }, 6).isUnknown)
  })

  it("a refusal counts as a loss after a minute: then the scope is seen and its units are gone", () => {
    const memory = withJob()
    memory.synced.clear()
    const refused = { _tag: "Refused", sinceMillis: 1000, message: "forbidden", why: "forbidden" } as const
    assert.isUndefined(takeNotice(memory, tenant, "jobs", refused, 60_999).refusal)
    assert.isFalse(isSynced(memory, tenant))
    assert.strictEqual(takeNotice(memory, tenant, "jobs", refused, 61_000).refusal, "forbidden")
    assert.isTrue(isSynced(memory, tenant))
    assert.isUndefined(memory.table.entries.get(unitKey(unit))?.job)
  })
})

describe("what the store says is live", () => {
  it("a launched unit that the cluster does not show is looked at, once its scope was seen", () => {
    const memory = fresh()
    takeLive(memory, liveIn("pending"), notSeen)
    assert.strictEqual(memory.dirty.size, 0)
    takeLive(memory, liveIn("pending"), seen)
    assert.deepStrictEqual(
      [...memory.dirty].map((entry) => entry.unit),
      [unit]
    )
  })

  it("a unit whose launch is not complete is not missed", () => {
    const memory = fresh()
    takeLive(memory, liveIn("pending", false), seen)
    assert.strictEqual(memory.table.entries.size, 0)
  })

  it("a change of state is a reason to look", () => {
    const memory = withJob()
    takeLive(memory, liveIn("pending"), seen)
    memory.dirty.clear()
    takeLive(memory, liveIn("pending"), seen)
    assert.strictEqual(memory.dirty.size, 0)
    takeLive(memory, liveIn("running"), seen)
    assert.strictEqual(memory.dirty.size, 1)
  })
})

describe("a unit whose benchmark is over", () => {
  it("lingers, then its Job is ended", () => {
    const memory = withJob()
    const first = takeTerminal(memory, 1000, 5000, seen)
    assert.deepStrictEqual([first.ended, first.lingering.length], [[unit], 0])
    assert.strictEqual(takeTerminal(memory, 5999, 5000, seen).lingering.length, 0)
    const due = takeTerminal(memory, 6000, 5000, seen)
    assert.deepStrictEqual([due.ended, due.gone, due.lingering.map(({ key }) => key)], [[], [], [unitKey(unit)]])
  })

  it("does not linger when its end was told already, and is left alone when the Job is over by itself", () => {
    const told = withJob()
    for (const entry of told.table.entries.values()) entry.ended = true
    assert.strictEqual(takeTerminal(told, 0, 5000, seen).lingering.length, 1)
    assert.strictEqual(takeTerminal(withJob(jobDocument({ complete: true })), 0, 0, seen).lingering.length, 0)
  })

  it("is forgotten when nothing of it is left and its scope was seen", () => {
    const memory = fresh()
    memory.table.expect(unit)
    assert.deepStrictEqual(takeTerminal(memory, 0, 0, notSeen).gone, [])
    assert.deepStrictEqual(takeTerminal(memory, 0, 0, seen).gone, [unit])
    assert.strictEqual(memory.table.entries.size, 0)
  })
})

describe("what is looked at, and what is watched", () => {
  it("units that are due or marked, those of scopes not seen whole wait", () => {
    const memory = withJob()
    assert.strictEqual(takeDirty(memory, 0, notSeen).length, 0)
    assert.strictEqual(takeDirty(memory, 0, seen).length, 1)
    assert.strictEqual(takeDirty(memory, 0, seen).length, 0)
    for (const entry of memory.table.entries.values()) entry.nextAt = 100
    assert.strictEqual(takeDirty(memory, 99, seen).length, 0)
    assert.strictEqual(takeDirty(memory, 100, seen).length, 1)
  })

  it("a namespace is dropped with its units five minutes after its last benchmark, a new one keeps it", () => {
    const memory = withJob()
    takeLive(memory, liveIn("running"), seen)
    assert.deepStrictEqual(dropIdle(memory, 0), [])
    takeLive(memory, nothingLive, seen)
    assert.deepStrictEqual(dropIdle(memory, 1000), [])
    takeLive(memory, liveIn("running"), seen)
    assert.deepStrictEqual(dropIdle(memory, 400_000), [])
    takeLive(memory, nothingLive, seen)
    assert.deepStrictEqual(dropIdle(memory, 500_000), [])
    assert.deepStrictEqual(dropIdle(memory, 799_999), [])
    assert.deepStrictEqual(dropIdle(memory, 800_000), [tenant])
    assert.strictEqual(memory.table.entries.size, 0)
    assert.isFalse(isSynced(memory, tenant))
  })
})
