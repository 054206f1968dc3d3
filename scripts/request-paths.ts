import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'

// Measures which files a request executes, and writes the PATCH into docs/develop/architecture.md: npm run request-paths

/** Path of the page with the table of a PATCH. */
const DOC_PATH = fileURLToPath(new URL('../docs/develop/architecture.md', import.meta.url))

const PROGRAM = fileURLToPath(new URL('request-paths/program.ts', import.meta.url))
const OPTIONS = ['--conditions=react-server', '--disable-warning=ExperimentalWarning']
/** Matches the rows of the page's table of files. */
const TABLE = /(?<=^\| File \| Only for \| What it does \|\n.*\n)(\|.*\|(\n|$))*\|.*\|$/m

/** Product files that each request executes; `planted` is `validate` with a call of one more file. */
export type RequestPaths = Record<
  'PATCH of our own books' | 'PATCH at a vendor' | 'list of invoices' | 'validate' | 'planted',
  string[]
>

/**
 * Returns the measurements of a separate process on an empty, migrated database; the measurement takes some seconds.
 */
export async function measurePaths(databaseUrl: string, sort?: 'in-order'): Promise<RequestPaths> {
  const args = [...OPTIONS, PROGRAM, databaseUrl, ...(sort ? [sort] : [])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as RequestPaths
}

/** Returns the rows that the page needs for these paths of a PATCH. The page's notes on a file are kept. */
export function rowsOf(page: string, paths: RequestPaths): string[] {
  const [localPath, vendor] = [paths['PATCH of our own books'], paths['PATCH at a vendor']]
  const notes = Map.groupBy(rowsIn(page), (row) => /`(.+?)`/.exec(row)?.[1])
  return merged(localPath, vendor).map((file) => {
    const only = !vendor.includes(file) ? 'our own books' : localPath.includes(file) ? '' : 'a vendor'
    // A file that other files were merged into keeps their notes, too.
    const note = (notes.get(file) ?? [])
      .map((row) => row.split(' | ')[2]?.replace(/ ?\|$/, ''))
      .filter(Boolean)
    return `| \`${file}\` | ${only} | ${note.length > 0 ? `${note.join('; ')} ` : ''}|`
  })
}

/** Returns the rows of the page's table. */
export function rowsIn(page: string): string[] {
  return TABLE.exec(page)?.[0].split('\n') ?? []
}

/** Returns the longer list with the elements that only the other list has, each after its predecessor there. */
function merged(other: readonly string[], longer: readonly string[]): string[] {
  const all = [...longer]
  let position = 0
  for (const file of other) {
    const index = all.indexOf(file)
    if (index < 0) all.splice(position, 0, file)
    position = (index < 0 ? position : index) + 1
  }
  return all
}

if (import.meta.main) {
  const folder = await mkdtemp(join(tmpdir(), 'request-paths-'))
  const embedded = await startEmbedded(folder)
  try {
    await migrate(embedded.url)
    const paths = await measurePaths(embedded.url, 'in-order')
    for (const [name, files] of Object.entries(paths)) console.log(`${name}: ${files.length} files`)
    const page = await readFile(DOC_PATH, 'utf8')
    await writeFile(
      DOC_PATH,
      page.replace(TABLE, () => rowsOf(page, paths).join('\n')),
    )
  } finally {
    await embedded.release()
    await rm(folder, { recursive: true, force: true })
  }
}
