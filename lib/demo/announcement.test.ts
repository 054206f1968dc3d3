import { expect, test } from 'vitest'
import { announcement } from './announcement.ts'
import { demoCustomers } from './customers.ts'

const customers = demoCustomers('2026-11-20', { largest: 0 })
const running = {
  address: 'http://127.0.0.1:3000',
  data: 'The data is kept in .data.',
  customers,
  password: 'not-a-secret',
  changed: new Set(['ana.ruiz@northwind-labs.example']),
  apiKey: 'lic_key',
}

test('The announcement contains the address, the accounts, a sample call and the way to stop, in 80 columns', () => {
  const lines = announcement(running).split('\n')
  for (const { name, members } of customers) {
    expect(lines.filter((line) => line.startsWith(`${name}  `))).toHaveLength(1)
    for (const { email } of members)
      expect(lines.filter((line) => line.includes(`  ${email}`))).toHaveLength(1)
  }
  expect(lines[0]).toContain('http://127.0.0.1:3000')
  expect(lines.find((line) => line.includes('jonas.weber'))).toMatch(/ Finance User /)
  expect(lines.find((line) => line.includes('sam.okafor'))).toMatch(/ IT Manager, Finance User /)
  expect(lines.find((line) => line.includes('lee.park'))).toMatch(/ no role /)
  expect(lines.find((line) => line.includes('ana.ruiz'))).toMatch(/\(password changed\)$/)
  expect(lines.find((line) => line.startsWith('curl'))).toBe(
    "curl -H 'Authorization: Bearer lic_key' 'http://127.0.0.1:3000/billing/v1/invoices?maxResults=2'",
  )
  const wide = lines.filter((line) => line.length > 80)
  expect(wide.filter((line) => !line.startsWith('curl') && !line.endsWith('changed)'))).toEqual([])
})

test('The announcement omits the API without a key', () => {
  const text = announcement({ ...running, apiKey: undefined })
  expect(text).not.toMatch(/curl|API|undefined/)
  expect(text).toContain('Ctrl-C stops everything.')
})
