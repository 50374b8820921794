/** What something uses of a model, or may use: sums of the kinds that can be told before it runs. */
import { isObject } from "./json.ts"

const members = ["requests", "tokens", "cost"] as const

/** absent: not known, or not bounded; `cost` by the price of the model */
export type Allowance = { readonly [Member in (typeof members)[number]]?: number }

/** what has another member, or one that is no number, is none */
export const isAllowance = (value: unknown): value is Allowance =>
  isObject(value) &&
  Object.entries(value).every(([name, amount]) => members.some((one) => one === name) && Number.isFinite(amount))

/** `requests=200,tokens=100000,cost=1.5`, at least one of them; undefined when it is not that */
export const readAllowance = (text: string): Allowance | undefined => {
  const parts = text.split(",").map((part) => /^ *(requests|tokens|cost) *= *(\d{1,15}(?:\.\d{1,6})?) *$/.exec(part))
  const amounts = new Map(parts.map((part) => [part?.[1], Number(part?.[2])]))
  return parts.includes(null) || amounts.size < parts.length ? undefined : Object.fromEntries(amounts)
}

export const boundsAny = (most: Allowance): boolean => members.some((member) => most[member] !== undefined)

/** whether `amount` is known to be no more than each that `most` names */
export const covers = (most: Allowance, amount: Allowance): boolean =>
  members.every((member) => {
    const [bound, used] = [most[member], amount[member]]
    return bound === undefined || (used !== undefined && used <= bound)
  })

/** `200 requests, 30000 tokens` */
export const allowanceText = (amount: Allowance): string =>
  members.flatMap((member) => (amount[member] === undefined ? [] : [`${amount[member]} ${member}`])).join(", ")
