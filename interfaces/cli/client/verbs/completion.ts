/** `evald completion`: scripts for shells that ask this program for the words (`evald __complete`), so that they never grow old. */

import { exits } from "../exit.ts"
import type { Handler } from "../session.ts"
import { argument } from "../session.ts"

const scripts: { readonly [shell: string]: string } = {
  bash: `_evald() {
  local IFS=$'\\n'
  COMPREPLY=($(evald __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _evald evald
`,
  zsh: `#compdef evald
_evald() {
  local -a words_found
  words_found=("\${(@f)$(evald __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a words_found
}
compdef _evald evald
`,
  fish: `complete -c evald -f -a '(evald __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName evald -ScriptBlock {
  param($word, $line, $position)
  $given = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $given += '' }
  evald __complete @given 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`
}

export const completion: Handler = async (session) => {
  session.screen.out(scripts[argument(session, 0)] ?? "")
  return exits.done
}
