/** Terminal codes in log text. Reference: adapter-contract.md, "Local processes". */
const esc = String.fromCharCode(27)
const bell = String.fromCharCode(7)
/** colours and cursor moves (CSI), titles and links (OSC), and the short forms */
const terminalCodes = new RegExp(
  `${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)|[@-Z\\\\^_])`,
  "g"
)

/** without colours, cursor moves, titles and links */
export const stripTerminalCodes = (text: string): string =>
  text.includes(esc) ? text.replaceAll(terminalCodes, "") : text
