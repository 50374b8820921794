/** `evald adapter lm_evaluation_harness`: drives the command line of the LM Evaluation Harness. */
import { lmEvaluationHarnessAdapter } from "../../../providers/lm-evaluation-harness/main.ts"
import { runAdapterProcess } from "../../../providers/sdk/run-adapter.ts"

export const main = (): void => runAdapterProcess(lmEvaluationHarnessAdapter)
