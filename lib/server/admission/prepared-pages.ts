import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieValue } from '#lib/access/session-cookie.ts'
import { log } from '#lib/log.ts'
import type { Handler, Pages } from '../front-door.ts'
import { pagePolicy } from '../security-headers.ts'
import { NONCE_PLACE, type PreparedPage, packedWithNonce, preparedPage, withNonce } from './prepared-page.ts'

const SIGN_IN = '/sign-in'
/** No page is there, and none will be. */
const NOTHING = '/-/nothing/-'
/** What navigations between pages send: they want no document. */
const NAVIGATION = /^(rsc$|next-)/

export type Prepared = {
  /** Whether the application has a page or a file under a path. */
  isKnown: (path: string) => boolean
  /** Makes pages, the first time that each is asked for. */
  inside: Handler
  /** Of the public address; whatever host is named, such a page is the same. */
  host: string
  https: boolean
  /** Answers all others. */
  otherwise: Pages
}

/**
 * Answers what strangers get most, the sign-in page and the 404, by bytes that were made once, each with a nonce of its
 * own: hundreds of them take as long as a page that is made. There is one for each choice of colors, which is
 * all that such a page knows of its visitor.
 */
export function preparedPages({ isKnown, inside, host, https, otherwise }: Prepared): Pages {
  const made = new Map<string, Promise<PreparedPage | undefined>>()

  const prepare = (path: string, theme: string): Promise<PreparedPage | undefined> => {
    const name = `${path} ${theme}`
    const known = made.get(name)
    if (known) return known
    const headers = {
      host,
      'x-nonce': NONCE_PLACE,
      'content-security-policy': pagePolicy(NONCE_PLACE, https),
      ...(theme === '' ? {} : { cookie: `theme=${theme}` }),
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
    const [path = ''] = (req.url ?? '').split('?')
    const isSignIn = path.replace(/\/$/, '') === SIGN_IN && !visitor.isMember
    if (!(isSignIn || !isKnown(path)) || Object.keys(req.headers).some((name) => NAVIGATION.test(name)))
      return otherwise(req, res, visitor)
    const page = await prepare(isSignIn ? SIGN_IN : NOTHING, themeOf(req))
    if (page) send(page, req, res)
    else await otherwise(req, res, visitor)
  }
}

function themeOf({ headers }: IncomingMessage): string {
  const theme = cookieValue(headers.cookie ?? '', 'theme')
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
