/** The list envelope. Reference: api.md, "Lists". */
import { Schema } from "effect"
import { given, integer, Texts } from "./shapes.ts"

const Link = Schema.Struct({ href: Schema.String }).annotations({ identifier: "PageLink" })

const envelope = <A, I>(items: Schema.Schema<A, I>) => ({
  first: Link,
  next: given(Link),
  limit: integer("largest number of items in the answer"),
  total_count: integer("exact number of records that match"),
  items: Schema.Array(items)
})

export const listOf = <A, I>(identifier: string, items: Schema.Schema<A, I>) =>
  Schema.Struct(envelope(items)).annotations({ identifier })

/** jobs and providers also say which records could not be read and are left out */
export const listWithErrors = <A, I>(identifier: string, items: Schema.Schema<A, I>) =>
  Schema.Struct({
    ...envelope(items),
    errors: Texts.annotations({
      description: "one line (id and reason) for each record that could not be read and is left out"
    })
  }).annotations({ identifier })

/** what is left of a record when `fields` or `benchmarks=false` leaves members out */
export const partOf = (identifier: string) =>
  Schema.Struct({ resource: Schema.Struct({ id: Schema.String }) }).annotations({
    identifier,
    description: "a record with some members left out on request"
  })
