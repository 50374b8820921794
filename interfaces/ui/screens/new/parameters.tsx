/** Fields for what a provider declares that its benchmarks take. */
import { parseJson } from "../../../../values/json.ts"
import type { RecordOf } from "../../data/answer.ts"
import { pointed } from "../../data/draft.ts"
import { ChoiceField, numberIn, TextField } from "../../parts/fields.tsx"

export type Declaration = NonNullable<RecordOf<"getProvider">["parameters"]>[number]

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** lists and objects are typed as JSON; what is none is sent as text, for the answer to say so here */
export const jsonIn = (text: string): unknown => {
  const value = parseJson(text)
  return value === undefined ? text : value
}

const readers: { readonly [Type in Declaration["type"]]?: (text: string) => unknown } = {
  integer: numberIn,
  number: numberIn,
  array: jsonIn,
  object: jsonIn,
  any: jsonIn
}

const hintOf = ({ description, type, minimum, maximum }: Declaration): string =>
  [
    ...(description === undefined ? [] : [description]),
    ...(type === "array" || type === "object" || type === "any" ? ["as JSON"] : []),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`])
  ].join("; ")

const Parameter = ({ declared, path }: { readonly declared: Declaration; readonly path: string }) => {
  const { name, type, default: initial, enum: values, required = false } = declared
  const at = `${path}/${pointed(name)}`
  const none = initial === undefined ? (required ? "must be given" : "not given") : `default: ${shown(initial)}`
  const choices = values ?? (type === "boolean" ? [true, false] : undefined)
  const hint = hintOf(declared)
  return choices === undefined ? (
    <TextField
      path={at}
      label={name}
      required={required}
      placeholder={none}
      {...(hint === "" ? {} : { hint })}
      {...(readers[type] === undefined ? {} : { read: readers[type] })}
    />
  ) : (
    <ChoiceField
      path={at}
      label={name}
      none={none}
      choices={choices.map((value) => [shown(value), value] as const)}
      {...(hint === "" ? {} : { hint })}
    />
  )
}

/** `declared` undefined: they are not known, and all are typed as one object */
export const Parameters = ({
  declared,
  path
}: {
  readonly declared: ReadonlyArray<Declaration> | undefined
  readonly path: string
}) =>
  declared === undefined ? (
    <TextField path={path} label="Parameters as JSON" hint='such as {"num_examples": 20}' read={jsonIn} />
  ) : (
    <div class="filters">
      {declared.map((one) => (
        <Parameter key={one.name} declared={one} path={path} />
      ))}
    </div>
  )
