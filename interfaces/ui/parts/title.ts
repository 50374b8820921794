/** The name of the screen in the browser's tab, which readers of the page hear first. */
import { useEffect } from "preact/hooks"

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · evald`
  }, [title])
}
