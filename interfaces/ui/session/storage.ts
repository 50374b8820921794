/** What a browser keeps for us, where it lets us: a user may have forbidden it. */

export const readStored = (storage: Storage, key: string): string | undefined => {
  try {
    return storage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** undefined forgets it */
export const store = (storage: Storage, key: string, value: string | undefined): void => {
  try {
    if (value === undefined) storage.removeItem(key)
    else storage.setItem(key, value)
  } catch {
    // the page works without; it asks again next time
  }
}
