import { constants } from 'node:zlib'
import compression from 'compression'
import type { Handler } from '../http-handler.ts'
import { deferScripts } from './deferred-scripts.ts'
import { staticFiles } from './static-files.ts'

/** The way out of whatever is no answer of the API: the build's files, and pages whose scripts wait, compressed. */
export function assetHandler(pages: Handler): Handler {
  return staticFiles(compressed(deferScripts(pages)))
}

/** As quick as gzip at its usual level, and a quarter smaller. A window of 256 KiB, because each page in work has one. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/** Pages, and what a navigation between them brings. */
const PAGE = /^text\/(html|x-component)/

/**
 * Compresses pages on their way out, and nothing else. A page has no secret that a stranger could guess by its compressed
 * size (BREACH): its nonce is a new one each time, and no other site can make a browser ask for one with a session's
 * cookie, but by leading all of it there. The answers of next-auth have one, and what the API answers costs too much.
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
