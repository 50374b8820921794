/** `evald adapter <name>`: runs one benchmark from its job file. Each adapter is a bundle of its own. Reference: adapter-contract.md, "Exit". */
import { usageExit } from "../cli/flags.ts"

const adapters: Readonly<Record<string, () => Promise<{ readonly main: () => void }>>> = {
  evald: () => import("./adapters/adapter-evald.ts"),
  garak: () => import("./adapters/adapter-garak.ts"),
  guidellm: () => import("./adapters/adapter-guidellm.ts"),
  inspect: () => import("./adapters/adapter-inspect.ts"),
  lighteval: () => import("./adapters/adapter-lighteval.ts"),
  lm_evaluation_harness: () => import("./adapters/adapter-lm-evaluation-harness.ts")
}

export const main = (args: ReadonlyArray<string>): void => {
  const [name, ...rest] = args
  if (name === "evald" && rest.length > 0) {
    void import("./import-evald.ts").then((module) => module.main(rest))
    return
  }
  const load = name === undefined ? undefined : adapters[name]
  if (load === undefined || rest.length > 0) {
    const help = `Runs the benchmark of the job file named by EVALD_JOB_SPEC_PATH.\n\nUsage: evald adapter <name>\n       evald adapter evald --import <format> <file>\n\nAdapters: ${Object.keys(adapters).join(", ")}\n`
    if (name === "--help" || name === "-help") process.stdout.write(help)
    else {
      process.stderr.write(
        `evald adapter: ${name === undefined ? "which adapter?" : `unknown adapter or argument '${[name, ...rest].join(" ")}'`}\n\n${help}`
      )
      process.exitCode = usageExit
    }
    return
  }
  void load().then((module) => module.main())
}
