import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of the migrations in different versions, the newest one first. */
const MIGRATIONS = ['lib/platform/db/migrations', 'lib/db/migrations']

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

/** @throws Error if there is no tag yet */
export function lastTag(): string {
  try {
    return git('describe', '--tags', '--abbrev=0')
  } catch (error) {
    throw new Error('There is no tag yet. Name a commit after `--`: npm run side-by-side -- <ref>', {
      cause: error,
    })
  }
}

/**
 * Returns the short name of the commit that a ref points to.
 * @throws Error if git does not know the ref
 */
export function commitOf(ref: string): string {
  return git('rev-parse', '--short', '--verify', `${ref}^{commit}`)
}

/**
 * Checks a version out into a new folder, without installing packages.
 * @throws Error if git does not know the ref, or the version has no migrations
 */
export function checkOut(ref: string, folder: string) {
  const commit = commitOf(ref)
  git('worktree', 'add', '--detach', folder, commit)
  const migrations = MIGRATIONS.map((path) => join(folder, path)).find((path) => existsSync(path))
  if (!migrations) throw new Error(`${ref} has no migrations in ${MIGRATIONS.join(' or ')}.`)
  const journal = JSON.parse(readFileSync(join(migrations, 'meta/_journal.json'), 'utf8'))
  return {
    folder,
    commit,
    newest: journal.entries.at(-1).tag as string,
    migrations: journal.entries.length as number,
    install(): void {
      const options = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
      execFileSync('npm', options, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
    },
    remove(): void {
      if (existsSync(folder)) git('worktree', 'remove', '--force', folder)
    },
  }
}
