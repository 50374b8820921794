/** Where results may be exported to: registry host, repository, tag and subject. Reference: adapter-contract.md, "Artifacts". */

import { checkFreeForm } from "../../free-form.ts"
import { given, type Path } from "../../path.ts"
import { member, say } from "../../sentence.ts"
import { checkText } from "../../text.ts"
import { shown, type Violation, violation } from "../../violation.ts"
import type { OciExport } from "../job.ts"
import { checkSecretName } from "./check-entry.ts"

const hostPattern = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:(\d{1,5}))?$/
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*"
const repositoryPattern = new RegExp(`^${component}(?:/${component})*$`)
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/
const digestPattern = /^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/
const maxHost = 255
const maxRepository = 255

const unless = (good: boolean, path: Path, value: string, wanted: string): ReadonlyArray<Violation> =>
  good ? [] : [violation(path, say`${member(path)} ${shown(value)} must be ${wanted}`)]

const isHost = (host: string): boolean => {
  const port = hostPattern.exec(host)?.[4]
  return (
    host.length <= maxHost &&
    hostPattern.test(host) &&
    (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535))
  )
}

const isTagOrDigest = (text: string): boolean => tagPattern.test(text) || digestPattern.test(text)

/** a digest, a tag, or a full reference into the same repository */
const isSubject = (subject: string, host: string, repository: string): boolean => {
  if (isTagOrDigest(subject)) return true
  const base = `${host}/${repository}`
  if (!subject.startsWith(base)) return false
  const rest = subject.slice(base.length)
  if (rest.startsWith("@")) return digestPattern.test(rest.slice(1))
  const [tag = "", digest, ...more] = rest.startsWith(":") ? rest.slice(1).split("@") : []
  return tagPattern.test(tag) && (digest === undefined || digestPattern.test(digest)) && more.length === 0
}

const checkAnnotations = (annotations: { readonly [key: string]: string }, path: Path): ReadonlyArray<Violation> => [
  ...checkFreeForm(annotations, path),
  ...(Object.hasOwn(annotations, "")
    ? [violation([...path, given("")], say`${member(path)} must not have a member with an empty name`)]
    : [])
]

/** `path`: of `exports.oci` */
export const checkOciExport = (oci: OciExport, path: Path): ReadonlyArray<Violation> => {
  const { host, repository, tag, subject, annotations } = oci.coordinates
  const at: Path = [...path, "coordinates"]
  return [
    ...unless(
      isHost(host),
      [...at, "host"],
      host,
      "a registry host with an optional port, without a scheme, such as registry.example.com:5000"
    ),
    ...unless(
      repository.length <= maxRepository && repositoryPattern.test(repository),
      [...at, "repository"],
      repository,
      "a repository name such as team/results: lower-case letters and digits, separated by '.', '_', '-' and '/', at most 255 characters"
    ),
    ...(tag === undefined
      ? []
      : unless(
          tagPattern.test(tag),
          [...at, "tag"],
          tag,
          "a tag: 1 to 128 letters, digits, '.', '-' or '_', not beginning with '.' or '-'"
        )),
    ...(subject === undefined
      ? []
      : [
          ...checkText(subject, [...at, "subject"], 1024),
          ...unless(
            isSubject(subject, host, repository),
            [...at, "subject"],
            subject,
            `a digest, a tag, or a reference in ${shown(`${host}/${repository}`)}`
          )
        ]),
    ...(annotations === undefined ? [] : checkAnnotations(annotations, [...at, "annotations"])),
    ...(oci.connection === undefined ? [] : checkSecretName(oci.connection, [...path, "connection"]))
  ]
}
