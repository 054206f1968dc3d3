import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieName, cookieValue } from '#lib/platform/caller/session-cookie.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { Handler, Pages } from '../front-door.ts'
import { pagePolicy } from '../security-headers.ts'
import type { KnownPath } from './known-paths.ts'
import { NONCE_PLACE, type PreparedPage, packedWithNonce, preparedPage, withNonce } from './prepared-page.ts'

const SIGN_IN = '/sign-in'
/** No page is there, and none will be. */
const NOTHING = '/-/nothing/-'
/** What navigations between pages send: they want no document. */
const NAVIGATION = /^(rsc$|next-)/

export type Prepared = {
  /** What the application has under a path. */
  known: (path: string) => KnownPath
  /** Makes pages, the first time that each is asked for. */
  inside: Handler
  /** Of the public address; whatever host is named, such a page is the same. */
  host: string
  https: boolean
  /** Answers all others. */
  otherwise: Pages
}

/**
 * Answers what strangers get most: the sign-in page and the 404 by bytes that were made once, each with a nonce of its
 * own, and screens by the way to sign in. Dozens of them take as long as a page that is made. There is one for each choice of colors, which is
 * all that such a page knows of its visitor.
 */
export function preparedPages({ known, inside, host, https, otherwise }: Prepared): Pages {
  const made = new Map<string, Promise<PreparedPage | undefined>>()

  const prepare = (path: string, theme: string): Promise<PreparedPage | undefined> => {
    const name = `${path} ${theme}`
    const known = made.get(name)
    if (known) return known
    const headers = {
      host,
      'x-nonce': NONCE_PLACE,
      'content-security-policy': pagePolicy(NONCE_PLACE, https),
      ...(theme === '' ? {} : { cookie: `${cookieName('theme')}=${theme}` }),
    }
    const making = preparedPage(inside, path, headers).catch((error: unknown) => {
      log().error({ err: error, path }, 'a page could not be prepared')
      return undefined
    })
    made.set(name, making)
    // What failed once may not fail again.
    making.then((page) => page ?? made.delete(name))
    return making
  }

  return async (req, res, visitor) => {
    if (wantsNoDocument(req)) return otherwise(req, res, visitor)
    const url = req.url ?? ''
    const [path = ''] = url.split('?')
    const what = known(path)
    if (what === 'screen' && !visitor.isMember) return sendToSignIn(res, url)
    const same = what === undefined ? NOTHING : SIGN_IN
    const isSame = same === NOTHING || (path.replace(/\/$/, '') === SIGN_IN && !visitor.isMember)
    const page = isSame ? await prepare(same, themeOf(req)) : undefined
    if (page) send(page, req, res)
    else await otherwise(req, res, visitor)
  }
}

function wantsNoDocument({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => NAVIGATION.test(name))
}

/**
 * As each screen does for whoever has no session, and takes a page's time for: a way, and no guard. Whoever shows a cookie
 * is asked by the screen itself who they are.
 */
function sendToSignIn(res: ServerResponse, url: string): void {
  res.writeHead(307, {
    Location: `${SIGN_IN}?from=${encodeURIComponent(url)}`,
    'Cache-Control': 'no-store',
    'Content-Length': 0,
  })
  res.end()
}

function themeOf({ headers }: IncomingMessage): string {
  const theme = cookieValue(headers.cookie ?? '', cookieName('theme'))
  return theme === 'light' || theme === 'dark' ? theme : ''
}

function send(page: PreparedPage, req: IncomingMessage, res: ServerResponse): void {
  const nonce = String(req.headers['x-nonce'])
  const fresh = (value: string) => value.replaceAll(NONCE_PLACE, nonce)
  for (const [name, value] of page.headers)
    res.setHeader(name, Array.isArray(value) ? value.map(fresh) : fresh(value))
  if (!/accept-encoding/i.test(String(res.getHeader('Vary')))) res.appendHeader('Vary', 'Accept-Encoding')
  const isPacked = takesGzip(String(req.headers['accept-encoding'] ?? ''))
  if (isPacked) res.setHeader('Content-Encoding', 'gzip')
  const body = isPacked ? packedWithNonce(page, nonce) : withNonce(page, nonce)
  res.writeHead(page.status, { 'Content-Length': body.length })
  res.end(req.method === 'HEAD' ? undefined : body)
}

function takesGzip(accepted: string): boolean {
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
}
