import type { KeyObject } from 'node:crypto'
import type { FakeDeclaration } from '../vendors/declaration.ts'
import { startFake } from '../vendors/engine.ts'
import type { Fake, FakeOptions } from '../vendors/fake.ts'
import { errorAnswer, html, VENDOR_FAULTS } from './errors.ts'
import { fill, type GoogleFields } from './resource.ts'
import { googleRoutes } from './routes.ts'
import { scenarios } from './scenarios.ts'
import { ORDER, ORDER_READONLY, tokenEndpoint } from './token.ts'

// Fake of Google's Workspace Reseller API v1, with the token endpoint in front. It follows Google's own description of
// the API (description.ts) and the rules that Google publishes for changeSeats.

export type GoogleOptions = FakeOptions & {
  /** Administrator whom the service account may impersonate. */
  admin?: string
  /** Scopes that were delegated to the service account. */
  scopes?: string[]
}

export type FakeGoogle = Fake<GoogleFields> & {
  admin: string
  tokenUrl: string
  /**
   * Writes the service account's key file into a folder.
   * @param key a key other than the right one
   */
  keyFile(folder: string, key?: KeyObject): string
  revokeTokens(): void
  /** Returns the settings with which the console calls this fake. Writes the key file into the folder. */
  environment(folder: string): Record<string, string>
}

/** Starts the fake. */
export async function startGoogle(options: GoogleOptions = {}): Promise<FakeGoogle> {
  const { admin = 'admin@reseller.example', scopes = [ORDER, ORDER_READONLY] } = options
  const tokens = tokenEndpoint({ admin, scopes })
  const fake = await startFake<GoogleFields>(
    {
      label: 'Google Workspace Reseller',
      routes: googleRoutes(tokens),
      fill,
      faults: VENDOR_FAULTS,
      error: (status) => errorAnswer(status, 'backendError', 'Backend Error'),
      throttled: (seconds) => {
        const quotaError = errorAnswer(429, 'quotaExceeded', 'Quota exceeded')
        return { ...quotaError, headers: { 'retry-after': String(seconds) } }
      },
      missing: () => html(404),
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

/** The fake as the demo and the fuzz run it. */
export const google: FakeDeclaration = {
  vendor: 'google-workspace',
  async start(options, folder) {
    const fake = await startGoogle(options)
    return { fake: fake as unknown as Fake, settings: fake.environment(folder) }
  },
  needs: ['GOOGLE_KEY_FILE', 'GOOGLE_ADMIN'],
  confirmSetting: 'GOOGLE_SETTLE_SECONDS',
  callsSetting: 'GOOGLE_CALLS_PER_MINUTE',
  toNewSubscription: ({ planName, ...seed }) => ({ ...seed, plan: planName }),
  writeFaults: ['token-expired', 'another-customer', 'another-sku', 'other-seats', 'no-json'],
  // Excludes the daily limit, after which no calls are made for a long time.
  readFaults: [
    ...['forbidden', 'not-found', 'api-off', 'token-expired'],
    ...['another-customer', 'another-sku', 'proxy-404', 'no-json'],
  ],
  scenarios,
}
