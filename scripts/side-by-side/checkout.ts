import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of the migrations in different versions, the newest one first. */
const MIGRATIONS = ['lib/platform/db/migrations', 'lib/db/migrations']

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

/**
 * Checks a version out into a new folder, without installing packages.
 * @param commit known to git
 * @throws Error if the version has no migrations
 */
export function checkOut(commit: string, folder: string) {
  git('worktree', 'add', '--detach', folder, commit)
  const migrations = MIGRATIONS.map((path) => join(folder, path)).find((path) => existsSync(path))
  if (!migrations) throw new Error(`${commit} has no migrations in ${MIGRATIONS.join(' or ')}.`)
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
