/** Light or dark: the system's preference until the user chooses. */
import { effect, signal } from "@preact/signals"
import { readStored, store } from "./storage.ts"

const key = "evald.theme"

export const themes = ["auto", "light", "dark"] as const
export type Theme = (typeof themes)[number]

export const theme = signal<Theme>(themes.find((one) => one === readStored("localStorage", key)) ?? "auto")

/** as the document says it from now on */
export const applyTheme = (): void => {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value
    store("localStorage", key, theme.value === "auto" ? undefined : theme.value)
  })
}
