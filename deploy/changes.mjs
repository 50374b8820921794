// The changes of a release as people read them: what CHANGELOG.md says of it, then every commit by the room that it changed.

/** where a file belongs, first match */
const rooms = [
  ["Clients and the API", /^(interfaces\/(http|cli|client|main)|providers\/contract|docs\/openapi)/],
  [
    "Installation and operators",
    /^(deploy|config|infrastructure\/kubernetes\/(operator|manifests|installation)|domain\/operator)/
  ],
  ["Benchmarks and results", /^(providers|domain\/(score|validity|comparison|gate|sample)|values)/],
  ["The server", /^(domain|application|infrastructure|interfaces)/],
  ["Documentation", /\.md$/]
]
const elsewhere = "Tests and tools"

/** the room of most of its files, whatever tests came with them */
const roomOf = (files) => {
  const counts = new Map()
  for (const file of files) {
    const name = rooms.find(([, paths]) => paths.test(file))?.[0]
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one)
  return most?.[0] ?? elsewhere
}

/** says nothing to anybody who was not there */
const isEmpty = (subject) =>
  /^(format|the layout of a test|merge|wip|fixup!|squash!)\b/i.test(subject) || !/\s/.test(subject)

/** commits as `git log --name-only --format=%x00%h%x00%s%x00` prints them, newest first */
export const commitsIn = (log) =>
  log
    .split("\0")
    .slice(1)
    .reduce((found, text, at, all) => {
      if (at % 3 === 0)
        found.push({
          id: text,
          subject: all[at + 1] ?? "",
          files: (all[at + 2] ?? "").split("\n").filter((file) => file !== "")
        })
      return found
    }, [])

/** the part of CHANGELOG.md below the heading of a version, with or without its date; undefined when it has none */
const sectionOf = (changelog, version) => {
  const lines = changelog.split("\n")
  const start = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} (`))
  if (start < 0) return undefined
  const rest = lines.slice(start + 1)
  const end = rest.findIndex((line) => line.startsWith("## "))
  return (end < 0 ? rest : rest.slice(0, end)).join("\n").trim()
}

/** `commits`: since the release before; `since`: its name, undefined for the first */
export const changesOf = ({ version, date, changelog, commits, since }) => {
  const said = sectionOf(changelog, version) ?? sectionOf(changelog, "Unreleased") ?? ""
  const told = commits.filter(({ subject }) => !isEmpty(subject))
  const groups = [...rooms.map(([name]) => name), elsewhere].flatMap((name) => {
    const own = told.filter(({ files }) => roomOf(files) === name)
    return own.length === 0
      ? []
      : [`#### ${name}\n\n${own.map(({ id, subject }) => `- ${subject} (${id})`).join("\n")}`]
  })
  const parts = [
    `# evald ${version}\n\n${date}`,
    ...(said === "" ? [] : [said]),
    `### Every change${since === undefined ? "" : ` since ${since}`}`,
    ...groups
  ]
  return `${parts.join("\n\n")}\n`
}

/** CHANGELOG.md when what was unreleased is a release */
export const released = (changelog, version, date) =>
  sectionOf(changelog, version) !== undefined || sectionOf(changelog, "Unreleased") === undefined
    ? changelog
    : changelog.replace("## Unreleased\n", `## Unreleased\n\n## ${version} (${date})\n`)
