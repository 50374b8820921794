/** Addresses on other hosts that a registry gave for an upload; the adapter sees only a token for them. Reference: gateway.md, "Registry". */

export interface UploadAddresses {
  /** a token for the address */
  readonly remember: (address: URL) => string
  readonly find: (token: string) => URL | undefined
}

const maxEntries = 1_000
const lifetimeMillis = 3_600_000

export const makeUploadAddresses = (
  newToken: () => string,
  clock: () => number = () => performance.now()
): UploadAddresses => {
  const known = new Map<string, { readonly address: URL; readonly until: number }>()
  return {
    remember: (address) => {
      const [oldest] = known.keys()
      if (known.size >= maxEntries && oldest !== undefined) known.delete(oldest)
      const token = newToken()
      known.set(token, { address, until: clock() + lifetimeMillis })
      return token
    },
    find: (token) => {
      const entry = known.get(token)
      if (entry === undefined || entry.until > clock()) return entry?.address
      known.delete(token)
      return undefined
    }
  }
}
