/** Answers that are text, such as logs. */
import type { RequestOf } from "../../client/client.ts"
import type { EndpointName } from "../../http/api.ts"
import { type Loaded, useAnswer } from "./answer.ts"

export const useAnswerText = <Name extends EndpointName>(name: Name, request: RequestOf<Name>): Loaded<string> =>
  // the operations that this is for answer text and nothing else
  useAnswer(name, request) as unknown as Loaded<string>
