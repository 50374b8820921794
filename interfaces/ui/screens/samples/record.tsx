/** One sample: what was asked, what came back with the answer marked that was read from it, how it was judged and why. */

import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { type RecordOf, useAnswer } from "../../data/answer.ts"
import { count, number, visible } from "../../format.ts"
import { Badge } from "../../parts/badge.tsx"
import { Fact } from "../../parts/fact.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { Time } from "../../parts/time.tsx"
import { addressOf, type SampleFilters, type SampleName } from "./address.ts"
import { Likelihood } from "./likelihood.tsx"
import { markedIn, messagesOf, textOf } from "./texts.ts"

type SampleRecord = RecordOf<"getSample">

const Text = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="told">
    <h3>{title}</h3>
    <pre dir="auto">{children}</pre>
  </section>
)

const Messages = ({ title, of }: { readonly title: string; readonly of: unknown }) => (
  <>
    {messagesOf(of).map(({ role, text }, at) => (
      // the order of a conversation is all that tells its messages apart
      <Text key={at} title={role === undefined ? title : `${title}: ${visible(role)}`}>
        {visible(text)}
      </Text>
    ))}
  </>
)

const Response = ({ record: { response, extracted } }: { readonly record: SampleRecord }) => {
  if (response === undefined) return null
  const marked = markedIn(response, extracted)
  return (
    <Text title="Response">
      {marked === undefined ? (
        visible(response)
      ) : (
        <>
          {visible(marked[0])}
          <mark>{visible(marked[1])}</mark>
          {visible(marked[2])}
        </>
      )}
    </Text>
  )
}

/** what was read, what was expected, and by which rules or by whom it was judged */
const Judgement = ({ record }: { readonly record: SampleRecord }) => {
  const { extracted, reference, choices, error, rules, judge } = record
  return (
    <>
      {error !== undefined && (
        <div class="note bad">
          <p>
            <strong>{visible(error.message)}</strong> <code>{visible(error.code)}</code>
          </p>
        </div>
      )}
      {extracted !== undefined && <Text title="Answer read from it">{visible(extracted)}</Text>}
      {reference !== undefined && <Text title="Expected">{visible(textOf(reference))}</Text>}
      {choices !== undefined && <Text title="Options">{visible(choices.join("\n"))}</Text>}
      {rules !== undefined && <Text title="Rules">{visible(textOf(rules))}</Text>}
      {judge !== undefined && <Text title="Judge">{visible(textOf(judge))}</Text>}
    </>
  )
}

const Facts = ({
  record,
  narrowed
}: {
  readonly record: SampleRecord
  /** address of the list with this filter as well */
  readonly narrowed: (filter: SampleFilters) => string
}) => {
  const { task, reason, score, scores = {}, tokens, latency_ms, started_at } = record
  const { finish_reason, flags = [], cut = [] } = record
  const figures: ReadonlyArray<readonly [name: string, value: string | undefined]> = [
    ["Why", reason?.replaceAll("_", " ")],
    ["Task", visible(task)],
    ["Score", score === undefined ? undefined : number(score)],
    ...Object.entries(scores).map(([name, value]) => [visible(name), number(value)] as const),
    ["Tokens", tokens?.completion === undefined ? undefined : count(tokens.completion)],
    ["Took", latency_ms === undefined ? undefined : `${count(Math.round(latency_ms))} ms`],
    ["Cut", cut.length === 0 ? undefined : visible(cut.join(", "))]
  ]
  return (
    <dl class="facts">
      {figures.map(
        ([name, value], at) =>
          // a metric may have the name of another figure
          value !== undefined && (
            <Fact key={at} name={name}>
              {value}
            </Fact>
          )
      )}
      {finish_reason !== undefined && (
        <Fact name="Ended by">
          <a href={narrowed({ finish_reason })}>{visible(finish_reason)}</a>
        </Fact>
      )}
      {flags.length > 0 && (
        <Fact name="Flags">
          {flags.map((flag) => (
            <a key={flag} class="flag" href={narrowed({ flag })}>
              {visible(flag)}
            </a>
          ))}
        </Fact>
      )}
      {started_at !== undefined && !Number.isNaN(Date.parse(started_at)) && (
        <Fact name="Asked">
          <Time at={started_at} />
        </Fact>
      )}
    </dl>
  )
}

/** made when somebody wants it: a record may have a megabyte */
const Whole = ({ record }: { readonly record: SampleRecord }) => {
  const isOpen = useSignal(false)
  return (
    <details
      class="part told"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        <h3>Whole record</h3>
      </summary>
      {isOpen.value && <pre>{visible(textOf(record))}</pre>}
    </details>
  )
}

const Content = ({ record }: { readonly record: SampleRecord }) => {
  const { prompt, response, reasoning, turns, logprobs, choices } = record
  return (
    <>
      {prompt === undefined && response === undefined && (
        <p class="muted">The texts of this sample are not kept: by a setting of the server, or by its adapter.</p>
      )}
      <Messages title="Prompt" of={prompt} />
      <Messages title="Turn" of={turns} />
      <Response record={record} />
      <Judgement record={record} />
      <Likelihood logprobs={logprobs} choices={choices} text={messagesOf(prompt).at(-1)?.text ?? ""} />
      {reasoning !== undefined && (
        <details class="part told">
          <summary>
            <h3>Reasoning</h3>
          </summary>
          <pre dir="auto">{visible(reasoning)}</pre>
        </details>
      )}
      <Whole record={record} />
    </>
  )
}

export const SampleView = ({
  job,
  name,
  filters
}: {
  readonly job: string
  readonly name: SampleName
  readonly filters: SampleFilters
}) => {
  const { value, problem, isLoading, reload } = useAnswer("getSample", {
    path: { id: job, index: String(name.benchmark), sample_id: name.id },
    urlParams: { repeat: name.repeat, ...(name.task === "" ? {} : { task: name.task }) }
  })
  if (problem !== undefined) return <ProblemNote problem={problem} onRetry={reload} />
  if (value === undefined) return <p class="empty">Loading …</p>
  return (
    <article aria-busy={isLoading} aria-labelledby="sample-shown">
      <div class="title">
        <h2 id="sample-shown">
          <bdi>{visible(value.sample_id)}</bdi>
        </h2>
        <Badge word={value.verdict} />
        <a href={addressOf(job, {}, name)}>Link to this sample</a>
      </div>
      <Facts record={value} narrowed={(filter) => addressOf(job, { ...filters, ...filter })} />
      <Content record={value} />
    </article>
  )
}
