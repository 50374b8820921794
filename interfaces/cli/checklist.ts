/** The result of `evald doctor`: what was looked at, and for everything that is wrong the way out. */
export interface Check {
  readonly name: string
  /** `note`: something that some work needs and other work does not */
  readonly status: "ok" | "note" | "problem"
  readonly detail: string
  readonly fix?: string
}

const marks = { ok: "ok      ", note: "note    ", problem: "PROBLEM " } as const

export const renderChecklist = (checks: ReadonlyArray<Check>): string => {
  const problems = checks.filter(({ status }) => status === "problem").length
  return [
    ...checks.flatMap(({ name, status, detail, fix }) => [
      `${marks[status]}${name}: ${detail}`,
      ...(fix === undefined ? [] : [`          fix: ${fix}`])
    ]),
    problems === 0 ? "nothing stands in the way" : `${problems} problem${problems === 1 ? "" : "s"}`
  ].join("\n")
}
