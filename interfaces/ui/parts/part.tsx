/** A part of a page that is closed until it is wanted. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"

/** `children` are told whether it is open, so that nothing is asked for before */
export const Part = ({
  title,
  children
}: {
  readonly title: string
  readonly children: (isOpen: boolean) => ComponentChildren
}) => {
  const isOpen = useSignal(false)
  return (
    <details
      class="part"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>
        <h2>{title}</h2>
      </summary>
      {children(isOpen.value)}
    </details>
  )
}
