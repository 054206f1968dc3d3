// next-auth's own calls, which are no part of our contract: its client would cost every page 10 kB.

/**
 * `refused`: address and password don't fit. `throttled`: too many failures; in so many seconds there may be another
 * attempt. `unavailable`: no answer, or none that says either.
 */
export type SignInAnswer =
  | { kind: 'signed-in' | 'refused' | 'unavailable' }
  | { kind: 'throttled'; seconds: number }

/** Opens a session, which arrives as a cookie that no script can read. Never throws. */
export async function signIn(email: string, password: string): Promise<SignInAnswer> {
  const answer = await postForm('/api/auth/callback/credentials', { email, password }).catch(() => undefined)
  if (answer?.url === undefined) return { kind: 'unavailable' }
  // next-auth says in the address where it would lead what became of it.
  const { searchParams } = new URL(answer.url, location.origin)
  if (answer.ok && !searchParams.has('csrf') && !searchParams.has('error')) return { kind: 'signed-in' }
  const error = searchParams.get('error') ?? ''
  const [, seconds] = /^throttled (\d+)$/.exec(error) ?? []
  if (seconds !== undefined) return { kind: 'throttled', seconds: Number(seconds) }
  return { kind: error === 'CredentialsSignin' ? 'refused' : 'unavailable' }
}

/**
 * Ends the session.
 * @throws Error when it could not be ended: the cookie still opens the console
 */
export async function signOut(): Promise<void> {
  const answer = await postForm('/api/auth/signout', {})
  if (!answer.ok || answer.url?.includes('csrf=true')) throw new Error('The session was not ended.')
}

async function postForm(
  path: string,
  fields: Record<string, string>,
): Promise<{ ok: boolean; url?: string }> {
  const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string }
  const response = await fetch(path, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
  })
  const { url } = (await response.json()) as { url?: string }
  return { ok: response.ok, ...(url === undefined ? {} : { url }) }
}
