import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FILE = fileURLToPath(new URL('../../releases.json', import.meta.url))

/** Release, as releases.json records it. */
export type Release = {
  version: string
  /** Day of the release. */
  date: string
  commit: string
  /** Name of its newest migration. */
  newest: string
}

/** Returns the releases, the oldest first. */
export function readReleases(file = FILE): Release[] {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Adds a release to releases.json. */
export function recordRelease(release: Release, file = FILE): void {
  writeFileSync(file, `${JSON.stringify([...readReleases(file), release], null, 2)}\n`)
}

/**
 * Returns the commit to compare with: of the given ref, or else of the last release.
 * @throws Error in one sentence if git does not know it, or if there is no release yet
 */
export function olderCommit(ref?: string, releases = readReleases()): string {
  const name = ref ?? releases.at(-1)?.commit
  if (!name) throw new Error('releases.json has no release yet: name a commit after `--`.')
  try {
    return execFileSync('git', ['rev-parse', '--short', '--verify', `${name}^{commit}`], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch (error) {
    throw new Error(`There is no commit ${name} here.`, { cause: error })
  }
}
