import { globSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { listInvoices } from '#lib/billing/client.ts'
import * as invoices from '#lib/billing/invoices/contract.ts'
import { setQuantity } from '#lib/licenses/client.ts'
import { queriesOf, whenFreshSignInIsRequired } from './client.ts'
import type { AnyContract } from './contract.ts'
import { PROBLEMS } from './problem.ts'
import { ProblemError } from './problem-base.ts'

const modules: object[] = await Promise.all(
  globSync('lib/*/*/contract.ts').map((file) => import(/* @vite-ignore */ `../../../${file}`)),
)
const contracts = modules
  .flatMap((module) => Object.values(module))
  .filter((value): value is AnyContract => 'permission' in Object(value))

describe('the browser', () => {
  it.each(contracts)('converts times like $name, and keeps other numbers', (contract) => {
    const { query } = queriesOf<{ query: AnyContract }>({ query: contract })
    for (const [name, schema] of Object.entries<z.ZodType>(contract.query.shape)) {
      const isTime = Number(z.safeDecode(schema, '100').data) >= 100_000
      expect(query.search({ [name]: 100_000 }), name).toBe(`${name}=${isTime ? 100 : 100_000}`)
    }
  })

  it('writes the parameters that the contract reads, and omits absent ones', () => {
    const query = {
      filter: { platform: ['cloud-platform', 'a b'], status: ['PAST DUE'] },
      minCreationTime: Date.UTC(1971, 0, 1),
      maxCreationTime: Date.UTC(2026, 9, 31),
      search: 'IN-1 & 2/ü',
      maxResults: 20,
    }
    const search = listInvoices.search(query)
    const read = Object.fromEntries(new URLSearchParams(search))
    expect(z.decode(invoices.listInvoices.query, read)).toEqual(query)
    expect(search).toContain('filter=platform:cloud-platform|a%20b|status:PAST%20DUE')
    expect(listInvoices.path({ query: { search: '', filter: {} } })).toBe('/billing/v1/invoices')
  })

  it('encodes an id as one path segment', () => {
    const path = setQuantity.path({ params: { asset_id: 'a/b?c' } })
    expect(path).toBe('/billing/v1/assets/a%2Fb%3Fc')
  })
})

describe('a call that is refused for want of a fresh sign-in', () => {
  const input = {
    params: { asset_id: 'a' },
    body: { quantity: 7 },
    headers: { 'if-match': undefined, 'idempotency-key': 'same' },
  }
  const forbidden = () =>
    Response.json({ code: 'fresh_sign_in_required', detail: 'Confirm.' }, { status: 403 })
  /** Answers the requests one after the other with `answers`, and returns the requests that were sent. */
  const respondWith = (...answers: Response[]) => {
    const sent: RequestInit[] = []
    vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
      sent.push(init)
      return Promise.resolve(answers.shift())
    })
    return sent
  }
  let end = () => {}
  afterEach(() => {
    end()
    vi.unstubAllGlobals()
  })

  it('sends the same request under the same key once more after the member has confirmed', async () => {
    const sent = respondWith(forbidden(), Response.json({ done: 1 }))
    const confirm = vi.fn(async () => true)
    end = whenFreshSignInIsRequired(confirm)
    expect(await setQuantity(input)).toEqual({ done: 1 })
    expect(confirm).toHaveBeenCalledOnce()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
    expect(sent[1]?.headers).toMatchObject({ 'idempotency-key': 'same' })
  })

  it('rejects when the member declines, when no confirmation is installed, and when the second request is refused too', async () => {
    const code = { code: 'fresh_sign_in_required' }
    let sent = respondWith(forbidden())
    await expect(setQuantity(input)).rejects.toMatchObject(code)
    expect(sent).toHaveLength(1)
    sent = respondWith(forbidden())
    end = whenFreshSignInIsRequired(async () => false)
    await expect(setQuantity(input)).rejects.toMatchObject(code)
    expect(sent).toHaveLength(1)
    end()
    sent = respondWith(forbidden(), forbidden())
    end = whenFreshSignInIsRequired(async () => true)
    await expect(setQuantity(input)).rejects.toMatchObject(code)
    expect(sent).toHaveLength(2)
  })

  it('rejects any other refusal without asking the member', async () => {
    respondWith(Response.json({ code: 'permission_denied' }, { status: 403 }))
    const confirm = vi.fn(async () => true)
    end = whenFreshSignInIsRequired(confirm)
    await expect(setQuantity(input)).rejects.toMatchObject({ code: 'permission_denied' })
    expect(confirm).not.toHaveBeenCalled()
  })
})

describe('a refusal', () => {
  const receivedBy = async (response: Response) => {
    vi.stubGlobal('fetch', () => Promise.resolve(response))
    const error: unknown = await listInvoices({}).catch((reason: unknown) => reason)
    if (!(error instanceof ProblemError)) throw error
    const { code, status, message, more } = error
    return { code, status, message, more }
  }

  it('has the code, the status and the text of the answer', async () => {
    const body = { code: 'vendor_rejected', detail: 'Too many.', instance: 'r-1', minimum: 60 }
    const headers = { 'Retry-After': '7' }
    expect(await receivedBy(Response.json(body, { status: 422, headers }))).toEqual({
      code: 'vendor_rejected',
      status: 422,
      message: 'Too many.',
      more: { retryAfter: 7, requestId: 'r-1', members: body },
    })
  })

  it.each([
    ['a proxy that fails', new Response('<html>', { status: 502 }), 'service_unavailable', 502],
    ['a success without JSON', new Response('<html>'), 'service_unavailable', 503],
    ['a proxy that refuses', new Response('<html>', { status: 404 }), 'invalid_request', 404],
  ] as const)('has a text of its own for %s', async (_, response, code, status) => {
    expect(await receivedBy(response)).toMatchObject({ code, status, message: PROBLEMS[code].title })
  })
})
