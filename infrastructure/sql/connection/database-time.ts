/**
 * Times of the database's own clock within a statement. Several servers share a PostgreSQL, and their clocks differ: it tells the time
 * itself. A SQLite file has one server, whose clock is as good as any.
 */
import type { Dialect } from "./session.ts"

/** ISO text of the time as many milliseconds from now as its one parameter says; evaluated once per statement */
const ofPostgres = `(SELECT to_char((now() + CAST(? AS DOUBLE PRECISION) * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** stands in a statement for a time; takes one parameter, made by `timeParam` */
export const timeText = (dialect: Dialect): string => (dialect === "pg" ? ofPostgres : "?")

/** `millis` from now; `own`: this server's clock, in milliseconds since 1970 */
export const timeParam = (dialect: Dialect, own: number, millis = 0): string | number =>
  dialect === "pg" ? millis : new Date(own + millis).toISOString()
