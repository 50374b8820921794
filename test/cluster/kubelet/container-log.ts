/** The log of one run of a container: lines with their times, the newest 20 MiB of them, as a kubelet keeps and serves them. */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs"

export interface LogRequest {
  readonly tailLines?: number
  readonly sinceSeconds?: number
  readonly limitBytes?: number
  readonly timestamps: boolean
}

/** a file is put aside at this size; one older file is kept */
const rotateBytes = 10_485_760

const positionOfText = (line: string): number => line.indexOf(" ") + 1

export class ContainerLog {
  readonly #path: string
  readonly #now: () => number
  readonly #listeners = new Set<(text: string | undefined) => void>()
  readonly #rests = new Map<string, string>()
  #bytes = 0
  #ended = false

  constructor(path: string, now: () => number) {
    this.#path = path
    this.#now = now
  }

  /** text of one of the container's two streams as it comes */
  write(stream: "stdout" | "stderr", text: string): void {
    const parts = ((this.#rests.get(stream) ?? "") + text).split("\n")
    this.#rests.set(stream, parts.pop() ?? "")
    if (parts.length > 0) this.#append(parts)
  }

  end(): void {
    const rests = [...this.#rests.values()].filter((rest) => rest !== "")
    this.#rests.clear()
    if (rests.length > 0) this.#append(rests)
    this.#ended = true
    for (const tell of this.#listeners) tell(undefined)
    this.#listeners.clear()
  }

  #append(lines: ReadonlyArray<string>): void {
    const time = new Date(this.#now()).toISOString().replace("Z", "000000Z")
    const text = lines.map((line) => `${time} ${line}\n`).join("")
    if (this.#bytes > rotateBytes) {
      renameSync(this.#path, `${this.#path}.1`)
      this.#bytes = 0
    }
    appendFileSync(this.#path, text)
    this.#bytes += Buffer.byteLength(text)
    for (const tell of this.#listeners) tell(text)
  }

  #lines(): ReadonlyArray<string> {
    const files = [`${this.#path}.1`, this.#path].filter(existsSync)
    return files.flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1))
  }

  read({ tailLines, sinceSeconds, limitBytes, timestamps }: LogRequest): Buffer {
    const from = sinceSeconds === undefined ? 0 : this.#now() - sinceSeconds * 1000
    const recent = this.#lines().filter(
      (line) => from === 0 || Date.parse(line.slice(0, positionOfText(line) - 1)) >= from
    )
    const lines = tailLines === undefined ? recent : tailLines === 0 ? [] : recent.slice(-tailLines)
    const text = Buffer.from(lines.map((line) => `${timestamps ? line : line.slice(positionOfText(line))}\n`).join(""))
    return limitBytes === undefined ? text : text.subarray(0, limitBytes)
  }

  /** everything that comes from now on; `undefined` at the end. Answers how to stop. */
  follow(timestamps: boolean, tell: (text: string | undefined) => void): () => void {
    if (this.#ended) {
      tell(undefined)
      return () => undefined
    }
    const listener = (text: string | undefined) =>
      tell(timestamps || text === undefined ? text : text.replaceAll(/^\S+ /gm, ""))
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** the last lines as a termination message: at most 80 lines and 2 KiB */
  tail(): string {
    const text = this.read({ tailLines: 80, timestamps: false })
    return text.subarray(Math.max(0, text.length - 2048)).toString("utf8")
  }

  remove(): void {
    for (const file of [`${this.#path}.1`, this.#path]) rmSync(file, { force: true })
  }
}
