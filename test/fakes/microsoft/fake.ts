import { setTimeout as delay } from 'node:timers/promises'
import type { FakeDeclaration } from '../vendors/declaration.ts'
import { startFake } from '../vendors/engine.ts'
import type { Fake, FakeOptions } from '../vendors/fake.ts'
import type { FakeVendor } from '../vendors/routes.ts'
import { CODE_FAULTS, errorAnswer, MIXED_UP } from './errors.ts'
import { fill, type VendorFields } from './resource.ts'
import { microsoftRoutes } from './routes.ts'
import { scenarios } from './scenarios.ts'
import { type TokenRules, tokens } from './token.ts'

export type MicrosoftOptions = FakeOptions &
  Partial<TokenRules> & {
    /** Whether an application by itself may see assigned licenses; the real API may require a signed-in user. */
    showsAssigned?: boolean
  }

export type FakeMicrosoft = Fake<VendorFields> & {
  /** Configuration of the product's client; writes are visible immediately. */
  config: {
    url: string
    tokenUrl: string
    clientId: string
    clientSecret: string
    settleMs: number
    callsPerMinute: number
    idempotentWrites: number
  }
  /** Simulates that an administrator has revoked the application's rights, and granted them again. */
  revokeTokens(): void
  /** Returns the settings with which the console calls this fake. */
  environment(): Record<string, string>
}

const SLOW_MS = 200

/** Starts a Partner Center with its published rules, and its Entra ID, on loopback. */
export async function startMicrosoft(options: MicrosoftOptions = {}): Promise<FakeMicrosoft> {
  const { clientId = 'console', clientSecret = 'only-for-the-fake', tokenSeconds = 3600 } = options
  const entra = tokens({ clientId, clientSecret, tokenSeconds })
  const fake = await startFake(partnerCenter(entra, options.showsAssigned ?? true), options)
  const tokenUrl = `${fake.url}/tenant/oauth2/v2.0/token`
  const defaults = { settleMs: 0, callsPerMinute: 600, idempotentWrites: 86_400_000 }
  const config = { url: fake.url, tokenUrl, clientId, clientSecret, ...defaults }
  const environment = () => ({
    MICROSOFT_TENANT_ID: 'tenant',
    MICROSOFT_CLIENT_ID: clientId,
    MICROSOFT_CLIENT_SECRET: clientSecret,
    MICROSOFT_URL: fake.url,
    MICROSOFT_TOKEN_URL: tokenUrl,
  })
  return Object.assign(fake, { config, environment, revokeTokens: entra.revokeAll })
}

function partnerCenter(entra: ReturnType<typeof tokens>, showsAssigned: boolean): FakeVendor<VendorFields> {
  const { routes, accepts } = microsoftRoutes(entra, showsAssigned)
  return {
    label: 'Microsoft Partner Center',
    routes,
    fill,
    error: (status) => (status === 500 ? errorAnswer(800094) : { status, body: 'Service Unavailable' }),
    throttled: (seconds) => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { code: '429', description: 'Too many requests.' },
    }),
    missing: () => ({ status: 404, body: { code: '404', description: 'There is nothing here.' } }),
    faults: {
      ...CODE_FAULTS,
      accepted: accepts(true),
      'accepted-never-done': accepts(false),
      // A successful response that still has the old total.
      'old-answer': async (stage) => {
        const answer = await accepts(true)(stage)
        return typeof answer === 'object' && answer.status === 202 ? { ...answer, status: 200 } : answer
      },
      'empty-after': async (stage) => ({ status: (await stage.act()).status }),
      slow: (stage) => delay(SLOW_MS).then(() => stage.act()),
      'token-expired': () => ({ status: 401, body: { code: '401', description: 'Unauthorized' } }),
      // Response of a proxy between the client and Microsoft.
      'proxy-404': () => ({
        status: 404,
        headers: { 'content-type': 'text/html' },
        body: '<!DOCTYPE html><title>Not found</title>',
      }),
      ...MIXED_UP,
      redirect: () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' } }),
    },
  }
}

const PLANS: Record<string, string> = {
  FLEXIBLE: 'P1M monthly',
  ANNUAL_MONTHLY_PAY: 'P1Y monthly',
  ANNUAL_YEARLY_PAY: 'P1Y annual',
}

/** The fake as the demo and the fuzz run it. */
export const microsoft: FakeDeclaration = {
  vendor: 'microsoft-partner-center',
  async start(options) {
    const fake = await startMicrosoft(options)
    return { fake: fake as unknown as Fake, settings: fake.environment() }
  },
  needs: ['MICROSOFT_TENANT_ID', 'MICROSOFT_CLIENT_ID', 'MICROSOFT_CLIENT_SECRET'],
  confirmSetting: 'MICROSOFT_SETTLE_SECONDS',
  callsSetting: 'MICROSOFT_CALLS_PER_MINUTE',
  toNewSubscription: ({ planName, status, ...seed }) => ({
    ...seed,
    plan: PLANS[planName] ?? planName,
    status: status.toLowerCase(),
  }),
  lenient: { refundable: [{ quantity: 1_000_000, allowedUntilDateTime: '2099-12-31T00:00:00Z' }] },
  writeFaults: [
    ...['accepted', 'empty-after', 'code-2055', 'code-900278', 'token-expired'],
    ...['another-subscription', 'another-sku', 'another-customer'],
  ],
  // Not another SKU: two such answers in a row are an upgrade.
  readFaults: [
    ...['code-900308', 'code-20002', 'code-60003', 'token-expired', 'proxy-404'],
    ...['another-subscription', 'another-customer'],
  ],
  scenarios,
}
