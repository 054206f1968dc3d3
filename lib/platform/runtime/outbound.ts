import 'server-only'
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isSpecialAddress } from './special-networks.ts'

// Requests to addresses that customers have entered. SSRF: https and public addresses only, checked at the moment of
// the call; the connection goes to the checked address, so that a second DNS answer (rebinding) changes nothing.

/** Hosts that may have a private address, with their port unless it is 443, and the setting that lists them. */
export type PrivateHosts = { hosts: readonly string[]; setting: string }

export type OutboundRequest = {
  url: string
  method: string
  headers: Record<string, string>
  body?: string | undefined
  allowed: PrivateHosts
  /** Timeout of the whole answer, in milliseconds. */
  timeoutMs: number
  /** Largest body of the answer, in bytes. With `isCut`, a longer body is cut there; otherwise it is an error. */
  maxBytes: number
  isCut?: boolean
  signal?: AbortSignal | null | undefined
}

export type OutboundAnswer = { status: number; contentType: string; body: Buffer }

/**
 * Sends a request to an address that a customer has entered, without following redirects.
 * @throws Error with the reason why it was not sent, or not answered
 */
export async function sendOutbound(outbound: OutboundRequest): Promise<OutboundAnswer> {
  const { url, method, headers, body, allowed, timeoutMs, maxBytes, isCut = false } = outbound
  checkOutbound(url, allowed)
  const target = new URL(url)
  const limit = AbortSignal.timeout(timeoutMs)
  const signal = outbound.signal ? AbortSignal.any([outbound.signal, limit]) : limit
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  const lookup = isAllowed(target, allowed) ? {} : { lookup: publicOnly(allowed) }
  // A new connection for each request: one that is reused was checked earlier.
  const options = { method, headers, signal, agent: false, ...lookup }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) =>
      reject(limit.aborted ? new Error(`${target.host} did not answer within ${timeoutMs / 1000} s.`) : error)
    const sent = request(target, options, (answer) => {
      const parts: Buffer[] = []
      let size = 0
      const end = () => {
        const contentType = String(answer.headers['content-type'] ?? '')
        resolve({ status: answer.statusCode ?? 502, contentType, body: Buffer.concat(parts) })
      }
      answer.on('error', fail)
      answer.on('data', (part: Buffer) => {
        parts.push(part.subarray(0, Math.max(0, maxBytes - size)))
        size += part.length
        if (size <= maxBytes) return
        if (isCut) end()
        else reject(new Error(`${target.host} answered with too many bytes.`))
        sent.destroy()
      })
      answer.on('end', end)
    })
    // Without this listener, Node closes the connection of a 101 without an event.
    sent.on('upgrade', ({ statusCode = 101 }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, contentType: '', body: Buffer.alloc(0) })
    })
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Checks an address like `sendOutbound`, without sending a request. @throws Error with the reason */
export function checkOutbound(url: string, allowed: PrivateHosts): void {
  const target = new URL(url)
  const { protocol, host } = target
  const bare = bareName(target)
  const isLoopback = ['localhost', '127.0.0.1', '::1'].includes(bare)
  const mayBePrivate = isAllowed(target, allowed)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback && mayBePrivate))
    throw new Error(`${host} is not called: it has to be reached by https.`)
  if (isIP(bare) !== 0 && isSpecialAddress(bare) && !mayBePrivate)
    throw new Error(
      `${host} is not called: it has a private address, and ${allowed.setting} does not name it.`,
    )
}

/**
 * Checks an address like `checkOutbound`, and that its host has public addresses only.
 * @throws Error with the reason, the same for an unknown host as for one with a private address
 */
export async function checkOutboundHost(url: string, allowed: PrivateHosts): Promise<void> {
  checkOutbound(url, allowed)
  const target = new URL(url)
  if (!isAllowed(target, allowed) && isIP(bareName(target)) === 0)
    await publicAddresses(bareName(target), allowed)
}

function isAllowed({ host }: URL, { hosts }: PrivateHosts): boolean {
  return hosts.includes(host)
}

/** Returns a host's name or address, without the brackets of IPv6. */
function bareName({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Returns a lookup that refuses a name if one of its addresses is private. */
function publicOnly(allowed: PrivateHosts): LookupFunction {
  return (hostname, options, done) => {
    const succeed = (addresses: LookupAddress[]) => {
      const [first] = addresses
      if (options.all) done(null, addresses)
      else done(null, first?.address ?? '', first?.family ?? 4)
    }
    publicAddresses(hostname, allowed).then(succeed, (error: Error) => done(error, ''))
  }
}

/** Answers of the DNS that a name has no address. */
const NO_ADDRESS = ['ENOTFOUND', 'ENODATA', 'EBADNAME']

/**
 * Returns the addresses of a name, from the DNS. `dns.lookup` would hold one of the process's few threads for a name
 * whose servers never answer, and all other lookups would wait.
 * @throws Error for a name that has a private address, or none
 */
async function publicAddresses(hostname: string, allowed: PrivateHosts): Promise<LookupAddress[]> {
  const name = hostname.replace(/\.$/, '')
  // Names of one label are of this machine or its network.
  if (!name.includes('.') || name.endsWith('.localhost')) throw notPublic(hostname, allowed)
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ]
  if (addresses.some(({ address }) => isSpecialAddress(address))) throw notPublic(hostname, allowed)
  if (addresses.length > 0) return addresses
  const reasons = [four, six].map((end) => String(end.status === 'rejected' && end.reason?.code))
  const failure = reasons.find((code) => !NO_ADDRESS.includes(code))
  throw failure ? new Error(`${hostname} could not be looked up: ${failure}.`) : notPublic(hostname, allowed)
}

/** Returns the same error for an unknown host, so that it does not show which private names exist. */
function notPublic(host: string, { setting }: PrivateHosts): Error {
  return new Error(`${host} is not called: it has no public address, and ${setting} does not name it.`)
}
