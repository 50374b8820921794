/** What reading a reply gives: the answer, or why there is none. */

/** why no answer could be read; the item is then `invalid` with this reason */
export type Unreadable =
  /** nothing was said, or it was cut off while reasoning */
  | "no_answer"
  /** something was said, but nothing of the kind that was asked for */
  | "answer_not_found"
  /** several answers, and no statement that concludes with one of them */
  | "answer_ambiguous"
  /** it is only said what the answer is not */
  | "answer_negated"
  /** a letter that no option has */
  | "answer_outside_choices"
  /** the reply says that it has no answer */
  | "answer_declined"
  /** the form asked for (JSON, a call) is there but broken */
  | "answer_malformed"

export type Reading<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Unread"; readonly reason: Unreadable }

export const read = <A>(value: A): Reading<A> => ({ _tag: "Read", value })
export const unread = (reason: Unreadable): Reading<never> => ({ _tag: "Unread", reason })

/** the answer; undefined when there is none */
export const readValue = <A>(reading: Reading<A>): A | undefined =>
  reading._tag === "Read" ? reading.value : undefined
