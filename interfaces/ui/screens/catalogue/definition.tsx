/** What the page of a provider and that of a collection have in common: its name, its words about itself, and what takes their place until it is there. */
import type { ComponentChildren } from "preact"
import type { Loaded } from "../../data/answer.ts"
import { visible } from "../../format.ts"
import { Fact } from "../../parts/fact.tsx"
import { ProblemNote } from "../../parts/problem.tsx"
import { useTitle } from "../../parts/title.ts"
import { About, type Agent, Tags } from "./about.tsx"
import { Tabs } from "./tabs.tsx"

interface Defined {
  readonly name: string
  readonly title?: string
  readonly resource: { readonly id: string }
  readonly description?: string
  readonly tags?: ReadonlyArray<string>
  readonly agent?: Agent
}

export const Definition = <Value extends Defined>({
  kind,
  answer: { value, problem, reload },
  facts,
  children
}: {
  /** the heading as long as there is no name */
  readonly kind: string
  readonly answer: Omit<Loaded<Value>, "replace">
  /** those of its kind, before those that both have */
  readonly facts: (value: Value) => ComponentChildren
  readonly children: (value: Value) => ComponentChildren
}) => {
  const name = value === undefined ? undefined : visible(value.title ?? value.name)
  useTitle(name ?? kind)
  return (
    <>
      <div class="title">
        <h1>
          <bdi>{name ?? kind}</bdi>
        </h1>
        {value !== undefined && <span class="muted">{visible(value.resource.id)}</span>}
      </div>
      <Tabs />
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      {value === undefined && problem === undefined && <p class="empty">Loading …</p>}
      {value !== undefined && (
        <>
          {value.description !== undefined && <p>{visible(value.description)}</p>}
          <dl class="facts">
            {facts(value)}
            {value.tags !== undefined && value.tags.length > 0 && (
              <Fact name="Tags">
                <Tags tags={value.tags} />
              </Fact>
            )}
            <About about={value.agent} />
          </dl>
          {children(value)}
        </>
      )}
    </>
  )
}
