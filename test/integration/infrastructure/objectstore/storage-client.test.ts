/** Connections to the storage whose answers nobody reads. */

import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Redacted } from "effect"
import { straight } from "../../../../domain/proxies.ts"
import { objectStorage } from "../../../../infrastructure/objectstore/connection.ts"
import { makeStorageClient, readText, StorageTrouble } from "../../../../infrastructure/objectstore/storage-client.ts"
import { startPeer } from "../../../support/http-peer.ts"

describe("an answer of the storage", () => {
  it.scopedLive("that its reader gives up does not keep one of the few connections", () =>
    Effect.gen(function* () {
      const peer = yield* startPeer(
        (at) => (response) => void response.writeHead(200).end(at < 2 ? "x".repeat(8 * 1024 * 1024) : "small")
      )
      const secret = {
        AWS_ACCESS_KEY_ID: "a",
        AWS_SECRET_ACCESS_KEY: "s",
        AWS_DEFAULT_REGION: "r",
        AWS_S3_ENDPOINT: peer.url
      }
      const storage = objectStorage(
        new Map(Object.entries(secret).map(([name, value]) => [name, Redacted.make(value)])),
        false
      )
      if (Either.isLeft(storage)) return assert.fail(storage.left)
      const client = yield* makeStorageClient(storage.right, "b", { egress: undefined, way: straight, parallel: 2 })
      const givingUp = client.send({
        key: "large",
        consume: () => Promise.reject(new StorageTrouble({ reason: "denied", message: "no", again: false }))
      })
      yield* Effect.all([Effect.flip(givingUp), Effect.flip(givingUp)], { concurrency: 2 })
      assert.strictEqual(yield* client.send({ key: "small", consume: (answer) => readText(answer, 100) }), "small")
    })
  )
})
