// Every screen loads this file: it contains only the sign-out.

import { postForm } from './post-form.ts'

/**
 * Ends the session.
 * @throws Error when it could not be ended: the cookie still opens the console
 */
export async function signOut(): Promise<void> {
  const answer = await postForm('/api/auth/signout', {})
  if (!answer.ok || answer.url?.includes('csrf=true')) throw new Error('The session was not ended.')
}

/**
 * Returns the logout URL of the issuer that opened this session; undefined where there is none, or no answer. Never
 * throws.
 */
export async function providerLogoutUrl(): Promise<string | undefined> {
  try {
    const response = await fetch('/auth/sign-on/end', { method: 'POST', body: new URLSearchParams() })
    return ((await response.json()) as { location?: string }).location
  } catch {
    return undefined
  }
}
