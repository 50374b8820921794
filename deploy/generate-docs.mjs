// Writes the generated parts of README.md: the table of settings. With --check it only compares, for the tests and CI.
import { readFileSync, writeFileSync } from "node:fs"
import { build } from "esbuild"

const { outputFiles } = await build({ entryPoints: ["config/settings.ts"], bundle: true, platform: "node", format: "esm", write: false })
const source = Buffer.from(outputFiles[0].contents).toString("base64")
const { settings, settingMaps } = await import(`data:text/javascript;base64,${source}`)

const cell = (text) => String(text).replaceAll("|", "\\|")
const shown = (value) => (value === undefined ? "unset" : Array.isArray(value) ? (value.length === 0 ? "none" : value.join(", ")) : String(value))
const table = [
  "| setting | variable | default | meaning |",
  "|---|---|---|---|",
  ...Object.entries(settings).map(
    ([key, { variable, initial, meaning }]) =>
      `| \`${key}\` | ${variable === undefined ? "" : `\`${variable}\``} | ${cell(shown(initial))} | ${cell(meaning)} |`
  ),
  ...Object.entries(settingMaps).map(([key, meaning]) => `| \`${key}.*\` | | none | ${cell(meaning)} |`)
].join("\n")

const begin = "<!-- settings:begin (generated from config/settings.ts, `npm run docs`) -->"
const end = "<!-- settings:end -->"
const text = readFileSync("README.md", "utf8")
const from = text.indexOf(begin) + begin.length
const next = `${text.slice(0, from)}\n${table}\n${text.slice(text.indexOf(end))}`
if (process.argv.includes("--check")) {
  if (next !== text) {
    console.error("README.md is not up to date: run npm run docs")
    process.exit(1)
  }
} else writeFileSync("README.md", next)
