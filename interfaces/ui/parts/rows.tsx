/** A table; on a narrow screen its rows are cards, in which `data-label` of a cell says what the head would. */
import type { ComponentChildren } from "preact"

export const Rows = ({
  titles,
  isBusy = false,
  children
}: {
  readonly titles: ReadonlyArray<string>
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}) => (
  <table class="rows" aria-busy={isBusy}>
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
