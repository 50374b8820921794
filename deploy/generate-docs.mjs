// Writes the generated parts of docs, the tables of settings, metrics and message codes, each from the table the program itself uses, and the
// client's table of operations from the contract. With
// --check it only compares, for the tests and CI.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { build } from "esbuild"
import { render } from "./render-manifests.mjs"
import { troubleshootingRows } from "./troubleshooting.mjs"

const load = async (file) => {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "error"
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
}
const { settings, settingMaps } = await load("config/settings.ts")
const { metricTable, processMetrics } = await load("interfaces/http/metrics/metric-table.ts")
const codes = await load("domain/job/message-codes.ts")
const { apiRoutes } = await load("interfaces/http/api.ts")
const { requestCodes } = await load("interfaces/http/groups/request-codes.ts")
const { commands } = await load("interfaces/cli/commands.ts")
const { renderHelp } = await load("interfaces/cli/flags.ts")

const cell = (text) => String(text).replaceAll("|", "\\|")
const shown = (value) =>
  value === undefined
    ? "unset"
    : Array.isArray(value)
      ? value.length === 0
        ? "none"
        : value.join(", ")
      : String(value)
const table = (head, rows) =>
  [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
    "\n"
  )
const code = (text) => `\`${text}\``
const codeTable = (entries) =>
  table(
    ["code", "meaning"],
    Object.entries(entries).map(([name, meaning]) => [code(name), cell(meaning)])
  )

