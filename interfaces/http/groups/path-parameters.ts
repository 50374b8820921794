/** Parts of paths that several groups of routes have. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { text } from "../dto/shapes.ts"

export const jobId = HttpApiSchema.param("id", text("identifier of the job"))
export const benchmarkIndex = HttpApiSchema.param("index", text("position of the benchmark in the job, from 0"))
export const sampleId = HttpApiSchema.param("sample_id", text("`sample_id` of the record"))
