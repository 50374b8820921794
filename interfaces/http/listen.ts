/** Binds a server to its address; a refusal names the setting that moves it. */
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Data, Effect } from "effect"

/** the address cannot be listened on */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly port: number; readonly code: string; readonly setting: string }> {
  override get message(): string {
    if (this.code === "EADDRINUSE") return `port ${this.port} is in use; choose another one with ${this.setting}`
    if (this.code === "EACCES") return `port ${this.port} may not be used by this user; choose one above 1023 with ${this.setting}`
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

const isAddress = (value: AddressInfo | string | null): value is AddressInfo => typeof value === "object" && value !== null

/** resolves with the address once connections are accepted */
export const listen = (server: Pick<Server, "once" | "off" | "listen" | "address">, { port, host, setting }: ListenAddress) =>
  Effect.async<{ readonly host: string; readonly port: number }, ListenFailed>((resume) => {
    const onError = (error: NodeJS.ErrnoException) => resume(Effect.fail(new ListenFailed({ port, code: error.code ?? "unknown", setting })))
    server.once("error", onError)
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", onError)
      const address = server.address()
      resume(Effect.succeed(isAddress(address) ? { host: address.address, port: address.port } : { host: "", port }))
    })
  })
