import type { ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import type { Handler } from '../http-handler.ts'

const STATIC = fileURLToPath(new URL('../../../.next/static', import.meta.url))
const BUILT = '/_next/'
const PREFIX = '/_next/static'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Text types include their charset. */
const TEXTS: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/**
 * Sends the build's files for browsers: scripts, styles and fonts. Their names contain a content hash, so they may be
 * cached forever, and `scripts/compress.ts` has put compressed forms next to them, made at a level too slow for a
 * request. Other paths under `/_next/` are a 404 without Next, which would render a page.
 * @param otherwise answers all other paths
 * @param folder scanned once, now
 */
export function staticFiles(otherwise: Handler, folder = STATIC): Handler {
  const serve = sirv(join(folder), {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    maxAge: YEAR_SECONDS,
    setHeaders: (res, path) => {
      const type = TEXTS[extname(path)]
      if (type) res.setHeader('Content-Type', type)
    },
  })
  return (req, res) => {
    const url = req.url ?? ''
    if (!url.startsWith(BUILT)) return otherwise(req, res)
    if (!url.startsWith(`${PREFIX}/`)) return notThere(res)
    // A server may ignore it (RFC 9110, 14.2), and sirv fails at a range that ends before it begins.
    delete req.headers.range
    req.url = url.slice(PREFIX.length)
    return serve(req, res, () => notThere(res))
  }
}

function notThere(res: ServerResponse): void {
  res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
  res.end('Not found\n')
}
