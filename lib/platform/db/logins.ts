import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'

/** As whom the pools log in. None owns anything, none is a member of another one: it can't become somebody else. */
export const LOGINS = [
  // The rows of one customer: changed, read, and read for exports.
  'console_app',
  'console_reads',
  'console_streams',
  // Who is calling, by a key and by a session; whose password it is.
  'console_keys',
  'console_sessions',
  'console_sign_in',
  // What is due, over all customers.
  'console_jobs',
] as const
export type Login = (typeof LOGINS)[number]

const LOCAL = new Set(['localhost', '127.0.0.1', '::1', ''])

/**
 * How the server of a URL is reached, as its owner. Without an `sslmode`, a server on another machine has to prove who
 * it is (`verify-full`); `sslmode=disable` asks for no encryption by name.
 */
export function ownerOf(url: string): pg.ClientConfig {
  const config = parseIntoClientConfig(url)
  const host = config.host ?? ''
  const isElsewhere = !LOCAL.has(host) && !host.startsWith('/')
  return config.ssl === undefined && isElsewhere ? { ...config, ssl: { rejectUnauthorized: true } } : config
}

/** How the database of a URL is reached as one of the logins: its user and password stay unused. */
export function loginOf(url: string, login: Login): pg.ClientConfig {
  return { ...ownerOf(url), user: login, password: passwordOf(login) }
}

/** The same in each process that has the secret, and nowhere else: the server keeps a verifier. */
function passwordOf(login: Login): string {
  return createHmac('sha256', installationSecret('database')).update(`login ${login}`).digest('base64url')
}

/** Says which secret a login was made with, and nothing else of it. */
export function markerOf(login: Login): string {
  const password = passwordOf(login)
  return `licenses-invoices ${createHash('sha256').update(`mark ${password}`).digest('hex').slice(0, 16)}`
}

/** What the server has to know of a login's password (RFC 5803): the password itself never travels, nor stands in a log. */
export function verifierOf(login: Login): string {
  const rounds = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(passwordOf(login), salt, rounds, 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(key('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`
}
