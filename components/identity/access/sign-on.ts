// The console's own routes of single sign-on, which are not part of our contract: they set cookies and redirect.

/**
 * Address of the issuer's sign-in page. `none`: no single sign-on for this email address. `busy`: too many requests
 * from this address.
 */
export type SignOnAnswer =
  | { kind: 'to-issuer'; location: string }
  | { kind: 'none' | 'unavailable' | 'busy' | 'refused' }

/** Starts a single sign-on, and binds it to this browser with a cookie. Never throws. */
export function beginSignOn(email: string, from: string): Promise<SignOnAnswer> {
  return begin({ email, from })
}

/**
 * Like `beginSignOn`, but for a fresh proof of identity by a signed-in member: `none` where no issuer opened their
 * session.
 */
export function beginFreshSignOn(from: string): Promise<SignOnAnswer> {
  return begin({ from, fresh: '1' })
}

async function begin(fields: Record<string, string>): Promise<SignOnAnswer> {
  try {
    const response = await post('/auth/sign-on/begin', fields)
    if (response.status === 429) return { kind: 'busy' }
    return (await response.json()) as SignOnAnswer
  } catch {
    return { kind: 'unavailable' }
  }
}

function post(path: string, fields: Record<string, string>): Promise<Response> {
  return fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
}

const ERRORS: Record<string, string> = {
  again: 'That took too long, or was begun in another window. Use single sign-on again.',
  refused: 'Your company’s sign-in did not let you in here. Try again; if it stays so, ask your Admin.',
  unavailable: 'Your company’s sign-in gives no answer at the moment. Try again later.',
  mail: 'Your identity provider didn’t confirm your email address. Ask your Admin.',
  'no-member': 'You have no access here yet. Ask your Admin to invite you.',
  closed: 'Your company’s account is closed. Existing members can read; new ones cannot join.',
  'other-account': 'That was another account than the one that you are signed in with here.',
}

/** Returns the text of a failed single sign-on from the sign-in page's query string; empty where there was no error. */
export function signOnError(search: string): string {
  return ERRORS[new URLSearchParams(search).get('sign-on') ?? ''] ?? ''
}
