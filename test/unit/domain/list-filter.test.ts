import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import type { JobState } from "../../../domain/job/job.ts"
import { matchesState, parseStates } from "../../../domain/job/job-query.ts"
import { matchesName, matchesTags, parseInstant, parseTagFilter, type TagFilter } from "../../../domain/list-filter.ts"

describe("tag filters", () => {
  const table: ReadonlyArray<readonly [string, TagFilter | undefined]> = [
    ["a", [["a"]]],
    ["a,b", [["a"], ["b"]]],
    ["a|b", [["a", "b"]]],
    ["a|b,c", [["a", "b"], ["c"]]],
    [" a | b ", [["a", "b"]]],
    ["a|a", [["a"]]],
    ["%", [["%"]]],
    ["a,", undefined],
    ["|a", undefined],
    [" ", undefined],
    [Array.from({ length: 51 }, (_, index) => index).join(), undefined]
  ]
  for (const [text, want] of table)
    it(`'${text.slice(0, 20)}'`, () => assert.deepStrictEqual(Either.getOrUndefined(parseTagFilter(text)), want))
  it("match: every group, any of its tags", () => {
    const filter = Either.getOrThrow(parseTagFilter("a|b,c"))
    assert.isTrue(matchesTags(["b", "c"], filter))
    assert.isFalse(matchesTags(["a", "b"], filter))
    assert.isFalse(matchesTags(undefined, filter))
    assert.isTrue(matchesTags(undefined, undefined))
  })
})

describe("state filters", () => {
  const matching = (text: string): ReadonlyArray<JobState> | undefined => {
    const filter = Either.getOrUndefined(parseStates(text))
    const all: ReadonlyArray<JobState> = ["pending", "running", "completed", "failed", "partially_failed", "cancelled"]
    return filter === undefined ? undefined : all.filter((state) => matchesState(state, filter))
  }
  const table: ReadonlyArray<readonly [string, ReadonlyArray<JobState> | undefined]> = [
    ["running", ["running"]],
    ["completed|failed", ["completed", "failed"]],
    ["!completed|failed", ["pending", "running", "partially_failed", "cancelled"]],
    ["!completed|!failed", ["pending", "running", "partially_failed", "cancelled"]],
    ["!pending", ["running", "completed", "failed", "partially_failed", "cancelled"]],
    ["done", undefined],
    ["running|", undefined],
    ["running|!failed", undefined],
    ["Running", undefined],
    ["!", undefined],
    ["", undefined]
  ]
  for (const [text, want] of table) it(`'${text}'`, () => assert.deepStrictEqual(matching(text), want))
  it("no filter takes every state", () => assert.isTrue(matchesState("failed", undefined)))
})

describe("name filters", () => {
  it("are substrings without case", () => assert.isTrue(matchesName("My Übung", "übu")))
  it("know no wildcards", () => {
    assert.isFalse(matchesName("abc", "a%c"))
    assert.isFalse(matchesName("abc", "a.c"))
    assert.isTrue(matchesName("100%", "0%"))
  })
})

describe("times", () => {
  const table: ReadonlyArray<readonly [string, string | undefined]> = [
    ["2026-08-17T10:11:12Z", "2026-08-17T10:11:12.000Z"],
    ["2026-08-17T10:11:12.123456789Z", "2026-08-17T10:11:12.123Z"],
    ["2026-08-17T10:11:12+02:00", "2026-08-17T08:11:12.000Z"],
    ["2026-08-17T10:11:12 02:00", "2026-08-17T08:11:12.000Z"],
    ["2026-08-17t10:11z", "2026-08-17T10:11:00.000Z"],
    ["2026-08-17T10:11:12", "2026-08-17T10:11:12.000Z"],
    ["2026-08-17", "2026-08-17T00:00:00.000Z"],
    ["2026-02-30", undefined],
    ["2026-13-01", undefined],
    ["2026-08-17T25:00:00Z", undefined],
    ["9999-12-31T23:59:59-01:00", undefined],
    ["yesterday", undefined],
    ["1755425472", undefined],
    ["", undefined]
  ]
  for (const [text, want] of table)
    it(`'${text}'`, () => assert.strictEqual(Either.getOrUndefined(parseInstant(text)), want))
})
