/** Log-probabilities that decided, as they were recorded. */
import { useSignal } from "@preact/signals"
import { count, number, visible } from "../../format.ts"
import { Rows } from "../../parts/rows.tsx"
import { type Likelihoods, likelihoodsOf } from "./texts.ts"

/** shown at once; the rest on request */
const most = 50

const Table = ({ title, unit, rows }: Likelihoods) => {
  const isWhole = useSignal(false)
  const shown = isWhole.value ? rows : rows.slice(0, most)
  return (
    <>
      <Rows titles={[title, unit]}>
        {shown.map(({ name, value }, at) => (
          // tokens may be equal; none of them moves
          <tr key={at}>
            <th scope="row">
              <bdi>{visible(name)}</bdi>
            </th>
            <td data-label={unit}>
              <span class="number">{number(value)}</span>
            </td>
          </tr>
        ))}
      </Rows>
      {shown.length < rows.length && (
        <p>
          <button
            type="button"
            onClick={() => {
              isWhole.value = true
            }}
          >
            Show all {count(rows.length)}
          </button>
        </p>
      )}
    </>
  )
}

export const Likelihood = ({
  logprobs,
  choices,
  text
}: {
  readonly logprobs: unknown
  readonly choices: ReadonlyArray<string> | undefined
  readonly text: string
}) => {
  const tables = likelihoodsOf(logprobs, choices, text)
  if (tables.length === 0) return null
  return (
    <section aria-labelledby="likelihood">
      <h3 id="likelihood">Log-probabilities</h3>
      {tables.map((one) => (
        <Table key={one.title} {...one} />
      ))}
    </section>
  )
}
