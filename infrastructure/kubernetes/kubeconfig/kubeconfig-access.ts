/**
 * A kubeconfig's context as a connection: how to trust the server, and as whom to ask, by the library of the field. Only this module
 * leads to it: import it when a kubeconfig is used, and not before. Reference: cluster-objects.md, "Finding the cluster".
 */
import { Clock, Effect } from "effect"
import { defined } from "../../../values/defined.ts"
import {
  type Access,
  AccessUnavailable,
  fileStamp,
  type KubeConnection,
  tokenFile,
  withToken
} from "../client/connection.ts"
import { type ChosenContext, chooseContext, KubeConfigUnusable, textOf, unusable } from "./kubeconfig-files.ts"
import { type LogIn, logInOf } from "./kubeconfig-log-in.ts"
import { proxyOf } from "./kubeconfig-proxy.ts"

interface Held {
  readonly access: Access
  /** milliseconds since the epoch */
  readonly until: number
  readonly stamp: string
}

const stampOf = (files: ReadonlyArray<string>): string =>
  files
    .map((file) => {
      try {
        return fileStamp(file)
      } catch {
        return "missing"
      }
    })
    .join(" ")

const filesOf = ({ cluster, user }: ChosenContext): ReadonlyArray<string> =>
  [
    textOf(cluster.value, "certificate-authority"),
    textOf(user?.value ?? {}, "client-certificate"),
    textOf(user?.value ?? {}, "client-key")
  ].flatMap((file) => (file === undefined ? [] : [file]))

/** the same context of files that changed; a server does not move to another cluster, nor become somebody else, while it runs */
const reread = (files: ReadonlyArray<string>, first: ChosenContext): ChosenContext => {
  const now = chooseContext(files, first.context.name)
  if (now.server !== first.server || now.user?.name !== first.user?.name)
    throw unusable(
      `${now.context.file}: context '${first.context.name}' names another server or user since this process began; start it anew`
    )
  return now
}

const sentence = (error: unknown): AccessUnavailable => {
  const message =
    error instanceof KubeConfigUnusable
      ? error.message
      : `the kubeconfig can not be used: ${error instanceof Error ? error.message : "unknown reason"}`
  return new AccessUnavailable({ message })
}

const currentAccess = (files: ReadonlyArray<string>, first: ChosenContext): KubeConnection["access"] => {
  let chosen = first
  let logIn: LogIn | undefined
  let held: Held | undefined
  let running: Promise<Held> | undefined
  let read = ""

  const stamp = () => stampOf([...files, ...filesOf(chosen)])
  const fetched = async (refused: boolean, now: number): Promise<Held> => {
    const before = stamp()
    if (logIn === undefined || before !== read) {
      chosen = reread(files, first)
      logIn = logInOf(chosen)
      read = stamp()
    }
    try {
      const { access, until } = await logIn(refused, now)
      return { access, until, stamp: read }
    } catch (error) {
      logIn = undefined
      throw error
    }
  }
  /** all who ask meanwhile wait for the same answer: one run of a log-in program, however many requests there are */
  const next = (refused: boolean, now: number): Promise<Held> => {
    running ??= fetched(refused, now)
      .then((fresh) => {
        held = fresh
        return fresh
      })
      .finally(() => {
        running = undefined
      })
    return running
  }

  return (refused) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const current = stamp()
      const isGood = held !== undefined && held.access !== refused && now < held.until
      if (held !== undefined && isGood && held.stamp === current) return held.access
      const last = isGood ? held : undefined
      const fresh = Effect.tryPromise({
        try: () => next(held !== undefined && held.access === refused, now),
        catch: sentence
      })
      if (last === undefined) return (yield* fresh).access
      // a file that is being written: what was read before is still good
      return yield* Effect.catchAll(
        Effect.map(fresh, ({ access }) => access),
        ({ message }) => {
          held = { ...last, stamp: current }
          return Effect.as(Effect.logWarning(`${message}; what was read before stays in use`), last.access)
        }
      )
    })
}

/** fails when the files can not be used as they are; runs nothing yet */
export const connect = (files: ReadonlyArray<string>): KubeConnection => {
  const chosen = chooseContext(files)
  logInOf(chosen)
  const { server, namespace, user } = chosen
  const access = currentAccess(files, chosen)
  const path = textOf(user?.value ?? {}, "tokenFile")
  const proxy = proxyOf(chosen)
  return {
    server,
    access: path === undefined ? access : withToken(access, tokenFile(path)),
    ...defined({ proxy, namespace })
  }
}
