import { assert, describe, it } from "@effect/vitest"
import { lostWithServer } from "../../../../../infrastructure/local/unit/leftovers.ts"
import {
  type Claim,
  claimed,
  endOfLeft,
  endOfOwn,
  startsOver
} from "../../../../../infrastructure/local/unit/unit-decisions.ts"

describe("a unit that is to be launched", () => {
  const first: Claim = { isFirst: true, existing: undefined, wasLaunched: false }
  it.each<readonly [string, Partial<Claim>, ReturnType<typeof claimed>]>([
    ["is ours when nobody has an entry", {}, "ours"],
    ["is lost when it was started before and nobody has an entry any more", { wasLaunched: true }, "lost"],
    [
      "is known while a living server has it",
      { isFirst: false, existing: { isOwned: true, hasLeader: false } },
      "known"
    ],
    [
      "is known while a living server runs it",
      { isFirst: false, existing: { isOwned: true, hasLeader: true }, wasLaunched: true },
      "known"
    ],
    [
      "is lost when a dead server had started it",
      { isFirst: false, existing: { isOwned: false, hasLeader: true } },
      "lost"
    ],
    [
      "is ours when a dead server had only prepared it",
      { isFirst: false, existing: { isOwned: false, hasLeader: false } },
      "ours"
    ],
    [
      "is lost when a dead server started it and could not note its leader",
      { isFirst: false, existing: { isOwned: false, hasLeader: false }, wasLaunched: true },
      "lost"
    ],
    ["is ours when the entry in its way was torn", { isFirst: false }, "ours"]
  ])("%s", (_, given, expected) => assert.strictEqual(claimed({ ...first, ...given }), expected))
})

describe("a unit that a dead server left", () => {
  it("starts over only when no process was ever started for it", () => {
    assert.isTrue(startsOver({}, false))
    assert.isFalse(startsOver({}, true))
    assert.isFalse(startsOver({ leader: { pid: 7 } }, false))
  })
  it("was lost with its server, unless its shell noted how it ended", () => {
    assert.deepStrictEqual(endOfLeft({ command: "run" }, undefined), {
      code: "runtime_object_lost",
      message: lostWithServer
    })
    assert.strictEqual(endOfLeft({ command: "run" }, 3).code, "adapter_exited_without_result")
  })
})

describe("a unit of this server that ended", () => {
  it("ended by itself, or with the server that stops", () => {
    assert.strictEqual(endOfOwn({ code: 127 }, "run", false).code, "adapter_failed_to_start")
    assert.deepStrictEqual(endOfOwn({ code: 0 }, "run", true), { code: "runtime_object_lost", message: lostWithServer })
  })
})
