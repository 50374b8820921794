/** Generated from the shipped provider file by deploy/generate-wrapper-definitions.mjs. */
import type { FrameworkDefinition } from "../sdk/framework/definition.ts"

export const DEFINITION: FrameworkDefinition = {
  parameters: [
    {
      name: "profile",
      type: "string",
      enum: ["synchronous", "concurrent", "constant", "poisson", "throughput", "sweep"]
    },
    { name: "rate", type: "any" },
    { name: "max_seconds", type: "number" },
    { name: "max_requests", type: "integer", minimum: 1 },
    { name: "max_errors", type: "integer", minimum: 1 },
    { name: "warmup", type: "any" },
    { name: "cooldown", type: "any" },
    { name: "detect_saturation", type: "boolean", default: false },
    { name: "data", type: "string", default: "prompt_tokens=256,output_tokens=128" },
    { name: "data_args", type: "object" },
    { name: "data_column_mapper", type: "object" },
    { name: "data_samples", type: "integer", minimum: -1 },
    {
      name: "request_type",
      type: "string",
      default: "chat_completions",
      enum: ["chat_completions", "text_completions"]
    },
    { name: "processor", type: "string", default: "gpt2" },
    { name: "backend_kwargs", type: "object" },
    { name: "outputs", type: "array", default: ["json"] },
    { name: "random_seed", type: "integer", default: 42, aliases: ["seed"] }
  ],
  rows: [
    {
      id: "sweep",
      endpoint: "chat_stream",
      task: "profile=sweep rate=5 max_seconds=30",
      primary: "output_tokens_per_second"
    },
    {
      id: "throughput",
      endpoint: "chat_stream",
      task: "profile=throughput max_seconds=60",
      primary: "output_tokens_per_second"
    },
    {
      id: "concurrent",
      endpoint: "chat_stream",
      task: "profile=concurrent rate=8 max_seconds=60",
      primary: "output_tokens_per_second"
    },
    {
      id: "constant",
      endpoint: "chat_stream",
      task: "profile=constant rate=2 max_seconds=60",
      primary: "output_tokens_per_second"
    },
    {
      id: "poisson",
      endpoint: "chat_stream",
      task: "profile=poisson rate=2 max_seconds=60",
      primary: "output_tokens_per_second"
    },
    {
      id: "quick_perf_test",
      endpoint: "chat_stream",
      task: "profile=constant rate=2 max_seconds=15",
      primary: "requests_per_second"
    },
    {
      id: "comprehensive_perf_test",
      endpoint: "chat_stream",
      task: "profile=sweep rate=10 max_seconds=60",
      primary: "output_tokens_per_second"
    }
  ]
}
