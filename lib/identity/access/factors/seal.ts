import 'server-only'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { factorSettings } from './settings.ts'

const PURPOSE = 'second factors'

/**
 * Seals a text under a key that is derived from FACTOR_SECRET, else from SESSION_SECRET.
 * @param use what it is for, and whose it is: sealed for another use it can't be read
 */
export function sealFor(use: string, text: string): string {
  return seal(text, { purpose: PURPOSE, context: use, ...factorSecret() })
}

/**
 * What was sealed for this use; undefined for anything else. What was sealed under SESSION_SECRET, before there was a
 * FACTOR_SECRET, is read too.
 */
export function unsealFor(use: string, sealed: string): string | undefined {
  const sealing = { purpose: PURPOSE, context: use }
  return unseal(sealed, { ...sealing, ...factorSecret() }) ?? unseal(sealed, sealing)
}

function factorSecret(): { secret?: string } {
  const { secret } = factorSettings()
  return secret === undefined ? {} : { secret }
}
