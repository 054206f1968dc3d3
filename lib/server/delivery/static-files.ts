import type { ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import type { Handler } from '../http-handler.ts'

const STATIC = fileURLToPath(new URL('../../../.next/static', import.meta.url))
const BUILT = '/_next/'
const PREFIX = '/_next/static'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** What has text in it says in which encoding. */
const TEXTS: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/**
 * Sends what the build left for browsers: scripts, styles and fonts. Each has a name of its own for its content, so
 * that it may be kept for ever, and beside it the compressed forms that `scripts/compress.ts` made with more patience
 * than there is while somebody waits. What else is under `/_next/` is a 404 without Next, which would make a page of it.
 * @param otherwise answers all other paths
 * @param folder is looked through once, now
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
    // Anybody may ignore it (RFC 9110, 14.2), and sirv fails at one that ends before it begins.
    delete req.headers.range
    req.url = url.slice(PREFIX.length)
    return serve(req, res, () => notThere(res))
  }
}

function notThere(res: ServerResponse): void {
  res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
  res.end('Not found\n')
}
