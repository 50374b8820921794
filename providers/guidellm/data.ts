/** Where prompts come from: synthetic sizes, a file, or a data set of the hub. Pure. Reference: providers-and-collections.md, "GuideLLM". */
import { isAbsolute, join } from "node:path"
import { Either } from "effect"
import type { JsonObject } from "../../values/json.ts"
import type { AdapterError } from "../sdk/adapter.ts"
import { invalidParameter } from "../sdk/failures.ts"
import type { PlanRequest } from "../sdk/framework/wrapper.ts"

const fileKinds: { readonly [ending: string]: string } = {
  json: "json_file",
  jsonl: "json_file",
  csv: "csv_file",
  txt: "text_file",
  parquet: "parquet_file"
}

export interface Data {
  /** members of the option group, `kind` first */
  readonly group: JsonObject
  /** as the older command line wants it */
  readonly plain: string
  /** of the data hub */
  readonly remote: boolean
}

const sizes = (text: string): JsonObject =>
  Object.fromEntries(
    text.split(",").map((pair) => {
      const [name = "", value = ""] = pair.split(/=(.*)/s).map((part) => part.trim())
      return [name, /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value]
    })
  )

/** left: `invalid_parameter` */
export const dataOf = ({ job, parameters }: PlanRequest): Either.Either<Data, AdapterError> => {
  const text = parameters.text("data") ?? ""
  const args = parameters.object("data_args") ?? {}
  if (/^[a-z_]+=/.test(text)) {
    const members = sizes(text)
    return Either.right({ group: { kind: "synthetic_text", ...members, ...args }, plain: text, remote: false })
  }
  const kind = fileKinds[/\.([a-z]+)$/.exec(text)?.[1] ?? ""]
  if (kind === undefined) {
    return text === ""
      ? Either.left(
          invalidParameter(
            "data must be synthetic sizes (prompt_tokens=256,output_tokens=128), a file or the name of a data set"
          )
        )
      : Either.right({ group: { kind: "huggingface", source: text, ...args }, plain: text, remote: true })
  }
  const below =
    job.test_data_dir !== undefined && !text.split("/").includes("..") ? join(job.test_data_dir, text) : undefined
  const path = isAbsolute(text) ? text : below
  return path === undefined
    ? Either.left(
        invalidParameter(
          `data (${text}) must be an absolute path, or a path below the test data of a benchmark with test_data_ref`
        )
      )
    : Either.right({ group: { kind, path, ...args }, plain: path, remote: false })
}
