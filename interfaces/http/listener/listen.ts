/** Binds a server to its address; a refusal names the setting that moves it. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Data, Effect, Runtime } from "effect"
import { defined } from "../../../values/defined.ts"

/** the address cannot be listened on */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{
  readonly port: number
  readonly code: string
  readonly setting: string
}> {
  override get message(): string {
    if (this.code === "EADDRINUSE") return `port ${this.port} is in use; choose another one with ${this.setting}`
    if (this.code === "EACCES")
      return `port ${this.port} may not be used by this user; choose one above 1023 with ${this.setting}`
    return `cannot listen on port ${this.port} (${this.code}); check service.host and ${this.setting}`
  }
}

export interface ListenAddress {
  /** 0 takes a free one */
  readonly port: number
  /** undefined: all addresses */
  readonly host: string | undefined
  /** what configures the port, for messages */
  readonly setting: string
}

const isAddress = (value: AddressInfo | string | null): value is AddressInfo =>
  typeof value === "object" && value !== null

type Listening = Pick<Server, "on" | "once" | "off" | "listen" | "address">

/** a connection that cannot be accepted (no file descriptor is left) is an error of the server: without a listener it would end the process */
const lateErrors = (server: Listening, port: number) =>
  Effect.map(Effect.runtime(), (runtime) =>
    server.on("error", (error: NodeJS.ErrnoException) =>
      Runtime.runFork(runtime)(
        Effect.logWarning("a listening socket failed; the server goes on").pipe(
          Effect.annotateLogs({ port, code: error.code ?? error.message })
        )
      )
    )
  )

/** resolves with the address once connections are accepted */
export const listen = (server: Listening, address: ListenAddress) =>
  Effect.zipLeft(begin(server, address), lateErrors(server, address.port))

const begin = (server: Listening, { port, host, setting }: ListenAddress) =>
  Effect.async<{ readonly host: string; readonly port: number }, ListenFailed>((resume) => {
    const onError = (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ListenFailed({ port, code: error.code ?? "unknown", setting })))
    server.once("error", onError)
    server.listen({ port, ...defined({ host }) }, () => {
      server.off("error", onError)
      const address = server.address()
      resume(Effect.succeed(isAddress(address) ? { host: address.address, port: address.port } : { host: "", port }))
    })
  })
