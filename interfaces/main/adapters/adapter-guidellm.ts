/** `evald adapter guidellm`: drives the command line of GuideLLM. */
import { guidellmAdapter } from "../../../providers/guidellm/main.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"

export const main = (): void => runAdapterProcess(guidellmAdapter)
