/** The time that a whole run of test data may take, wherever the data comes from. Reference: gateway.md, "Test data". */
import { Duration, Effect } from "effect"
import { TestDataFailed, type TestDataRequest } from "../../application/ports/test-data.ts"

export const inTime =
  ({ timeoutSeconds }: Pick<TestDataRequest, "timeoutSeconds">) =>
  <A, E>(run: Effect.Effect<A, E>): Effect.Effect<A, E | TestDataFailed> =>
    Effect.timeoutFail(run, {
      duration: Duration.seconds(timeoutSeconds),
      onTimeout: () =>
        new TestDataFailed({
          reason: "unreachable",
          message: `the test data was not complete within ${timeoutSeconds} s (test_data.timeout_seconds)`
        })
    })
