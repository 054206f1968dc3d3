import 'server-only'
import { looksLikeSecret, newSecret } from '../api-key.ts'

const PREFIX = 'scim_'

/** A new token for a directory: `scim_`, and what API keys have after theirs. */
export function newScimToken(): string {
  return newSecret(PREFIX)
}

/** Whether text can be such a token at all: a typing error costs no query. */
export function looksLikeScimToken(text: string): boolean {
  return looksLikeSecret(PREFIX, text)
}
