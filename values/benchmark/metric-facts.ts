/** What is known about a metric beside its value; intervals are 95 % unless `ciLevel` says otherwise. */
export interface MetricFacts {
  readonly name: string
  readonly unit?: string
  readonly lowerIsBetter?: boolean
  readonly n?: number
  readonly stderr?: number
  readonly ci?: readonly [number, number]
  readonly ciLevel?: number
  readonly ciMethod?: string
  /** every item is right or wrong, and so many of `n` are right: the server's bounds are exact then */
  readonly successes?: number
  /** the value is a mean over `n` items that are worth so many independent ones (`n` when they do not hang together), and `stderr` takes that into account */
  readonly clusters?: number
}
