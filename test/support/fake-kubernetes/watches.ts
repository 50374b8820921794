/** Open watches of the fake, and what can go wrong with them. */
import type { ServerResponse } from "node:http"
import type { KubeObject } from "../../../infrastructure/kubernetes/client/resources.ts"
import type { Kind } from "./kinds.ts"
import { expired, statusObject } from "./status.ts"
import type { Change, FakeStore } from "./store.ts"

export interface WatchOptions {
  readonly kind: Kind
  readonly namespace: string | undefined
  /** undefined: from now on, after all there is */
  readonly from: number | undefined
  /** real seconds after which the server ends the watch */
  readonly timeoutSeconds: number | undefined
  readonly bookmarks: boolean
  readonly matches: (object: KubeObject) => boolean
  /** the object as it is sent: whole, or its metadata */
  readonly shape: (object: KubeObject) => unknown
}

export interface Watches {
  readonly open: (response: ServerResponse, options: WatchOptions) => void
  readonly count: () => number
  /** ends every watch as the server's own time limit does, after a bookmark */
  readonly end: () => void
  /** cuts the connections */
  readonly drop: () => void
  /** half-open: connections stay, and nothing comes any more; `false` lets the changes of the meantime through */
  readonly freeze: (frozen: boolean) => void
  readonly bookmark: () => void
  /** an ERROR event with status 410, then the end */
  readonly gone: () => void
  /** raw text into every watch: torn or foreign lines */
  readonly write: (text: string) => void
  /** the last change once more */
  readonly duplicate: () => void
  /** the next two changes in the wrong order */
  readonly reorder: () => void
}

interface Open extends Omit<WatchOptions, "from"> {
  readonly from: number
  readonly response: ServerResponse
  last: string | undefined
  held: Array<string>
  /** lines that are sent with the last one first, once there are two */
  swapped: Array<string> | undefined
}

export const makeWatches = (store: FakeStore): Watches => {
  const open = new Set<Open>()
  let frozen = false

  const send = (watch: Open, line: string) => {
    if (watch.swapped !== undefined) {
      watch.swapped.unshift(line)
      if (watch.swapped.length < 2) return
      const lines = watch.swapped.join("")
      watch.swapped = undefined
      return send(watch, lines)
    }
    if (frozen) watch.held.push(line)
    else if (!watch.response.writableEnded) watch.response.write(line)
  }
  const concerns = (watch: Open, { group, plural }: Kind, object: KubeObject) =>
    group === watch.kind.group &&
    plural === watch.kind.plural &&
    (watch.namespace === undefined || object.metadata.namespace === watch.namespace)
  const tell = (watch: Open, type: Change["type"], object: KubeObject) => {
    watch.last = `${JSON.stringify({ type, object: watch.shape(object) })}\n`
    send(watch, watch.last)
  }
  const deliver = (watch: Open, { kind, type, object, previous, version }: Change) => {
    if (version <= watch.from || !concerns(watch, kind, object)) return
    const [fits, didFit] = [watch.matches(object), previous !== undefined && watch.matches(previous)]
    if (type === "MODIFIED" && fits !== didFit) return tell(watch, fits ? "ADDED" : "DELETED", object)
    if (fits) tell(watch, type, object)
  }
  const bookmark = (watch: Open) => {
    if (!watch.bookmarks) return
    const metadata = { resourceVersion: String(store.version()) }
    send(
      watch,
      `${JSON.stringify({ type: "BOOKMARK", object: { kind: watch.kind.kind, apiVersion: "v1", metadata } })}\n`
    )
  }
  const finish = (watch: Open) => {
    bookmark(watch)
    watch.response.end()
  }
  const gone = `${JSON.stringify({ type: "ERROR", object: statusObject(expired("too old resource version").refused) })}\n`
  store.onChange((change) => {
    for (const watch of open) deliver(watch, change)
  })
  const each = (act: (watch: Open) => void) => {
    for (const watch of [...open]) act(watch)
  }
  /** one that was ended stays open until its connection is closed, and takes nothing more */
  const eachToWrite = (act: (watch: Open) => void) =>
    each((watch) => {
      if (!watch.response.writableEnded) act(watch)
    })
  return {
    open: (response, options) => {
      const watch: Open = {
        ...options,
        from: options.from ?? store.version(),
        response,
        last: undefined,
        held: [],
        swapped: undefined
      }
      response.writeHead(200, { "content-type": "application/json;stream=watch" })
      response.flushHeaders()
      const missed = store.since(watch.from)
      if (missed === undefined) return void response.end(gone)
      open.add(watch)
      const ending = setTimeout(() => finish(watch), (options.timeoutSeconds ?? 1800) * 1000)
      response.once("close", () => {
        clearTimeout(ending)
        open.delete(watch)
      })
      if (options.from === undefined)
        for (const object of store.all(options.kind, options.namespace))
          if (watch.matches(object)) tell(watch, "ADDED", object)
      for (const change of missed) deliver(watch, change)
    },
    count: () => open.size,
    end: () => each(finish),
    drop: () => each(({ response }) => response.destroy()),
    freeze: (freeze) => {
      frozen = freeze
      if (!freeze) eachToWrite((watch) => watch.held.splice(0).forEach((line) => void watch.response.write(line)))
    },
    bookmark: () => each(bookmark),
    gone: () => eachToWrite(({ response }) => response.end(gone)),
    write: (text) => eachToWrite(({ response }) => response.write(text)),
    duplicate: () => each((watch) => watch.last !== undefined && send(watch, watch.last)),
    reorder: () =>
      each((watch) => {
        watch.swapped = []
      })
  }
}
