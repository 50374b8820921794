/** The criteria of a policy as fields. */
import type { Signal } from "@preact/signals"
import type { RequestOf } from "../../../client/client.ts"
import { visible } from "../../format.ts"
import { ChoiceField, NumberField, TextField } from "../../parts/fields.tsx"
import type { Candidate, Compared } from "./differences.ts"

export type Asked = Pick<RequestOf<"createGate">["payload"], "policy">
type Criterion = Asked["policy"]["criteria"][number]

const kinds: ReadonlyArray<readonly [text: string, value: Criterion["kind"]]> = [
  ["is at most so much worse than the baseline", "relative_to_baseline"],
  ["is at most such a share worse than the baseline", "relative_fraction"],
  ["reaches a value", "absolute"]
]

const named = ({ id, provider_id }: Compared) => ({ benchmark: id, provider_id })

/** what most people ask of a candidate */
export const firstCriterion = ({ benchmarks: [first] }: Candidate): Criterion => ({
  ...(first === undefined ? { benchmark: "" } : named(first)),
  kind: "relative_to_baseline",
  tolerance: 0.02
})

interface Chosen {
  readonly criterion: Criterion
  readonly onChange: (criterion: Criterion) => void
}

const BenchmarkChoice = ({
  criterion,
  benchmarks,
  onChange
}: Chosen & { readonly benchmarks: ReadonlyArray<Compared> }) => {
  const chosen = benchmarks.findIndex(
    ({ id, provider_id }) => id === criterion.benchmark && provider_id === criterion.provider_id
  )
  return (
    <label>
      Benchmark
      <select
        value={String(chosen)}
        onInput={({ currentTarget }) => {
          const benchmark = benchmarks[Number(currentTarget.value)]
          if (benchmark !== undefined) onChange({ ...criterion, ...named(benchmark) })
        }}
      >
        {benchmarks.map(({ id, provider_id }, index) => (
          <option key={`${provider_id}/${id} ${index}`} value={String(index)}>
            {visible(`${provider_id}/${id}`)}
          </option>
        ))}
      </select>
    </label>
  )
}

const KindChoice = ({ criterion, onChange }: Chosen) => (
  <label>
    It must hold that it
    <select
      value={criterion.kind}
      onInput={({ currentTarget }) => {
        const kind = kinds.find(([, value]) => value === currentTarget.value)?.[1]
        const { threshold: _threshold, tolerance: _tolerance, ...rest } = criterion
        if (kind !== undefined) onChange({ ...rest, kind })
      }}
    >
      {kinds.map(([text, value]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const One = ({
  criterion,
  at,
  benchmarks,
  onChange,
  onRemove
}: Chosen & {
  readonly at: number
  readonly benchmarks: ReadonlyArray<Compared>
  readonly onRemove: (() => void) | undefined
}) => {
  const path = `/policy/criteria/${at}`
  return (
    <fieldset>
      <legend>Criterion {at + 1}</legend>
      <div class="filters">
        <BenchmarkChoice criterion={criterion} benchmarks={benchmarks} onChange={onChange} />
        <KindChoice criterion={criterion} onChange={onChange} />
        {criterion.kind === "absolute" ? (
          <NumberField key={criterion.kind} path={`${path}/threshold`} label="Value" hint="on the metric's own scale" />
        ) : (
          <NumberField
            // another kind begins without a value, which has another unit
            key={criterion.kind}
            path={`${path}/tolerance`}
            label="Accepted loss"
            hint={
              criterion.kind === "relative_fraction" ? "0.05 is a twentieth of the baseline" : "in units of the metric"
            }
          />
        )}
        <ChoiceField
          path={`${path}/tier`}
          label="Counts"
          none="yes, it decides"
          choices={[["no, it is shown alone", "advisory"]]}
        />
        <NumberField path={`${path}/alpha`} label="Alpha" hint="largest chance of a wrong outcome" placeholder="0.05" />
      </div>
      {onRemove !== undefined && (
        <button type="button" class="plain" onClick={onRemove}>
          Leave criterion {at + 1} out
        </button>
      )}
    </fieldset>
  )
}

export const Criteria = ({
  draft,
  benchmarks
}: {
  readonly draft: Signal<Asked>
  readonly benchmarks: ReadonlyArray<Compared>
}) => {
  const { criteria } = draft.value.policy
  const change = (next: ReadonlyArray<Criterion>) => {
    draft.value = { policy: { ...draft.value.policy, criteria: next } }
  }
  return (
    <>
      <div class="filters">
        <TextField path="/policy/name" label="Name of the policy" />
      </div>
      {criteria.map((criterion, at) => (
        // fields hold what is typed: after one is left out, the others are drawn anew
        <One
          key={`${criteria.length} ${at}`}
          criterion={criterion}
          at={at}
          benchmarks={benchmarks}
          onChange={(next) => change(criteria.map((one, index) => (index === at ? next : one)))}
          onRemove={criteria.length === 1 ? undefined : () => change(criteria.filter((_, index) => index !== at))}
        />
      ))}
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            const last = criteria.at(-1)
            if (last !== undefined) change([...criteria, last])
          }}
        >
          Add a criterion
        </button>
      </p>
    </>
  )
}
