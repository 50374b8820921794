/** Hosts as they stand in an address, with a port or without one. */

export const isHost = (text: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:\d{1,5})?$/.test(text)

const portOf = ({ protocol, port }: URL): string => port || (protocol === "https:" ? "443" : "80")

/** whether `address` leads to one of `hosts`; one without a port allows every port */
export const leadsTo = (hosts: ReadonlyArray<string>, address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false
  return hosts.some((host) => host === url.hostname || host === `${url.hostname}:${portOf(url)}`)
}
