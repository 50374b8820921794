/** Something wrong with a definition file, addressed so that an editor can jump to it. Reference: providers-and-collections.md, "Loading", "Linter". */
export interface Problem {
  /** lint code, L001 and up */
  readonly code: string
  readonly severity: "error" | "warning" | "info"
  readonly file: string
  /** from 1; 0 when the place is not known */
  readonly line: number
  readonly column: number
  /** JSON Pointer into the document */
  readonly path: string
  readonly message: string
}

/** `file:line:column: severity L001 /path: message` */
export const describe = ({ code, severity, file, line, column, path, message }: Problem): string =>
  `${file}${line > 0 ? `:${line}:${column}` : ""}: ${severity} ${code}${path === "" ? "" : ` ${path}`}: ${message}`
