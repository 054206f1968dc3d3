import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Handler } from '../front-door.ts'

/** A page that was made once: what stands before, between and after the places of its nonce, plain and packed. */
export type PreparedPage = {
  status: number
  headers: [name: string, value: string | string[]][]
  plain: Buffer[]
  packed: Buffer[]
}

/** Stands in a page for the nonce of each answer. No page has such a text otherwise. */
export const NONCE_PLACE = 'the/nonce/is/put/here+=='

// What each answer has of its own, or the connection.
const OWN =
  /^(content-security-policy|content-length|content-encoding|request-id|connection|transfer-encoding|date)$/

/**
 * Makes a page for nobody in particular.
 * @param headers the request's own, with NONCE_PLACE for a nonce
 * @returns undefined where what was made can't be sent to everybody
 */
export async function preparedPage(
  inside: Handler,
  path: string,
  headers: Record<string, string>,
): Promise<PreparedPage | undefined> {
  const { res, body } = await made(inside, path, headers)
  const plain = body
    .toString('latin1')
    .split(NONCE_PLACE)
    .map((part) => Buffer.from(part, 'latin1'))
  const isFit = [200, 404].includes(res.statusCode) && plain.length > 1 && !res.hasHeader('set-cookie')
  if (!isFit) return undefined
  const given = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
    OWN.test(name) || value === undefined
      ? []
      : [[name, Array.isArray(value) ? value : String(value)] as PreparedPage['headers'][number]],
  )
  const packed = plain.map((part) => deflateRawSync(part, { finishFlush: constants.Z_FULL_FLUSH }))
  return { status: res.statusCode, headers: given, plain, packed }
}

/** The page with a nonce of its own. */
export function withNonce({ plain }: PreparedPage, nonce: string): Buffer {
  return joined(plain, Buffer.from(nonce))
}

const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff])

/**
 * The same as gzip has it, without packing anything: the parts are blocks that refer to nothing before them (RFC 1951),
 * and the nonce stands between them in a block that is not packed.
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
  return Buffer.concat([GZIP_HEAD, joined(packed, Buffer.concat([block, bytes])), LAST_BLOCK, tail])
}

function joined(parts: readonly Buffer[], between: Buffer): Buffer {
  return Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [between, part])))
}

/** What the application answers, on no connection. */
async function made(inside: Handler, path: string, headers: Record<string, string>) {
  const req = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: path, headers })
  req.push(null)
  const res = new ServerResponse(req)
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  const take = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string))
    return true
  }
  const end = (chunk?: unknown) => {
    take(chunk)
    Object.assign(res, { finished: true })
    ended.resolve()
    return res
  }
  // With one that is there already, those of writeHead are kept beside it.
  res.setHeader('Request-Id', '')
  Object.assign(res, { write: take, end })
  await Promise.all([inside(req, res), ended.promise])
  return { res, body: Buffer.concat(chunks) }
}
