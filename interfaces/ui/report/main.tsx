/** A report begins here: what it shows stands in its own file. */
import { render } from "preact"
import type { ReportData } from "../../client/report.ts"
import { held } from "../session/session.ts"
import { answersOf } from "./answers.ts"
import { Report } from "./report.tsx"

const [root, text] = ["app", "data"].map((id) => document.getElementById(id))
const data = JSON.parse(text?.textContent ?? "null") as ReportData | null
if (root && data !== null) {
  held.value = answersOf(data)
  render(<Report data={data} />, root)
}
