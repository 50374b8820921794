/** Records as a person or a program wants them. */
import { fittedTable, tabbedTable } from "../table-text.ts"
import { exits, Stop } from "./exit.ts"
import { jsonPath } from "./json-path.ts"
import { dataTo, plain, type Screen } from "./screen.ts"

export interface Column<Row> {
  readonly name: string
  /** only in `wide` and `csv` */
  readonly wide?: true
  /** an instant in RFC 3339, shown as local time on a terminal */
  readonly time?: true
  /** what the next command is typed with: a part of it is of no use */
  readonly whole?: true
  readonly cell: (row: Row) => string | number | boolean | undefined
}

const formats = ["table", "wide", "json", "yaml", "jsonl", "name", "csv"] as const
export type Format = (typeof formats)[number] | `jsonpath=${string}`

const isFormat = (text: string): text is Format =>
  (formats as ReadonlyArray<string>).includes(text) || text.startsWith("jsonpath=")

/** formats of whole records, of which no column is chosen */
export const isWhole = (format: Format): boolean => format !== "table" && format !== "wide" && format !== "csv"

export const formatOf = (text: string | undefined): Format => {
  if (text === undefined) return "table"
  if (isFormat(text)) return text
  throw new Stop(exits.usage, `unknown output '${text}'; known are ${formats.join(", ")} and jsonpath=EXPRESSION`)
}

export interface Shown<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  /** `job/ID` */
  readonly name: (row: Row) => string
  /** a single record instead of a list */
  readonly single?: boolean
}

export interface Asked {
  readonly format: Format
  readonly columns: ReadonlyArray<string> | undefined
}

const pad = (value: number): string => String(value).padStart(2, "0")

/** `2026-05-04 13:02:11 +02:00` */
export const localTime = (instant: string): string => {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  const offset = -at.getTimezoneOffset()
  const zone = `${offset < 0 ? "-" : "+"}${pad(Math.trunc(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())} ${zone}`
}

const chosen = <Row>({ columns }: Shown<Row>, asked: Asked): ReadonlyArray<Column<Row>> => {
  if (asked.columns !== undefined)
    return asked.columns.map((name) => {
      const found = columns.find((column) => column.name === name.trim().toLowerCase())
      if (found !== undefined) return found
      throw new Stop(
        exits.usage,
        `unknown column '${name}'; known are ${columns.map((column) => column.name).join(", ")}`
      )
    })
  return columns.filter(({ wide }) => wide !== true || asked.format === "wide" || asked.format === "csv")
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvText = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((row) => `${row.map(quoted).join(",")}\r\n`).join("")

/** libraries for one format are read when it is asked for */
const yamlText = async (value: unknown): Promise<string> => {
  const { toYaml } = await import("./yaml.ts")
  return toYaml(value)
}

const dataText = async <Row>({ rows, single, name }: Shown<Row>, format: Format): Promise<string | undefined> => {
  const value: unknown = single === true ? rows[0] : { items: rows }
  if (format === "json") return `${JSON.stringify(value, undefined, 2)}\n`
  if (format === "yaml") return yamlText(value)
  if (format === "jsonl") return rows.map((row) => `${JSON.stringify(row)}\n`).join("")
  if (format === "name") return rows.map((row) => `${plain(name(row))}\n`).join("")
  if (!format.startsWith("jsonpath=")) return undefined
  return jsonPath(value, format.slice("jsonpath=".length))
    .map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`)
    .join("")
}

export const show = async <Row>(screen: Screen, asked: Asked, shown: Shown<Row>): Promise<void> => {
  const data = await dataText(shown, asked.format)
  if (data !== undefined) return dataTo(screen, data)
  const columns = chosen(shown, asked)
  const forTerminal = screen.width !== undefined && asked.format !== "csv"
  const cells = shown.rows.map((row) =>
    columns.map(({ cell, time }) => {
      const value = cell(row)
      if (value === undefined || value === "") return asked.format === "csv" ? "" : "-"
      return time === true && forTerminal ? localTime(String(value)) : plain(String(value))
    })
  )
  const head = columns.map(({ name }) => name)
  if (asked.format === "csv") return screen.out(csvText([head, ...cells]))
  if (screen.width === undefined) return screen.out(tabbedTable(head, cells))
  const whole = new Set(columns.flatMap((column, at) => (column.whole === true ? [at] : [])))
  const { text, left } = fittedTable(
    head.map((name) => name.toUpperCase()),
    cells,
    screen.width,
    whole
  )
  screen.out(text)
  if (left.length > 0) screen.note(`not shown: ${left.join(", ").toLowerCase()} (--columns)`)
}
