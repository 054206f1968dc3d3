import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { z } from 'zod'

const require = createRequire(import.meta.url)
const Entries = z.record(z.string(), z.string())

/**
 * Loads the code of the pages one after the other, before their first requests. Next itself would load all entries: most
 * are routes of the API, which it never answers, and which would be a second copy of them.
 * @param built folder of the build, `.next`
 */
export async function loadPageCode(built: string): Promise<void> {
  const server = join(built, 'server')
  const entries = Entries.parse(JSON.parse(await readFile(join(server, 'app-paths-manifest.json'), 'utf8')))
  for (const [entry, file] of Object.entries(entries)) {
    if (!entry.endsWith('/page')) continue
    await require(join(server, file))
    // Requests come first.
    await immediate()
  }
}
