/** The secret that the local gateway's addresses carry in their path. Who knows it reports in the unit's name. Reference: adapter-contract.md, "Addresses". */

const inAddress = /\/cb\/[A-Za-z0-9_-]{20,}/g

/** addresses of the gateway without it, for texts that others read */
export const withoutGatewaySecret = (text: string): string => text.replace(inAddress, "/cb/***")
