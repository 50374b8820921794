/** Bytes of an artifact that must never change. Reference: adapter-contract.md, "Artifacts". */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  artifactAnnotations,
  artifactConfig,
  artifactFiles,
  artifactManifest,
  defaultNames,
  fallbackTag,
  indexWith
} from "../../../../../providers/sdk/export/oci-artifact.ts"
import { tarHead, writeLayer } from "../../../../../providers/sdk/export/tar-layer.ts"
import { tempDir } from "../../../../support/temp-dir.ts"

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex")

const layerOf = (name: string, content: string | Buffer, mtime = 1) =>
  Effect.gen(function* () {
    const dir = yield* tempDir
    const path = join(dir, "file")
    writeFileSync(path, content, { mode: mtime % 2 === 0 ? 0o600 : 0o755 })
    utimesSync(path, mtime, mtime)
    const layer = yield* Effect.promise((signal) =>
      writeLayer({ name, path, bytes: Buffer.byteLength(content) }, join(dir, "layer"), signal)
    )
    return { layer, bytes: readFileSync(layer.path) }
  })

/** text of a fixed field, up to its NUL */
const field = (block: Buffer, from: number, length: number): string =>
  block
    .subarray(from, from + length)
    .toString("utf8")
    .split("\0", 1)[0] ?? ""

describe("a layer", () => {
  it.scopedLive("is the same whenever and by whomever the file was written, down to the digest of its tar", () =>
    Effect.gen(function* () {
      const first = yield* layerOf("metrics.json", '{"acc":1}\n', 1)
      const second = yield* layerOf("metrics.json", '{"acc":1}\n', 1_700_000_000)
      assert.deepStrictEqual(first.bytes, second.bytes)
      assert.strictEqual(first.layer.diffId, "sha256:cef523b0e7355e152c8095d0836079a20368952f53d1f10baa1781ef0e3c6eb0")
      const tar = gunzipSync(first.bytes)
      assert.strictEqual(`sha256:${sha256(tar)}`, first.layer.diffId)
      assert.strictEqual(`sha256:${sha256(first.bytes)}`, first.layer.digest)
      assert.strictEqual(first.layer.bytes, first.bytes.length)
      // the head of the format: deflate, no flags, no time, default effort, unknown system
      assert.deepStrictEqual([...first.bytes.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
      assert.deepStrictEqual(first.bytes.subarray(10), gzipSync(tar, { level: 6 }).subarray(10))
    })
  )

  it.scopedLive("holds one plain entry, padded, with two empty blocks at the end", () =>
    Effect.gen(function* () {
      const { bytes } = yield* layerOf("samples/task.ndjson", "x".repeat(600))
      const tar = gunzipSync(bytes)
      assert.strictEqual(tar.length, 512 + 1024 + 1024)
      assert.strictEqual(field(tar, 0, 100), "samples/task.ndjson")
      assert.strictEqual(field(tar, 100, 8), "0000644")
      assert.strictEqual(field(tar, 108, 8), "0000000")
      assert.strictEqual(field(tar, 116, 8), "0000000")
      assert.strictEqual(Number.parseInt(field(tar, 124, 12), 8), 600)
      assert.strictEqual(field(tar, 136, 12), "00000000000")
      assert.strictEqual(tar.subarray(257, 265).toString("latin1"), "ustar\x0000")
      const sum = [...tar.subarray(0, 512)].reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
      assert.strictEqual(Number.parseInt(field(tar, 148, 8), 8), sum)
      assert.isTrue(tar.subarray(512 + 600).every((byte) => byte === 0))
    })
  )

  it("splits a long name at a slash and writes a record only for what does not fit", () => {
    const fits = `${"a".repeat(90)}/${"b".repeat(90)}`
    const head = tarHead(fits, 1)
    assert.lengthOf(head, 512)
    assert.strictEqual(field(head, 0, 100), "b".repeat(90))
    assert.strictEqual(field(head, 345, 155), "a".repeat(90))
    const long = `dir/${"ü".repeat(99)}.json`
    const pax = tarHead(long, 1)
    assert.lengthOf(pax, 3 * 512)
    assert.strictEqual(field(pax, 156, 1), "x")
    const record = `${Buffer.byteLength(long) + " path=\n".length + 3} path=${long}\n`
    assert.strictEqual(field(pax, 512, 512), record)
    assert.strictEqual(Buffer.byteLength(record), Number.parseInt(record, 10))
    assert.strictEqual(field(pax, 1024 + 156, 1), "0")
  })

  it.scopedLive("a file that became shorter is an error, one that grew is taken as it was", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      const path = join(dir, "file")
      writeFileSync(path, "12345")
      const write = (bytes: number) =>
        Effect.tryPromise((signal) => writeLayer({ name: "f", path, bytes }, join(dir, "layer"), signal))
      assert.strictEqual((yield* Effect.exit(write(6)))._tag, "Failure")
      yield* write(3)
      assert.strictEqual(
        gunzipSync(readFileSync(join(dir, "layer")))
          .subarray(512, 516)
          .toString(),
        "123\0"
      )
    })
  )
})

