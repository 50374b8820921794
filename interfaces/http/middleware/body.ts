/**
 * Reads a request body: at most `maxBytes`, and never waiting longer than `stallMillis` for the next piece. Refusals come as answers
 * (413, 408, 415), not as a reset connection; the rest of the upload is drained while the answer goes out.
 * Reference: api.md, "Bodies".
 */
import { Effect } from "effect"
import { Refused } from "../error-response.ts"
import type { Exchange } from "../exchange.ts"

export interface BodyLimits {
  readonly maxBytes: number
  readonly stallMillis: number
  /** where the bytes are put, of `maxBytes` at least; absent: into memory of their own */
  readonly room?: Buffer
}

/** pieces of a body as they come, and what they are together */
interface Pieces {
  readonly add: (piece: Buffer) => void
  readonly all: () => Buffer
}

const intoRoom = (room: Buffer): Pieces => {
  let size = 0
  return {
    add: (piece) => {
      size += piece.copy(room, size)
    },
    all: () => room.subarray(0, size)
  }
}

const intoList = (): Pieces => {
  const pieces: Array<Buffer> = []
  return {
    add: (piece) => {
      pieces.push(piece)
    },
    all: () => (pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces))
  }
}

const closing = { connection: "close" }

const hasBody = ({ headers }: Exchange): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

const mediaTypeOf = (value: string | undefined): string => (value ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

const charsetOf = (value: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(value)?.[1]?.toLowerCase()

/** why the declared media type is not acceptable */
const mediaTypeRefusal = (exchange: Exchange, accepted: ReadonlyArray<string>): Refused | undefined => {
  const given = exchange.headers["content-type"]
  const charset = given === undefined ? undefined : charsetOf(given)
  const encoding = exchange.headers["content-encoding"]
  const reason = !accepted.includes(mediaTypeOf(given))
    ? `Content-Type is '${(given ?? "").slice(0, 80)}'; send ${accepted.join(" or ")}`
    : charset !== undefined && charset !== "utf-8" && charset !== "utf8"
      ? `charset is '${charset.slice(0, 80)}'; send UTF-8`
      : encoding !== undefined && encoding.toLowerCase() !== "identity"
        ? `Content-Encoding is '${encoding.slice(0, 80)}'; send the body uncompressed`
        : undefined
  return reason === undefined
    ? undefined
    : new Refused({ code: "unsupported_media_type", message: reason, headers: closing })
}

const collect = ({ source, sink, expectsContinue }: Exchange, limits: BodyLimits): Effect.Effect<Buffer, Refused> =>
  Effect.async((resume) => {
    const pieces = limits.room === undefined ? intoList() : intoRoom(limits.room)
    let size = 0
    const finish = (result: Effect.Effect<Buffer, Refused>) => {
      clearTimeout(timer)
      source.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
      resume(result)
    }
    const refuse = (refused: Refused) => {
      finish(Effect.fail(refused))
      source.on("error", () => {}).resume()
    }
    const tooLarge = () =>
      refuse(
        new Refused({
          code: "request_body_too_large",
          message: `the request body is larger than ${limits.maxBytes} bytes`,
          headers: closing
        })
      )
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.maxBytes) return tooLarge()
      pieces.add(chunk)
      timer.refresh()
    }
    const onEnd = () => finish(Effect.succeed(pieces.all()))
    // the caller hung up: nobody reads an answer
    const onLost = () => finish(Effect.interrupt)
    const timer = setTimeout(
      () =>
        refuse(
          new Refused({
            code: "request_timeout",
            message: `no part of the request body arrived for ${limits.stallMillis / 1000} seconds`,
            headers: closing
          })
        ),
      limits.stallMillis
    )
    if (Number(source.headers["content-length"] ?? 0) > limits.maxBytes) return tooLarge()
    if (expectsContinue) sink.writeContinue()
    source.on("data", onData).once("end", onEnd).once("error", onLost).once("close", onLost)
    return Effect.sync(() => {
      clearTimeout(timer)
      source.off("data", onData).off("end", onEnd).off("error", onLost).off("close", onLost)
    })
  })

const without = (bytes: Buffer, secret: string | undefined): Buffer =>
  secret === undefined || !bytes.includes(secret)
    ? bytes
    : Buffer.from(bytes.toString("latin1").replaceAll(secret, "***"), "latin1")

/** the body's bytes, when its media type is one of `accepted`; empty when there is no body */
export const read = (
  exchange: Exchange,
  limits: BodyLimits,
  accepted: ReadonlyArray<string>
): Effect.Effect<Buffer, Refused> => {
  if (!hasBody(exchange)) return Effect.succeed(Buffer.alloc(0))
  const refusal = mediaTypeRefusal(exchange, accepted)
  return refusal === undefined
    ? Effect.map(collect(exchange, limits), (bytes) => without(bytes, exchange.unspoken))
    : Effect.fail(refusal)
}
