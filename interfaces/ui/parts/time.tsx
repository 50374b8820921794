/** An instant in the reader's zone, in UTC under the pointer. */
import { localTime, utcTime } from "../format.ts"

export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={utcTime(at)}>
    {localTime(at)}
  </time>
)
