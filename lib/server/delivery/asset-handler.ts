import { constants } from 'node:zlib'
import compression from 'compression'
import type { Handler } from '../http-handler.ts'
import { deferScripts } from './deferred-scripts.ts'
import { staticFiles } from './static-files.ts'

/**
 * Returns the handler of everything outside of the API: the build's files, and pages with deferred scripts, compressed.
 */
export function assetHandler(pages: Handler): Handler {
  return staticFiles(compressed(deferScripts(pages)))
}

/**
 * As fast as gzip at its default level, and a quarter smaller. A window of 256 KiB, because each page in progress has
 * one.
 */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/** Content types of pages and of navigations between them. */
const PAGE = /^text\/(html|markdown|x-component)/

/**
 * Compresses pages and nothing else. A page contains no secret that an attacker could guess by its compressed size
 * (BREACH): its nonce is new each time, and other sites can't make a browser request a page with the session's cookie
 * except by top-level navigation. The responses of next-auth contain a secret, and compressing those of the API costs
 * too much.
 */
export function compressed(inside: Handler): Handler {
  const compress = compression({
    brotli: BROTLI,
    filter: (_, res) => PAGE.test(String(res.getHeader('Content-Type'))),
  })
  return (req, res) =>
    new Promise((resolve, reject) => {
      const next = () => Promise.resolve(inside(req, res)).then(resolve, reject)
      compress(req as Parameters<typeof compress>[0], res as Parameters<typeof compress>[1], next)
    })
}
