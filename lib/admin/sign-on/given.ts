import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { checkIssuerAddress } from '#lib/identity/access/sign-on/outbound.ts'
import type { Given } from '#lib/identity/access/sign-on/providers.ts'
import type { Mapping } from '#lib/identity/access/sign-on/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { checkedText, rolesOf } from '../command.ts'

export type Named = { customer: string; provider: string }

export type Options = Named & {
  issuer?: string
  clientId?: string
  secretFile?: string
  scope?: string[]
  verifiedClaim?: string
  /** False: nobody joins. */
  join?: string[] | boolean
  roleFrom?: string[]
  profileFrom?: string[]
  /** False: none. */
  mapping?: boolean
}

/**
 * What the options give of a provider.
 * @throws Problem that says which of them is wrong
 */
export async function givenBy(options: Options): Promise<Given> {
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

/** @throws Problem where it is no address that we would ask */
function issuerOf(given: string): string {
  try {
    checkIssuerAddress(given)
    return given
  } catch (error) {
    throw new Problem('invalid_request', `"${given}" can be no issuer: ${reasonOf(error)}`)
  }
}

async function secretIn(file: string): Promise<string> {
  const given =
    file === '-' ? await text(process.stdin) : await readFile(resolve(env().callerDir, file), 'utf8')
  return checkedText('client secret', given, 1000)
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

/** Of `groups:it-team=it-manager`; the value may have colons itself, and the last equals sign counts. */
function ruleOf(rule: string) {
  const [, claim, value, what] = /^([^:=\s]+):(.+)=([^=\s]+)$/.exec(rule) ?? []
  if (!claim || !value || !what)
    throw new Problem('invalid_request', `"${rule}" is no rule such as groups:it-team=it-manager.`)
  return { claim, value, what }
}
