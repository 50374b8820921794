/** Fields that narrow what a screen shows. All of them stand in the address, so that every view is a link, and the server does the work. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { visible } from "../format.ts"

/** milliseconds after the last key */
const typingPause = 350

/**
 * `kept`: members of the address that have no field here and stay. `set`: how many of its many fields are set, for a form that takes half of a
 * small screen: there its fields are behind a button that says so.
 */
export const FilterForm = ({
  label,
  query,
  kept = [],
  set,
  children
}: {
  readonly label: string
  readonly query: URLSearchParams
  readonly kept?: ReadonlyArray<string>
  readonly set?: number
  readonly children: ComponentChildren
}) => {
  const { path, route } = useLocation()
  const isUnfolded = useSignal(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const shown = useRef<HTMLFormElement>(null)
  /** it may be another one by the time that the pause is over */
  const latest = useRef(query)
  latest.current = query
  // a link may lead to other filters; what is being typed is the user's
  useEffect(() => {
    for (const field of shown.current?.elements ?? [])
      if (field instanceof HTMLInputElement && field !== document.activeElement) {
        if (field.type === "checkbox") field.checked = query.has(field.name)
        else field.value = query.get(field.name) ?? ""
      }
  }, [query.toString()])
  // the screen may be left before the pause is over
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (form: HTMLFormElement) => {
    clearTimeout(timer.current)
    const next = new URLSearchParams()
    for (const name of kept) for (const value of latest.current.getAll(name)) next.append(name, value)
    for (const [name, value] of new FormData(form))
      if (String(value).trim() !== "") next.set(name, String(value).trim())
    const search = next.toString()
    route(search === "" ? path : `${path}?${search}`, true)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form that searches is the landmark; `search` as an element is too new
    <form
      ref={shown}
      class="filters"
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        apply(event.currentTarget)
      }}
      onInput={({ currentTarget, target }) => {
        clearTimeout(timer.current)
        // a choice is whole at once, and a list that is drawn again meanwhile would take it back
        if (target instanceof HTMLSelectElement) return apply(currentTarget)
        timer.current = setTimeout(() => apply(currentTarget), typingPause)
      }}
    >
      {set !== undefined && (
        <button
          type="button"
          class="fold"
          aria-expanded={isUnfolded.value}
          onClick={() => {
            isUnfolded.value = !isUnfolded.value
          }}
        >
          Filters{set > 0 && `, ${set} set`}
        </button>
      )}
      {children}
    </form>
  )
}

interface Filter {
  readonly name: string
  readonly label: string
  readonly query: URLSearchParams
}

export const TextFilter = ({ name, label, query }: Filter) => (
  <label>
    {label}
    <input name={name} type="search" autocomplete="off" spellcheck={false} defaultValue={query.get(name) ?? ""} />
  </label>
)

export type Choices = ReadonlyArray<readonly [value: string, text: string]>

export const Options = ({ of }: { readonly of: Choices }) => (
  <>
    {of.map(([value, text]) => (
      <option key={value} value={value}>
        {visible(text)}
      </option>
    ))}
  </>
)

/** one of several values, each with its text; what the address says stays a choice when the answer does not name it */
export const ChoiceFilter = ({
  name,
  label,
  query,
  none = "any",
  choices
}: Filter & {
  /** what it is without a choice */
  readonly none?: string
  readonly choices: Choices
}) => {
  const chosen = query.get(name) ?? ""
  const isKnown = chosen === "" || choices.some(([value]) => value === chosen)
  return (
    <label>
      {label}
      <select name={name} value={chosen}>
        <option value="">{none}</option>
        {!isKnown && <option value={chosen}>{visible(chosen)}</option>}
        <Options of={choices} />
      </select>
    </label>
  )
}
