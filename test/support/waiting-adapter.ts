/** The process of an adapter that waits for ever, or completes when `FINISH` is set. Bundled and started by tests. */
import { Effect } from "effect"
import { runAdapterProcess } from "../../providers/sdk/run-adapter.ts"

runAdapterProcess({
  name: "waiting",
  run: (_, callbacks) =>
    Effect.zipRight(
      callbacks.status({ phase: "running_evaluation" }),
      process.env["FINISH"] === undefined
        ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => process.stdout.write("cleaned up\n")))
        : Effect.succeed({ metrics: [] })
    )
})
