import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Problem } from '#lib/platform/api/problem.ts'
import { csvLine } from '#lib/platform/files/csv.ts'
import { env } from '#lib/platform/runtime/env.ts'

/** Secrets as CSV in a private file (mode 0600). */
export type SecretFile = {
  count: number
  /** Appends rows, synced to disk on return: an unwritten secret is lost. */
  add(rows: readonly string[][]): Promise<void>
  close(): Promise<void>
}

/**
 * @param path of a file that is not there yet
 * @throws Problem where it is, or can't be made
 */
export async function openSecretFile(path: string, columns: readonly string[]): Promise<SecretFile> {
  const file = await createPrivateFile(path)
  await file.appendFile(`${csvLine(columns)}\n`)
  const made: SecretFile = {
    count: 0,
    async add(rows) {
      if (rows.length === 0) return
      await file.appendFile(rows.map((row) => `${csvLine(row)}\n`).join(''))
      await file.sync()
      made.count += rows.length
    },
    close: () => file.close(),
  }
  return made
}

/**
 * Creates a file that only its owner can read, and its folder.
 * @throws Problem where the file exists, or can't be made
 */
export async function createPrivateFile(path: string): Promise<FileHandle> {
  const file = resolve(env().callerDir, path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(unmade(path))
  return open(file, 'wx', 0o600).catch(unmade(path))
}

function unmade(path: string) {
  return (error: NodeJS.ErrnoException): never => {
    const isThere = error.code === 'EEXIST'
    const reason = isThere ? 'there is a file already' : `it cannot be made (${error.code})`
    throw new Problem('invalid_request', `${path}: ${reason}.`)
  }
}
