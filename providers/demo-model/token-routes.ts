/**
 * The routes beside `/v1` by which a server lends its tokenizer, as vLLM has them: a framework that needs the log-probabilities of a
 * continuation has to know where the context ends. No fault is played here.
 */
import { Either } from "effect"
import { listMember, member, textMember } from "../../values/json.ts"
import { endToken, makeVocabulary } from "./vocabulary.ts"

export type TokenRoute = (body: unknown, contextLimit: number) => Either.Either<object, string>

export const tokenizerInfo = { tokenizer_class: "evald-demo", bos_token: null, eos_token: endToken }

/** by path; left: what is wrong, for the error body */
export const makeTokenRoutes = (): { readonly [path: string]: TokenRoute } => {
  const vocabulary = makeVocabulary()
  return {
    "/tokenize": (body, contextLimit) => {
      const prompt = textMember(body, "prompt")
      if (prompt === undefined) return Either.left("prompt must be a text")
      const tokens = vocabulary.encode(prompt)
      if (tokens === undefined) return Either.left("the vocabulary is full: start the demo model anew")
      return Either.right({ count: tokens.length, max_model_len: contextLimit, tokens })
    },
    "/detokenize": (body) => {
      if (!Array.isArray(member(body, "tokens"))) return Either.left("tokens must be a list")
      const prompt = vocabulary.decode(listMember(body, "tokens"))
      return prompt === undefined ? Either.left("tokens must be numbers that /tokenize gave") : Either.right({ prompt })
    }
  }
}
