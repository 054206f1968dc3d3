import { inspect } from 'node:util'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPerson } from '#lib/identity/access/people/look-up.ts'
import { errorCode, toProblem } from '#lib/platform/api/problem.ts'
import { newLog, reasonOf } from '#lib/platform/runtime/log.ts'
import { readScope, scope, streamScope } from './scope.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addCustomer, callerOf } from './test-rows.ts'
import { run } from './test-server.ts'

let database: TestDatabase
let ana: Awaited<ReturnType<typeof callerOf>>
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  ana = await callerOf('northwind', 'admin')
  // PostgreSQL tells of the whole row, too.
  await run(database.url, "ALTER TABLE billing_profiles ADD CONSTRAINT never CHECK (name <> 'secret')")
  await run(database.url, 'REVOKE ALL ON members FROM console_sign_in')
})
afterAll(() => database.close())

const failing = sql`UPDATE billing_profiles SET name = ${'secret'}`
const unknown = sql`SELECT nothing FROM billing_profiles WHERE name = ${'secret'}`
async function* streamed() {
  yield* streamScope(ana, async function* (tx) {
    yield await tx.execute(unknown)
  })
}

describe.each<[string, string, () => Promise<unknown>]>([
  ['a change', '23514', () => scope(ana, (tx) => tx.execute(failing))],
  ['a change within a change', '23514', () => scope(ana, () => scope(ana, (tx) => tx.execute(failing)))],
  ['a read', '42703', () => readScope(ana, (tx) => tx.execute(unknown))],
  ['a stream', '42703', () => Array.fromAsync(streamed())],
  ['a look-up', '42501', () => findPerson('secret@a.example')],
])('%s that fails', (_, code, fail) => {
  test('shows neither its statement nor its values to whoever prints it', async () => {
    const error = await fail().catch((thrown: unknown) => thrown)
    const shown = inspect(error, { depth: 5 })
    expect(shown).not.toMatch(/secret|select|update|params/i)
    expect(reasonOf(error)).toMatch(/never|nothing|members/)
    expect([errorCode(error), toProblem(error).code]).toEqual([code, 'internal_error'])
  })

  test('has its statement in the log, without values', async () => {
    const lines: string[] = []
    const log = newLog({ write: (line) => void lines.push(line) })
    log.level = 'error'
    log.error({ err: await fail().catch((thrown: unknown) => thrown) }, 'failed')
    expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
      message: expect.stringMatching(
        /^The database did not carry out a statement\.: .*(never|nothing|members)/,
      ),
      statement: expect.stringMatching(/^\s*(UPDATE|SELECT)/i),
    })
    expect(lines[0]).not.toContain('secret')
  })
})
