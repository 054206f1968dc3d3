import 'server-only'
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'lic_'
const RANDOM = 30
const CHECK = 6

/** A new key: `lic_`, 30 base62 characters (178 bits) and their CRC32, so that a typo costs no query. */
export function newApiKey(): string {
  return newSecret(PREFIX)
}

/** The same after another prefix, by which it is known what a secret is for. */
export function newSecret(prefix: string): string {
  const random = Array.from({ length: RANDOM }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${prefix}${random}${checksum(random)}`
}

/** Whether text can be a key at all: shape and checksum. Says nothing of whether it is one. */
export function looksLikeApiKey(text: string): boolean {
  return looksLikeSecret(PREFIX, text)
}

/** The same after another prefix. */
export function looksLikeSecret(prefix: string, text: string): boolean {
  const drawn = text.slice(prefix.length)
  if (!text.startsWith(prefix) || drawn.length !== RANDOM + CHECK || !/^[0-9A-Za-z]+$/.test(drawn))
    return false
  return drawn.endsWith(checksum(drawn.slice(0, RANDOM)))
}

/** What is stored of a key or of a session's id: its SHA-256. Both are random enough to need no salt. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

/** What people may see of a key: `lic_` and its last four characters. */
export function hintsOf(apiKey: string): { prefix: string; lastFour: string } {
  return { prefix: apiKey.slice(0, PREFIX.length + 4), lastFour: apiKey.slice(-4) }
}

function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let place = 0; place < CHECK; place++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
