"""The same adapter on the public `eval-hub-sdk` package: sums of two numbers, scored by exact match."""
import random
import re
import time

import httpx
from evalhub.adapter import DefaultCallbacks, EvaluationResult, FrameworkAdapter, JobPhase, JobResults, JobStatus, JobStatusUpdate, MessageInfo, resolve_model_credentials


def status(phase: JobPhase, text: str) -> JobStatusUpdate:
    return JobStatusUpdate(status=JobStatus.RUNNING, phase=phase, message=MessageInfo(message=text, message_code="progress"))


class SumsAdapter(FrameworkAdapter):
    def run_benchmark_job(self, config, callbacks):
        started = time.monotonic()
        callbacks.report_status(status(JobPhase.INITIALIZING, "reading the job"))
        key = resolve_model_credentials().api_key if config.model.auth else None
        model = httpx.Client(timeout=120, headers={"Authorization": f"Bearer {key}"} if key else {})
        seeded, count, right = random.Random(7), config.num_examples or 10, 0
        callbacks.report_status(status(JobPhase.RUNNING_EVALUATION, f"{count} sums"))
        for index in range(count):
            a, b = seeded.randint(1, 99), seeded.randint(1, 99)
            text = f'What is {a} + {b}?\n\nFinish with a last line of the form "Answer: <x>".'
            body = {"model": config.model.name, "messages": [{"role": "user", "content": text}], "temperature": 0}
            answer = model.post(f"{config.model.url}/chat/completions", json=body).raise_for_status().json()
            found = re.findall(r"Answer:\s*(-?\d+)", answer["choices"][0]["message"]["content"])
            right += bool(found) and int(found[-1]) == a + b
            print(f"{index + 1}/{count}: {a} + {b}, answered {found[-1] if found else 'nothing'}", flush=True)
        score = EvaluationResult(metric_name="exact_match", metric_value=right / count, num_samples=count)
        return JobResults(id=config.id, benchmark_id=config.benchmark_id, benchmark_index=config.benchmark_index, model_name=config.model.name, results=[score],
                          num_examples_evaluated=count, duration_seconds=time.monotonic() - started, additional_info={"sums": count})


adapter = SumsAdapter()
callbacks = DefaultCallbacks.from_adapter(adapter)
try:
    callbacks.report_results(adapter.run_benchmark_job(adapter.job_spec, callbacks))
except Exception as error:
    failure = MessageInfo(message=f"{type(error).__name__}: {error}", message_code="evaluation_failed")
    callbacks.report_status(JobStatusUpdate(status=JobStatus.FAILED, message=failure, error_message=failure))
    raise SystemExit(1) from error
