import 'server-only'
import * as oidc from 'openid-client'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { localPath } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { addBegun, secretsOf } from './begun.ts'
import { configurationOf } from './issuer.ts'
import { findOpening, findProvider, findProviderOf, type Provider } from './look-up.ts'
import { domainOf } from './rules.ts'

/** Where the browser goes next, with the id for its cookie. `none`: there is no single sign-on for the address. */
export type Begin =
  | { kind: 'to-issuer'; location: string; id: string }
  | { kind: 'none' }
  | { kind: 'unavailable' }

/**
 * Begins a sign-in at the issuer of an address's domain. Whether anybody has the address plays no part.
 * @param from where it goes on to: a path of ours, else the console's start
 */
export async function beginSignOn(email: string, from: string): Promise<Begin> {
  const domain = domainOf(email)
  const provider = domain === undefined ? undefined : await findProviderOf(domain)
  if (!provider) return { kind: 'none' }
  return lead(provider, { login_hint: email.trim() }, { returnTo: localPath(from), freshMember: null })
}

/** Begins that a member whose session a provider opened proves there anew that it is they. */
export async function beginFreshSignOn(
  { customerId, id, email, session }: Caller,
  from: string,
): Promise<Begin> {
  const opening = session === undefined ? undefined : await findOpening(customerId, session)
  const provider = opening && (await findProvider(opening.providerId))
  if (!provider) return { kind: 'none' }
  const anew = { login_hint: email, prompt: 'login', max_age: '0' }
  return lead(provider, anew, { returnTo: localPath(from), freshMember: id })
}

/** The address to which an issuer leads back. Each provider has one of its own, so that none can answer for another. */
export function callbackOf(providerId: string): string {
  return `${env().baseUrl}/auth/sign-on/callback/${providerId}`
}

/** What openid-client needs for a provider. @throws Error where its secret can't be read, or its issuer not be reached */
export async function configurationFor(provider: Provider): Promise<oidc.Configuration> {
  const { clientSecret } = provider
  if (clientSecret === undefined)
    throw new Error('The client secret was sealed with another SESSION_SECRET: set it again.')
  return configurationOf({ ...provider, clientSecret })
}

async function lead(
  provider: Provider,
  more: Record<string, string>,
  begun: { returnTo: string; freshMember: string | null },
): Promise<Begin> {
  try {
    const configuration = await configurationFor(provider)
    const id = await addBegun({ providerId: provider.id, ...begun })
    const { state, nonce, verifier } = secretsOf(id)
    const location = oidc.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: callbackOf(provider.id), scope: provider.scopes.join(' '), state, nonce, ...more },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return { kind: 'to-issuer', location: location.href, id }
  } catch (error) {
    const { customerId: customer, issuer } = provider
    log().warn({ customer, issuer, reason: reasonOf(error).slice(0, 300) }, 'single sign-on is not available')
    return { kind: 'unavailable' }
  }
}
