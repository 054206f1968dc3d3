import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RecordedQueries } from './recorded-queries.ts'
import type { Setting } from './rounds.ts'

/**
 * Returns how many times a second `pgbench` sends these queries, prepared and in one pipeline each time; undefined if
 * `pgbench` is not installed. It parses no rows and builds no response, so no server can reach its figure.
 */
export async function pgbench(
  url: string,
  queries: RecordedQueries,
  { connections, seconds }: Setting,
): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'console-pgbench-'))
  try {
    const file = join(folder, 'list.sql')
    await writeFile(file, queries.map(({ query }) => `${literal(query)};\n`).join(''))
    const args = ['-n', '-M', 'prepared', '-c', String(connections), '-T', String(seconds), '-f', file, url]
    const { stdout } = await promisify(execFile)('pgbench', args)
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the query with its values in the text: pgbench's variables support neither arrays nor quotes. */
function literal({ text, values = [] }: { text: string; values?: unknown[] }): string {
  const written = text.replace(/\$(\d+)/g, (_, parameter: string) => quoted(values[Number(parameter) - 1]))
  return written.replace(/\s+/g, ' ').trim()
}

function quoted(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
