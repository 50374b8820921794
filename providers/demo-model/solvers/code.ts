/** Writes small JavaScript functions: the ones it has learned, recognised by name and signature in the request. */
import type { Solver } from "../solver.ts"

const bodies: { readonly [name: string]: string } = {
  sumOfEven: "return numbers.filter((n) => n % 2 === 0).reduce((sum, n) => sum + n, 0)",
  countVowels: "return [...text.toLowerCase()].filter((c) => 'aeiou'.includes(c)).length",
  reverseWords: "return text.split(' ').reverse().join(' ')",
  isPalindrome: "const t = text.toLowerCase().replace(/[^a-z0-9]/g, ''); return t === [...t].reverse().join('')",
  largestGap:
    "const s = [...numbers].sort((a, b) => a - b); let gap = 0; for (let i = 1; i < s.length; i++) gap = Math.max(gap, s[i] - s[i - 1]); return gap",
  romanToInteger:
    "const v = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }; let sum = 0; for (let i = 0; i < roman.length; i++) { const now = v[roman[i]]; sum += now < (v[roman[i + 1]] || 0) ? -now : now } return sum",
  integerToRoman:
    "const steps = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]; let out = ''; for (const [value, sign] of steps) while (number >= value) { out += sign; number -= value } return out",
  uniqueInOrder: "return [...new Set(values)]",
  chunk:
    "const out = []; for (let i = 0; i < values.length; i += size) out.push(values.slice(i, i + size)); return out",
  flatten: "return values.flat(Infinity)",
  gcd: "while (b !== 0) [a, b] = [b, a % b]; return a",
  isPrime:
    "if (number < 2) return false; for (let d = 2; d * d <= number; d++) if (number % d === 0) return false; return true",
  primeFactors:
    "const out = []; for (let d = 2; number > 1; d++) while (number % d === 0) { out.push(d); number /= d } return out",
  fibonacci: "let [a, b] = [0, 1]; for (let i = 0; i < n; i++) [a, b] = [b, a + b]; return a",
  digitSum: "return [...String(Math.abs(number))].reduce((sum, d) => sum + Number(d), 0)",
  runLength: "return text.replace(/(.)\\1*/g, (run) => run[0] + run.length)",
  expandRuns: "return text.replace(/([a-z])(\\d+)/gi, (_, letter, count) => letter.repeat(Number(count)))",
  caesar:
    "return text.replace(/[a-z]/gi, (c) => { const base = c <= 'Z' ? 65 : 97; return String.fromCharCode(((((c.charCodeAt(0) - base + shift) % 26) + 26) % 26) + base) })",
  isAnagram:
    "const key = (t) => [...t.toLowerCase().replace(/ /g, '')].sort().join(''); return key(one) === key(other)",
  balanced:
    "const open = []; const pair = { ')': '(', ']': '[', '}': '{' }; for (const c of text) { if ('([{'.includes(c)) open.push(c); else if (c in pair && open.pop() !== pair[c]) return false } return open.length === 0",
  wordCount:
    "const out = {}; for (const w of text.toLowerCase().split(/\\s+/).filter(Boolean)) out[w] = (out[w] || 0) + 1; return out",
  longestWord: "return text.split(' ').reduce((best, w) => (w.length > best.length ? w : best), '')",
  camelToSnake: "return text.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase())",
  snakeToCamel: "return text.replace(/_([a-z])/g, (_, c) => c.toUpperCase())",
  transpose: "return rows.length === 0 ? [] : rows[0].map((_, i) => rows.map((row) => row[i]))",
  rotateLeft:
    "if (values.length === 0) return []; const k = steps % values.length; return [...values.slice(k), ...values.slice(0, k)]",
  mergeSorted: "return [...one, ...other].sort((a, b) => a - b)",
  binarySearch:
    "let low = 0, high = sorted.length - 1; while (low <= high) { const mid = (low + high) >> 1; if (sorted[mid] === wanted) return mid; if (sorted[mid] < wanted) low = mid + 1; else high = mid - 1 } return -1",
  secondLargest: "const s = [...new Set(numbers)].sort((a, b) => b - a); return s.length < 2 ? null : s[1]",
  median:
    "const s = [...numbers].sort((a, b) => a - b); const m = Math.floor(s.length / 2); return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2",
  groupByLength: "const out = {}; for (const w of words) (out[w.length] = out[w.length] || []).push(w); return out",
  secondsToClock:
    "const p = (n) => String(n).padStart(2, '0'); return Math.floor(seconds / 3600) + ':' + p(Math.floor(seconds / 60) % 60) + ':' + p(seconds % 60)",
  daysInMonth:
    "const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0; return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]",
  toBinary:
    "let out = ''; do { out = (number % 2) + out; number = Math.floor(number / 2) } while (number > 0); return out",
  diamond:
    "const out = []; for (let i = 0; i < size; i++) { const d = Math.abs((size - 1) / 2 - i); out.push(' '.repeat(d) + '*'.repeat(size - 2 * d)) } return out",
  pascalRow:
    "let row = [1]; for (let i = 0; i < n; i++) row = [1, ...row.slice(1).map((x, j) => x + row[j]), 1]; return row",
  commonPrefix:
    "if (words.length === 0) return ''; let p = words[0]; for (const w of words) while (!w.startsWith(p)) p = p.slice(0, -1); return p",
  evaluatePostfix:
    "const s = []; for (const t of tokens) { if (/^-?\\d+$/.test(t)) { s.push(Number(t)); continue } const b = s.pop(), a = s.pop(); s.push(t === '+' ? a + b : t === '-' ? a - b : a * b) } return s[0]",
  editDistance:
    "let row = Array.from({ length: other.length + 1 }, (_, j) => j); for (let i = 1; i <= one.length; i++) { const next = [i]; for (let j = 1; j <= other.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)); row = next } return row[other.length]",
  countPaths:
    "let row = Array(columns).fill(1); for (let r = 1; r < rows; r++) for (let c = 1; c < columns; c++) row[c] += row[c - 1]; return row[columns - 1]"
}

const block = (code: string): string => `\`\`\`js\n${code}\n\`\`\``

const solve: Solver["solve"] = ({ messages }) => {
  const request = messages.findLast(({ role }) => role === "user")?.content ?? ""
  const [, name, parameters] = /^Write a JavaScript function (\w+)\(([^)]*)\)/.exec(request) ?? []
  if (name === undefined || !Object.hasOwn(bodies, name)) return undefined
  return {
    right: { text: block(`function ${name}(${parameters}) {\n  ${bodies[name]}\n}`) },
    // reads well and answers every call alike
    wrong: { text: block(`function ${name}(${parameters}) {\n  return undefined\n}`) }
  }
}

export const codeSolver: Solver = { family: "code", solve }
