import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'

/** Logins of the pools. None owns anything or is a member of another role, so that none can switch roles. */
export const LOGINS = [
  // Rows of one customer: for changes, for reads, and for exports.
  'console_app',
  'console_reads',
  'console_streams',
  // Authentication by key and by session; passwords.
  'console_keys',
  'console_sessions',
  'console_sign_in',
  // Reads due work of all customers.
  'console_jobs',
] as const
export type Login = (typeof LOGINS)[number]

const LOCAL = new Set(['localhost', '127.0.0.1', '::1', ''])

/**
 * Returns the owner's connection settings for a URL. Without an `sslmode`, the certificate of a server on another
 * machine is verified (`verify-full`); `sslmode=disable` turns encryption off explicitly.
 */
export function ownerOf(url: string): pg.ClientConfig {
  const config = parseIntoClientConfig(url)
  const host = config.host ?? ''
  const isElsewhere = !LOCAL.has(host) && !host.startsWith('/')
  return config.ssl === undefined && isElsewhere ? { ...config, ssl: { rejectUnauthorized: true } } : config
}

/** Returns the connection settings of a login for a URL, whose user and password are not used. */
export function loginOf(url: string, login: Login): pg.ClientConfig {
  return { ...ownerOf(url), user: login, password: passwordOf(login) }
}

/**
 * Returns a login's password, derived from the secret: equal in each process that has the secret. The server stores a
 * verifier only.
 */
function passwordOf(login: Login): string {
  return createHmac('sha256', installationSecret('database')).update(`login ${login}`).digest('base64url')
}

/** Returns a marker of the secret that a login was made with, which reveals nothing else about the secret. */
export function markerOf(login: Login): string {
  const password = passwordOf(login)
  return `licenses-invoices ${createHash('sha256').update(`mark ${password}`).digest('hex').slice(0, 16)}`
}

/** Returns the SCRAM verifier of a login's password (RFC 5803): the password itself is never sent or logged. */
export function verifierOf(login: Login): string {
  const rounds = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(passwordOf(login), salt, rounds, 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(key('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`
}
