import 'server-only'
import { looksLikeSecret, newSecret } from '#lib/platform/caller/credentials.ts'

const PREFIX = 'cal_'

/** A new secret for the link of a calendar: `cal_`, and what API keys have after theirs. */
export function newFeedSecret(): string {
  return newSecret(PREFIX)
}

/** Whether text can be such a secret at all: what somebody guesses costs no query. */
export function looksLikeFeedSecret(text: string): boolean {
  return looksLikeSecret(PREFIX, text)
}
