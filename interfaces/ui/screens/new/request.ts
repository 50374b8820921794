/** The job that is being described, from the address that led here to the body that is sent. */
import type { RequestOf } from "../../../client/client.ts"

type Body = RequestOf<"submitJob">["payload"]

export type Draft = Partial<Body>
export type Entry = NonNullable<Draft["benchmarks"]>[number]

/** `evald/arith_basic` and such; identifiers of benchmarks may have slashes of their own */
const entryOf = (text: string): ReadonlyArray<Entry> => {
  const [, provider_id = "", id = ""] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  return id === "" ? [] : [{ id, provider_id }]
}

/** `?collection=quick-smoke`, or `?benchmark=evald/arith_basic` as often as wanted */
export const draftOf = (query: URLSearchParams): Draft => {
  const benchmarks = query.getAll("benchmark").flatMap(entryOf)
  if (benchmarks.length > 0) return { benchmarks }
  const collection = query.get("collection")
  return collection ? { collection: { id: collection } } : {}
}

/** without a name of its own a job has the model's, whose absence is said once; what has to be there is there, so that its problems have a field */
export const requestOf = ({ name, model, ...rest }: Draft): Body => ({
  ...rest,
  name: name ?? model?.name ?? "run",
  model: { url: "", name: "", ...model }
})

/** a text that nobody has sent before: the same request sent again is answered with the job that it made */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
