import 'server-only'
import type { NextAuthOptions } from 'next-auth'
import Provider from 'next-auth/providers/credentials'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { areSecure, type Cookie, cookieName } from '#lib/platform/caller/cookies.ts'
import { canonicalAddress } from '#lib/platform/caller/limits/addresses.ts'
import { localPath } from '#lib/platform/caller/rules.ts'
import { checkSameOrigin } from '#lib/platform/caller/same-origin.ts'
import { readToken, SESSION_SECONDS, sessionSecret } from '#lib/platform/caller/session.ts'
import { log, logFailure, measured, requestContext } from '#lib/platform/runtime/log.ts'
import { type BrowserClient, signIn } from '../sign-in.ts'
import { setDeviceCookie } from './browsers.ts'
import { pendingCookie } from './pending.ts'
import { signOut } from './session-life.ts'
import { type Credentials, FIELDS, type Stepped, stepOf } from './steps.ts'

const OUTCOMES = { 'signed-in': 'opened', refused: 'failed', throttled: 'throttled' } as const

/**
 * Returns the options of next-auth, reduced to carrying a session id in an encrypted cookie.
 * @param onCookies receives Set-Cookie headers that next-auth can't send
 */
export function authOptions(onCookies: (...headers: string[]) => void = () => {}): NextAuthOptions {
  const secure = areSecure()
  const cookie = (name: Cookie) => ({
    name: cookieName(name),
    options: { httpOnly: true, sameSite: 'lax' as const, path: '/', secure },
  })
  return {
    secret: sessionSecret(),
    useSecureCookies: secure,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    jwt: { decode: readToken },
    cookies: {
      sessionToken: cookie('session'),
      csrfToken: cookie('csrf'),
      callbackUrl: cookie('callback'),
    },
    pages: { signIn: '/sign-in', signOut: '/sign-in', error: '/sign-in' },
    providers: [
      Provider({
        credentials: FIELDS,
        // next-auth copies the text of errors thrown here into its answer, so they must reveal nothing.
        authorize: async (credentials, request) => {
          const outcome = await outcomeOf(credentials, request.headers).catch((error: unknown) => {
            logFailure(toProblem(error), error, requestContext()?.requestId ?? '')
            throw new Error('unavailable')
          })
          if (outcome.kind === 'pending') {
            if (outcome.id !== undefined) onCookies(pendingCookie(outcome.id))
            throw new Error('pending')
          }
          if (outcome.kind === 'ended') throw new Error('ended')
          measured('signIn', { outcome: OUTCOMES[outcome.kind] })
          if (outcome.kind === 'throttled') throw new Error(`throttled ${outcome.seconds}`)
          if (outcome.kind === 'refused') return null
          onCookies(setDeviceCookie(outcome.deviceCookie), pendingCookie(undefined))
          return { id: outcome.sid }
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

type Headers = Record<string, unknown> | undefined

/** Runs a sign-in with a password, or a further step, which requires a same-origin request. */
async function outcomeOf(credentials: Credentials, headers: Headers): Promise<Stepped> {
  const client = clientOf(headers)
  const step = stepOf(credentials)
  if (!step) return signIn(credentials, client)
  try {
    checkSameOrigin({ get: (name) => (headers?.[name] === undefined ? null : String(headers[name])) })
  } catch {
    return { kind: 'refused' }
  }
  return step(client)
}

function clientOf(headers: Headers): BrowserClient {
  const text = (name: string) => String(headers?.[name] ?? '')
  const address = canonicalAddress(text('x-client-address'))
  return { address, userAgent: text('user-agent'), cookies: text('cookie') }
}
