import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** In the cluster: the folder of the files that the server writes and begins anew by itself, one for each day of the week. */
export const logFolder = 'log'

/** What the server says before it writes these: why it does not start. */
export const startLog = (cluster: string) => `${cluster}.log`

/** A start leaves two lines. The file of starts is put aside once it is longer than this, in bytes. */
const LONGEST = 1_000_000

const DAY = 86_400_000

/**
 * The server empties a file of its log where it comes to that day while it runs. One that was stopped at midnight does
 * not: what is six days old goes here, so that there are seven files at most. Called before a start.
 */
export async function forgetOldLogs(cluster: string, now = Date.now()): Promise<void> {
  const folder = join(cluster, logFolder)
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && now - found.mtimeMs > 6 * DAY) await rm(path, { force: true })
  }
  const starts = await stat(startLog(cluster)).catch(() => undefined)
  if (starts && starts.size > LONGEST) await rename(startLog(cluster), `${startLog(cluster)}.1`)
}

/** The last lines of what the server wrote, of the day and of its start, for an error message. */
export async function logTail(cluster: string | undefined): Promise<string> {
  if (!cluster) return ''
  const parts = [await newest(cluster), startLog(cluster)].map((path) => path && endOf(path))
  return (await Promise.all(parts)).filter(Boolean).join('')
}

async function endOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, 4_096)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    const lines = buffer.toString('utf8').trimEnd().split('\n').slice(-10)
    return `\nThe end of ${path}:\n${lines.join('\n')}`
  } finally {
    await file.close()
  }
}

async function newest(cluster: string): Promise<string | undefined> {
  const names = await readdir(join(cluster, logFolder)).catch(() => [])
  const dated = await Promise.all(
    names.map(async (name) => {
      const path = join(cluster, logFolder, name)
      return { path, time: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 }
    }),
  )
  return dated.sort((one, other) => other.time - one.time)[0]?.path
}
