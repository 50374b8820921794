/** Problems of checked files as people, programs and code scanners want to read them. Reference: providers-and-collections.md, "Linter". */
import { describe, type Problem } from "../../domain/file-problem.ts"

export type Finding = Problem

export const formats = ["text", "json", "sarif"] as const
export type Format = (typeof formats)[number]

const countOf = (findings: ReadonlyArray<Finding>, severity: Finding["severity"]) =>
  findings.filter((one) => one.severity === severity).length
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`

const text = (findings: ReadonlyArray<Finding>): string =>
  [
    ...findings.map(describe),
    `${plural(countOf(findings, "error"), "error")}, ${plural(countOf(findings, "warning"), "warning")}`
  ].join("\n")

const json = (findings: ReadonlyArray<Finding>): string =>
  JSON.stringify({ errors: countOf(findings, "error"), warnings: countOf(findings, "warning"), findings }, undefined, 2)

const levels = { error: "error", warning: "warning", info: "note" } as const

/** SARIF 2.1.0, as code scanners take it */
const sarif = (findings: ReadonlyArray<Finding>, version: string): string =>
  JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "evald",
              version,
              rules: [...new Set(findings.map(({ code }) => code))].sort().map((id) => ({ id }))
            }
          },
          results: findings.map(({ code, severity, file, line: startLine, column: startColumn, path, message }) => ({
            ruleId: code,
            level: levels[severity],
            message: { text: path === "" ? message : `${path}: ${message}` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: file },
                  ...(startLine > 0 ? { region: { startLine, startColumn } } : {})
                }
              }
            ]
          }))
        }
      ]
    },
    undefined,
    2
  )

export const renderFindings = (findings: ReadonlyArray<Finding>, format: Format, version: string): string => {
  if (format === "json") return json(findings)
  return format === "sarif" ? sarif(findings, version) : text(findings)
}

/** 0 clean or warnings only, 1 errors; `strict` takes warnings for errors */
export const exitCodeOf = (findings: ReadonlyArray<Finding>, strict: boolean): 0 | 1 =>
  countOf(findings, "error") > 0 || (strict && countOf(findings, "warning") > 0) ? 1 : 0
