/** `evald adapter inspect`: drives the command line of Inspect. */
import { inspectAdapter } from "../../../providers/inspect/main.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"

export const main = (): void => runAdapterProcess(inspectAdapter)
