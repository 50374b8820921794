/** An engineer holds one model against another: verdicts, the difference with its interval, and the items behind it. */
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { browserMissing, startBrowser, visit } from "../browser/support/browser.ts"
import { emptyHome, type Home } from "./support/home.ts"
import { shown } from "./support/picture.ts"
import { Story } from "./support/story.ts"

let home: Home
let browser: Browser
let server = ""
let ports: ReadonlyArray<readonly [told: string, real: string]> = []

describe.skipIf(browserMissing() !== undefined)("an engineer", () => {
  beforeAll(async () => {
    home = emptyHome()
    const [{ url }, strong, weak] = await Promise.all([
      home.start(["server", "-local"], { PORT: "0" }),
      home.start(["demo-model", "--port", "0", "--skill", "0.9"]),
      home.start(["demo-model", "--port", "0", "--skill", "0.6"])
    ])
    server = url
    ports = [
      ["http://127.0.0.1:8001/v1", strong.url],
      ["http://127.0.0.1:8002/v1", weak.url]
    ]
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await home?.leave()
  })

  it("has a verdict with one command, sees which model is worse, and reads its wrong answers", async () => {
    const shell = home.shell({ EVALD_SERVER: server })
    const story = new Story("two-models")
    const type = (command: string) => shell(ports.reduce((text, [told, real]) => text.replaceAll(told, real), command))
    const run = (name: string, port: number) =>
      `evald run --model http://127.0.0.1:${port}/v1 --name ${name} --benchmark arith_basic --num-examples 200 --wait -o name > ${name}`
    await story.types(
      type,
      "A verdict on one model, without a server: one command.",
      "evald run --local --model http://127.0.0.1:8001/v1 --name large --benchmark arith_basic --num-examples 200"
    )
    await story.types(type, "On the team's server, the same for both.", `${run("large", 8001)}\n${run("small", 8002)}`)
    await story.types(
      type,
      "The difference, item by item, and the answer in a word.",
      'evald compare "$(cat large)" "$(cat small)"'
    )

    const { page, context, complaints } = await visit(browser, shown)
    await page.goto(server)
    await page.getByRole("link", { name: "small" }).waitFor()
    story.tell("The same on the pages.")
    await story.clicks("Click on the job of the large model.", page.getByRole("link", { name: "large" }))
    await story.clicks("Click on Compare with …", page.getByRole("link", { name: "Compare with …" }))
    await story.clicks(
      "Click on the other one: it is worse, and by how much.",
      page.getByRole("checkbox", { name: "small" })
    )
    await page.getByRole("row").filter({ hasText: "arith_basic" }).getByText("worse").waitFor()
    await story.shows(page, "The comparison: the small model loses, with the interval of the difference")
    const before = story.clicksSoFar
    await page.goto(server)
    await story.clicks(
      "From the list of jobs: click on the small model's job,",
      page.getByRole("link", { name: "small" })
    )
    await story.clicks(
      "and on its number of items: each with question, answer, and why it counts.",
      page.getByRole("link", { name: /samples of arith_basic/ })
    )
    await page.getByRole("article").waitFor()
    assert.isAtMost(story.clicksSoFar - before, 2, "clicks to a sample")
    await story.shows(page, "The samples of the small model, one of them open")
    assert.deepStrictEqual(complaints, [])
    story.ends({ commands: 3, clicks: 5, seconds: 25 })
    await context.close()
  })
})
