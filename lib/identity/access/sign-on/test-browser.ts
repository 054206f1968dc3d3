import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { session } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { answerBegin, answerCallback } from './answers.ts'
import { addDomain, proveDomain } from './domains.ts'
import { addProvider, type ProviderValues } from './providers.ts'

/** Sets up a provider like the operator's commands, with a domain that the customer has proven. @returns its id */
export function setUp(
  customerId: CustomerId,
  domain: string,
  values: ProviderValues & { issuer: string; name?: string },
): Promise<string> {
  return scope({ customerId }, async (tx) => {
    const providerValues = {
      name: 'default',
      clientId: 'console',
      clientSecret: 'a secret of the console and its issuer',
    }
    const provider = { ...providerValues, scopes: ['openid', 'email', 'profile'], ...values }
    const providerId = await addProvider(tx, customerId, provider)
    await addDomain(tx, customerId, { domain, providerId })
    await proveDomain(tx, customerId, domain, 'operator')
    return providerId
  })
}

/** Minimal browser that keeps cookies. */
export class Browser {
  readonly cookies = new Map<string, string>()

  get headers(): Record<string, string> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    return { cookie, 'sec-fetch-site': 'same-origin', 'x-client-address': '192.0.2.7', 'user-agent': 'Test' }
  }

  /** Stores the cookies of a response. */
  saveCookies<T extends Response>(response: T): T {
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Submits the sign-in form. */
  async begin(email: string, more: Record<string, string> = {}) {
    const body = new URLSearchParams({ email, from: '/', ...more })
    const init = { method: 'POST', headers: this.headers, body }
    const response = this.saveCookies(
      await answerBegin(new Request('http://localhost:3000/auth/sign-on/begin', init)),
    )
    return (await response.json()) as { kind: string; location?: string }
  }

  /** Returns from an issuer. @returns the address of the redirect */
  async comeBack(providerId: string, query: Record<string, string>): Promise<string> {
    const url = `http://localhost:3000/auth/sign-on/callback/${providerId}?${new URLSearchParams(query)}`
    const response = await answerCallback(new Request(url, { headers: this.headers }), providerId)
    return this.saveCookies(response).headers.get('location') ?? ''
  }

  /** Returns the signed-in caller. */
  caller(): Promise<Caller | undefined> {
    return session(new Headers(this.headers))
  }

  async sessionDigest(): Promise<string> {
    return (await this.caller())?.session ?? digestOf('nobody')
  }
}

/**
 * Goes to a hostile issuer and back. Its codes equal the nonces of their sign-ins.
 * @param more further parameters of the callback
 */
export async function goThrough(
  browser: Browser,
  { email, providerId }: { email: string; providerId: string },
  more: Record<string, string> = {},
): Promise<string> {
  const { location } = await browser.begin(email)
  return browser.comeBack(providerId, { ...answerFor(location), ...more })
}

/** Returns the callback parameters of an honest issuer for the address that the browser was redirected to. */
export function answerFor(location = ''): { code: string; state: string } {
  const { searchParams } = new URL(location)
  return { code: searchParams.get('nonce') ?? '', state: searchParams.get('state') ?? '' }
}
