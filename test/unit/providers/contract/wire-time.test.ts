import { assert, describe, it } from "@effect/vitest"
import { readWireTime } from "../../../../providers/contract/wire-time.ts"

describe("readWireTime", () => {
  for (const [text, expected] of [
    ["2026-08-17T10:11:12Z", "2026-08-17T10:11:12.000Z"],
    ["2026-08-17T10:11:12.1", "2026-08-17T10:11:12.100Z"],
    ["2026-08-17t10:11:12.123456789z", "2026-08-17T10:11:12.123Z"],
    ["2026-08-17 10:11:12,5+05:30", "2026-08-17T04:41:12.500Z"],
    ["2026-12-31T23:59:59-0100", "2027-01-01T00:59:59.000Z"],
    ["2026-12-31T23:59:60Z", "2026-12-31T23:59:59.999Z"],
    [" 2026-08-17T10:11:12Z\n", "2026-08-17T10:11:12.000Z"],
    ["2026-02-29T00:00:00Z", undefined],
    ["2026-08-17T24:00:00Z", undefined],
    ["2026-08-17", undefined],
    ["0042-01-01T00:00:00Z", undefined],
    ["1755425472", undefined],
    ["", undefined]
  ] as const)
    it(`${JSON.stringify(text)} is ${expected ?? "no time"}`, () => assert.strictEqual(readWireTime(text), expected))
})
