import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  findExecutable,
  frameworkOf,
  frameworkOfCommand,
  missingFramework
} from "../../../../providers/contract/frameworks.ts"
import { tempDir } from "../../../support/temp-dir.ts"

const lighteval = frameworkOf("lighteval") ?? assert.fail("no lighteval")
const lmEval = frameworkOf("lm_evaluation_harness") ?? assert.fail("no lm_evaluation_harness")

const executable = (path: string) => {
  writeFileSync(path, "#!/bin/sh\n")
  chmodSync(path, 0o755)
}

describe("frameworks", () => {
  it("a missing one is told with the exact install command", () => {
    assert.strictEqual(
      missingFramework(lighteval, "lighteval"),
      'provider lighteval needs the executable "lighteval", which was not found on PATH. Install it with: python3 -m pip install "lighteval==0.13.0" "litellm[caching]==1.80.17" "xxhash<4"'
    )
    assert.strictEqual(
      missingFramework(lmEval, "own", "/opt/x"),
      'provider own needs the executable "lm_eval", which was not found at /opt/x (setting frameworks.own.command). Install it with: python3 -m pip install "lm-eval[api]==0.4.13"'
    )
  })
  it("only evald's own wrappers are known by their command", () => {
    assert.strictEqual(frameworkOfCommand("evald adapter lm_evaluation_harness")?.executable, "lm_eval")
    assert.strictEqual(frameworkOfCommand("/opt/bin/evald adapter garak ")?.executable, "garak")
    for (const command of [
      "evald adapter evald",
      "evald adapter lighteval --x",
      "python3 run.py",
      "my-evald adapter lighteval"
    ]) {
      assert.strictEqual(frameworkOfCommand(command), undefined, command)
    }
  })
  it.scoped(
    "found in a virtual environment, as a file, by its name, on PATH; a directory or a plain file is none",
    () =>
      Effect.gen(function* () {
        const folder = yield* tempDir
        const bin = join(folder, "venv", "bin")
        mkdirSync(bin, { recursive: true })
        const path = join(bin, "lm_eval")
        assert.strictEqual(findExecutable(lmEval, join(folder, "venv"), undefined), undefined)
        writeFileSync(path, "")
        assert.strictEqual(findExecutable(lmEval, undefined, bin), undefined)
        executable(path)
        executable(join(bin, "lm-eval-nightly"))
        assert.strictEqual(findExecutable(lmEval, join(folder, "venv"), undefined), path)
        assert.strictEqual(findExecutable(lmEval, path, undefined), path)
        assert.strictEqual(findExecutable(lmEval, bin, undefined), path)
        assert.strictEqual(findExecutable(lmEval, undefined, `/nowhere:${bin}`), path)
        assert.strictEqual(findExecutable(lmEval, "lm-eval-nightly", bin), join(bin, "lm-eval-nightly"))
        assert.strictEqual(findExecutable(lmEval, "other", bin), undefined)
      })
  )
})
