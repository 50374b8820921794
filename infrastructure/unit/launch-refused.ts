import type { LaunchRefused } from "../../application/ports/runtime.ts"

/** a benchmark that can not be launched as it is */
export const refused = (code: string, message: string): LaunchRefused => ({ _tag: "LaunchRefused", code, message })
