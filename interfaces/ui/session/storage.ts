/** What a browser keeps for us, where it lets us: a user may have forbidden it, and then even to name it is an error. */

type Kept = "localStorage" | "sessionStorage"

export const readStored = (storage: Kept, key: string): string | undefined => {
  try {
    return globalThis[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** undefined forgets it */
export const store = (storage: Kept, key: string, value: string | undefined): void => {
  try {
    if (value === undefined) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, value)
  } catch {
    // the page works without; it asks again next time
  }
}
