/** Reading JSON where somebody is told why it is none. */
import { Either } from "effect"

/** the value, or why the text is no JSON */
export const readJson = (text: string): Either.Either<unknown, string> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => (cause instanceof Error ? cause.message : String(cause))
  })
