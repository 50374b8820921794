/** `evald images`: every image that pods of this configuration may pull, as it is named and as it is pulled. Exit codes: 0, 64 usage, 78 configuration. */
import { Effect, Either } from "effect"
import { load } from "../../config/load.ts"
import { inRegistry, isPinned } from "../../domain/image-reference.ts"
import { readDefinitions } from "../../infrastructure/catalog/read-definitions.ts"
import { defined } from "../../values/defined.ts"
import { configCommand } from "../cli/config-command.ts"
import { packagedConfig } from "../cli/config-directory.ts"
import { imagesHelp } from "../cli/own-commands.ts"

interface UsedImage {
  /** as settings and definitions name it */
  readonly image: string
  readonly pulled: string
  /** by a digest; anything else may be another image tomorrow */
  readonly pinned: boolean
  readonly usedBy: ReadonlyArray<string>
}

const own = "evald (sidecar, init container)"

/** in the order of the references; every image once */
const imagesOf = (configDir: string): Either.Either<ReadonlyArray<UsedImage>, string> =>
  Either.map(
    Either.mapLeft(Effect.runSync(Effect.either(load(configDir, process.env))), ({ message }) => message),
    (settings) => {
      const embeddedImage = settings["runtime.k8s.image"]
      const { providers } = readDefinitions({
        configDir,
        ...defined({ shippedDir: settings["catalog.shipped"] ? packagedConfig : undefined, embeddedImage }),
        images: settings["providers.images"]
      })
      const uses = new Map<string, Array<string>>()
      const add = (image: string | undefined, user: string) => {
        if (image !== undefined) uses.set(image, [...(uses.get(image) ?? []), user])
      }
      add(embeddedImage, own)
      for (const { record } of providers) add(record.runtime.k8s?.image, record.id)
      return [...uses]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([image, usedBy]) => {
          const pulled = inRegistry(image, settings["images.registry"])
          return { image, pulled, pinned: isPinned(image), usedBy }
        })
    }
  )

const rendered = (images: ReadonlyArray<UsedImage>): string =>
  images
    .map(({ image, pulled, pinned, usedBy }) =>
      [
        image,
        ...(pulled === image ? [] : [`  pulled as ${pulled}`]),
        `  for ${usedBy.join(", ")}${pinned ? "" : "; no digest: what the registry has under this name may change"}`
      ].join("\n")
    )
    .join("\n")

export const main = configCommand("images", imagesHelp, (configDir, switches) => {
  const images = imagesOf(configDir)
  if (Either.isLeft(images)) {
    process.stderr.write(`evald images: ${images.left}\n`)
    process.exitCode = 78
    return
  }
  process.stdout.write(
    switches.has("json") ? `${JSON.stringify(images.right, undefined, 2)}\n` : `${rendered(images.right)}\n`
  )
})
