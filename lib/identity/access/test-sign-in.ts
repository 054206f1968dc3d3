import { type BrowserClient, signIn } from './sign-in.ts'

/** Signs in from an address. @returns the session's id, or the outcome of a failure */
export async function signInFrom(
  credentials: unknown,
  address = '192.0.2.1',
  more: Partial<BrowserClient> = {},
): Promise<string | null> {
  const outcome = await signIn(credentials, { address, userAgent: '', cookies: '', ...more })
  if (outcome.kind === 'signed-in') return outcome.sid
  return outcome.kind === 'refused' ? null : outcome.kind
}
