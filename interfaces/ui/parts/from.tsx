/** Where a value comes from, behind the value. */
import { number, visible } from "../format.ts"

export const From = ({ source }: { readonly source: string }) => (
  <span class="muted"> from {visible(source.replaceAll("_", " "))}</span>
)

export const NumberFrom = ({ value, source }: { readonly value: number; readonly source: string }) => (
  <span>
    <span class="number">{number(value)}</span>
    <From source={source} />
  </span>
)
