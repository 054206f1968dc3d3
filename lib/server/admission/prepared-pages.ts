import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { cookieName, cookieValue } from '#lib/platform/caller/cookies.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { Handler, Pages } from '../http-handler.ts'
import { pagePolicy } from '../security-headers.ts'
import type { PathKind } from './path-kinds.ts'

const SIGN_IN = '/sign-in'
/** Path that never has a page. */
const NOTHING = '/-/nothing/-'
/** Headers of client-side navigations, which do not want a document. */
const NAVIGATION = /^(rsc$|next-)/

export type Prepared = {
  /** Classifies a path of the application. */
  kindOf: (path: string) => PathKind
  /** Renders pages, each on its first request. */
  inside: Handler
  /** Public host; the page does not depend on the requested one. */
  host: string
  https: boolean
  /** Answers all other requests. */
  otherwise: Pages
}

/**
 * Answers the most frequent requests of unknown clients without rendering: the sign-in page and the 404 from bytes that
 * were rendered once, each with its own nonce, and screens with a redirect to sign-in. Dozens of these take as long as
 * one render. There is one rendering per color theme, because the page depends on nothing else.
 */
export function preparedPages({ kindOf, inside, host, https, otherwise }: Prepared): Pages {
  const made = new Map<string, Promise<PreparedPage | undefined>>()

  const prepare = (path: string, theme: string): Promise<PreparedPage | undefined> => {
    const name = `${path} ${theme}`
    const cached = made.get(name)
    if (cached) return cached
    const headers = {
      host,
      'x-nonce': NONCE_PLACEHOLDER,
      'content-security-policy': pagePolicy(NONCE_PLACEHOLDER, https),
      ...(theme === '' ? {} : { cookie: `${cookieName('theme')}=${theme}` }),
    }
    const making = preparedPage(inside, path, headers).catch((error: unknown) => {
      log().error({ err: error, path }, 'a page could not be prepared')
      return undefined
    })
    made.set(name, making)
    // A failed render is retried by the next request.
    making.then((page) => page ?? made.delete(name))
    return making
  }

  return async (req, res, client) => {
    if (isClientNavigation(req)) return otherwise(req, res, client)
    const url = req.url ?? ''
    const [path = ''] = url.split('?')
    const what = kindOf(path)
    if (what === 'screen' && !client.isMember) return sendToSignIn(res, url)
    const same = what === undefined ? NOTHING : SIGN_IN
    const isSame = same === NOTHING || (path.replace(/\/$/, '') === SIGN_IN && !client.isMember)
    const page = isSame ? await prepare(same, themeOf(req)) : undefined
    if (page) send(page, req, res)
    else await otherwise(req, res, client)
  }
}

function isClientNavigation({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => NAVIGATION.test(name))
}

/**
 * Redirects a client without a session, like each screen does in the time of a render; this saves time and is not the
 * guard. A client with a cookie is checked by the screen itself.
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
  const theme = cookieValue(headers.cookie ?? '', 'theme')
  return theme === 'light' || theme === 'dark' ? theme : ''
}

function send(page: PreparedPage, req: IncomingMessage, res: ServerResponse): void {
  const nonce = String(req.headers['x-nonce'])
  const fresh = (value: string) => value.replaceAll(NONCE_PLACEHOLDER, nonce)
  for (const [name, value] of page.headers)
    res.setHeader(name, Array.isArray(value) ? value.map(fresh) : fresh(value))
  if (!/accept-encoding/i.test(String(res.getHeader('Vary')))) res.appendHeader('Vary', 'Accept-Encoding')
  const isPacked = acceptsGzip(String(req.headers['accept-encoding'] ?? ''))
  if (isPacked) res.setHeader('Content-Encoding', 'gzip')
  const body = isPacked ? packedWithNonce(page, nonce) : withNonce(page, nonce)
  res.writeHead(page.status, { 'Content-Length': body.length })
  res.end(req.method === 'HEAD' ? undefined : body)
}

function acceptsGzip(accepted: string): boolean {
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
}

/** Prerendered page: the parts before, between and after its nonces, plain and compressed. */
type PreparedPage = {
  status: number
  headers: [name: string, value: string | string[]][]
  plain: Buffer[]
  packed: Buffer[]
}

/** Placeholder for the nonce of each response. No page contains this text otherwise. */
export const NONCE_PLACEHOLDER = 'the/nonce/is/put/here+=='

// Headers of a single response or its connection.
const PER_RESPONSE_HEADERS =
  /^(content-security-policy|content-length|content-encoding|request-id|connection|transfer-encoding|date)$/

/**
 * Renders a page for all clients.
 * @param headers request headers, with NONCE_PLACEHOLDER as the nonce
 * @returns undefined where the page can't be shared
 */
export async function preparedPage(
  inside: Handler,
  path: string,
  headers: Record<string, string>,
): Promise<PreparedPage | undefined> {
  const { res, body } = await made(inside, path, headers)
  const plain = body
    .toString('latin1')
    .split(NONCE_PLACEHOLDER)
    .map((part) => Buffer.from(part, 'latin1'))
  const isFit = [200, 404].includes(res.statusCode) && plain.length > 1 && !res.hasHeader('set-cookie')
  if (!isFit) return undefined
  const responseHeaders = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
    PER_RESPONSE_HEADERS.test(name) || value === undefined
      ? []
      : [[name, Array.isArray(value) ? value : String(value)] as PreparedPage['headers'][number]],
  )
  const packed = plain.map((part) => deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH }))
  return { status: res.statusCode, headers: responseHeaders, plain, packed }
}

/** Returns the page with this nonce. */
export function withNonce({ plain }: PreparedPage, nonce: string): Buffer {
  return joined(plain, Buffer.from(nonce))
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff])

/**
 * Returns the page as gzip, without compressing again: its parts are deflate blocks without back-references (RFC 1951),
 * and the nonce is inserted between them as a stored block.
 */
export function packedWithNonce({ plain, packed }: PreparedPage, nonce: string): Buffer {
  const bytes = Buffer.from(nonce)
  const block = Buffer.alloc(5)
  block.writeUInt16LE(bytes.length, 1)
  block.writeUInt16LE(0xffff - bytes.length, 3)
  const whole = joined(plain, bytes)
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc32(whole), 0)
  tail.writeUInt32LE(whole.length, 4)
  return Buffer.concat([GZIP_HEADER, joined(packed, Buffer.concat([block, bytes])), LAST_BLOCK, tail])
}

function joined(parts: readonly Buffer[], between: Buffer): Buffer {
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [between, part])))
}

/** Renders a response of the application without a connection. */
async function made(inside: Handler, path: string, headers: Record<string, string>) {
  const req = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: path, headers })
  req.push(null)
  const res = new ServerResponse(req)
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  const append = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string))
    return true
  }
  const end = (chunk?: unknown) => {
    append(chunk)
    Object.assign(res, { finished: true })
    ended.resolve()
    return res
  }
  // With an existing header, setHeader keeps it next to those of writeHead.
  res.setHeader('Request-Id', '')
  Object.assign(res, { write: append, end })
  await Promise.all([inside(req, res), ended.promise])
  return { res, body: Buffer.concat(chunks) }
}
