/** Where log lines go: standard error, as text on a terminal and JSON otherwise (`log.format`, `log.level`). */
import { Context, FiberRef, FiberRefs, HashMap, Layer, Logger, LogLevel, Option, Tracer } from "effect"

export interface LoggingOptions {
  readonly level: "debug" | "info" | "warning" | "error"
  readonly format: "auto" | "json" | "text"
  /** standard error is a terminal */
  readonly terminal: boolean
}

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warning: LogLevel.Warning, error: LogLevel.Error }

/** lines of traced work say which trace they belong to */
const withTrace = <Message, Output>(logger: Logger.Logger<Message, Output>): Logger.Logger<Message, Output> =>
  Logger.make((line) => {
    const context = FiberRefs.get(line.context, FiberRef.currentContext)
    const span = Option.flatMap(context, (services) =>
      Context.getOption(services as Context.Context<never>, Tracer.ParentSpan)
    )
    if (Option.isNone(span) || span.value._tag !== "Span" || !span.value.sampled) return logger.log(line)
    const { traceId, spanId } = span.value
    const annotations = line.annotations.pipe(
      HashMap.set<string, unknown>("trace_id", traceId),
      HashMap.set<string, unknown>("span_id", spanId)
    )
    return logger.log({ ...line, annotations })
  })

export const layer = ({ level, format, terminal }: LoggingOptions): Layer.Layer<never> => {
  const text = format === "text" || (format === "auto" && terminal)
  const logger = Logger.withConsoleError(withTrace(Logger.jsonLogger))
  return Layer.merge(
    Logger.replace(
      Logger.defaultLogger,
      text ? withTrace(Logger.prettyLogger({ mode: "tty", stderr: true, colors: terminal })) : logger
    ),
    Logger.minimumLogLevel(levels[level])
  )
}
