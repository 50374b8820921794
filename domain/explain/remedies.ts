/** What to do about each message code and each flag of validity. Reference: explain.md, "Causes". */

import type { adapterCodes, RuntimeCode, warningCodes } from "../job/message-codes.ts"
import { type Sentence, say, unquoted } from "../sentence.ts"

type Told = RuntimeCode | keyof typeof adapterCodes | keyof typeof warningCodes

const hardware = unquoted(["hardware"])
const testData = unquoted(["testData"])

const ofCodes: { readonly [Code in Told]: Sentence } = {
  adapter_exited_without_result:
    "Read the end of the benchmark's log: the adapter has to post a terminal event before it exits.",
  adapter_failed_to_start: "Mend the command in the provider's runtime, or install what it starts, and submit again.",
  image_pull_failed:
    "Correct the image in the provider's runtime, or give the namespace a pull secret for its registry; the kubelet tries again by itself until the limit.",
  container_config_error: "Make the object that the message names in the tenant's namespace, and submit again.",
  secret_not_found: "Make the secret that the message names in the tenant's namespace, and submit again.",
  unschedulable: say`Wait, ask for less CPU and memory (${hardware}), or add a node that can take the pod.`,
  queue_inadmissible: say`Name a queue that admits this work (${unquoted(["hardware", "queue"])}), or ask its administrator for the flavour or quota that the message names.`,
  out_of_memory: say`Raise the benchmark's memory limit (${hardware}), or lower its number of parallel requests.`,
  evicted:
    "It starts again by itself where that is possible; ask for a higher priority or a quieter node if it repeats.",
  init_failed: "Read the benchmark's log: the step before the adapter says what it could not get.",
  test_data_not_found: say`Put the files under ${unquoted(["testData", "s3"])}, or correct its bucket and key, and submit again.`,
  budget_exhausted: say`Run it again with a larger ${unquoted(["budget"])}, fewer examples, or shorter answers.`,
  deadline_exceeded: "Use fewer examples or more parallel requests, or raise timeouts.benchmark_seconds.",
  runtime_object_rejected: "Give the service account or the pod what the cluster's message asks for, and submit again.",
  runtime_object_lost: "Submit again; if it repeats, look at what deletes pods or processes there.",
  launch_failed: "Mend what the message names; the launch is tried again by itself.",
  machine_unavailable: "Make room on the server's disk, or raise the limit of the system that the message names.",
  benchmark_failed: "Read the benchmark's log: the adapter gave no reason.",
  adapter_internal_error: "Read the benchmark's log and tell the adapter's author.",
  benchmark_not_supported: "Choose a benchmark that the endpoint can do, or an endpoint with what the message names.",
  invalid_parameter: "Correct the parameter that the message names, and submit again.",
  dataset_invalid: "Correct the line that the message names in the test data, and submit again.",
  dataset_unavailable: say`Let the benchmark reach the place of the data set, or bring the data along (${testData}, offline cache), and submit again.`,
  gated_dataset_auth_required:
    "Accept the terms of the data set, put a token with access to it into the model secret, and submit again.",
  model_authentication_failed: say`Put a valid key into the secret that ${unquoted(["model", "auth", "secretRef"])} names, and submit again.`,
  model_access_forbidden: "Give the key's account access to the model, and submit again.",
  model_endpoint_not_found: "Correct model.url (it usually ends in /v1) or model.name, and submit again.",
  model_endpoint_unreachable: "Start the endpoint, or correct model.url and the way out to it, and submit again.",
  model_request_timeout:
    "Lower the number of parallel requests, raise the time limit of a request, or give the endpoint more capacity.",
  model_rate_limited: "Lower num_concurrent, or ask for a higher rate limit of the endpoint.",
  model_server_error: "Look at the log of the endpoint; lower num_concurrent if it is overloaded.",
  model_content_filtered: "Use an endpoint whose filter lets these questions through, or another benchmark.",
  framework_missing:
    "Install the framework that the message names beside the server, or use its image, and submit again.",
  framework_failed: "Read the benchmark's log: the framework says there what it could not do.",
  framework_output_unreadable: "Use the version of the framework that the adapter was shown on.",
  tokenizer_unavailable: "Name a tokenizer that can be loaded there, or bring it along, and submit again.",
  primary_metric_missing: say`Name one of the reported metrics as ${unquoted(["primaryScore", "metric"])}, and submit again.`,
  no_samples_scored: "Read some of the benchmark's samples: they say why none could be scored.",
  too_many_errors: "Read the samples with the verdict error: they say what failed.",
  load_generator_saturated: "Ask for a lower rate, or give the load generator more CPU.",
  artifact_export_failed: "Correct exports.oci or its credentials; the result itself is complete.",
  artifact_subject_not_found: "Push the subject first, or correct its reference; the result itself is complete.",
  tracker_save_failed: "Look at the tracking server; the result itself is complete."
}

