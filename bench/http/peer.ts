import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import pg from 'pg'
import { KEY_CALLER } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { type CallerRow, DATA_VERSION } from '#lib/platform/caller/store.ts'
import { type ListOf, pageToken } from '#lib/platform/lists/paging.ts'
import { assetOf, invoiceOf, wholeInvoiceOf } from './peer-answers.ts'
import {
  ASSETS,
  FILES,
  INVOICE,
  INVOICES,
  INVOICES_OF_PLATFORM,
  LINES,
  LINKS,
  PAYMENTS,
  SET_QUANTITY,
} from './peer-queries.ts'

const ROWS = 50
const CALLER = KEY_CALLER.replace(`, ${DATA_VERSION}`, '')

type List = { Querystring: { maxResults?: string; filter?: string } }

/**
 * A straightforward server with Fastify and pg: the same look-up of the key, the same rows, the same bytes in the
 * response. It has no row-level security, no transaction, no ETag, no log and no check of the response.
 * @param url of the database, as the login that owns the tables
 */
export function peer(url: string): FastifyInstance {
  // As many connections as the API has for its reads and its callers.
  const pool = new pg.Pool({ connectionString: url, max: 14 })
  // A connection that is still ending when a test drops its database, 57P01.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const app = fastify()
  app.addHook('onClose', () => pool.end())
  const address = () => {
    const at = app.server.address()
    return `http://127.0.0.1:${typeof at === 'object' ? at?.port : ''}`
  }

  const credentials = new Map<string, { customer_id: string; id: string } | undefined>()
  const callerOf = async (request: FastifyRequest, roles: readonly string[]): Promise<CallerRow> => {
    const key = request.headers.authorization?.slice('Bearer '.length) ?? ''
    const digest = digestOf(key)
    const credential =
      credentials.get(digest) ?? (await pool.query({ ...CREDENTIAL_QUERY, values: [digest] })).rows[0]
    credentials.set(digest, credential)
    const values = [credential?.customer_id, credential?.id, digest]
    const { rows } = await pool.query<CallerRow>({ name: 'caller', text: CALLER, values })
    const caller = rows[0]
    if (!caller) throw Object.assign(new Error('The key is not valid.'), { statusCode: 401 })
    if (roles.length > 0 && !caller.roles.some((role) => roles.includes(role)))
      throw Object.assign(new Error('The role is missing.'), { statusCode: 403 })
    return caller
  }

  app.get('/healthz', async () => {
    await pool.query('SELECT 1')
    return 'ok'
  })

  app.get('/auth/v1/validate', async (request) => {
    const { customer_domain: domain, email } = await callerOf(request, [])
    return { domain, email }
  })

  app.get<List>('/billing/v1/invoices', async (request) => {
    const { customer_id: customer, billing_profiles: profiles } = await callerOf(request, FINANCE)
    const most = Number(request.query.maxResults ?? ROWS)
    const platform = request.query.filter?.replace('platform:', '')
    const values = [customer, profiles, most + 1]
    const query =
      platform === undefined
        ? { ...INVOICES, values }
        : { ...INVOICES_OF_PLATFORM, values: [...values, platform] }
    const { rows } = await pool.query(query)
    const pageRows = rows.slice(0, most)
    const last = pageRows.at(-1)
    const key = last && [last.invoice_date, last.id]
    const base = address()
    const invoices = pageRows.map((row) => invoiceOf(row, base))
    const list: ListOf = [
      customer,
      'invoices',
      platform === undefined ? {} : { filter: { platform: [platform] } },
    ]
    return { invoices, rowCount: invoices.length, ...nextPage(key, rows.length > most, list) }
  })

  app.get<{ Params: { id: string } }>('/billing/v1/invoices/:id', async (request, reply) => {
    const { customer_id: customer, billing_profiles: profiles } = await callerOf(request, FINANCE)
    const values = [customer, profiles, request.params.id]
    const [invoice, lines, links, files, payments] = await Promise.all([
      pool.query({ ...INVOICE, values }),
      pool.query({ ...LINES, values }),
      pool.query({ ...LINKS, values }),
      pool.query({ ...FILES, values: [customer, request.params.id] }),
      pool.query({ ...PAYMENTS, values: [customer, request.params.id] }),
    ])
    if (invoice.rows.length === 0) return reply.code(404).send({ code: 'not_found' })
    const rows = {
      row: invoice.rows[0],
      lines: lines.rows,
      links: links.rows,
      files: files.rows,
      payments: payments.rows,
    }
    return wholeInvoiceOf(rows, address())
  })

  app.get<List>('/billing/v1/assets', async (request) => {
    const { customer_id: customer } = await callerOf(request, LICENSES)
    const most = Number(request.query.maxResults ?? ROWS)
    const { rows } = await pool.query({ ...ASSETS, values: [customer, most + 1] })
    const pageRows = rows.slice(0, most)
    const last = pageRows.at(-1)
    const key = last && [last.micros, last.id]
    const base = address()
    const assets = pageRows.map((row) => assetOf(row, base))
    return {
      assets,
      rowCount: assets.length,
      ...nextPage(key, rows.length > most, [customer, 'assets', undefined, undefined]),
    }
  })

  // The one change of the mixed requests: without a history, an event or a version.
  app.patch<{ Params: { id: string }; Body: { quantity: number } }>(
    '/billing/v1/assets/:id',
    async (request, reply) => {
      const { customer_id: customer } = await callerOf(request, LICENSES)
      const values = [customer, request.params.id, request.body.quantity]
      const { rows } = await pool.query({ ...SET_QUANTITY, values })
      return rows[0] ?? reply.code(404).send({ code: 'not_found' })
    },
  )

  return app
}

const CREDENTIAL_QUERY = {
  name: 'place',
  text: "SELECT customer_id, id FROM look_ups WHERE kind = 'key' AND digest = $1",
}

const FINANCE = ['finance-user', 'admin']
const LICENSES = ['it-manager', 'admin']

function nextPage(key: string[] | undefined, hasMore: boolean, list: ListOf): { pageToken?: string } {
  return key && hasMore ? { pageToken: pageToken({ key, direction: 'older' }, list) } : {}
}
