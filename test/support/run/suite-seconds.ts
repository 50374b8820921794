/** When a test file ran, in milliseconds. */
export interface FileTimes {
  readonly suite: string
  /** its workers ran files of other suites meanwhile */
  readonly shared: boolean
  readonly from: number
  readonly to: number
}

/** seconds that each suite took: alone from its first file to its last, among others its share of the workers or its longest file */
export const secondsOfSuites = (files: ReadonlyArray<FileTimes>, workers: number): Map<string, number> => {
  const suites = new Map<string, Array<FileTimes>>()
  for (const file of files) suites.set(file.suite, [...(suites.get(file.suite) ?? []), file])
  return new Map(
    [...suites].map(([name, own]) => {
      const each = own.map(({ from, to }) => to - from)
      const millis = own.some(({ shared }) => shared)
        ? Math.max(each.reduce((sum, one) => sum + one, 0) / workers, ...each)
        : Math.max(...own.map(({ to }) => to)) - Math.min(...own.map(({ from }) => from))
      return [name, millis / 1000] as const
    })
  )
}
