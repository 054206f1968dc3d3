import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callApi, GROUP_SCHEMA } from '#lib/identity/scim/test-calls.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-scim-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

let customerId = ''
beforeEach(async () => {
  customerId = await addNewCustomer()
})

describe('scim token', () => {
  test('issue, list and revoke', async () => {
    const issued = await admin(`scim token issue --customer ${customerId} --name Entra --days 30`)
    expect([issued.code, issued.out]).toEqual([0, expect.stringMatching(/^scim_[0-9A-Za-z]{36}\n$/)])
    const token = issued.out.trim()
    expect((await callApi(token, 'GET', '/Users')).status).toBe(200)
    const { out } = await admin(`scim token list --customer ${customerId} --json`)
    const [row] = JSON.parse(out)
    expect(row).toMatchObject({
      name: 'Entra',
      lastFour: token.slice(-4),
      roles: ['it-manager', 'finance-user'],
      expiresAt: expect.any(String),
      lastUsedAt: expect.any(String),
      revokedAt: null,
    })
    expect(out).not.toContain(token.slice(5, 20))
    const revoke = `scim token revoke --customer ${customerId} --id ${row.id}`
    expect((await admin(revoke)).code).toBe(0)
    expect((await callApi(token, 'GET', '/Users')).status).toBe(401)
    expect((await admin(revoke)).code).toBe(1)
    const events = await db.sql(
      customerId,
      "SELECT action FROM audit_events WHERE action LIKE 'scim-%' ORDER BY id",
    )
    expect(events.map(({ action }) => action)).toEqual(['scim-token.issued', 'scim-token.revoked'])
  })

  test.each(['--days 0', '--days 1.5', '--days x', '--days 9999'])('issue %s is refused', async (days) => {
    expect((await admin(`scim token issue --customer ${customerId} --name Entra ${days}`)).code).toBe(2)
  })
})

describe('scim group', () => {
  test('map shows a group’s roles, whether the group exists yet or not', async () => {
    const token = (await admin(`scim token issue --customer ${customerId} --name Entra`)).out.trim()
    await callApi(token, 'POST', '/Groups', { body: { schemas: [GROUP_SCHEMA], displayName: 'Staff' } })
    const map = `scim group map --customer ${customerId} --name`
    expect((await admin(`${map} Billing --role finance-user --profile default`)).code).toBe(0)
    const result = await admin(`${map} Other --role it-manager --profile asia`)
    expect([result.code, result.err]).toEqual([1, expect.stringContaining('"asia" is no billing profile')])
    const listed = JSON.parse((await admin(`scim group list --customer ${customerId} --json`)).out)
    expect(listed).toMatchObject([
      { name: 'Staff', roles: 'not mapped' },
      { name: 'Billing', roles: ['finance-user'], billingProfiles: ['default'] },
    ])
    expect((await admin(`${map} staff --role it-manager`)).code).toBe(0)
    expect((await callApi(token, 'GET', '/Groups')).json.totalResults).toBe(2)
  })
})
