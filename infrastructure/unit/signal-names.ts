import { constants } from "node:os"

/** of the numbers by which programs were ended */
export const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))
