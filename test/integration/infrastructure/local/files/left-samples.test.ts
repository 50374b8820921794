/** Sample records that adapters of any kind leave in their result folder. Reference: samples.md, "Upload". */
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { Runtime, type Unit } from "../../../../../application/ports/runtime.ts"
import type { Sample } from "../../../../../domain/sample/sample.ts"
import { layerAlone, unitRunning } from "../../../../support/local-units.ts"

const id = (number: number) => `aaaaaaaa-0000-7000-8000-${String(number + 500).padStart(12, "0")}`

const line = (index: number, more = "") =>
  `{"v":1,"sample_id":"s${index}","task":"t","index":${index},"repeat":0,"verdict":"correct"${more}}`

/** ids of what is collected when the unit has ended, undefined without a fact about it */
const collected = (unit: Unit) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    yield* runtime.launch(unit)
    const facts = yield* runtime.facts.pipe(
      Stream.filter((fact) => fact.unit.jobId === unit.jobId),
      Stream.takeUntil((fact) => fact._tag === "Ended"),
      Stream.runCollect,
      Effect.map(Chunk.toReadonlyArray)
    )
    const left = facts.find((fact) => fact._tag === "LeftSamples")
    const found: Array<Sample> = []
    if (left === undefined) return undefined
    yield* left.collect((samples) => Effect.sync(() => found.push(...samples)))
    return found.map(({ sampleId }) => sampleId)
  })

const cases: ReadonlyArray<readonly [name: string, script: string, ids: ReadonlyArray<string> | undefined]> = [
  [
    "records of all files are found, a last line without an end among them",
    `printf '${line(0)}\\n${line(1)}' > a.ndjson; echo '${line(2)}' > b.ndjson`,
    ["s0", "s1", "s2"]
  ],
  [
    "lines that are no records are passed over",
    `printf '${line(0)}\\n{\\n[]\\n${line(1, ',"score":"x"')}\\n${line(2)}\\n' > a.ndjson`,
    ["s0", "s2"]
  ],
  [
    "a line without an end costs no memory and the next ones are read",
    `{ head -c 5000000 /dev/zero | tr '\\0' x; echo; echo '${line(3)}'; } > a.ndjson`,
    ["s3"]
  ],
  [
    "links and pipes are not followed",
    `ln -s /etc/passwd a.ndjson; mkfifo b.ndjson; echo '${line(4)}' > c.ndjson`,
    ["s4"]
  ],
  ["other files are none of them", `echo '${line(5)}' > a.json; echo '${line(6)}' > ../b.ndjson`, undefined],
  [
    "what was sent already is left alone",
    `echo '${line(7)}' > a.ndjson; echo "{\\"a.ndjson\\": $(wc -c < a.ndjson)}" > ../../spool/samples-uploaded; echo '${line(8)}' > b.ndjson`,
    ["s8"]
  ],
  [
    "what grew after it was sent is read",
    `echo '${line(7)}' > a.ndjson; echo '{"a.ndjson": 5}' > ../../spool/samples-uploaded`,
    ["s7"]
  ]
]

describe("samples that an ended unit left", () => {
  for (const [at, [name, script, ids]] of cases.entries())
    it.scopedLive(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* collected(unitRunning(id(at), `mkdir -p ../results/samples; cd ../results/samples; ${script}`)),
          ids
        )
      }).pipe(Effect.provide(layerAlone()))
    )
})
