/** What definitions say about themselves, for people and for agents. */

import { visible } from "../../format.ts"
import { Fact } from "../../parts/fact.tsx"
import { Nothing } from "../../parts/nothing.tsx"

/** in one element, which is one item wherever it stands */
export const Tags = ({ tags = [] }: { readonly tags: ReadonlyArray<string> | undefined }) =>
  tags.length === 0 ? (
    <Nothing />
  ) : (
    <div>
      {tags.map((tag) => (
        <span key={tag} class="badge tag">
          {visible(tag)}
        </span>
      ))}
    </div>
  )

export interface Agent {
  readonly evaluates?: ReadonlyArray<string>
  readonly recommended_when?: ReadonlyArray<string>
  readonly summary?: string
  readonly complements?: ReadonlyArray<string>
  readonly hints?: ReadonlyArray<string>
  readonly result_interpretation?: ReadonlyArray<string>
}

const lists = [
  ["recommended_when", "Recommended when"],
  ["hints", "Hints"],
  ["result_interpretation", "How to read results"],
  ["complements", "Goes well with"]
] as const

/** `about`: the `agent` of a provider or of a collection */
export const About = ({ about }: { readonly about: Agent | undefined }) =>
  about === undefined ? null : (
    <>
      {about.evaluates !== undefined && (
        <Fact name="Evaluates">
          <Tags tags={about.evaluates} />
        </Fact>
      )}
      {lists.map(([member, name]) => {
        const lines = about[member] ?? []
        return (
          lines.length > 0 && (
            <Fact key={member} name={name}>
              <ul>
                {lines.map((line) => (
                  <li key={line}>{visible(line)}</li>
                ))}
              </ul>
            </Fact>
          )
        )
      })}
    </>
  )

/** a threshold, and which side of it is good */
export const thresholdText = (threshold: number | undefined, lowerIsBetter: boolean | undefined): string | undefined =>
  threshold === undefined ? undefined : `${lowerIsBetter === true ? "≤" : "≥"} ${threshold}`
