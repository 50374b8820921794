/** Every record of a tenant as wire texts, newest job first, read page by page as fast as they are taken. */
import { Chunk, Effect, Either, Option, Stream } from "effect"
import { decodeCursor } from "../../domain/paging.ts"
import type { Caller } from "../access/caller.ts"
import type { Unavailable } from "../errors.ts"
import { JobStore } from "../ports/stores/job-store.ts"

const pageSize = 100

/** jobs that come or go meanwhile may be among them or not */
export const allRecords = (caller: Caller): Stream.Stream<string, Unavailable, JobStore> =>
  Stream.paginateChunkEffect(undefined as string | undefined, (cursor) =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const [createdAt, id] = cursor === undefined ? [] : Either.getOrThrow(decodeCursor(cursor, 2))
      const after = createdAt === undefined || id === undefined ? {} : { after: { createdAt, id } }
      const { items, next } = yield* store.page(caller.tenant, { limit: pageSize, offset: 0, ...after })
      return [Chunk.fromIterable(items), next === undefined ? Option.none() : Option.some(next)] as const
    })
  )
