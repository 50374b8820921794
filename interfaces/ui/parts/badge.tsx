/** A state or a verdict: a sign and a word, never a colour alone. */

const kinds: { readonly [word: string]: readonly [kind: string, sign: string] } = {
  pending: ["quiet", "○"],
  running: ["busy", "◐"],
  completed: ["good", "●"],
  failed: ["bad", "✕"],
  partially_failed: ["warn", "◒"],
  cancelled: ["quiet", "⊘"],
  correct: ["good", "✓"],
  incorrect: ["bad", "✕"],
  error: ["warn", "!"],
  skipped: ["quiet", "⊘"],
  pass: ["good", "✓"],
  fail: ["bad", "✕"],
  inconclusive: ["warn", "?"],
  invalid: ["bad", "!"],
  suspect: ["warn", "!"],
  valid: ["good", "✓"],
  worse: ["bad", "▼"],
  better: ["good", "▲"],
  not_worse: ["good", "="],
  no_difference_shown: ["quiet", "≈"],
  not_comparable: ["warn", "!"],
  GO: ["good", "✓"],
  "NO-GO": ["bad", "✕"],
  PASS: ["good", "✓"],
  BREACH: ["bad", "✕"],
  INCONCLUSIVE: ["warn", "?"]
}

export const Badge = ({ word }: { readonly word: string }) => {
  const [kind, sign] = kinds[word] ?? ["quiet", "·"]
  return (
    <span class={`badge ${kind}`}>
      <span aria-hidden="true">{sign}</span> {word.replaceAll("_", " ")}
    </span>
  )
}
