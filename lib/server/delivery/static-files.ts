import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import type { Handler } from '../front-door.ts'

const STATIC = fileURLToPath(new URL('../../../.next/static', import.meta.url))
const PREFIX = '/_next/static'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/**
 * Sends what the build left for browsers: scripts, styles and fonts. Each has a name of its own for its content, so
 * that it may be kept for ever, and beside it the compressed forms that `scripts/compress.ts` made with more patience
 * than there is while somebody waits.
 * @param otherwise answers all other paths, and names that the build does not have
 * @param folder is looked through once, now
 */
export function staticFiles(otherwise: Handler, folder = STATIC): Handler {
  const serve = sirv(join(folder), {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    maxAge: YEAR_SECONDS,
  })
  return (req, res) => {
    const url = req.url ?? ''
    if (!url.startsWith(`${PREFIX}/`)) return otherwise(req, res)
    req.url = url.slice(PREFIX.length)
    return serve(req, res, () => {
      req.url = url
      return otherwise(req, res)
    })
  }
}
