/** What the demo model is asked: the last user turn, also when a conversation arrives as one plain text. */
import type { Conversation } from "./solver.ts"

const LAST_USER = "\n\nUser: "
const TURN_END = /\n\nAssistant:\s*$/

/** text of the last question; undefined when the last message is not the user's */
export const lastQuestion = ({ messages }: Conversation): string | undefined => {
  const last = messages.at(-1)
  if (last === undefined || last.role !== "user") return undefined
  const text = `\n\n${last.content}`
  if (!TURN_END.test(text)) return last.content
  const start = text.lastIndexOf(LAST_USER)
  return start < 0 ? last.content : text.slice(start + LAST_USER.length).replace(TURN_END, "")
}

/** the question without its closing instruction; undefined unless it asks for a last line `Answer: <x>` */
export const answerLineQuestion = (conversation: Conversation): string | undefined => {
  const text = lastQuestion(conversation)
  const instruction = text?.lastIndexOf('\n\nFinish with a last line of the form "Answer: <x>"') ?? -1
  return text === undefined || instruction < 0 ? undefined : text.slice(0, instruction)
}
