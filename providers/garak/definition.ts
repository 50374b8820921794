/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {
  parameters: [
    { name: "probes", type: "any" },
    { name: "probe_tags", type: "string" },
    { name: "eval_threshold", type: "number", default: 0.5, minimum: 0, maximum: 1 },
    { name: "generations", type: "integer", default: 1, minimum: 1, maximum: 100 },
    { name: "parallel_attempts", type: "integer", default: 8, minimum: 1, maximum: 128 },
    { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] },
    { name: "timeout", type: "integer", default: 0, minimum: 0 },
    { name: "garak_config", type: "object" },
    { name: "model_type", type: "string", default: "openai.OpenAICompatible" },
    { name: "model_name", type: "string" }
  ],
  rows: [
    {
      id: "intents",
      endpoint: "chat",
      task: "profile=intents",
      flags: ["needs_judge"],
      primary: "attack_success_rate"
    },
    { id: "owasp_llm_top10", endpoint: "chat", task: "probe_tags=owasp:llm", primary: "attack_success_rate" },
    { id: "avid", endpoint: "chat", task: "probe_tags=avid-effect", primary: "attack_success_rate" },
    { id: "avid_security", endpoint: "chat", task: "probe_tags=avid-effect:security", primary: "attack_success_rate" },
    { id: "avid_ethics", endpoint: "chat", task: "probe_tags=avid-effect:ethics", primary: "attack_success_rate" },
    {
      id: "avid_performance",
      endpoint: "chat",
      task: "probe_tags=avid-effect:performance",
      primary: "attack_success_rate"
    },
    { id: "quality", endpoint: "chat", task: "probe_tags=quality", primary: "attack_success_rate" },
    { id: "cwe", endpoint: "chat", task: "probe_tags=cwe", primary: "attack_success_rate" },
    { id: "quick", endpoint: "chat", task: "probes=dan.Dan_11_0", primary: "attack_success_rate" }
  ]
}
