/** Prompts that a person chooses in an agent's menu. What stands in them is ours and what the person typed, never what a server answered. */

export interface PromptText {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly takes: { readonly [name: string]: string }
  readonly says: (given: { readonly [name: string]: string }) => string
}

export const prompts: ReadonlyArray<PromptText> = [
  {
    name: "plan_an_evaluation",
    title: "Plan an evaluation",
    description: "Which benchmarks answer a question about a model, and what they would use",
    takes: { question: "what is to be found out about the model", model: "name of the model" },
    says: ({ question, model }) =>
      `I want to find out about the model ${model}: ${question}\nChoose benchmarks with find_benchmarks and read each with get_benchmark. Say what it measures, and what it does not say about my question. Then ask plan_job for the estimate, and tell it with what it is told from. Submit nothing unless I ask for it.`
  },
  {
    name: "read_a_result",
    title: "Read a result",
    description: "What the results of a job say, and whether they can be believed",
    takes: { id: "identifier of the job" },
    says: ({ id }) =>
      `Read the results of job ${id} with get_job and get_results. For each benchmark tell score, interval, number of items and verdict together, and first whatever its validity warns of. Say what the numbers do not show. Look at samples with list_samples where a result surprises.`
  },
  {
    name: "compare_two_runs",
    title: "Compare two runs",
    description: "Whether a candidate is worse than a baseline",
    takes: { baseline: "identifier of the baseline's job", candidate: "identifier of the candidate's job" },
    says: ({ baseline, candidate }) =>
      `Compare job ${candidate} with the baseline ${baseline} by compare_jobs. Tell each benchmark's difference with its interval and outcome, regressions first; what is not comparable and why; and say inconclusive where the interval holds zero and harm. Do not call a difference an improvement that the server does not.`
  }
]