describe("the documents", () => {
  const layers = [
    { name: "a.json", digest: `sha256:${"1".repeat(64)}`, bytes: 10, diffId: `sha256:${"2".repeat(64)}`, path: "" }
  ]
  const job = {
    id: "j",
    provider_id: "p",
    benchmark_id: "b",
    benchmark_index: 3,
    model: { url: "http://m/v1", name: "model" },
    parameters: {},
    callback_url: "http://c"
  }
  const coordinates = {
    oci_host: "h",
    oci_repository: "r",
    annotations: { team: "x", "io.github.eval-hub.model": "mine" }
  }

  it("configuration and manifest are golden", () => {
    const config = artifactConfig(layers)
    assert.strictEqual(
      config.text,
      `{"architecture":"unknown","os":"unknown","rootfs":{"type":"layers","diff_ids":["sha256:${"2".repeat(64)}"]},"history":[{"created":"1970-01-01T00:00:00Z"}]}`
    )
    const annotations = artifactAnnotations(job, coordinates, "2026-01-02T03:04:05.678Z", defaultNames)
    const manifest = artifactManifest({ config, layers, subject: undefined, annotations }, defaultNames)
    assert.deepStrictEqual(JSON.parse(manifest.text), {
      schemaVersion: 2,
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      artifactType: "application/vnd.eval-hub.github.io",
      config: {
        mediaType: "application/vnd.oci.image.config.v1+json",
        digest: `sha256:${sha256(config.text)}`,
        size: config.text.length
      },
      layers: [
        {
          mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
          digest: `sha256:${"1".repeat(64)}`,
          size: 10,
          annotations: { "olot.layer.content.name": "a.json" }
        }
      ],
      annotations: {
        "io.github.eval-hub.job_id": "j",
        "io.github.eval-hub.provider_id": "p",
        "io.github.eval-hub.benchmark_id": "b",
        "io.github.eval-hub.benchmark": "b",
        "io.github.eval-hub.model": "mine",
        "io.github.eval-hub.benchmark_index": "3",
        "org.opencontainers.image.created": "2026-01-02T03:04:05.678Z",
        team: "x"
      }
    })
    assert.strictEqual(manifest.digest, "sha256:e75929f9a228ebbfdce7482d232065b6459b9becd3e38981a245e0df560235dc")
    assert.strictEqual(`sha256:${sha256(manifest.text)}`, manifest.digest)
  })

  it("the list of referrers grows by what is new and keeps what it had", () => {
    const manifest = { mediaType: "m", digest: "sha256:aa", size: 1 }
    const first = indexWith(undefined, manifest, "type", { k: "v" })
    assert.deepStrictEqual(JSON.parse(first?.text ?? "").manifests, [
      { mediaType: "m", digest: "sha256:aa", size: 1, artifactType: "type", annotations: { k: "v" } }
    ])
    assert.isUndefined(indexWith(first?.text, manifest, "type", {}))
    const second = indexWith(first?.text, { ...manifest, digest: "sha256:bb" }, "type", {})
    assert.deepStrictEqual(
      JSON.parse(second?.text ?? "").manifests.map(({ digest }: { readonly digest: string }) => digest),
      ["sha256:aa", "sha256:bb"]
    )
    assert.strictEqual(fallbackTag("sha256:ab12"), "sha256-ab12")
  })

  it.scopedLive("only regular files count, in bytewise order", () =>
    Effect.gen(function* () {
      const dir = yield* tempDir
      mkdirSync(join(dir, "samples"))
      for (const name of ["z.json", "Z.json", "samples/a.ndjson", "samples.txt"]) writeFileSync(join(dir, name), name)
      symlinkSync("/etc/passwd", join(dir, "link"))
      symlinkSync("/etc", join(dir, "folder"))
      const { files, skipped } = artifactFiles(dir)
      assert.deepStrictEqual(
        files.map(({ name, bytes }) => [name, bytes]),
        [
          ["Z.json", 6],
          ["samples.txt", 11],
          ["samples/a.ndjson", 16],
          ["z.json", 6]
        ]
      )
      assert.deepStrictEqual(skipped, ["folder", "link"])
    })
  )
})
