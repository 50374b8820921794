/** The list of jobs as it is now. */
import type { Signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RecordOf } from "./answer.ts"
import type { StreamEvent } from "./events.ts"
import type { Connection } from "./follow.ts"
import type { Job } from "./job.ts"
import { useStream } from "./live.ts"

export type JobPage = RecordOf<"listJobs">

/** records without the members that were asked for cannot be shown */
export const jobsOf = ({ items }: JobPage): ReadonlyArray<Job> => items.filter((item): item is Job => "status" in item)

/** every change of a job of the tenant; what happened before there was a connection is in the list alone, which is asked for again with each */
export const useJobStream = (
  key: string,
  onEvent: (event: StreamEvent) => void,
  reload: () => void
): Signal<Connection> => {
  const connection = useStream(
    key,
    (by, headers, signal) => by.open("listJobs", { urlParams: { watch: true }, headers, signal }),
    onEvent
  )
  const isLive = connection.value.is === "live"
  useEffect(() => {
    if (isLive) reload()
  }, [isLive])
  return connection
}
