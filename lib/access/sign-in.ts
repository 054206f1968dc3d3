import 'server-only'
import type { NextAuthOptions } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { z } from 'zod'
import { toProblem } from '#lib/api/problem.ts'
import { env } from '#lib/env.ts'
import { log, logFailure } from '#lib/log.ts'
import { measured } from '#lib/measured.ts'
import { visit } from '#lib/visit.ts'
import { canonicalAddress } from './limits/addresses.ts'
import { passwordFits } from './password.ts'
import { PASSWORD_MAX } from './passwords/rules.ts'
import { localPath } from './rules.ts'
import { SESSION_SECONDS } from './session.ts'
import { cookieName, readToken, session, sessionSecret } from './session-cookie.ts'
import { digestOfMark, markOf, newMark } from './sign-ins/browser-mark.ts'
import { countAttempt } from './sign-ins/budgets.ts'
import { findSignIn } from './sign-ins/look-up.ts'
import { closeSession, openSession, signOut } from './sign-ins/session-life.ts'
import { traceFailure } from './sign-ins/traces.ts'
import { signInTurn } from './sign-ins/turn.ts'

const SignIn = z.object({ email: z.email().max(254), password: z.string().min(1).max(PASSWORD_MAX) })

/** Who asks, as far as the request says: an address in its one form, the browser's name for itself, its cookies. */
export type Visitor = { address: string; userAgent: string; cookies: string }

/**
 * `refused`: unknown, disabled and wrong look the same and take as long. `throttled`: answered before the password is
 * looked at; after so many seconds there may be another attempt.
 */
export type SignedIn =
  | { kind: 'signed-in'; sid: string; mark: string }
  | { kind: 'throttled'; seconds: number }
  | { kind: 'refused' }

const OUTCOMES = { 'signed-in': 'opened', refused: 'failed', throttled: 'throttled' } as const

const REFUSED: SignedIn = { kind: 'refused' }

/**
 * Opens a session for an e-mail address and its password, and ends the one that the browser had before.
 * @returns the new session's id and the browser's mark, for its cookies
 * @throws Problem `service_unavailable`, where too many try at once
 */
export async function signIn(credentials: unknown, visitor: Visitor): Promise<SignedIn> {
  const leave = await signInTurn(markOf(visitor.cookies) === undefined ? 'strangers' : 'marked')
  return tried(credentials, visitor).finally(leave)
}

async function tried(credentials: unknown, visitor: Visitor): Promise<SignedIn> {
  const given = SignIn.safeParse(credentials)
  if (!given.success) return REFUSED
  const { email, password } = given.data
  const mark = markOf(visitor.cookies)
  const browser = mark && digestOfMark(mark)
  const found = await findSignIn(email, browser)
  const knownBrowser = found?.isKnown ? browser : undefined
  const attempt = await countAttempt(email, { address: visitor.address, knownBrowser })
  if (attempt.kind === 'throttled') {
    traceFailure(found, 'throttled')
    return attempt
  }
  if (!(await passwordFits(password, found?.passwordHash)) || !found) {
    traceFailure(found, 'failed')
    return REFUSED
  }
  await attempt.forgive()
  const before = await session({ get: (name) => (name === 'cookie' ? visitor.cookies : null) })
  const known = mark ?? newMark()
  const sid = await openSession(found, visitor, known)
  if (sid === undefined) return REFUSED
  if (before?.session) await closeSession(before, before.session, 'signed in again')
  return { kind: 'signed-in', sid, mark: known }
}

/**
 * next-auth, cut down to what we need: it carries a session id in an encrypted cookie, no more.
 * @param onSignedIn is told the browser's mark, which next-auth has no cookie for
 */
export function authOptions(onSignedIn: (mark: string) => void = () => {}): NextAuthOptions {
  const secure = env().baseUrl.startsWith('https:')
  const cookie = (name: string) => ({
    name: cookieName(name),
    options: { httpOnly: true, sameSite: 'lax' as const, path: '/', secure },
  })
  return {
    secret: sessionSecret(),
    useSecureCookies: secure,
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    jwt: { decode: readToken },
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
          const outcome = await signIn(credentials, visitorOf(request.headers)).catch((error: unknown) => {
            logFailure(toProblem(error), error, visit()?.requestId ?? '')
            throw new Error('unavailable')
          })
          measured('signIn', { outcome: OUTCOMES[outcome.kind] })
          if (outcome.kind === 'throttled') throw new Error(`throttled ${outcome.seconds}`)
          if (outcome.kind === 'refused') return null
          onSignedIn(outcome.mark)
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

function visitorOf(headers: Record<string, unknown> | undefined): Visitor {
  const text = (name: string) => String(headers?.[name] ?? '')
  const address = canonicalAddress(text('x-client-address'))
  return { address, userAgent: text('user-agent'), cookies: text('cookie') }
}
