import 'server-only'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'

/** By which provider somebody has signed in, and the ID token of that sign-in: it is sealed wherever it is kept. */
export type Issued = { providerId: string; idToken: string }

const PURPOSE = 'secrets of identity providers'

/**
 * Seals a text for one place. What is copied to another row opens there no more.
 * @param use names the row
 */
export function sealFor(use: string, text: string): string {
  return seal(text, { purpose: PURPOSE, context: use })
}

/** What was sealed for this place; undefined for anything else, also under another SESSION_SECRET. */
export function unsealFor(use: string, sealed: string): string | undefined {
  return unseal(sealed, { purpose: PURPOSE, context: use })
}
