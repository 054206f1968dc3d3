import { globSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { hashPassword } from '../passwords/hash.ts'
import { addApp, enter, join, PASSWORD, pendingOf, sidOf } from './test-person.ts'

// A pending sign-in, with the password as its only verified method, is unauthenticated for every operation.

type Handlers = Record<string, (request: Request) => Promise<Response>>
type Exported = Record<string, Partial<AnyContract>>

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('alder')
})
afterAll(() => database.close())

it('a pending sign-in is answered 401 by each operation that needs a caller', async () => {
  const email = 'ana@alder.example'
  await join('alder', email, { passwordHash: await hashPassword(PASSWORD) })
  await addApp(sidOf(await enter(email)))
  const cookie = pendingOf(await enter(email))
  const kinds: string[] = []
  for (const file of globSync('lib/*/*/contract.ts').filter(
    (name) => name !== 'lib/platform/api/contract.ts',
  )) {
    const exported: Exported = await import(/* @vite-ignore */ `../../../../${file}`)
    for (const { name, path, method, permission } of Object.values(exported)) {
      if (path === undefined || method === undefined || permission === 'none') continue
      const folder = path.replaceAll('{', '[').replaceAll('}', ']')
      const handlers: Handlers = await import(/* @vite-ignore */ `../../../../app${folder}/route.ts`)
      const url = `http://console.example${path.replaceAll(/\{\w+\}/g, 'some')}`
      const headers = { cookie, 'sec-fetch-site': 'same-origin', 'Content-Type': 'application/json' }
      const body = ['GET', 'DELETE'].includes(method) ? null : '{}'
      const response = await handlers[method]?.(new Request(url, { method, headers, body }))
      expect.soft([name, response?.status]).toEqual([name, 401])
      kinds.push(String(name))
    }
  }
  expect(kinds).toEqual(expect.arrayContaining(['listAssets', 'changeMember', 'listFactors', 'proveSession']))
})
