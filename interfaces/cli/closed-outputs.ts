/** Outputs that nobody takes: a reader that has enough, a terminal that is gone, a disk that is full. */

export interface Outputs {
  /** whether standard output has a reader, as far as is known */
  readonly isRead: () => boolean
}

/**
 * A command whose reader has gone goes on to its own end and exit code, so that a pipeline that reads one line does not take a NO-GO for a GO. What can
 * not be written for another reason is said, and ends it with 1.
 */
export const standClosedOutputs = (): Outputs => {
  let isRead = true
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") {
      isRead = false
      return
    }
    process.stderr.write(`evald: the output can not be written: ${message}\n`)
    process.exit(1)
  })
  // there is nowhere left to say it
  process.stderr.on("error", () => {})
  return { isRead: () => isRead }
}
