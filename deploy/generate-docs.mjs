// Writes the generated parts of README.md: the tables of settings and metrics. With --check it only compares, for the tests and CI.
import { readFileSync, writeFileSync } from "node:fs"
import { build } from "esbuild"

const load = async (file) => {
  const { outputFiles } = await build({ entryPoints: [file], bundle: true, platform: "node", format: "esm", write: false })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}
const { settings, settingMaps } = await load("config/settings.ts")
const { metricTable, processMetrics } = await load("interfaces/http/metric-table.ts")

const cell = (text) => String(text).replaceAll("|", "\\|")
const shown = (value) => (value === undefined ? "unset" : Array.isArray(value) ? (value.length === 0 ? "none" : value.join(", ")) : String(value))
const settingRows = [
  "| setting | variable | default | meaning |",
  "|---|---|---|---|",
  ...Object.entries(settings).map(
    ([key, { variable, initial, meaning }]) =>
      `| \`${key}\` | ${variable === undefined ? "" : `\`${variable}\``} | ${cell(shown(initial))} | ${cell(meaning)} |`
  ),
  ...Object.entries(settingMaps).map(([key, meaning]) => `| \`${key}.*\` | | none | ${cell(meaning)} |`)
].join("\n")

const metricRows = [
  "| metric | kind | labels | meaning |",
  "|---|---|---|---|",
  ...Object.values(metricTable).map(
    ({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${cell(help)} |`
  ),
  ...processMetrics.map(([name, help]) => `| \`${name}\` | process | | ${cell(help)} |`)
].join("\n")

const replaced = (text, name, source, rows) => {
  const begin = `<!-- ${name}:begin (generated from ${source}, \`npm run docs\`) -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(`<!-- ${name}:end -->`)
  if (from < 0 || to < from) throw new Error(`README.md has no section '${begin}'`)
  return `${text.slice(0, from + begin.length)}\n${rows}\n${text.slice(to)}`
}
const text = readFileSync("README.md", "utf8")
const next = replaced(replaced(text, "settings", "config/settings.ts", settingRows), "metrics", "interfaces/http/metric-table.ts", metricRows)
if (process.argv.includes("--check")) {
  if (next !== text) {
    console.error("README.md is not up to date: run npm run docs")
    process.exit(1)
  }
} else writeFileSync("README.md", next)
