import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { callbackOf } from '#lib/identity/access/sign-on/code-flow.ts'
import { inspectEndpoints } from '#lib/identity/access/sign-on/issuer.ts'
import { checkIssuerAddress } from '#lib/identity/access/sign-on/outbound.ts'
import type { ProviderValues } from '#lib/identity/access/sign-on/providers.ts'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import type { Mapping } from '#lib/identity/access/sign-on/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { checkedText, customerNamed, recordOperatorAction, rolesOf } from '../command.ts'
import { note, print } from '../terminal.ts'

export async function setProvider(options: Options): Promise<void> {
  const { customerId } = await customerNamed(options.customer)
  const name = checkedText('name of the provider', options.provider, 60)
  const settings = await settingsFrom(options)
  const id = await scope({ customerId }, async (tx) => {
    const before = await store.readProvider(tx, customerId, name)
    const changed = before ? before.id : await add(tx, customerId, name, settings)
    if (before) await store.changeProvider(tx, customerId, before, settings)
    await recordOperatorAction(tx, customerId, 'identity-provider.set', changed, {
      name,
      ...detailsOf(settings),
    })
    return changed
  })
  print(callbackOf(id))
  note('Let the issuer lead back to this address (its “redirect URI”).')
}

async function add(
  tx: Transaction,
  customerId: CustomerId,
  name: string,
  settings: store.ProviderValues,
): Promise<string> {
  const { issuer, clientId, clientSecret } = settings
  if (!issuer || !clientId || !clientSecret)
    throw new Problem(
      'invalid_request',
      `There is no identity provider "${name}" yet. Give its --issuer, --client-id and --secret-file.`,
    )
  const scopes = settings.scopes ?? ['openid', 'email', 'profile']
  return store.addProvider(tx, customerId, { ...settings, name, issuer, clientId, clientSecret, scopes })
}

function detailsOf({ clientSecret, mappings, joinRoles, ...settings }: store.ProviderValues) {
  return {
    ...settings,
    ...(joinRoles === undefined ? {} : { joinRoles: joinRoles ?? 'none' }),
    ...(mappings ? { mappings: mappings.map(ruleText) } : {}),
    ...(clientSecret === undefined ? {} : { clientSecret: 'set' }),
  }
}

function ruleText(mapping: Mapping): string {
  return `${mapping.claim}:${mapping.value}=${'role' in mapping ? mapping.role : mapping.profile}`
}

export async function showProviders(tx: Transaction, customerId: CustomerId) {
  const passwords = (await store.isSignOnOnly(tx, customerId)) ? 'refused' : 'allowed'
  const all = await store.listProviders(tx, customerId)
  return all.map(({ id, name, issuer, clientId, scopes, verifiedClaim, joinRoles, mappings, offAt }) => ({
    ...{
      name,
      issuer,
      clientId,
      state: offAt === null ? 'on' : 'off',
      passwords,
      joinRoles: joinRoles ?? [],
    },
    ...{ mappings: mappings.map(ruleText), scopes, verifiedClaim, redirectUri: callbackOf(id) },
  }))
}

export async function testProvider(named: Named): Promise<void> {
  const { customerId } = await customerNamed(named.customer)
  const { id, issuer } = await scope({ customerId }, (tx) => providerNamed(tx, customerId, named))
  const metadata = await inspectEndpoints(issuer).catch((error: unknown) => {
    throw new Problem('invalid_request', `${issuer} will not do: ${reasonOf(error)}`)
  })
  const yes = (is: unknown) => (is ? 'yes' : 'no')
  print(`Issuer            ${metadata.issuer}`)
  print(`Sign-in at        ${metadata.authorization_endpoint}`)
  print(
    `PKCE with S256    ${yes(metadata.code_challenge_methods_supported?.includes('S256'))}, as it says; it is sent anyway`,
  )
  print(`Names itself      ${yes(metadata.authorization_response_iss_parameter_supported)} (RFC 9207)`)
  print(`Sign-out there    ${yes(metadata.end_session_endpoint)}`)
  print(`Leads back to     ${callbackOf(id)}`)
  note('The client and its secret are tried by the first sign-in.')
}

