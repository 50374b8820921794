"""What a user of the public client does, unmodified: prints one JSON object of what it saw. Arguments: server, model, provider id."""
import asyncio
import json
import sys

from evalhub import AsyncEvalHubClient, SyncEvalHubClient
from evalhub.client import JobCanNotBeCancelledError, JobNotFoundError
from evalhub.models import BenchmarkConfig, CollectionCreateRequest, CollectionRef, JobSubmissionRequest, ModelAuth, ModelConfig

server, model_url, provider = sys.argv[1:]
seen: dict = {}
model = ModelConfig(url=model_url, name="evald-demo", auth=ModelAuth(secret_ref="model-key"))


def job(**members):
    return JobSubmissionRequest(name="from the client", model=model, **members)


with SyncEvalHubClient(base_url=server + "/") as client:
    seen["health"] = client.health()["status"]
    seen["providers"] = sorted(one.resource.id for one in client.providers.list())
    seen["title"] = client.providers.get(provider).title
    seen["math"] = [one.id for one in client.benchmarks.list(category="math")]
    created = client.providers.create({"name": "mine", "description": "", "runtime": {"local": {"command": "true"}}, "tags": None,
                                       "benchmarks": [{"id": "b", "name": "B", "category": "math", "description": None}]})
    seen["patched"] = client.providers.patch(created.resource.id, {"title": "Mine"}).title
    replaced = client.providers.update(created.resource.id, {"name": "mine again", "runtime": {"local": {"command": "true"}},
                                                             "benchmarks": [{"id": "b", "name": "B", "category": "math"}]})
    seen["replaced"] = [replaced.name, replaced.title]
    client.providers.delete(created.resource.id)
    seen["deleted"] = created.resource.id not in [one.resource.id for one in client.providers.list()]

    sums = BenchmarkConfig(id="sums", provider_id=provider, parameters={"num_examples": 3})
    submitted = client.jobs.submit(job(benchmarks=[sums, sums], tags=["nightly"]))
    seen["first answer"] = [submitted.state.value, [row.status.value for row in submitted.status.benchmarks]]
    done = client.jobs.wait_for_completion(submitted.id, timeout=60, poll_interval=0.2)
    seen["done"] = [done.state.value, [row.status.value for row in done.status.benchmarks], [row.metrics for row in done.results.benchmarks]]
    seen["log"] = client.jobs.get_logs(submitted.id, benchmark_index=1).splitlines()[-1]
    seen["listed"] = client.jobs.list(limit=10)[0].id == submitted.id
    try:
        client.jobs.cancel(submitted.id)
    except JobCanNotBeCancelledError as error:
        seen["cancel of a finished job"] = bool(error.reason)
    seen["hard delete"] = client.jobs.cancel(submitted.id, hard_delete=True)
    try:
        client.jobs.get(submitted.id)
    except Exception as error:
        seen["get of a deleted job"] = getattr(getattr(error, "response", None), "status_code", str(error))
    try:
        client.jobs.cancel(submitted.id)
    except JobNotFoundError:
        seen["cancel of a deleted job"] = "JobNotFoundError"

    request = CollectionCreateRequest(name="two sums", category="math", benchmarks=[{"id": "sums", "provider_id": provider, "weight": 2}])
    collection = client.collections.create(request.model_dump())
    seen["collection"] = [collection.name, [one.weight for one in collection.benchmarks]]
    seen["collection patched"] = client.collections.patch(collection.resource.id, {"name": "renamed", "tags": ["t"]}).name
    body = {**request.model_dump(), "name": "replaced"}
    seen["collection replaced"] = client.collections.update(collection.resource.id, body).name
    by_collection = client.jobs.submit(job(collection=CollectionRef(id=collection.resource.id)))
    seen["by collection"] = client.jobs.wait_for_completion(by_collection.id, timeout=60, poll_interval=0.2).state.value
    client.collections.delete(collection.resource.id)
    seen["collections"] = [one.resource.id for one in client.collections.list()]


async def asynchronous():
    async with AsyncEvalHubClient(base_url=server) as client:
        slow = BenchmarkConfig(id="sums", provider_id=provider, parameters={"num_examples": 100000})
        submitted = await client.jobs.submit(job(benchmarks=[slow]))
        while (await client.jobs.get(submitted.id)).state.value != "running":
            await asyncio.sleep(0.1)
        cancelled = await client.jobs.cancel(submitted.id)
        final = await client.jobs.wait_for_completion(submitted.id, timeout=30, poll_interval=0.2)
        return [cancelled, final.state.value, [row.status.value for row in final.status.benchmarks]]


seen["cancelled"] = asyncio.run(asynchronous())
print(json.dumps(seen))
