/** A curve over the time of a measurement. What it says is said as text too: a table stands beside it. The library that draws it is loaded with the first. */

import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type uPlot from "uplot"
import { defined } from "../../../../../values/defined.ts"
import { number } from "../../../format.ts"
import { theme } from "../../../session/theme.ts"

export interface Curve {
  readonly title: string
  readonly unit: string
  /** seconds, ascending */
  readonly at: ReadonlyArray<number>
  /** null: none there */
  readonly values: ReadonlyArray<number | null>
  /** each value holds until the next; else each is a point */
  readonly isStepped: boolean
}

const height = 170

/** the page's own colours as they are now: those of the theme */
const inks = (box: HTMLElement) => {
  const { color, borderTopColor } = getComputedStyle(box)
  return { curve: color, grid: borderTopColor, text: getComputedStyle(box.parentElement ?? box).color }
}

const optionsOf = (
  box: HTMLElement,
  { isStepped, at }: Curve,
  steps: uPlot.Series.PathBuilder | undefined,
  onPoint: (index: number | undefined) => void
): uPlot.Options => {
  const curve = () => inks(box).curve
  const axis = {
    stroke: () => inks(box).text,
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => inks(box).grid, width: 1 },
    ticks: { stroke: () => inks(box).grid, width: 1 }
  }
  return {
    width: box.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [0, Math.max(at.at(-1) ?? 0, 0.001)] },
      y: { range: (_, _least, most) => [0, (most || 1) * 1.05] }
    },
    axes: [axis, { ...axis, size: 56, values: (_, splits) => splits.map((value) => number(value)) }],
    series: [
      {},
      isStepped
        ? { stroke: curve, width: 2, points: { show: false }, ...defined({ paths: steps }) }
        : { stroke: curve, paths: () => null, points: { show: true, size: 4, fill: curve, stroke: curve, width: 1 } }
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] }
  }
}

/** for those who do not see it */
const said = ({ title, unit, at, values }: Curve): string => {
  const shown = values.filter((value) => value !== null)
  const low = shown.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const high = shown.reduce((a, b) => Math.max(a, b), 0)
  return `${title} over ${number(at.at(-1) ?? 0)} s, ${number(low)} to ${number(high)} ${unit}. The table below says it in parts.`
}

/** `curve` has to be the same object as long as it says the same */
export const Chart = ({ curve }: { readonly curve: Curve }) => {
  const { title, unit, at, values } = curve
  const box = useRef<HTMLDivElement>(null)
  const pointed = useSignal<number | undefined>(undefined)
  const isMissing = useSignal(false)
  const chosen = theme.value
  useEffect(() => {
    const place = box.current
    if (place === null) return undefined
    const stop = new AbortController()
    let plot: uPlot | undefined
    const observer = new ResizeObserver(() => plot?.setSize({ width: place.clientWidth, height }))
    const draw = async () => {
      const { default: Plot } = await import("uplot")
      if (stop.signal.aborted) return
      const options = optionsOf(place, curve, Plot.paths.stepped?.({ align: 1 }), (index) => {
        pointed.value = index
      })
      plot = new Plot(options, [[...at], [...values]], place)
      observer.observe(place)
      // the theme may be that of the system, which changes by itself
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot?.redraw(), {
        signal: stop.signal
      })
    }
    draw().catch(() => {
      isMissing.value = true
    })
    return () => {
      stop.abort()
      observer.disconnect()
      plot?.destroy()
    }
  }, [curve, chosen])
  const found = values[pointed.value ?? -1]
  return (
    <figure class="chart">
      <figcaption>
        {title}, {unit}{" "}
        {found !== undefined && found !== null && (
          <span class="number" aria-hidden="true">
            {number(found)} at {number(at[pointed.value ?? 0] ?? 0)} s
          </span>
        )}
      </figcaption>
      <div ref={box} class="curve" role="img" aria-label={said(curve)} />
      {isMissing.value && <p class="remark">It cannot be drawn here; the table says the same.</p>}
    </figure>
  )
}