const ofFlags: { readonly [code: string]: Sentence } = {
  empty_responses:
    "Try a question by hand: the endpoint answers without text. Look at its chat template and its limit of tokens.",
  truncated: "Raise the limit of generated tokens (for a thinking model by much), and submit again.",
  content_filtered: "Use an endpoint whose filter lets these questions through, or another benchmark.",
  error_share:
    "Look at the log of the endpoint: it answers errors, perhaps with status 200; the samples with the verdict error say which.",
  requests_failed_scored: "Look at the log of the endpoint: requests failed and were scored as wrong.",
  requests_missing:
    "Look at the adapter: it scored items that it did not ask, perhaps from a cache; or its definition declares too many `calls`.",
  credential_revoked: "Put a key that stays valid into the model secret, and submit again.",
  model_changed: "Keep one model behind the name while a job runs, and submit again.",
  response_echoes_prompt: "Use the chat route, or a model that is trained to answer: it repeats its questions.",
  context_truncated: "Raise the context length of the endpoint, or use shorter items, and submit again.",
  answers_misplaced:
    "Look at what stands before the model (a queue, a cache, a proxy): it gives callers the answers of others.",
  identical_responses: "Try two questions by hand: the endpoint gives all of them the same answer.",
  prompts_differ: "Make the adapter ask repeats of an item in the same words.",
  dataset_changed: "Keep the files of the set as they are while a job runs, and submit again.",
  controls_failed: "Look at the answers to the harmless questions: the model or its filter declines everything.",
  judge_disagrees: "Use another judge: it rates replies of known worth wrongly.",
  incomplete_requests: "Look at the endpoint's load: requests of the measurement hung.",
  usage_impossible: "Mend what the endpoint reports as usage; until then its speed can not be told.",
  usage_inconsistent: "Mend what the endpoint reports as usage; scores do not depend on it.",
  model_alias: "Look at what model stands behind the name, and name that one in model.name.",
  fingerprint_changed: "Look whether the endpoint was changed while the job ran.",
  constant_answer: "Look at the samples: the model gives nearly always the same choice.",
  temperature_ignored:
    "Find out whether the endpoint applies the temperature; where it does not, repeats are no independent draws: ask each question once.",
  cache_suspected: "Turn the cache of the endpoint off where repeats are to differ.",
  refusal_rate: "Look at the declined samples; use another system prompt if the model may answer them.",
  reasoning_budget: "Raise the limit of generated tokens: the score depends on it.",
  template_suspected: "Look at the endpoint's chat template: its marks stand in the answers.",
  judge_drift: "Ask the judge again, or use one that rates the same reply alike.",
  judge_unparsed: "Use a judge that keeps to the asked form.",
  load_generator_saturated: "Ask for a lower rate, or give the load generator more CPU.",
  answers_leaked: "Take the references out of the questions.",
  few_items: "Ask more items (num_examples) for a narrower interval.",
  score_at_chance: "Look at the samples: the score is what guessing would get.",
  nondeterministic: "Ask repeats and take their mean: the endpoint answers differently at temperature 0."
}

const anywhere = "Read the benchmark's log and its samples."

export const remedyOfCode = (code: string): Sentence =>
  (ofCodes as { readonly [code: string]: Sentence })[code] ?? anywhere
export const remedyOfFlag = (code: string): Sentence => ofFlags[code] ?? anywhere
