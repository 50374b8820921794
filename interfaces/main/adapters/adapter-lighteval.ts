/** `evald adapter lighteval`: drives the command line of LightEval. */
import { lightevalAdapter } from "../../../providers/lighteval/main.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"

export const main = (): void => runAdapterProcess(lightevalAdapter)
