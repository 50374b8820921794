/**
 * Real pipes for the output of units. The platform's own child pipes are sockets, which a program that opens /dev/stdout or /dev/stderr
 * by name can not use; a FIFO that is opened at both ends and then unlinked can be. A few are kept ready, so that a launch waits for none.
 */
import { execFile } from "node:child_process"
import { closeSync, constants, openSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"

export interface OutputPipe {
  /** non-blocking */
  readonly readEnd: number
  /** goes to the child; blocking, as programs expect */
  readonly writeEnd: number
}

export interface OutputPipes {
  /** undefined when the system has no `mkfifo`, or none is ready yet: then the child gets a socket */
  readonly take: () => OutputPipe | undefined
}

const openBoth = (path: string): OutputPipe => {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) }
  } catch (error) {
    closeSync(readEnd)
    throw error
  } finally {
    rmSync(path, { force: true })
  }
}

/** keeps at least `count` pipes ready, made several at a time; `directory` only holds them for the moment between creation and opening */
export const make = (directory: string, count: number, name: string): Effect.Effect<OutputPipes, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<{ readonly pipes: OutputPipes; readonly close: () => void }>((resume) => {
      const ready: Array<OutputPipe> = []
      let serial = 0
      let busy = false
      let closed = false
      const fill = (done: () => void) => {
        if (busy || closed || ready.length > count) return done()
        busy = true
        const paths = Array.from({ length: 3 * count - ready.length }, () => join(directory, `.${name}-${serial++}`))
        execFile("mkfifo", ["-m", "600", ...paths], (error) => {
          busy = false
          if (error === null && !closed) {
            for (const path of paths) {
              try {
                ready.push(openBoth(path))
              } catch {
                // out of descriptors: the next unit gets a socket
              }
            }
          } else for (const path of paths) rmSync(path, { force: true })
          done()
        })
      }
      const pipes: OutputPipes = {
        take: () => {
          const pipe = ready.shift()
          fill(() => undefined)
          return pipe
        }
      }
      const close = () => {
        closed = true
        for (const { readEnd, writeEnd } of ready.splice(0)) {
          closeSync(readEnd)
          closeSync(writeEnd)
        }
      }
      fill(() => resume(Effect.succeed({ pipes, close })))
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ pipes }) => pipes))
