/** The changes of a release are sentences that people can read, each once and under what it concerns. */
import { assert, describe, it } from "vitest"
import { changesOf, commitsIn, released } from "../../../deploy/changes.mjs"

const log = [
  ["a1", "Samples are found by their text", "interfaces/http/handlers/samples.ts\ndomain/sample/sample.ts"],
  ["b2", "Format", "domain/sample/sample.ts"],
  ["c3", "The operator waits longer", "infrastructure/kubernetes/operator/kernel.ts"],
  ["d4", "Pages say more", "docs/install.md"],
  ["e5", "Tests wait for conditions", "test/unit/a.test.ts"]
]
  .map(([id, subject, files]) => `\0${id}\0${subject}\0\n\n${files}\n`)
  .join("")

const changelog =
  "# Changelog\n\nAll notable changes.\n\n## Unreleased\n\n- Samples can be searched.\n\n## 0.1.0\n\n- First.\n"

describe("the changes of a release", () => {
  it("are what the changelog says of it, then every commit that says something, by whom it concerns", () => {
    const commits = commitsIn(log)
    assert.deepStrictEqual(commits[0], {
      id: "a1",
      subject: "Samples are found by their text",
      files: ["interfaces/http/handlers/samples.ts", "domain/sample/sample.ts"]
    })
    assert.lengthOf(commits, 5)
    const text = changesOf({ version: "0.2.0", date: "2026-01-02", changelog, commits, since: "v0.1.0" })
    assert.strictEqual(
      text,
      [
        "# evald 0.2.0",
        "2026-01-02",
        "- Samples can be searched.",
        "### Every change since v0.1.0",
        "#### Clients and the API",
        "- Samples are found by their text (a1)",
        "#### Installation and operators",
        "- The operator waits longer (c3)",
        "#### Documentation",
        "- Pages say more (d4)",
        "#### Tests and tools",
        "- Tests wait for conditions (e5)\n"
      ].join("\n\n")
    )
  })

  it("are what stands under the version once it has a heading", () => {
    const text = released(changelog, "0.2.0", "2026-01-02")
    assert.include(text, "## Unreleased\n\n## 0.2.0 (2026-01-02)\n\n- Samples can be searched.\n")
    assert.strictEqual(released(text, "0.2.0", "2026-01-03"), text)
    const told = changesOf({ version: "0.2.0", date: "2026-01-02", changelog: text, commits: [], since: undefined })
    assert.strictEqual(told, "# evald 0.2.0\n\n2026-01-02\n\n- Samples can be searched.\n\n### Every change\n")
  })
})
