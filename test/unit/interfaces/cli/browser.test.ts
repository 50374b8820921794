import { assert, describe, it } from "vitest"
import { launch, launchOf } from "../../../../interfaces/cli/client/browser.ts"

const url = "https://evald.example/jobs/1?a=1&b=2"

describe("the browser of whoever types", () => {
  it("is asked for in the way of each system, never through a shell", () => {
    assert.deepStrictEqual(launchOf(url, "win32", {}), {
      program: "rundll32",
      args: ["url.dll,FileProtocolHandler", url]
    })
    assert.deepStrictEqual(launchOf(url, "darwin", {}), { program: "open", args: [url] })
    for (const display of ["DISPLAY", "WAYLAND_DISPLAY"])
      assert.deepStrictEqual(launchOf(url, "linux", { [display]: ":0" }), { program: "xdg-open", args: [url] })
  })
  it("is not there without a screen, or on a machine that one is logged in to from elsewhere", () => {
    assert.isUndefined(launchOf(url, "linux", { DISPLAY: "" }))
    assert.isUndefined(launchOf(url, "darwin", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }))
  })
  it("a program that is not installed is no browser", async () => {
    assert.isFalse(await launch({ program: "/nowhere/xdg-open", args: [url] }))
  })
})
