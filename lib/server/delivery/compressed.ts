import { constants } from 'node:zlib'
import compression from 'compression'
import type { Handler } from '../front-door.ts'

/** As quick as gzip at its usual level, and a quarter smaller. A window of 256 KiB, because each page in work has one. */
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/** Pages, and what a navigation between them brings. */
const PAGE = /^text\/(html|x-component)/

/**
 * Compresses pages on their way out. Of what has a secret that a stranger could guess at by its compressed size
 * (BREACH) there is none in a page: nonces are new ones each time, and sessions are in cookies, which no other site
 * can have sent but by a whole navigation. The answers of next-auth, which have such a secret, are no pages.
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
