/** Whose a definition is, as a list is narrowed by it. */
export const scopes = [
  ["system", "built in"],
  ["tenant", "of this tenant"]
] as const
