import { assert, describe, it } from "@effect/vitest"
import { reasonOf } from "../../../../application/runtime/task-worker.ts"
import { fromSystem } from "../../../../infrastructure/local/system-failure.ts"

const failed = (code: string) => fromSystem("write job file")(Object.assign(new Error(`${code}: x`), { code }))

describe("a failure of this machine", () => {
  it("is not told as one of the cluster: a full or failing disk, too many files or processes", () => {
    const told = ["ENOSPC", "EDQUOT", "EIO", "EMFILE", "EAGAIN", "EWEIRD"].map((code) => {
      const failure = failed(code)
      return failure._tag === "Unavailable" ? [failure.peer, reasonOf(failure)] : failure._tag
    })
    const reasons = [
      "no space is left on the disk",
      "the disk quota is used up",
      "the disk reports a failure",
      "too many files are open",
      "no further process can be started",
      "EWEIRD"
    ]
    assert.deepStrictEqual(
      told,
      reasons.map((reason) => ["machine", `this machine can not do it now (write job file: ${reason})`])
    )
  })
  it("that needs a person is refused with what to change", () => {
    const [denied, large] = [failed("EACCES"), failed("E2BIG")]
    assert.match(denied._tag === "LaunchRefused" ? denied.message : "", /Make local\.base_dir writable/)
    assert.match(large._tag === "LaunchRefused" ? large.message : "", /larger than the system takes/)
  })
})
