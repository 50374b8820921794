/** Parameters by which a benchmark is told of the model that judges its answers. */
export const judgeParameters = ["judge", "judge_model", "model_roles"]
