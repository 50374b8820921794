/** What the list of jobs is narrowed by. All of it stands in the address, and the server does the work. */

import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso/router"

const states = ["pending", "running", "completed", "failed", "partially_failed", "cancelled"] as const

const texts = [
  ["name", "Name"],
  ["model", "Model"],
  ["collection_id", "Collection"],
  ["tags", "Tags"],
  ["owner", "Owner"]
] as const

export const filterNames = ["status", ...texts.map(([name]) => name)] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = { readonly [Name in FilterName]?: string }

export const filtersOf = (query: URLSearchParams): Filters =>
  Object.fromEntries(filterNames.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])))

/** milliseconds after the last key */
const typingPause = 350

export const FilterForm = ({ filters }: { readonly filters: Filters }) => {
  const { route } = useLocation()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const shown = useRef<HTMLFormElement>(null)
  // a link may lead to other filters; what is being typed is the user's
  useEffect(() => {
    for (const [name] of texts) {
      const field = shown.current?.elements.namedItem(name)
      if (field instanceof HTMLInputElement && field !== document.activeElement) field.value = filters[name] ?? ""
    }
  }, [JSON.stringify(filters)])
  const apply = (form: HTMLFormElement) => {
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(form))
      if (String(value).trim() !== "") query.set(name, String(value).trim())
    const search = query.toString()
    route(search === "" ? "/" : `/?${search}`, true)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a form that searches is the landmark; `search` as an element is too new
    <form
      ref={shown}
      class="filters"
      role="search"
      aria-label="Jobs"
      onSubmit={(event) => {
        event.preventDefault()
        apply(event.currentTarget)
      }}
      onInput={({ currentTarget }) => {
        clearTimeout(timer.current)
        timer.current = setTimeout(() => apply(currentTarget), typingPause)
      }}
    >
      <label>
        State
        <select name="status" value={filters.status ?? ""}>
          <option value="">any</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {state.replace("_", " ")}
            </option>
          ))}
        </select>
      </label>
      {texts.map(([name, label]) => (
        <label key={name}>
          {label}
          <input name={name} type="search" autocomplete="off" spellcheck={false} defaultValue={filters[name] ?? ""} />
        </label>
      ))}
    </form>
  )
}
