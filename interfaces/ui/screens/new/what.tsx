/** What is run: a collection, or benchmarks of one's choice with their parameters. */
import { type Signal, useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useAnswer } from "../../data/answer.ts"
import { visible } from "../../format.ts"
import { NumberField, TextField } from "../../parts/fields.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { type Declaration, Parameters } from "./parameters.tsx"
import type { Draft, Entry } from "./request.ts"

/** milliseconds after the last key */
const typingPause = 350

const Collection = () => {
  const { value } = useAnswer("listCollections", { urlParams: { limit: 100, fields: "resource,name" } })
  return (
    <div class="filters">
      <TextField path="/collection/id" label="Collection" list="collections" required={true} />
      <datalist id="collections">
        {value?.items.map(({ resource: { id }, ...item }) => (
          <option key={id} value={id}>
            {"name" in item ? visible(item.name) : ""}
          </option>
        ))}
      </datalist>
      <NumberField
        path="/collection/parameters/num_examples"
        label="Items of each benchmark"
        hint="instead of what the collection says"
      />
    </div>
  )
}

const Found = ({ q, onAdd }: { readonly q: string; readonly onAdd: (entry: Entry) => void }) => {
  const { value, problem, reload } = useAnswer("listBenchmarks", {
    urlParams: { limit: 10, ...(q === "" ? {} : { q }) }
  })
  if (problem !== undefined) return <ProblemNote problem={problem} onRetry={reload} />
  return (
    <>
      <p class="muted" role="status">
        {value === undefined
          ? "Loading …"
          : value.items.length === 0
            ? "No benchmark matches."
            : `${value.items.length} of ${value.total_count} shown`}
      </p>
      <ul class="found">
        {value?.items.map(({ id, provider_id, name }) => (
          <li key={`${provider_id}/${id}`}>
            <button type="button" onClick={() => onAdd({ id, provider_id })}>
              Add{" "}
              <bdi>
                {visible(provider_id)}/{visible(id)}
              </bdi>
            </button>{" "}
            <span class="muted">{name !== undefined && visible(name)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const One = ({
  entry: { id, provider_id },
  at,
  declared,
  onRemove
}: {
  readonly entry: Entry
  readonly at: number
  readonly declared: ReadonlyArray<Declaration> | undefined
  readonly onRemove: () => void
}) => {
  const path = `/benchmarks/${at}`
  const name = visible(`${provider_id}/${id}`)
  return (
    <fieldset>
      <legend>
        <bdi>{name}</bdi>
      </legend>
      <div class="filters">
        <NumberField path={`${path}/weight`} label="Weight" placeholder="1" hint="share in the job's score" />
        <NumberField path={`${path}/pass_criteria/threshold`} label="Threshold" hint="of its own score" />
        {declared !== undefined && (
          <NumberField
            path={`${path}/parameters/num_examples`}
            label="Items"
            hint="of the benchmark; all unless given"
          />
        )}
      </div>
      <details>
        <summary>Parameters</summary>
        <Parameters
          declared={declared?.filter(({ name: one }) => one !== "num_examples")}
          path={`${path}/parameters`}
        />
      </details>
      <button type="button" class="plain" onClick={onRemove}>
        Leave {name} out
      </button>
    </fieldset>
  )
}

const Benchmarks = ({ draft }: { readonly draft: Signal<Draft> }) => {
  const q = useSignal("")
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { value: providers } = useAnswer("listProviders", {
    urlParams: { limit: 100, benchmarks: false, fields: "resource,parameters,runtime" }
  })
  const entries = draft.value.benchmarks ?? []
  /** names the fields of an entry, which hold what is typed; entries have none of their own, and one benchmark may be taken twice */
  const keys = useRef<{ readonly next: number; readonly of: ReadonlyArray<number> }>({
    next: entries.length,
    of: entries.map((_, at) => at)
  })
  const declaredBy = (provider: string) => {
    const found = providers?.items.find(({ resource }) => resource.id === provider)
    return found === undefined || !("runtime" in found) ? undefined : (found.parameters ?? [])
  }
  const change = (next: ReadonlyArray<Entry>) => {
    const { benchmarks: _, ...rest } = draft.value
    draft.value = next.length === 0 ? rest : { ...rest, benchmarks: next }
  }
  return (
    <>
      {entries.map((entry, at) => (
        <One
          key={keys.current.of[at]}
          entry={entry}
          at={at}
          declared={declaredBy(entry.provider_id)}
          onRemove={() => {
            keys.current = { ...keys.current, of: keys.current.of.filter((_, index) => index !== at) }
            change(entries.filter((_, index) => index !== at))
          }}
        />
      ))}
      <label>
        Search benchmarks to add
        <input
          type="search"
          autocomplete="off"
          spellcheck={false}
          onKeyDown={(event) => {
            // it searches by itself, and must not send the request
            if (event.key === "Enter") event.preventDefault()
          }}
          onInput={({ currentTarget: { value } }) => {
            clearTimeout(timer.current)
            timer.current = setTimeout(() => {
              q.value = value.trim()
            }, typingPause)
          }}
        />
      </label>
      <Found
        q={q.value}
        onAdd={(entry) => {
          const { next, of } = keys.current
          keys.current = { next: next + 1, of: [...of, next] }
          change([...entries, entry])
        }}
      />
    </>
  )
}

export const What = ({ draft }: { readonly draft: Signal<Draft> }) => {
  const isCollection = useSignal(draft.value.benchmarks === undefined)
  const choose = (collection: boolean) => {
    const { benchmarks: _benchmarks, collection: _collection, ...rest } = draft.value
    draft.value = rest
    isCollection.value = collection
  }
  return (
    <fieldset>
      <legend>What is run</legend>
      <p class="actions">
        {([true, false] as const).map((collection) => (
          <label key={String(collection)} class="check">
            <input
              type="radio"
              name="what"
              checked={isCollection.value === collection}
              onInput={() => choose(collection)}
            />{" "}
            {collection ? "A collection" : "Benchmarks of your choice"}
          </label>
        ))}
      </p>
      {isCollection.value ? <Collection /> : <Benchmarks draft={draft} />}
    </fieldset>
  )
}
