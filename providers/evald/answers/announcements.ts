/** Words that announce an answer, in the languages that models answer in, and words that take it back. */

/** before the noun: `the final answer`, `die richtige Antwort` */
const QUALIFIERS =
  "(?:(?:final|correct|right|best|chosen|exact|short|numerical|overall|only|true|most (?:likely|appropriate|accurate|suitable)|endgültige|richtige|korrekte|finale)\\s+)*"

const SEPARATOR =
  "(?:(?:\\s*(?:[:：=]|-+>|=>|→|⇒|[–—](?!\\s?\\d)|[–—](?=\\s\\d)|(?<=\\s)-(?=\\s)))+|\\s+(?:therefore\\s+|then\\s+|thus\\s+|clearly\\s+|simply\\s+)?(?:is|was|are|would be|should be|must be|will be|has to be|comes to|equals|turns out to be)(?:\\s*:)?)"

/** `Answer`, but options, choices, results only when it is said that they are the right or final ones */
const ENGLISH = `(?:${QUALIFIERS}(?:answer|ans)s?\\b\\.?|(?:final|correct|right|best|most (?:likely|appropriate|accurate|suitable)|overall|my)\\s+(?:result|solution|choice|option|letter|total|value|response|statement|selection|pick)\\b)(?:\\s+(?:to|of|for)\\s+[^:.,\\n]{1,80}?)?(?:\\s*\\([^()\\n]{1,40}\\))?["'*_]*`

const OTHERS = [
  "(?:Antwort|Endergebnis|Lösung)(?![\\p{L}])(?:\\s+(?:ist|lautet|wäre))?(?:\\s*(?:daher|also|:))*",
  "Antwoord(?![\\p{L}])(?:\\s+is)?\\s*:?",
  "(?:Réponse|Resposta|Respuesta|Risposta|Resultado|Risultato)(?![\\p{L}])(?:\\s+(?:finale?|correcta|correta|corretta|correcte))?(?:\\s+(?:est|es|é|è))?(?:\\s*(?:donc|:))*",
  "(?:Svar|Svaret|Vastaus|Odpowiedź|Odpověď|Cevap|Yanıt|Javob|Jawaban|Jibu|Resposta|Răspuns|Válasz|Đáp án|Câu trả lời|คำตอบ)(?![\\p{Lu}\\p{Ll}])(?:\\s+(?:är|er|to|je|adalah|ni|este|là))?(?:\\s*(?:คือ|:))*",
  "(?:Ответ|Відповідь|Отговор|Απάντηση)(?![\\p{L}])(?:\\s*(?:[:—–-]|είναι))*"
]

/** scripts that do not part words by spaces, or write before the noun what belongs to it */
const UNSPACED = [
  "(?:最终|正确|最後の|正しい)?(?:答案|答え|答|回答|解答)(?:应该)?(?:是|为|為|は)?[：:]?",
  "(?:정답|답변|답)(?:은|는)?\\s*[:：]?",
  "(?:الإجابة|الجواب|إجابة)(?:\\s+(?:النهائية|الصحيحة|النهائي|الصحيح))?(?:\\s+(?:هي|هو))?\\s*:?",
  "(?:उत्तर|জবাব|উত্তর)(?:\\s+(?:है))?\\s*[:ः]?"
]

