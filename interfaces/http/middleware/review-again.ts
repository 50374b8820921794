/**
 * Answers that go on for long: the caller is reviewed again and again, and the answer ends with a last record when that fails, because
 * rights are taken away while streams are open. Reference: cluster-objects.md, "Reviews".
 */
import { Effect, Stream } from "effect"
import { contentOf, type ErrorContent } from "../error-response.ts"
import type { AuthenticatedCaller } from "./authentication.ts"

/** completes with the reason once the caller is no longer let in, or can not be reviewed; never where nothing is reviewed */
const turnedAway = ({ again }: AuthenticatedCaller): Effect.Effect<ErrorContent> =>
  again === undefined
    ? Effect.never
    : again.check.pipe(
        Effect.delay(`${again.everySeconds} seconds`),
        Effect.forever,
        Effect.flip,
        Effect.map(contentOf)
      )

/** the stream, cut short with `last` when the caller is turned away */
export const whileLetIn = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  caller: AuthenticatedCaller,
  last: (reason: ErrorContent) => A
): Stream.Stream<A, E, R> =>
  caller.again === undefined
    ? stream
    : Stream.merge(stream, Stream.fromEffect(Effect.map(turnedAway(caller), last)), { haltStrategy: "either" })
