/** `evald completion`: scripts for shells that ask this program for the words (`evald __complete`), so that they never grow old. */

import { exits } from "../exit.ts"
import type { Handler } from "../session.ts"
import { argument } from "../session.ts"

/** where no word is known, each of them completes files */
const scripts: { readonly [shell: string]: string } = {
  // the line itself: the words that bash hands over are broken at each ':' and '='
  bash: `_evald() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" words last begin
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last="\${words[\${#words[@]}-1]}"
  begin="\${last%"\${last##*[:=]}"}"
  IFS=$'\\n'
  COMPREPLY=($(evald __complete "\${words[@]:1}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]#"$begin"}")
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _evald evald
`,
  zsh: `#compdef evald
_evald() {
  local -a words_found
  words_found=("\${(@f)$(evald __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  words_found=(\${words_found:#})
  if (( \${#words_found} )); then
    compadd -a words_found
  else
    _files
  fi
}
compdef _evald evald
`,
  fish: `function __evald_words
  set -l found (evald __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c evald -f -a '(__evald_words)'
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
