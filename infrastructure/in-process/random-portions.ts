/** Random bytes fetched in stock: one call for them costs what several hundred bytes do, for a name a fifth of a proxied exchange. */

export type Bytes = (count: number) => Buffer

/** bytes that are asked for at once */
const reserved = 2048

/** the same bytes in small portions, each of them handed out once */
export const portions = (bytes: Bytes): Bytes => {
  let reserve: Buffer = Buffer.alloc(0)
  return (count) => {
    if (reserve.length < count) reserve = bytes(reserved)
    const portion = reserve.subarray(0, count)
    reserve = reserve.subarray(count)
    return portion
  }
}
