/** Whether an address is this machine's own. */

const address = /^(localhost|::1|(::ffff:)?127(\.\d{1,3}){3})$/i

/** a name or a literal address; as it stands in a URL or a Host header also in brackets and with a port */
export const isLoopback = (host: string): boolean => {
  const [, bracketed] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(host) ?? []
  // more than one colon without brackets is an IPv6 address, whose last part is no port
  return address.test(bracketed ?? (/^[^:]*:\d{1,5}$/.test(host) ? host.replace(/:\d+$/, "") : host))
}
