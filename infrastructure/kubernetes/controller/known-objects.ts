/** Objects of one kind by namespace and name: those of one namespace are found without a look at all others. */
import type { KubeObject } from "../client/resources.ts"

interface Identity {
  readonly namespace?: string | undefined
  readonly name: string
}

export interface KnownObjects {
  readonly get: (identity: Identity) => KubeObject | undefined
  readonly put: (object: KubeObject) => void
  readonly drop: (identity: Identity) => void
  /** in no order; with `namespace` only those there */
  readonly all: (namespace?: string) => ReadonlyArray<KubeObject>
}

export const makeKnownObjects = (): KnownObjects => {
  const spaces = new Map<string, Map<string, KubeObject>>()
  return {
    get: ({ namespace = "", name }) => spaces.get(namespace)?.get(name),
    put: (object) => {
      const { namespace = "", name } = object.metadata
      const space = spaces.get(namespace) ?? new Map<string, KubeObject>()
      spaces.set(namespace, space.set(name, object))
    },
    drop: ({ namespace = "", name }) => {
      const space = spaces.get(namespace)
      space?.delete(name)
      if (space?.size === 0) spaces.delete(namespace)
    },
    all: (namespace) =>
      namespace === undefined
        ? [...spaces.values()].flatMap((space) => [...space.values()])
        : [...(spaces.get(namespace)?.values() ?? [])]
  }
}
