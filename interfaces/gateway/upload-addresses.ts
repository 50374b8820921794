/** Addresses on other hosts that a registry gave for an upload; the adapter sees only a token for them. Reference: gateway.md, "Registry". */
import { LRUCache } from "lru-cache"

export interface UploadAddresses {
  /** a token for the address */
  readonly remember: (address: URL) => string
  readonly find: (token: string) => URL | undefined
}

const maxEntries = 1_000
const lifetimeMillis = 3_600_000

export const makeUploadAddresses = (newToken: () => string, clock: () => number = () => performance.now()): UploadAddresses => {
  const known = new LRUCache<string, URL>({ max: maxEntries, ttl: lifetimeMillis, ttlResolution: 0, perf: { now: clock } })
  return {
    remember: (address) => {
      const token = newToken()
      known.set(token, address)
      return token
    },
    find: (token) => known.get(token)
  }
}
