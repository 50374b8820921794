/** The opaque keyset position of a job list: after which job the next page begins. Decisions 1, "Lists": `cursor`. */
import { Either, Encoding, Option } from "effect"

export interface JobCursor {
  readonly createdAt: string
  readonly id: string
}

export const encodeCursor = ({ createdAt, id }: JobCursor): string => Encoding.encodeBase64Url(`${createdAt} ${id}`)

const shape = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-z-]{1,64})$/

/** none for anything that `encodeCursor` did not make */
export const decodeCursor = (text: string): Option.Option<JobCursor> =>
  Option.flatMap(Either.getRight(Encoding.decodeBase64UrlString(text)), (plain) => {
    const [, createdAt, id] = shape.exec(plain) ?? []
    return createdAt === undefined || id === undefined ? Option.none() : Option.some({ createdAt, id })
  })
