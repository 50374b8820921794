/** A new job: described in fields, checked by a dry run, started. What is wrong stands at its field. */
import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { ask, useAnswer } from "../../data/answer.ts"
import type { Problem } from "../../data/problem.ts"
import { useQuery } from "../../data/query.ts"
import { ChoiceField, Filling, focusProblem, NumberField, TextField } from "../../parts/fields.tsx"
import type { Plan } from "../../parts/planned.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { isPlan, PlanShown } from "./plan.tsx"
import { type Draft, draftOf, newKey, requestOf } from "./request.ts"
import { What } from "./what.tsx"

const tagsIn = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")

const Model = () => (
  <fieldset>
    <legend>The model</legend>
    <div class="filters">
      <TextField
        path="/model/url"
        label="Address of the endpoint"
        mode="url"
        required={true}
        placeholder="http://127.0.0.1:8000/v1"
      />
      <TextField path="/model/name" label="Model" hint="its name at the endpoint" required={true} />
      <TextField
        path="/model/auth/secret_ref"
        label="Secret"
        hint="name of the tenant's secret with the endpoint's key; the key itself is typed nowhere"
      />
    </div>
  </fieldset>
)

const Limits = () => {
  const { value: info } = useAnswer("getInfo", {})
  const named = (names: ReadonlyArray<string> | undefined) => (names ?? []).map((name) => [name, name] as const)
  return (
    <details class="part">
      <summary>
        <h2>Limits, place and name</h2>
      </summary>
      <div class="filters">
        <TextField path="/name" label="Name of the job" hint="the model's unless given" />
        <TextField path="/description" label="Description" />
        <TextField path="/tags" label="Tags" hint="with commas between them" read={tagsIn} />
        <NumberField path="/pass_criteria/threshold" label="Threshold of the job's score" />
        <NumberField path="/budget/requests" label="Most requests" />
        <NumberField path="/budget/tokens" label="Most tokens" />
        <NumberField path="/budget/seconds" label="Most seconds" />
        <NumberField path="/budget/cost" label="Most cost" hint="by the price that the operator set for the model" />
        {info?.hardware_profiles !== undefined && info.hardware_profiles.length > 0 && (
          <ChoiceField
            path="/hardware_config/hardware_profile_name"
            label="Hardware profile"
            none="none"
            choices={named(info.hardware_profiles)}
          />
        )}
        {info?.queues !== undefined && info.queues.length > 0 && (
          <ChoiceField path="/hardware_config/queue/name" label="Queue" none="none" choices={named(info.queues)} />
        )}
        <ChoiceField
          path="/resume"
          label="Keep the model's answers"
          hint="a rerun of what failed does not ask for them again"
          none="no"
          choices={[["yes", true]]}
        />
      </div>
    </details>
  )
}

export const NewScreen = () => {
  useTitle("New run")
  const { route } = useLocation()
  const query = useQuery()
  const form = useRef<HTMLFormElement>(null)
  const draft = useSignal<Draft>(draftOf(query))
  const problem = useSignal<Problem | undefined>(undefined)
  const planned = useSignal<{ readonly plan: Plan; readonly of: string } | undefined>(undefined)
  const isBusy = useSignal(false)
  const sent = useRef({ text: "", key: "" })
  const textOf = () => JSON.stringify(requestOf(draft.value))

  const send = async (isDry: boolean) => {
    const text = textOf()
    // an answer may be lost: the same request with the same key starts no second job
    if (sent.current.text !== text) sent.current = { text, key: newKey() }
    isBusy.value = true
    const asked = await ask("submitJob", {
      payload: requestOf(draft.value),
      ...(isDry ? { urlParams: { dry_run: true } } : { headers: { "idempotency-key": sent.current.key } })
    })
    isBusy.value = false
    problem.value = asked.ok ? undefined : asked.problem
    if (!asked.ok) focusProblem(form.current)
    else if (isPlan(asked.value)) planned.value = { plan: asked.value, of: text }
    else route(`/jobs/${encodeURIComponent(asked.value.resource.id)}`)
  }
  return (
    <Filling.Provider value={{ draft, problem }}>
      <h1>New run</h1>
      <form
        ref={form}
        aria-label="New run"
        noValidate={true}
        onSubmit={(event) => {
          event.preventDefault()
          void send(true)
        }}
      >
        <Model />
        <What draft={draft} />
        <Limits />
        {problem.value !== undefined && <ProblemNote problem={problem.value} />}
        <p class="actions part">
          <button type="submit" disabled={isBusy.value}>
            Check, start nothing
          </button>
          <button type="button" class="primary" disabled={isBusy.value} onClick={() => send(false)}>
            Start
          </button>
        </p>
      </form>
      {planned.value !== undefined && <PlanShown plan={planned.value.plan} isStale={planned.value.of !== textOf()} />}
    </Filling.Provider>
  )
}
