/** Many namespaces of an operator's cluster, made and labelled as tenants some at a time. */
import { Effect } from "effect"
import { Cluster } from "./cluster.ts"
import type { setUp } from "./operator-process.ts"

type Operator = Pick<Effect.Effect.Success<typeof setUp>, "setLabels" | "label">

export const manyNamespaces = (count: number) =>
  Effect.flatMap(Cluster, ({ addNamespace }) =>
    Effect.forEach(Array.from({ length: count }), () => addNamespace("team"), { concurrency: 16 })
  )
export const labelAll = ({ setLabels, label }: Operator, names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name) => setLabels(name, label), { concurrency: 16, discard: true })
