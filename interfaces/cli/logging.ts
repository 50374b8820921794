/** Where log lines go: standard error, as text on a terminal and JSON otherwise (`log.format`, `log.level`). */
import { Layer, Logger, LogLevel } from "effect"

export interface LoggingOptions {
  readonly level: "debug" | "info" | "warning" | "error"
  readonly format: "auto" | "json" | "text"
  /** standard error is a terminal */
  readonly terminal: boolean
}

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warning: LogLevel.Warning, error: LogLevel.Error }

export const layer = ({ level, format, terminal }: LoggingOptions): Layer.Layer<never> => {
  const text = format === "text" || (format === "auto" && terminal)
  const logger = Logger.withConsoleError(text ? Logger.prettyLogger({ mode: "tty", colors: terminal }) : Logger.jsonLogger)
  return Layer.merge(
    Logger.replace(Logger.defaultLogger, text ? Logger.prettyLogger({ mode: "tty", stderr: true, colors: terminal }) : logger),
    Logger.minimumLogLevel(levels[level])
  )
}
