import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer } from '#lib/platform/db/test-rows.ts'
import { startJobs } from './jobs.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

/** Runs a query as the role of jobs. */
async function query(text: string) {
  const client = new pg.Client(loginOf(database.url, 'console_jobs'))
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

test('several processes share one queue in the database, created by a role that owns nothing else', async () => {
  const both = await Promise.all([startJobs(database.url), startJobs(database.url)])
  try {
    expect(await query('SELECT name, cron FROM pgboss.schedule ORDER BY name')).toEqual([
      { name: 'forget-limits', cron: '41 * * * *' },
      { name: 'make-months', cron: '51 2 * * *' },
      { name: 'prune', cron: '41 2 * * *' },
      { name: 'read-vendors', cron: '* * * * *' },
      { name: 'recheck-domains', cron: '29 * * * *' },
      { name: 'remove-departed', cron: '11 3 * * *' },
      { name: 'run-backfills', cron: '* * * * *' },
      { name: 'see-to-renewal-orders', cron: '* * * * *' },
      { name: 'send-confirmations', cron: '* * * * *' },
      { name: 'send-notices', cron: '23 6-23 * * *' },
      { name: 'settle-open-changes', cron: '* * * * *' },
      { name: 'tell-audit-heads', cron: '7 * * * *' },
      { name: 'tell-members', cron: '* * * * *' },
      { name: 'tell-of-ending-keys', cron: '17 * * * *' },
      { name: 'tell-of-renewal-orders', cron: '27 * * * *' },
      { name: 'tell-operators', cron: '*/10 * * * *' },
      { name: 'write-daily-events', cron: '37 * * * *' },
    ])
  } finally {
    await Promise.all(both.map((jobs) => jobs.stop()))
  }
})

test('jobs see due work in a few columns, and nothing else', async () => {
  await addCustomer('northwind')
  await addAsset('northwind', 'workspace-suite-1', { purchased: 5 })
  await addAsset('northwind', 'workspace-suite-2', { purchased: 5 }, { vendor: 'google-workspace' })
  expect(await query('SELECT id FROM assets')).toEqual([{ id: 'workspace-suite-2' }])
  await expect(query('SELECT name FROM assets')).rejects.toThrow('permission denied')
  await expect(query('SELECT id FROM invoices')).rejects.toThrow('permission denied')
  await expect(query("UPDATE assets SET vendor = 'x'")).rejects.toThrow('permission denied')
  expect(await query('SELECT id FROM license_changes')).toEqual([])
  expect(await query('SELECT DISTINCT customer_id FROM notice_subscriptions')).toEqual([])
  for (const table of ['notice_changes', 'notice_mails', 'notices'])
    await expect(query(`SELECT customer_id FROM ${table}`)).rejects.toThrow('permission denied')
  await expect(query('SELECT kinds FROM notice_subscriptions')).rejects.toThrow('permission denied')
  // Only addresses of customers with a recipient of license notices.
  await database.sql(
    'northwind',
    "INSERT INTO notice_recipients (customer_id, id, email) VALUES ('northwind', 'r1', 'ap@books.example')",
  )
  expect(await query('SELECT customer_id FROM notice_recipients')).toEqual([])
  await database.sql('northwind', 'UPDATE notice_recipients SET licenses_since = now()')
  expect(await query('SELECT customer_id FROM notice_recipients')).toEqual([{ customer_id: 'northwind' }])
  await expect(query('SELECT email FROM notice_recipients')).rejects.toThrow('permission denied')
})
