// The headings of docs/troubleshooting.md: every message code with its causes and what to do, from the catalogues that the program itself answers from.
import { readFileSync } from "node:fs"

/** rows of the table of flags: code → when */
const flagMeanings = () => {
  const [, flags = ""] = readFileSync("docs/reference/validity.md", "utf8").split("## Flags\n")
  const rows = flags.split("\n## ")[0].matchAll(/^\| `(\w+)` \| \w+ \| (.*) \|$/gm)
  return Object.fromEntries(
    [...rows].map(([, code, when]) => [code, when.replaceAll("(providers-", "(reference/providers-")])
  )
}

/** `load`: a module of the sources, as node can import it */
export const troubleshootingRows = async (load) => {
  const { requestCodes } = await load("interfaces/http/groups/request-codes.ts")
  const { requestRemedies } = await load("interfaces/http/groups/request-remedies.ts")
  const { faultRemedies } = await load("interfaces/gateway/fault-remedies.ts")
  const { jobCodes, runtimeCodes, adapterCodes, warningCodes } = await load("domain/job/message-codes.ts")
  const { remedyOfCode, remedyOfFlag } = await load("domain/explain/remedies.ts")
  const { ownCauses } = await load("domain/explain/explain-failures.ts")
  const { wireSentence } = await load("config/wire-names.ts")

  const told = (place, codes, remedyOf) =>
    Object.entries(codes).map(([code, meaning]) => ({ code, place, meaning, remedy: wireSentence(remedyOf(code)) }))
  const all = [
    ...Object.entries(requestCodes).map(([code, { status, meaning }]) => ({
      code,
      place: `Answer of the API, ${status}`,
      meaning,
      remedy: requestRemedies[code]
    })),
    ...told("Message of a job", jobCodes, () => "Nothing is to be done."),
    ...told("Error or warning of a benchmark", runtimeCodes, remedyOfCode),
    ...told("Error that an adapter reports", adapterCodes, remedyOfCode),
    ...told("Warning that an adapter reports", warningCodes, remedyOfCode),
    ...Object.entries(faultRemedies).map(([code, { meaning, remedy }]) => ({
      ...{ code, meaning, remedy },
      place: "Answer of the gateway to an adapter"
    })),
    ...told("Flag of a result", flagMeanings(), remedyOfFlag),
    ...Object.entries(ownCauses).map(([code, { says, remedy }]) => ({
      ...{ code, place: "Cause that an explanation names", meaning: says },
      remedy: wireSentence(remedy)
    }))
  ]
  const byCode = new Map()
  for (const one of all) byCode.set(one.code, [...(byCode.get(one.code) ?? []), one])
  return [...byCode]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(
      ([code, entries]) =>
        `### ${code}\n\n${entries.map(({ place, meaning, remedy }) => `- ${place}: ${meaning}. **What to do:** ${remedy}`).join("\n")}`
    )
    .join("\n\n")
}
