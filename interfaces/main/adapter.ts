/** `evald adapter <name>`: runs one benchmark from its job file. Each adapter is a bundle of its own. Reference: adapter-contract.md, "Exit". */
import { renderHelp, usageExit } from "../cli/flags.ts"
import { adapterHelp, type adapterNames } from "../cli/own-commands.ts"

type Load = () => Promise<{ readonly main: () => void }>

const adapters: { readonly [Name in (typeof adapterNames)[number]]: Load } = {
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
  const load = Object.entries(adapters).find(([known]) => known === name)?.[1]
  if (load === undefined || rest.length > 0) {
    const help = renderHelp(adapterHelp)
    if (name === "--help" || name === "-help" || name === "-h") process.stdout.write(help)
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
