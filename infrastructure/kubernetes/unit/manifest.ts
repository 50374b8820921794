/** The library's types as what they are on the wire: read-only JSON, with times as text. Types only: nothing of the library is loaded. */
export type Manifest<T> = T extends Date
  ? string
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Manifest<Item>>
    : T extends object
      ? { readonly [Member in keyof T]: Manifest<T[Member]> }
      : T
