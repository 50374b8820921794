/** How many of all are done. */
export const Progress = ({ done, of }: { readonly done: number; readonly of: number }) => (
  <span class="progress">
    <progress value={done} max={Math.max(1, of)} aria-label={`${done} of ${of} done`} />
    <span class="number" aria-hidden="true">
      {done}/{of}
    </span>
  </span>
)