const announcing = (besides: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\d])(?:${ENGLISH}${SEPARATOR}|${OTHERS.join("|")}${besides})|${UNSPACED.join("|")}`, "giu")

const AMONG_LETTERS = announcing("")
const OTHERWISE = announcing("|(?<=^\\s*)A:(?=\\s)")

/** a statement of the answer begins behind a match; the adverb `g` is needed for `matchAll` */
export const announcement = (hasLetters: boolean): RegExp => (hasLetters ? AMONG_LETTERS : OTHERWISE)

/** `Answer` alone on a line: what follows is on the next one */
export const HEADING =
  /^[^\p{L}\d]*(?:the\s+)?(?:final|correct|right)?\s*(?:answer|ans|result|solution|choice|antwort|réponse|respuesta|risposta|resposta|ответ|答案|答え|정답)\s*(?:is\s*)?[:：.\-–—]?[^\p{L}\d]*$/iu

/** what is said of an answer before it, in the same clause: it is not the answer */
export const NEGATION_BEFORE =
  /(?<![\p{L}])(?:not|never|neither|nor|isn['’]?t|aren['’]?t|wasn['’]?t|cannot|can['’]?t|couldn['’]?t|doesn['’]?t|don['’]?t|didn['’]?t|won['’]?t|wouldn['’]?t|shouldn['’]?t|rul(?:e|es|ed|ing) out|eliminat\w*|exclud\w*|reject\w*|discard\w*|rather than|instead of|other than|except|excluding|unlike|wrong(?:ly)?|incorrect(?:ly)?|nicht|kein\w*|ne sont pas|n['’]est pas|no es|non è|não|niet|geen|inte|ikke|nie|není|не|nem|nu este|ei ole|δεν είναι|bukan|không phải|ليست?)(?![\p{L}\p{M}])(?! only)|≠|!=|不是|ไม่ใช่/iu

/** and after it */
export const NEGATION_AFTER =
  /^[^.!?]{0,60}?(?:(?<![\p{L}])(?:is|are|was|were|would be|seems|looks|can be|could be|must be|sounds)\s+(?:\w+ly\s+|also\s+|just\s+|too\s+|both\s+|all\s+|the\s+)*(?:not|wrong|incorrect|invalid|impossible|false|ruled out|eliminated|excluded|high|low|large|small|many|few|much)(?![\p{L}])|(?<![\p{L}])(?:isn['’]?t|aren['’]?t|can['’]?t|cannot|doesn['’]?t|does not|won['’]?t|fails|would not)(?![\p{L}]))|^[^\p{L}\p{N}]*(?:(?:이|가|은|는)?\s*아[니닙닌님]|(?:では|じゃ)(?:な|あり)|['’]?\p{L}{0,4}\s*değil(?![\p{L}])|नहीं|নয়|نیست)/iu

/** the answer is only considered */
export const HYPOTHETICAL =
  /(?<![\p{L}])(?:if|unless|whether|suppose|supposing|assume|assuming|at first|initially|tempting|(?:some|many|one|you|people|students?) (?:\w+ )?(?:might|may|could|would)|mistake\w*|trap|i (?:first )?thought|earlier i|previously)(?![\p{L}])/iu

/** what stands behind it at once is only possible */
export const HEDGE_BEFORE =
  /(?<![\p{L}])(?:(?:could|might|may)(?: also| well| just)* be|perhaps|possibly|alternatively)[^\p{L}\p{N}]*$/iu

/** and what stands behind this is a bound of the answer, not the answer */
export const BOUND_BEFORE =
  /(?<![\p{L}])(?:(?:less|more|fewer|greater|larger|smaller|higher|lower) than|at least|at most|up to|just over|just under)[^\p{L}\p{N}]*$|[≤≥]\s*$/iu

/** takes back what was said before, unless it goes on with an answer of its own */
export const WITHDRAWAL =
  /^[^\p{L}]*(?:(?:wait|hmm+|oops|sorry|correction|scratch that|actually|no)(?![\p{L}])|(?:that|this|it)(?:['’]s| is| was) (?:wrong|incorrect|not right|not correct|a mistake))|(?<![\p{L}])(?:let me (?:re-?check|correct|redo|reconsider)|i (?:made|was) (?:a mistake|wrong|mistaken))/iu

/** the reply says that it has none */
export const DECLINED =
  /(?<![\p{L}])(?:i (?:do not|don['’]?t|cannot|can['’]?t|am not able to|am unable to) (?:know|tell|determine|answer|say|decide)|cannot be (?:determined|answered|known)|can['’]?t be determined|unknown|not (?:sure|enough information|given|determinable)|insufficient information|impossible to (?:say|tell|determine)|no idea|none)(?![\p{L}])/iu

/** the reason follows: it may name other answers */
export const REASON =
  /(?<![\p{L}])(?:because|since|due to|given that|as (?:it|the|we|this|that|they|all)|which|where|so that|considering)(?![\p{L}])|\n/iu
