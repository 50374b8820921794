/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {
  parameters: [
    { name: "provider", type: "string", default: "endpoint", enum: ["endpoint", "openai", "litellm"] },
    { name: "tasks", type: "any" },
    { name: "num_few_shot", type: "integer", minimum: 0, maximum: 64, aliases: ["num_fewshot"] },
    { name: "num_concurrent", type: "integer", default: 8, minimum: 1, maximum: 128, aliases: ["concurrent_requests"] },
    { name: "timeout_seconds", type: "integer", default: 300, minimum: 1, maximum: 86400 },
    { name: "max_length", type: "integer", default: 4096, minimum: 1, aliases: ["max_model_length"] },
    { name: "system_prompt", type: "string" },
    { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] },
    { name: "parameters", type: "object", aliases: ["generation_parameters"] },
    { name: "max_error_rate", type: "number", default: 0.05, minimum: 0, maximum: 1 },
    { name: "allow_code_execution", type: "boolean", default: false }
  ],
  rows: [
    {
      id: "commonsense_reasoning",
      endpoint: "none",
      task: "hellaswag,winogrande,openbookqa",
      flags: ["needs_logprobs"],
      primary: "suite_mean"
    },
    {
      id: "scientific_reasoning",
      endpoint: "none",
      task: "arc:easy,arc:challenge",
      flags: ["needs_logprobs"],
      primary: "suite_mean"
    },
    { id: "physical_commonsense", endpoint: "none", task: "piqa", flags: ["needs_logprobs"], primary: "suite_mean" },
    {
      id: "truthfulness",
      endpoint: "none",
      task: "truthfulqa:mc,truthfulqa:gen",
      flags: ["needs_logprobs"],
      primary: "suite_mean"
    },
    { id: "math", endpoint: "chat", task: "gsm8k,math:algebra,math:counting_and_probability", primary: "suite_mean" },
    { id: "knowledge", endpoint: "none", task: "mmlu,triviaqa", flags: ["needs_logprobs"], primary: "suite_mean" },
    {
      id: "language_understanding",
      endpoint: "none",
      task: "glue:cola,glue:sst2,glue:mrpc",
      flags: ["needs_logprobs"],
      primary: "suite_mean"
    },
    { id: "hellaswag", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc_norm" },
    { id: "winogrande", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc" },
    { id: "openbookqa", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc_norm" },
    { id: "arc:easy", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc_norm" },
    { id: "arc:challenge", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc_norm" },
    { id: "piqa", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc" },
    { id: "truthfulqa:mc", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "mc1" },
    { id: "truthfulqa:gen", endpoint: "chat", fewShot: 0, primary: "exact_match" },
    { id: "gsm8k", endpoint: "chat", fewShot: 8, primary: "extractive_match" },
    { id: "math:algebra", endpoint: "chat", fewShot: 0, primary: "acc" },
    { id: "math:counting_and_probability", endpoint: "chat", fewShot: 0, primary: "acc" },
    { id: "aime24", endpoint: "chat", fewShot: 0, primary: "pass@1" },
    { id: "aime25", endpoint: "chat", fewShot: 0, primary: "pass@1" },
    { id: "mmlu", endpoint: "none", flags: ["needs_logprobs"], fewShot: 5, primary: "acc_norm" },
    { id: "triviaqa", endpoint: "chat", fewShot: 0, primary: "acc" },
    { id: "glue:cola", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "matthews_correlation" },
    { id: "glue:sst2", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc" },
    { id: "glue:mrpc", endpoint: "none", flags: ["needs_logprobs"], fewShot: 0, primary: "acc" },
    { id: "math_500", endpoint: "chat", fewShot: 0, primary: "pass@1" },
    { id: "gpqa:diamond", endpoint: "chat", fewShot: 0, primary: "gpqa_pass@1" },
    { id: "lcb:codegeneration_v6", endpoint: "chat", flags: ["code_execution"], fewShot: 0, primary: "codegen_pass@1" }
  ]
}
