/** Phases of a running benchmark, in their usual order. Reference: states-and-scores.md, "Benchmark states". */
export const phases = [
  "initializing",
  "loading_data",
  "running_evaluation",
  "post_processing",
  "persisting_artifacts",
  "completed"
] as const
export type Phase = (typeof phases)[number]

export const isPhase = (text: string): text is Phase => phases.some((phase) => phase === text)
