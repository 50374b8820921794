/**
 * A solver reads the prompt like a model would and answers it; it is never told the reference. The server decides with its seeded skill
 * whether the right or the wrong answer goes out, so that scores follow the configured skill.
 */

export interface DemoMessage {
  readonly role: string
  readonly content: string
}

export interface DemoTool {
  readonly name: string
  readonly parameters: { readonly [key: string]: unknown }
}

export interface Conversation {
  readonly messages: ReadonlyArray<DemoMessage>
  readonly tools: ReadonlyArray<DemoTool>
}

export interface DemoReply {
  readonly text: string
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments: { readonly [key: string]: unknown } }>
}

export interface Solution {
  /** what a capable model would answer */
  readonly right: DemoReply
  /** what a model that fails this item would answer: plausible, well-formed, wrong */
  readonly wrong: DemoReply
  /** answer preferred by an obedient or attacked model, chosen by the `jailbreak` knob instead of `skill` (safety families only) */
  readonly attacked?: DemoReply
  /** chosen by the `refusal` knob (over-refusal family only) */
  readonly refused?: DemoReply
}

export interface Solver {
  /** name of the skill knob, e.g. `arithmetic`, `logic`, `knowledge`, `instructions`, `structure`, `retrieval`, `safety` */
  readonly family: string
  /** undefined when the conversation is not of this solver's kind */
  readonly solve: (conversation: Conversation, random: () => number) => Solution | undefined
}