export async function disableProvider(named: Named): Promise<void> {
  const { customerId } = await customerNamed(named.customer)
  await scope({ customerId }, async (tx) => {
    const { id, name } = await providerNamed(tx, customerId, named)
    await store.disableProvider(tx, customerId, id)
    await recordOperatorAction(tx, customerId, 'identity-provider.turned-off', id, { name })
    const others = (await store.listProviders(tx, customerId)).filter(({ offAt }) => offAt === null)
    if (others.length > 0 || !(await store.isSignOnOnly(tx, customerId))) return
    await store.setSignOnOnly(tx, customerId, false)
    await recordOperatorAction(tx, customerId, 'customer.passwords-allowed', customerId)
    note('It was the last one: members sign in by password again.')
  })
  note(`Nobody signs in by ${named.provider} any more.`)
}

/** @throws Problem where the customer has no provider of this name */
export async function providerNamed(tx: Transaction, customerId: CustomerId, { customer, provider }: Named) {
  const row = await store.readProvider(tx, customerId, provider)
  if (!row) throw new Problem('not_found', `${customer} has no identity provider "${provider}".`)
  return row
}

export type Named = { customer: string; provider: string }

type Options = Named & {
  issuer?: string
  clientId?: string
  secretFile?: string
  scope?: string[]
  verifiedClaim?: string
  /** False: joining is off. */
  join?: string[] | boolean
  roleFrom?: string[]
  profileFrom?: string[]
  /** False: no mapping. */
  mapping?: boolean
}

/**
 * Returns the provider's values from the options.
 * @throws Problem that names the invalid option
 */
async function settingsFrom(options: Options): Promise<ProviderValues> {
  const { issuer, clientId, secretFile, verifiedClaim, join } = options
  const mappings = mappingsOf(options)
  return {
    ...(issuer === undefined ? {} : { issuer: issuerOf(issuer) }),
    ...(clientId === undefined ? {} : { clientId: checkedText('client id', clientId, 300) }),
    ...(secretFile === undefined ? {} : { clientSecret: await secretIn(secretFile) }),
    ...(options.scope
      ? { scopes: ['openid', ...options.scope.map((one) => checkedText('scope', one, 100))] }
      : {}),
    ...(verifiedClaim === undefined ? {} : { verifiedClaim: checkedText('claim', verifiedClaim, 100) }),
    ...(Array.isArray(join) ? { joinRoles: rolesOf(join) } : join === false ? { joinRoles: null } : {}),
    ...(mappings ? { mappings } : {}),
  }
}

/** @throws Problem for an address outside the allowed ones */
function issuerOf(value: string): string {
  try {
    checkIssuerAddress(value)
    return value
  } catch (error) {
    throw new Problem('invalid_request', `"${value}" can be no issuer: ${reasonOf(error)}`)
  }
}

async function secretIn(file: string): Promise<string> {
  const rawSecret =
    file === '-' ? await text(process.stdin) : await readFile(resolve(env().callerDir, file), 'utf8')
  return checkedText('client secret', rawSecret, 1000)
}

function mappingsOf({ roleFrom = [], profileFrom = [], mapping }: Options): Mapping[] | undefined {
  if (mapping === false) return []
  if (roleFrom.length + profileFrom.length === 0) return undefined
  const roles = roleFrom.map(ruleOf).map(({ claim, value, what }) => {
    const [role] = rolesOf([what])
    return { claim, value, role: role as Role }
  })
  const profiles = profileFrom.map(ruleOf).map(({ claim, value, what }) => ({ claim, value, profile: what }))
  return [...roles, ...profiles]
}

/** Parses a rule such as `groups:it-team=it-manager`; the value may contain colons, and the last equals sign counts. */
function ruleOf(rule: string) {
  const [, claim, value, what] = /^([^:=\s]+):(.+)=([^=\s]+)$/.exec(rule) ?? []
  if (!claim || !value || !what)
    throw new Problem('invalid_request', `"${rule}" is no rule such as groups:it-team=it-manager.`)
  return { claim, value, what }
}
