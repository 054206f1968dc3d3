import 'server-only'
import { lookup } from 'node:dns'
import { lookup as resolve } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CustomFetchOptions } from 'openid-client'
import { signOnSettings } from '../../settings.ts'
import { isSpecialAddress } from './special-networks.ts'

/** Largest response of an issuer, in bytes; usual ones have some kilobytes. */
const MAX_BYTES = 512 * 1024
/** Timeout of the whole answer, in milliseconds. */
const MAX_TIME_MS = 5000

/**
 * Sends a request to an issuer: https and public addresses only (SSRF), with limits of time and size, and without
 * following redirects. Hosts in SIGN_ON_PRIVATE_HOSTS may have a private address.
 * @throws Error with the reason why it was not sent, or not answered
 */
export async function fetchIssuer(url: string, options: CustomFetchOptions): Promise<Response> {
  const target = new URL(url)
  const mayBePrivate = signOnSettings().privateHosts.includes(target.host)
  checkTarget(target, mayBePrivate)
  const body = options.body === null || options.body === undefined ? undefined : String(options.body)
  const limit = AbortSignal.timeout(MAX_TIME_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const { method, headers } = options
    const lookupOptions = mayBePrivate ? {} : { lookup: publicOnly }
    const sent = request(target, { method, headers, signal, ...lookupOptions }, (answer) => {
      const parts: Buffer[] = []
      let size = 0
      answer.on('error', reject)
      answer.on('data', (part: Buffer) => {
        size += part.length
        if (size > MAX_BYTES) sent.destroy(new Error(`${target.host} answered with too many bytes.`))
        else parts.push(part)
      })
      answer.on('end', () => {
        const status = answer.statusCode ?? 502
        const isEmpty = status === 204 || status === 304
        const responseHeaders = { 'content-type': String(answer.headers['content-type'] ?? '') }
        resolve(new Response(isEmpty ? null : Buffer.concat(parts), { status, headers: responseHeaders }))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Checks an address like `fetchIssuer`, without sending a request. @throws Error with the reason */
export function checkIssuerAddress(url: string): void {
  const target = new URL(url)
  checkTarget(target, signOnSettings().privateHosts.includes(target.host))
}

/**
 * Checks an address like `checkIssuerAddress`, and that its host has public addresses only.
 * @throws Error with the reason, of the same kind for an unknown host as for one with a private address
 */
export async function checkIssuerHost(url: string): Promise<void> {
  checkIssuerAddress(url)
  const { host, hostname } = new URL(url)
  if (signOnSettings().privateHosts.includes(host)) return
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, ''), { all: true })
  if (addresses.some(({ address }) => isSpecialAddress(address))) throw privateHost(host)
}

function checkTarget({ protocol, hostname, host }: URL, mayBePrivate: boolean): void {
  const bare = hostname.replace(/^\[|\]$/g, '')
  const isLoopback = ['localhost', '127.0.0.1', '::1'].includes(bare)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && mayBePrivate))
    throw new Error(`${host} is not asked: an issuer has to be reached by https.`)
  if (isIP(bare) !== 0 && isSpecialAddress(bare) && !mayBePrivate) throw privateHost(host)
}

const publicOnly: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    if (addresses.some(({ address }) => isSpecialAddress(address))) return done(privateHost(hostname), '')
    const [first] = addresses
    if (options.all) return done(null, addresses)
    done(null, first?.address ?? '', first?.family ?? 4)
  })
}

function privateHost(host: string): Error {
  return new Error(
    `${host} is not asked: it has a private address, and SIGN_ON_PRIVATE_HOSTS does not name it.`,
  )
}
