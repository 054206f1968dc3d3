import 'server-only'
import { DrizzleQueryError, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { minted, queryWithoutCustomer, queryWithoutCustomerPipelined } from '#lib/platform/caller/store.ts'
import { database } from '#lib/platform/db/client.ts'
import { withoutValues } from '#lib/platform/db/prepared-queries.ts'
import type { Client } from './issuer.ts'
import type { Agreed } from './rules.ts'
import { unsealFor } from './sealed.ts'

// Runs as the database role of sign-in, before the customer is known.

/** Active identity provider, with the customer's settings for it. */
export type Provider = Agreed &
  Omit<Client, 'clientSecret'> & {
    customerId: CustomerId
    id: string
    scopes: string[]
    /** Undefined where it was encrypted with another SESSION_SECRET. */
    clientSecret: string | undefined
  }

type Row = Omit<Provider, 'customerId' | 'clientSecret'> & { customerId: string; sealed: string }

const PROVIDERS = `
  SELECT p.customer_id AS "customerId", p.id, p.issuer, p.client_id AS "clientId", p.client_secret AS sealed, p.scopes,
    p.verified_claim AS "verifiedClaim", p.join_roles AS "joinRoles", p.mappings
  FROM identity_providers p`

/** Finds the provider for addresses of this domain; undefined where no customer has proven the domain. */
export function findProviderOf(domain: string): Promise<Provider | undefined> {
  const joined = `JOIN sign_on_domains d ON d.customer_id = p.customer_id AND d.provider_id = p.id
    WHERE d.domain = $1 AND d.proven_at IS NOT NULL AND p.off_at IS NULL`
  return find(joined, domain)
}

/** Returns the customer that has proven a domain. */
export async function findOwnerOf(domain: string): Promise<CustomerId | undefined> {
  const { rows } = await queryWithoutCustomer('signIn', (tx) =>
    tx.execute<{ customer_id: string }>(sql`
      SELECT customer_id FROM sign_on_domains WHERE domain = ${domain} AND proven_at IS NOT NULL`),
  )
  return rows[0] && minted(rows[0].customer_id)
}

/** Finds the provider with this id, where it is on. */
export function findProvider(id: string): Promise<Provider | undefined> {
  return find('WHERE p.id = $1 AND p.off_at IS NULL', id)
}

/** Returns whether a domain is proven and assigned to this provider. */
export async function hasDomain({ customerId, id }: Provider, domain: string): Promise<boolean> {
  const rows = await queryWithoutCustomer('signIn', (tx) =>
    tx.execute(sql`
      SELECT FROM sign_on_domains WHERE customer_id = ${customerId} AND domain = ${domain}
        AND provider_id = ${id} AND proven_at IS NOT NULL`),
  )
  return rows.rowCount === 1
}

/** Finds the provider that opened a session, with the ID token of that sign-in. */
export function findOpening(
  customerId: CustomerId,
  digest: string,
): Promise<{ providerId: string; idToken: string | undefined } | undefined> {
  return queryWithoutCustomer('signIn', async (tx) => {
    const { rows } = await tx.execute<{ provider_id: string; id_token: string }>(sql`
      SELECT provider_id, id_token FROM sign_on_sessions
      WHERE customer_id = ${customerId} AND digest = ${digest}`)
    const [row] = rows
    return row && { providerId: row.provider_id, idToken: unsealFor(digest, row.id_token) }
  })
}

/** Runs pipelined with concurrent look-ups: anonymous clients can send many. `$1` of the condition is the value. */
async function find(condition: string, value: string): Promise<Provider | undefined> {
  const query = `${PROVIDERS} ${condition}`
  const [row] = await queryWithoutCustomerPipelined<Row>(database().signIn, query, [value]).catch(
    (error: Error) => {
      throw withoutValues(new DrizzleQueryError(query, [value], error))
    },
  )
  if (!row) return undefined
  const { customerId, sealed, ...provider } = row
  return { ...provider, customerId: minted(customerId), clientSecret: unsealFor(row.id, sealed) }
}
