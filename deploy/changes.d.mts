export interface Commit {
  readonly id: string
  readonly subject: string
  readonly files: ReadonlyArray<string>
}
/** commits as `git log --name-only --format=%x00%h%x00%s%x00` prints them, newest first */
export declare const commitsIn: (log: string) => ReadonlyArray<Commit>
/** the changes of a release as people read them; `commits`: since the release before, `since`: its name */
export declare const changesOf: (release: {
  readonly version: string
  readonly date: string
  readonly changelog: string
  readonly commits: ReadonlyArray<Commit>
  readonly since: string | undefined
}) => string
/** CHANGELOG.md when what was unreleased is a release */
export declare const released: (changelog: string, version: string, date: string) => string
