import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cacheFolder, type Sources } from "../../cluster/control-plane/binaries.ts"

const sources: Sources = {
  go: "go version go1.26.1 linux/amd64",
  goMod: "module x\n\nrequire k8s.io/kubernetes v1.35.1\n",
  goSum: "a h1:b\n"
}

describe("the compiled control plane", () => {
  it("lies in the user's cache folder, the same for every checkout", () => {
    const folder = cacheFolder(sources, { XDG_CACHE_HOME: "/cache" })
    assert.strictEqual(folder, cacheFolder({ ...sources }, { XDG_CACHE_HOME: "/cache" }))
    assert.match(folder, /^\/cache\/evald\/control-plane\/[0-9a-f]{16}$/)
    assert.notInclude(cacheFolder(sources, {}), process.cwd())
    assert.isTrue(cacheFolder(sources, {}).endsWith(join(".cache", "evald", "control-plane", folder.slice(-16))))
  })

  it("is compiled anew when the modules, their sums or the compiler change", () => {
    const changed = [
      { go: "go version go1.27.0 linux/amd64" },
      { goMod: sources.goMod.replace("1.35.1", "1.35.2") },
      { goSum: "a h1:c\n" }
    ]
    assert.lengthOf(new Set([{}, ...changed].map((change) => cacheFolder({ ...sources, ...change }, {}))), 4)
  })
})
