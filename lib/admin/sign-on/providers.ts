import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import * as operator from '#lib/identity/single-sign-on/operator.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { checkedText, customerNamed, rolesOf } from '../command.ts'
import { note, print, printJson, UsageError } from '../terminal.ts'

export async function setProvider(options: Options): Promise<void> {
  const { customerId } = await customerNamed(options.customer)
  const name = checkedText('name of the provider', options.provider, 60)
  print(await operator.setProvider(customerId, name, await valuesFrom(options)))
  note('Let the issuer lead back to this address (its “redirect URI”).')
}

export async function testProvider({ customer, provider, json }: Named & { json?: boolean }): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const { metadata, redirectUri } = await operator.inspectProvider(customerId, provider)
  if (json) return printJson({ redirectUri, ...metadata })
  const yes = (is: unknown) => (is ? 'yes' : 'no')
  print(`Issuer            ${metadata.issuer}`)
  print(`Sign-in at        ${metadata.authorization_endpoint}`)
  print(
    `PKCE with S256    ${yes(metadata.code_challenge_methods_supported?.includes('S256'))}, as it says; it is sent anyway`,
  )
  print(`Names itself      ${yes(metadata.authorization_response_iss_parameter_supported)} (RFC 9207)`)
  print(`Sign-out there    ${yes(metadata.end_session_endpoint)}`)
  print(`Leads back to     ${redirectUri}`)
  note('The client and its secret are tried by the first sign-in.')
}

export async function disableProvider({ customer, provider }: Named): Promise<void> {
  const { customerId } = await customerNamed(customer)
  if (await operator.disableProvider(customerId, provider))
    note('It was the last one: members sign in by password again.')
  note(`Members can no longer sign in with ${provider}.`)
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
 * @throws UsageError that names the invalid option
 */
async function valuesFrom(options: Options) {
  const { issuer, clientId, secretFile, verifiedClaim, join } = options
  const mappings = mappingsOf(options)
  return {
    ...(issuer === undefined ? {} : { issuer }),
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

async function secretIn(file: string): Promise<string> {
  const rawSecret =
    file === '-' ? await text(process.stdin) : await readFile(resolve(env().callerDir, file), 'utf8')
  return checkedText('client secret', rawSecret, 1000)
}

function mappingsOf({ roleFrom = [], profileFrom = [], mapping }: Options) {
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
    throw new UsageError(`"${rule}" is no rule such as groups:it-team=it-manager.`)
  return { claim, value, what }
}