/** each form of each command; the first one has the command's name, a further one what is typed for it */
const commandForms = commands.flatMap(({ name, forms }) =>
  forms.map((form, at) => ({
    title: at === 0 ? name : form.usage.split(/ (?=[[<-])/, 1)[0].replace(/^evald /, ""),
    form
  }))
)

const sections = [
  {
    page: "docs/cli.md",
    name: "commands",
    source: "interfaces/cli/commands.ts",
    rows: [
      table(
        ["command", "does"],
        commands.map(({ name, summary }) => [code(`evald ${name}`), cell(summary)])
      ),
      ...commandForms.map(({ title, form }) => `### evald ${title}\n\n\`\`\`text\n${renderHelp(form)}\`\`\``)
    ].join("\n\n")
  },
  {
    page: "docs/reference/configuration.md",
    name: "settings",
    source: "config/settings.ts",
    rows: table(
      ["setting", "variable", "default", "meaning"],
      [
        ...Object.entries(settings).map(([key, { variable, initial, meaning }]) => [
          code(key),
          variable === undefined ? "" : code(variable),
          cell(shown(initial)),
          cell(meaning)
        ]),
        ...Object.entries(settingMaps).map(([key, meaning]) => [code(`${key}.*`), "", "none", cell(meaning)])
      ]
    )
  },
  {
    page: "docs/reference/metrics.md",
    name: "metrics",
    source: "interfaces/http/metrics/metric-table.ts",
    rows: table(
      ["metric", "kind", "labels", "meaning"],
      [
        ...Object.values(metricTable).map(({ name, kind, labels, help }) => [
          code(name),
          kind,
          labels.map(code).join(", "),
          cell(help)
        ]),
        ...processMetrics.map(([name, help]) => [code(name), "process", "", cell(help)])
      ]
    )
  },
  {
    page: "docs/reference/errors.md",
    name: "request-codes",
    source: "interfaces/http/groups/request-codes.ts",
    rows: table(
      ["status", "code", "meaning"],
      Object.entries(requestCodes)
        .sort(([, a], [, b]) => a.status - b.status)
        .map(([name, { status, meaning }]) => [status, code(name), cell(meaning)])
    )
  },
  {
    page: "docs/reference/errors.md",
    name: "job-codes",
    source: "domain/job/message-codes.ts",
    rows: codeTable(codes.jobCodes)
  },
  {
    page: "docs/reference/errors.md",
    name: "runtime-codes",
    source: "domain/job/message-codes.ts",
    rows: codeTable(codes.runtimeCodes)
  },
  {
    page: "docs/reference/errors.md",
    name: "adapter-codes",
    source: "domain/job/message-codes.ts",
    rows: codeTable(codes.adapterCodes)
  },
  {
    page: "docs/reference/errors.md",
    name: "warning-codes",
    source: "domain/job/message-codes.ts",
    rows: codeTable(codes.warningCodes)
  },
  {
    page: "docs/troubleshooting.md",
    name: "codes",
    source: "deploy/troubleshooting.mjs",
    rows: await troubleshootingRows(load)
  }
]

const replaced = (text, { page, name, source, rows }) => {
  const begin = `<!-- ${name}:begin (generated from ${source}, \`npm run docs\`) -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(`<!-- ${name}:end -->`)
  if (from < 0 || to < from) throw new Error(`${page} has no section '${begin}'`)
  return `${text.slice(0, from + begin.length)}\n${rows}\n${text.slice(to)}`
}
const stale = []
for (const page of new Set(sections.map((section) => section.page))) {
  const text = readFileSync(page, "utf8")
  const next = sections.filter((section) => section.page === page).reduce(replaced, text)
  if (next === text) continue
  stale.push(page)
  if (!process.argv.includes("--check")) writeFileSync(page, next)
}
// the table of the client without the Effect runtime
const routes = apiRoutes()
const codesOf = ({ codes: own }) => [...new Set(own)]
const shared = (all) => codesOf(all[0]).filter((one) => all.every((route) => codesOf(route).includes(one)))
const [anywhere, guarded] = [shared(routes), shared(routes.filter((route) => route.guarded))]
const codesText = (route) => {
  const [common, name] = route.guarded ? [guarded, "guarded"] : [anywhere, "anywhere"]
  const own = codesOf(route).filter((one) => !common.includes(one))
  return own.length === 0 ? name : `\`\${${name}} ${own.join(" ")}\``
}
const rows = routes.map((route) => {
  const { name, method, path, query, bodyType = "", answers } = route
  const successes = [...new Set(answers.map(({ status }) => status))].filter((status) => status > 299).join(", ")
  const texts = [method, path, query.join(" "), bodyType].map((text) => JSON.stringify(text)).join(", ")
  return `  ${name}: [${texts}, ${codesText(route)}, [${successes}]]`
})
const clientTable = "interfaces/client/operations.ts"
const clientText = `// biome-ignore-all format: generated from interfaces/http/api.ts by \`npm run docs\`
/** Every operation as the client needs it: method, path, query parameters, media type of the body, codes of refusals, successes that are not 2xx. */
import type { EndpointName } from "../http/api.ts"

type Row = readonly [method: string, path: string, query: string, mediaType: string, codes: string, successes: ReadonlyArray<number>]

const anywhere = "${anywhere.join(" ")}"
const guarded = "${guarded.join(" ")}"

export const operations: { readonly [Name in EndpointName]: Row } = {
${rows.join(",\n")}
}
`
if (!existsSync(clientTable) || readFileSync(clientTable, "utf8") !== clientText) {
  stale.push(clientTable)
  if (!process.argv.includes("--check")) writeFileSync(clientTable, clientText)
}
// the man page
const roff = (text) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/gm, "\\&$1")
const manFlag = ({ name, short, value, meaning }) =>
  `.TP\n\\fB${short === undefined ? "" : `\\-${short}, `}\\-\\-${roff(name)}\\fR${value === undefined ? "" : ` \\fI${roff(value)}\\fR`}\n${roff(meaning)}`
const manPage = "docs/evald.1"
const manText = `.\\" generated from interfaces/cli/commands.ts by npm run docs
.TH EVALD 1
.SH NAME
evald \\- evaluations of language\\-model endpoints
.SH SYNOPSIS
.B evald
.I command
[flags]
.SH COMMANDS
${commands.map(({ name, summary }) => `.TP\n\\fB${roff(name)}\\fR\n${roff(summary)}`).join("\n")}
${commandForms
  .map(({ title, form: { usage, summary, flags } }) =>
    [
      `.SH "EVALD ${roff(title.toUpperCase())}"`,
      ...usage.split(/\n\s*/).flatMap((line, at) => [...(at === 0 ? [] : [".br"]), `.B ${roff(line)}`]),
      ".PP",
      summary.split("\n\n").map(roff).join("\n.PP\n"),
      ...flags.map(manFlag)
    ].join("\n")
  )
  .join("\n")}
`
if (!existsSync(manPage) || readFileSync(manPage, "utf8") !== manText) {
  stale.push(manPage)
  if (!process.argv.includes("--check")) writeFileSync(manPage, manText)
}
stale.push(...(await render(settings, process.argv.includes("--check"))))
if (process.argv.includes("--check") && stale.length > 0) {
  console.error(`not up to date: ${stale.join(", ")}; run npm run docs`)
  process.exit(1)
}
