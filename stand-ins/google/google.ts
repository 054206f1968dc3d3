import type { KeyObject } from 'node:crypto'
import { startFake } from '../vendors/engine.ts'
import type { Fake, FakeOptions } from '../vendors/fake.ts'
import type { OwnFault } from '../vendors/faults.ts'
import type { Answer } from '../vendors/routes.ts'
import { fill, type GoogleOwn } from './resource.ts'
import { googleRoutes } from './routes.ts'
import { html, refusal } from './rules.ts'
import { ORDER, ORDER_READONLY, tokenEndpoint } from './token.ts'

// A stand-in for Google's Workspace Reseller API v1, with the token endpoint before it. It keeps to Google's own
// description of the API (google.test.ts) and to the rules that Google publishes for changeSeats.

const HUGE = 8 * 1024 * 1024

export type GoogleOptions = FakeOptions & {
  /** Whom the service account may act as. */
  admin?: string
  /** What was delegated to it. */
  scopes?: string[]
}

export type FakeGoogle = Fake<GoogleOwn> & {
  admin: string
  tokenUrl: string
  /** Writes the service account's key file into a folder. @param key another key than the right one */
  keyFile(folder: string, key?: KeyObject): string
  revokeTokens(): void
  /** The settings with which the console talks to this fake. The key file is written into the folder. */
  environment(folder: string): Record<string, string>
}

/** Faults that have Google's own words. All but `no-json` and `huge` do nothing. */
const FAULTS: Record<string, OwnFault<Answer>> = {
  'daily-limit': () => refusal(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'),
  'api-off': () => refusal(403, 'accessNotConfigured', 'The API is not enabled for your project'),
  forbidden: () => refusal(403, 'forbidden', 'Not authorized to access the customer'),
  terms: () => refusal(412, 'conditionNotMet', 'The customer has not accepted the terms of service'),
  'token-expired': () => refusal(401, 'authError', 'Invalid Credentials'),
  'not-found': () => refusal(404, 'notFound', 'Subscription not found'),
  /** Someone between us and Google. */
  proxy: () => html(403),
  redirect: () => ({ status: 302, headers: { location: 'https://accounts.google.com/' }, body: '' }),
  'no-json': async (stage) => {
    await stage.act()
    return html(200)
  },
  /** As if it had been done, and was not. */
  'other-seats': () => {
    const seats = { kind: 'subscriptions#seats', numberOfSeats: 1, maximumNumberOfSeats: 1 }
    return { status: 200, body: { kind: 'reseller#subscription', seats } }
  },
  huge: async (stage) => {
    await stage.act()
    return { status: 200, body: `{"padding":"${'x'.repeat(HUGE)}"}` }
  },
}

/** Starts the fake. */
export async function startGoogle(options: GoogleOptions = {}): Promise<FakeGoogle> {
  const { admin = 'admin@reseller.example', scopes = [ORDER, ORDER_READONLY] } = options
  const tokens = tokenEndpoint({ admin, scopes })
  const fake = await startFake<GoogleOwn>(
    {
      label: 'Google Workspace Reseller',
      routes: googleRoutes(tokens),
      fill,
      faults: FAULTS,
      error: (status) => refusal(status, 'backendError', 'Backend Error'),
      throttled: (seconds) => {
        const refused = refusal(429, 'quotaExceeded', 'Quota exceeded')
        return { ...refused, headers: { 'retry-after': String(seconds) } }
      },
      notFound: () => html(404),
    },
    options,
  )
  const tokenUrl = `${fake.url}/token`
  return Object.assign(fake, {
    admin,
    tokenUrl,
    keyFile: tokens.keyFile,
    revokeTokens: tokens.revoke,
    environment: (folder: string) => ({
      GOOGLE_KEY_FILE: tokens.keyFile(folder),
      GOOGLE_ADMIN: admin,
      GOOGLE_URL: fake.url,
      GOOGLE_TOKEN_URL: tokenUrl,
    }),
  })
}
