/** What the benchmarks wrote, from its end. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Job } from "../../data/job.ts"
import { useAnswerText } from "../../data/text.ts"
import { visible } from "../../format.ts"
import { AnsiLine } from "../../parts/ansi.tsx"
import { Part } from "../../parts/part.tsx"
import { ProblemNote } from "../../parts/problem.tsx"

const tails = [200, 1000, 10_000] as const

const LogText = ({
  id,
  index,
  tail,
  find
}: {
  readonly id: string
  readonly index: string
  readonly tail: number
  readonly find: string
}) => {
  const { value, problem, isLoading, reload } = useAnswerText("getBenchmarkLogs", {
    path: { id, index },
    urlParams: { tail_lines: tail, ...(find === "" ? {} : { contains: find }) }
  })
  const box = useRef<HTMLElement>(null)
  // each line has its end, and behind the last there is nothing
  const lines = value === undefined || value === "" ? [] : value.replace(/\n$/, "").split("\n")
  // what was written last says why
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [value])
  if (problem?.status === 404) return <p class="muted">{visible(problem.message)}</p>
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} onRetry={reload} />}
      <p>
        <button type="button" onClick={reload}>
          Read again
        </button>{" "}
        <span class="muted" role="status">
          {isLoading ? "Loading …" : `${lines.length} ${lines.length === 1 ? "line" : "lines"}`}
        </span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <section ref={box} aria-label="Log" class="log" tabIndex={0}>
        {lines.map((line, at) => (
          // lines have no identity but their place
          <div key={at}>
            <AnsiLine line={line} />
          </div>
        ))}
      </section>
    </>
  )
}

export const Logs = ({ job }: { readonly job: Job }) => {
  const index = useSignal("0")
  const tail = useSignal<number>(tails[0])
  const find = useSignal("")
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  return (
    <Part title="Logs">
      {(isOpen) => (
        <>
          <div class="filters">
            <label>
              Benchmark
              <select
                value={index.value}
                onInput={({ currentTarget }) => {
                  index.value = currentTarget.value
                }}
              >
                {job.status.benchmarks.map(({ id, benchmark_index }) => (
                  <option key={benchmark_index} value={String(benchmark_index)}>
                    {benchmark_index}: {visible(id)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Last lines
              <select
                value={tail.value}
                onInput={({ currentTarget }) => {
                  tail.value = Number(currentTarget.value)
                }}
              >
                {tails.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
            <label>
              Lines with
              <input
                type="search"
                maxLength={256}
                onInput={({ currentTarget: { value } }) => {
                  clearTimeout(timer.current)
                  timer.current = setTimeout(() => {
                    find.value = value
                  }, 200)
                }}
              />
            </label>
          </div>
          {isOpen && <LogText id={job.resource.id} index={index.value} tail={tail.value} find={find.value} />}
        </>
      )}
    </Part>
  )
}
