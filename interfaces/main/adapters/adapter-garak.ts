/** `evald adapter garak`: drives the command line of garak. */
import { garakAdapter } from "../../../providers/garak/main.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"

export const main = (): void => runAdapterProcess(garakAdapter)
