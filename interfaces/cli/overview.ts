/** What `evald` says of itself: its commands, and that a word is none of them. */
import { visible } from "../../values/clean-text.ts"
import { nearest } from "../../values/nearest.ts"
import { commands, otherNames } from "./commands.ts"
import { renderHelp } from "./flags.ts"

export const overview = (): string =>
  `${renderHelp({ usage: "evald <command> [flags]", summary: "evald: evaluations of language-model endpoints.", flags: [] })}
Commands:
${commands.map(({ name, summary }) => `  ${name.padEnd(12)} ${summary}`).join("\n")}

evald <command> --help shows the flags of a command.
`

/** the command that another word most likely means; `evald __complete` and the like are nobody's */
const meant = (word: string): string | undefined =>
  (Object.hasOwn(otherNames, word) ? otherNames[word] : undefined) ??
  nearest(
    word,
    commands.map((one) => one.name)
  )

/** for a word that is no command */
export const unknownCommand = (word: string): string => {
  const found = word.startsWith("-") ? undefined : meant(word)
  const hint = word.startsWith("-")
    ? "; flags stand behind the command"
    : found === undefined
      ? ""
      : `; did you mean evald ${found}?`
  return `evald: unknown command '${visible(word)}'${hint}\nnext: evald help\n`
}
