import { postForm } from './post-form.ts'

// next-auth's own routes, which are not part of our contract. Its client would add 10 kB to every page.

/**
 * `pending`: another step follows. `ended`: the first step was too long ago. `refused`: wrong credentials. `throttled`:
 * too many failures; the next attempt is possible after `seconds`. `busy`: too many requests from this address.
 * `unavailable`: no answer, or an unexpected one.
 */
export type SignInAnswer =
  | { kind: 'signed-in' | 'pending' | 'ended' | 'refused' | 'busy' | 'unavailable' }
  | { kind: 'throttled'; seconds: number }

/** Opens a session, whose cookie is HttpOnly. Never throws. */
export function signIn(email: string, password: string): Promise<SignInAnswer> {
  return post({ email, password })
}

/** Opens a session with only a passkey. Never throws. @param answer of the passkey */
export function signInByPasskey(answer: object): Promise<SignInAnswer> {
  return post({ passkey: JSON.stringify(answer) })
}

/** Proves a second factor after a password: a code, or a passkey's answer. Never throws. */
export function proveFactor(credential: { code: string } | { passkey: object }): Promise<SignInAnswer> {
  return post({ factor: JSON.stringify(credential) })
}

/** Sets up the second factor that is required before a session opens. Never throws. */
export function setUpFactor(credential: object): Promise<SignInAnswer> {
  return post({ newFactor: JSON.stringify(credential) })
}

/**
 * Picks a customer: after a sign-in, or instead of the present one, whose session is ended. The new session arrives as
 * a cookie. Never throws.
 */
export function pickCustomer(customer: string): Promise<SignInAnswer> {
  return post({ customer })
}

async function post(credentials: Record<string, string>): Promise<SignInAnswer> {
  const answer = await postForm('/api/auth/callback/credentials', credentials).catch(() => undefined)
  if (answer?.isBusy) return { kind: 'busy' }
  if (answer?.url === undefined) return { kind: 'unavailable' }
  // next-auth puts the result into the query string of its redirect URL.
  const { searchParams } = new URL(answer.url, location.origin)
  if (answer.ok && !searchParams.has('csrf') && !searchParams.has('error')) return { kind: 'signed-in' }
  const error = searchParams.get('error') ?? ''
  if (error === 'pending' || error === 'ended') return { kind: error }
  const [, seconds] = /^throttled (\d+)$/.exec(error) ?? []
  if (seconds !== undefined) return { kind: 'throttled', seconds: Number(seconds) }
  return { kind: error === 'CredentialsSignin' ? 'refused' : 'unavailable' }
}

/**
 * Continues after a step: to the page's `from` address, or to the next step. Always a full page load, so that nothing
 * that an earlier caller saw is left in memory.
 * @returns whether it navigates; otherwise the answer is an error to show
 */
export function navigateToNextStep({ kind }: SignInAnswer, to = '/'): boolean {
  if (kind === 'signed-in') location.assign(to)
  else if (kind === 'pending') location.assign(`/sign-in/customer${location.search}`)
  else if (kind === 'ended') location.assign(`/sign-in${location.search}`)
  else return false
  return true
}
