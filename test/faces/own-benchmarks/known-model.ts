/** A model whose replies are known, so that the scores are: chat only, by what it is asked last. */
import { bodyOf, serve } from "../../support/loopback-server.ts"

export const knownModel = (reply: (asked: string) => string) =>
  serve((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.method !== "POST" || request.url !== "/v1/chat/completions") return response.writeHead(404).end("{}")
      const { messages } = JSON.parse(body.toString()) as {
        readonly messages: ReadonlyArray<{ readonly content: string }>
      }
      const answer = {
        id: "1",
        choices: [
          {
            index: 0,
            finish_reason: "stop",
            message: { role: "assistant", content: reply(messages.at(-1)?.content ?? "") }
          }
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1 }
      }
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  })
