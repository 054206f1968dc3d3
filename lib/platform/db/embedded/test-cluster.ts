import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, lstat, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import pg from 'pg'
import { diskFolder } from '../test-servers/test-folder.ts'

/** Makes an empty folder for data directories: on a disk, because these tests kill the server and examine its files. */
export function emptyFolder(): Promise<string> {
  return mkdtemp(join(diskFolder(), 'embedded-'))
}

/** Returns the rows of one statement, on a connection of its own. */
export async function sql(url: string, query: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client.query(query).then(
    ({ rows }) => client.end().then(() => rows),
    (error) => client.end().then(() => Promise.reject(error)),
  )
}

/** Returns the process id in a data directory's postmaster.pid; undefined if no server runs. */
export async function serverOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** Copies a data directory whose server doesn't run. */
export async function copyOf(dataDir: string, copy: string): Promise<string> {
  const filter = async (path: string) => !(await lstat(path)).isSocket()
  await cp(dataDir, copy, { recursive: true, filter })
  return copy
}

/**
 * Starts another process that uses the embedded server, and resolves when it does: it runs a statement, waits for the
 * end of its input, releases, and exits. Runs as the account `uid`, if passed.
 * @returns the process, and its note
 */
export async function otherUser(dataDir: string, query = 'SELECT 1', uid?: number) {
  const module = new URL('../embedded.ts', import.meta.url).href
  const script = `
    import { startEmbedded } from ${JSON.stringify(module)}
    import pg from 'pg'
    const embedded = await startEmbedded(${JSON.stringify(dataDir)})
    const client = new pg.Client({ connectionString: embedded.url })
    await client.connect()
    await client.query(${JSON.stringify(query)})
    await client.end()
    console.log(embedded.note)
    process.stdin.on('end', () => embedded.release()).resume()`
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    ['--input-type=module', '-e', script],
    { stdio: ['pipe', 'pipe', 'pipe'], ...(uid === undefined ? {} : { uid, gid: uid }) },
  )
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const ended = once(child, 'close')
  const note = await Promise.race([
    once(child.stdout, 'data').then(([text]) => String(text)),
    ended.then(() => Promise.reject(new Error(`The other process failed: ${errors}`))),
  ])
  return { child, ended, note }
}
