/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {
  parameters: [
    { name: "limit", type: "any", aliases: ["num_examples"] },
    { name: "epochs", type: "integer", default: 1, minimum: 1, maximum: 100 },
    { name: "max_connections", type: "integer", default: 8, minimum: 1, maximum: 128, aliases: ["num_concurrent"] },
    { name: "timeout_seconds", type: "integer", minimum: 1 },
    { name: "task", type: "string" },
    { name: "task_args", type: "object" },
    { name: "model_roles", type: "object" },
    { name: "judge_model", type: "string" },
    { name: "auditor_model", type: "string" },
    { name: "temperature", type: "number", minimum: 0, maximum: 2 },
    { name: "max_tokens", type: "integer", minimum: 1 },
    { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] },
    { name: "allow_code_execution", type: "boolean", default: false }
  ],
  rows: [
    {
      id: "inspect/petri-sycophancy",
      endpoint: "chat",
      task: "petri-sycophancy",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-deception",
      endpoint: "chat",
      task: "petri-deception",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-alignment-faking",
      endpoint: "chat",
      task: "petri-alignment-faking",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-jailbreak",
      endpoint: "chat",
      task: "petri-jailbreak",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-harmful-cooperation",
      endpoint: "chat",
      task: "petri-harmful-cooperation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-self-preservation",
      endpoint: "chat",
      task: "petri-self-preservation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-power-seeking",
      endpoint: "chat",
      task: "petri-power-seeking",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-full",
      endpoint: "chat",
      task: "petri-full",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/bloom-sycophancy",
      endpoint: "chat",
      task: "bloom-sycophancy",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/bloom-custom",
      endpoint: "chat",
      task: "bloom-custom",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-lie-detector",
      endpoint: "chat",
      task: "petri-lie-detector",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-harm",
      endpoint: "chat",
      task: "petri-harm",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-tool-abuse",
      endpoint: "chat",
      task: "petri-tool-abuse",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-blackmail",
      endpoint: "chat",
      task: "petri-blackmail",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-manipulation",
      endpoint: "chat",
      task: "petri-manipulation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-escalation",
      endpoint: "chat",
      task: "petri-escalation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-leaking",
      endpoint: "chat",
      task: "petri-leaking",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-privacy-violation",
      endpoint: "chat",
      task: "petri-privacy-violation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-censorship",
      endpoint: "chat",
      task: "petri-censorship",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-delusional-user",
      endpoint: "chat",
      task: "petri-delusional-user",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-bias",
      endpoint: "chat",
      task: "petri-bias",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-self-bias",
      endpoint: "chat",
      task: "petri-self-bias",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-blame",
      endpoint: "chat",
      task: "petri-blame",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-praise",
      endpoint: "chat",
      task: "petri-praise",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-criticism",
      endpoint: "chat",
      task: "petri-criticism",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-oversight-subversion",
      endpoint: "chat",
      task: "petri-oversight-subversion",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-shutdown-avoidance",
      endpoint: "chat",
      task: "petri-shutdown-avoidance",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-self-exfiltration",
      endpoint: "chat",
      task: "petri-self-exfiltration",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-goal-preservation",
      endpoint: "chat",
      task: "petri-goal-preservation",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-initiative",
      endpoint: "chat",
      task: "petri-initiative",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-whistleblowing",
      endpoint: "chat",
      task: "petri-whistleblowing",
      flags: ["needs_judge"],
      primary: "admirable/mean"
    },
    {
      id: "inspect/petri-goal-conflict",
      endpoint: "chat",
      task: "petri-goal-conflict",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-debate",
      endpoint: "chat",
      task: "petri-debate",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-reward-hacking",
      endpoint: "chat",
      task: "petri-reward-hacking",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-monitoring",
      endpoint: "chat",
      task: "petri-monitoring",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-multi-agent",
      endpoint: "chat",
      task: "petri-multi-agent",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-openended",
      endpoint: "chat",
      task: "petri-openended",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    {
      id: "inspect/petri-weird-ood",
      endpoint: "chat",
      task: "petri-weird-ood",
      flags: ["needs_judge"],
      primary: "concerning/mean"
    },
    { id: "inspect/agentharm", endpoint: "chat", task: "inspect_evals/agentharm" },
    { id: "inspect/agentic-misalignment", endpoint: "chat", task: "inspect_evals/agentic_misalignment" },
    { id: "inspect/gdm-self-proliferation", endpoint: "chat", task: "inspect_evals/gdm_self_proliferation" },
    { id: "inspect/gdm-stealth", endpoint: "chat", task: "inspect_evals/gdm_stealth" },
    { id: "inspect/gdm-self-reasoning", endpoint: "chat", task: "inspect_evals/gdm_self_reasoning" },
    { id: "inspect/strong-reject", endpoint: "chat", task: "inspect_evals/strong_reject" },
    { id: "inspect/wmdp", endpoint: "chat", task: "inspect_evals/wmdp" },
    { id: "inspect/mask", endpoint: "chat", task: "inspect_evals/mask" },
    { id: "inspect/makemesay", endpoint: "chat", task: "inspect_evals/makemesay" },
    { id: "inspect/make-me-pay", endpoint: "chat", task: "inspect_evals/make_me_pay" },
    { id: "inspect/sycophancy-evals", endpoint: "chat", task: "inspect_evals/sycophancy_evals" },
    { id: "inspect/instrumental-eval", endpoint: "chat", task: "inspect_evals/instrumental_eval" },
    { id: "inspect/sad", endpoint: "chat", task: "inspect_evals/sad" },
    { id: "inspect/cybench", endpoint: "chat", task: "inspect_evals/cybench", flags: ["code_execution"] },
    { id: "inspect/cyberseceval-2", endpoint: "chat", task: "inspect_evals/cyberseceval_2" },
    { id: "inspect/cybergym", endpoint: "chat", task: "inspect_evals/cybergym", flags: ["code_execution"] },
    {
      id: "inspect/humaneval",
      endpoint: "chat",
      task: "inspect_evals/humaneval",
      flags: ["code_execution"],
      primary: "accuracy"
    },
    {
      id: "inspect/swe-bench",
      endpoint: "chat",
      task: "inspect_evals/swe_bench",
      flags: ["code_execution"],
      primary: "accuracy"
    },
    {
      id: "inspect/bigcodebench",
      endpoint: "chat",
      task: "inspect_evals/bigcodebench",
      flags: ["code_execution"],
      primary: "accuracy"
    },
    {
      id: "inspect/mbpp",
      endpoint: "chat",
      task: "inspect_evals/mbpp",
      flags: ["code_execution"],
      primary: "accuracy"
    },
    { id: "inspect/gsm8k", endpoint: "chat", task: "inspect_evals/gsm8k", primary: "accuracy" },
    { id: "inspect/math", endpoint: "chat", task: "inspect_evals/math", primary: "accuracy" },
    { id: "inspect/aime2024", endpoint: "chat", task: "inspect_evals/aime2024", primary: "accuracy" },
    { id: "inspect/aime2025", endpoint: "chat", task: "inspect_evals/aime2025", primary: "accuracy" },
    { id: "inspect/telemath", endpoint: "chat", task: "inspect_evals/telemath", primary: "telemath_scorer/accuracy" },
    { id: "inspect/teleqna", endpoint: "chat", task: "inspect_evals/teleqna", primary: "choice/accuracy" },
    { id: "inspect/telelogs", endpoint: "chat", task: "inspect_evals/telelogs", primary: "telelogs_scorer/accuracy" },
    { id: "inspect/3gpp-tsg", endpoint: "chat", task: "inspect_evals/3gpp_tsg", primary: "pattern/accuracy" },
    { id: "inspect/mmlu", endpoint: "chat", task: "inspect_evals/mmlu", primary: "accuracy" },
    { id: "inspect/mmlu-pro", endpoint: "chat", task: "inspect_evals/mmlu_pro", primary: "accuracy" },
    { id: "inspect/gpqa", endpoint: "chat", task: "inspect_evals/gpqa", primary: "accuracy" },
    { id: "inspect/bbh", endpoint: "chat", task: "inspect_evals/bbh", primary: "accuracy" },
    { id: "inspect/arc", endpoint: "chat", task: "inspect_evals/arc", primary: "accuracy" },
    { id: "inspect/hellaswag", endpoint: "chat", task: "inspect_evals/hellaswag", primary: "accuracy" },
    { id: "inspect/winogrande", endpoint: "chat", task: "inspect_evals/winogrande", primary: "accuracy" },
    { id: "inspect/truthfulqa", endpoint: "chat", task: "inspect_evals/truthfulqa", primary: "accuracy" },
    { id: "inspect/simpleqa", endpoint: "chat", task: "inspect_evals/simpleqa", primary: "accuracy" },
    {
      id: "inspect/gaia",
      endpoint: "chat",
      task: "inspect_evals/gaia",
      flags: ["code_execution"],
      primary: "accuracy"
    },
    { id: "inspect/agentdojo", endpoint: "chat", task: "inspect_evals/agentdojo", flags: ["code_execution"] },
    {
      id: "inspect/theagentcompany",
      endpoint: "chat",
      task: "inspect_evals/theagentcompany",
      flags: ["code_execution"]
    },
    { id: "inspect/custom", endpoint: "chat", task: "custom" }
  ]
}
