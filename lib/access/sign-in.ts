import 'server-only'
import { randomBytes } from 'node:crypto'
import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { z } from 'zod'
import { scope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { log } from '#lib/log.ts'
import { measured } from '#lib/measured.ts'
import { digestOf } from './api-key.ts'
import { PASSWORD_MAX } from './contract.ts'
import { passwordFits } from './password.ts'
import { localPath } from './rules.ts'
import { addSession, endSession, findSessionCaller, SESSION_SECONDS } from './session.ts'
import { cookieName, sessionSecret } from './session-cookie.ts'
import { findSignIn } from './store.ts'
import { countAttempt } from './throttle.ts'

const SignIn = z.object({ email: z.email().max(254), password: z.string().min(1).max(PASSWORD_MAX) })

/**
 * Opens a session for an e-mail address and its password.
 * @param address of the client: too many failures from there are answered before the password is looked at
 * @returns the new session's id, or null: unknown, disabled and wrong look the same and take as long
 */
export async function signIn(credentials: unknown, address: string): Promise<string | 'throttled' | null> {
  const given = SignIn.safeParse(credentials)
  if (!given.success) return null
  const attempt = await countAttempt(given.data.email, address)
  if (attempt.isThrottled) return 'throttled'
  const found = await findSignIn(given.data.email)
  if (!(await passwordFits(given.data.password, found?.passwordHash)) || !found) return null
  await attempt.forgive()
  const id = randomBytes(32).toString('base64url')
  await scope(found, (tx) => addSession(tx, found.customerId, found.memberId, digestOf(id)))
  return id
}

/** Ends the session with this id; the cookie of an ended session opens nothing. */
export async function signOut(id: string): Promise<void> {
  const caller = await findSessionCaller(digestOf(id))
  if (caller) await scope(caller, (tx) => endSession(tx, caller.customerId, digestOf(id)))
}

/** next-auth, cut down to what we need: it carries a session id in an encrypted cookie, no more. */
export function authOptions(): NextAuthOptions {
  const secure = env().baseUrl.startsWith('https:')
  const cookie = (name: string) => ({
    name: cookieName(name),
    options: { httpOnly: true, sameSite: 'lax' as const, path: '/', secure },
  })
  return {
    secret: sessionSecret(),
    useSecureCookies: secure,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    cookies: {
      sessionToken: cookie('console-session'),
      csrfToken: cookie('console-csrf'),
      callbackUrl: cookie('console-callback'),
    },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    providers: [
      Credentials({
        credentials: { email: {}, password: {} },
        // next-auth writes the text of what is thrown here into its answer: it must say nothing of ours.
        authorize: async (credentials, request) => {
          const address = String(request.headers?.['x-client-address'] ?? '')
          const id = await signIn(credentials, address).catch((error: unknown) => {
            log().error({ err: error }, 'sign-in could not be answered')
            throw new Error('unavailable')
          })
          measured('signIn', { outcome: id === null ? 'failed' : id === 'throttled' ? id : 'opened' })
          if (id === 'throttled') throw new Error('throttled')
          return id === null ? null : { id }
        },
      }),
    ],
    callbacks: {
      jwt: ({ token, user }) => ({ sid: user ? user.id : token.sid }),
      session: ({ session }) => ({ expires: session.expires }),
      redirect: ({ url }) => localPath(url),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token?.sid === 'string') await signOut(token.sid)
      },
    },
    logger: {
      error: (code) => log().warn({ code }, 'sign-in failed'),
      warn: () => {},
      debug: () => {},
    },
  }
}
