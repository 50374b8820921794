/** Fields of a request that somebody fills in. Each names its member by a JSON pointer, and says below itself what the answer says of that member. */

import type { Signal } from "@preact/signals"
import { type ComponentChildren, createContext } from "preact"
import { useContext, useId } from "preact/hooks"
import { defined } from "../../../values/defined.ts"
import { valueAt, withValue } from "../data/draft.ts"
import { errorsAt, type Problem, withoutErrorsAt } from "../data/problem.ts"
import { visible } from "../format.ts"

export interface Filled {
  readonly draft: Signal<object>
  readonly problem: Signal<Problem | undefined>
}

/** the request that the fields below are of */
export const Filling = createContext<Filled | undefined>(undefined)

const useFilled = (path: string) => {
  const filled = useContext(Filling)
  if (filled === undefined) throw new Error(`the field ${path} is in no request`)
  const { draft, problem } = filled
  return {
    value: valueAt(draft.value, path),
    errors: errorsAt(problem.value, path),
    fill: (value: unknown) => {
      draft.value = withValue(draft.peek(), path, value)
      // what was said of it was said of what it was
      problem.value = withoutErrorsAt(problem.peek(), path)
    }
  }
}

interface Named {
  readonly path: string
  readonly label: string
  readonly hint?: string | undefined
}

interface Wired {
  readonly id: string
  readonly "aria-invalid"?: true
  readonly "aria-describedby"?: string
}

/** `children` gets what ties the control to its label, its hint and its problems */
const Field = ({ path, label, hint, children }: Named & { readonly children: (wired: Wired) => ComponentChildren }) => {
  const id = useId()
  const { errors } = useFilled(path)
  const told = [...(hint === undefined ? [] : [`${id}-hint`]), ...(errors.length === 0 ? [] : [`${id}-problem`])]
  const wired = {
    id,
    ...(errors.length === 0 ? {} : { "aria-invalid": true as const }),
    ...(told.length === 0 ? {} : { "aria-describedby": told.join(" ") })
  }
  return (
    <div class="field">
      <label for={id}>{visible(label)}</label>
      {children(wired)}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="remark">
          {visible(hint)}
        </p>
      )}
      {errors.length > 0 && (
        <p id={`${id}-problem`} class="wrong">
          {errors.map(({ message }) => visible(message)).join("; ")}
        </p>
      )}
    </div>
  )
}

/** the text of a value that a field begins with */
const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

interface Typed extends Named {
  /** what a text stands for; default the text itself */
  readonly read?: (text: string) => unknown
  readonly list?: string
  readonly required?: boolean
  readonly mode?: "text" | "decimal" | "url"
  readonly placeholder?: string
}

/** what is typed stays as it is typed, whatever it is read as; an empty field is an absent member */
export const TextField = ({
  path,
  label,
  hint,
  read = (text) => text,
  list,
  required = false,
  mode = "text",
  placeholder
}: Typed) => {
  const { value, fill } = useFilled(path)
  return (
    <Field path={path} label={label} hint={hint}>
      {(wired) => (
        <input
          {...wired}
          type="text"
          inputMode={mode}
          autocomplete="off"
          spellcheck={false}
          aria-required={required}
          defaultValue={textOf(value)}
          {...defined({ list, placeholder })}
          onInput={({ currentTarget }) => {
            const text = currentTarget.value.trim()
            fill(text === "" ? undefined : read(text))
          }}
        />
      )}
    </Field>
  )
}

/** what is no number is sent as the text that it is, for the server to say so at this field */
export const numberIn = (text: string): unknown => (Number.isFinite(Number(text)) ? Number(text) : text)

export const NumberField = (given: Omit<Typed, "read" | "mode">) => (
  <TextField {...given} mode="decimal" read={numberIn} />
)

/** `choices` by their texts in the list; the first entry is the absent member */
export const ChoiceField = ({
  path,
  label,
  hint,
  none = "default",
  choices
}: Named & {
  readonly none?: string | undefined
  readonly choices: ReadonlyArray<readonly [text: string, value: unknown]>
}) => {
  const { value, fill } = useFilled(path)
  return (
    <Field path={path} label={label} hint={hint}>
      {(wired) => (
        <select
          {...wired}
          value={String(choices.findIndex(([, one]) => one === value))}
          onInput={({ currentTarget }) => fill(choices[Number(currentTarget.value)]?.[1])}
        >
          <option value="-1">{visible(none)}</option>
          {choices.map(([text], at) => (
            <option key={text} value={String(at)}>
              {visible(text)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** brings whoever sent a request to the first field that has to be mended */
export const focusProblem = (within: HTMLElement | null): void => {
  // the fields are marked with the next drawing
  requestAnimationFrame(() => {
    const wrong = within?.querySelector<HTMLElement>("[aria-invalid]")
    for (let up = wrong?.parentElement ?? null; up !== null; up = up.parentElement)
      if (up instanceof HTMLDetailsElement) up.open = true
    wrong?.focus()
  })
}
