/** The same from a terminal: what was asked, as the API and the command line take it. */
import { useSignal } from "@preact/signals"
import { quoted } from "../../../../values/shell-word.ts"
import type { Job } from "../../data/job.ts"
import { visible } from "../../format.ts"

/** what the service adds to a request */
const added = ["resource", "status", "results", "rerun_of"]

const requestOf = (job: Job): object =>
  Object.fromEntries(Object.entries(job).filter(([name]) => !added.includes(name)))

const curlOf = (job: Job): string =>
  [
    `curl -s ${quoted(`${location.origin}/api/v1/evaluations/jobs`)}`,
    `-H 'Content-Type: application/json' -H ${quoted(`X-Tenant: ${job.resource.tenant}`)}`,
    `-d ${quoted(JSON.stringify(requestOf(job)))}`
  ].join(" \\\n  ")

const Copied = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    isCopied.value = true
  }
  return (
    <div class="copied">
      <h3>
        {label}{" "}
        {"clipboard" in navigator && (
          <button type="button" class="plain" onClick={copy}>
            {isCopied.value ? "Copied" : `Copy ${label}`}
          </button>
        )}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{visible(text)}</code>
      </pre>
    </div>
  )
}

export const Terminal = ({ job }: { readonly job: Job }) => (
  <details class="part">
    <summary>
      <h2>From a terminal</h2>
    </summary>
    <Copied
      label="commands"
      text={`evald describe job ${job.resource.id}\nevald samples ${job.resource.id}\nevald report ${job.resource.id}\nevald rerun ${job.resource.id}`}
    />
    <Copied label="curl" text={curlOf(job)} />
    <Copied label="request" text={JSON.stringify(requestOf(job), undefined, 2)} />
  </details>
)
