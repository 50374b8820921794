/** JSON Pointers (RFC 6901) as lists of segments. */
import { Either } from "effect"
import { stepsOf } from "../../values/json-pointer.ts"

/** unescaped segments; Left says what is wrong. "" is the whole document. */
export const parsePointer = (text: string): Either.Either<ReadonlyArray<string>, string> => {
  if (text === "") return Either.right([])
  if (!text.startsWith("/")) return Either.left("must begin with '/'")
  if (/~(?![01])/.test(text)) return Either.left("may hold '~' only as '~0' or '~1'")
  return Either.right(stepsOf(text))
}

/** whether `path` lies at or below `root` */
export const isBelow = (path: ReadonlyArray<string>, root: ReadonlyArray<string>): boolean =>
  path.length >= root.length && root.every((part, index) => part === path[index])
