/** References of container images, and the same image in a registry of one's own. Reference: configuration.md, "Images". */

/** what stands before the first slash is a registry only when it cannot be the first part of a name on Docker Hub */
const isHost = (part: string): boolean => part.includes(".") || part.includes(":") || part === "localhost"

/** the reference without its registry; short names of Docker Hub are written out */
const withoutRegistry = (reference: string): string => {
  const slash = reference.indexOf("/")
  if (slash < 0) return `library/${reference}`
  return isHost(reference.slice(0, slash)) ? reference.slice(slash + 1) : reference
}

/**
 * The image as it is pulled: in `registry` (`host[:port][/path]`) under the name that it has in its own, with its tag or digest. A reference
 * that is there already stays as it is; without a registry of one's own all do.
 */
export const inRegistry = (reference: string, registry: string | undefined): string =>
  registry === undefined || reference === "" || reference.startsWith(`${registry}/`)
    ? reference
    : `${registry}/${withoutRegistry(reference)}`

/** is it one image for ever, whatever happens in its registry? */
export const isPinned = (reference: string): boolean => /@sha256:[0-9a-f]{64}$/.test(reference)
