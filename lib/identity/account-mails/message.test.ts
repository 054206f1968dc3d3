import { expect, test } from 'vitest'
import type { AdminEvent } from '#lib/identity/access/sign-ins/account-mail.ts'
import { messageOf } from './message.ts'

const due = {
  ...{
    id: '1',
    at: new Date('2026-11-22T21:00:00Z'),
    address: null,
    userAgent: null,
    email: 'ana@alder.example',
  },
  ...{ customer: 'Alder', keyName: null, keyEnds: null },
}

test.each<[AdminEvent, string, string, string]>([
  [
    'scim-token-leaked',
    'Entra ID',
    'A leaked token of your directory was revoked',
    'The SCIM token "Entra ID"',
  ],
  ['domain-lost', 'alder.example', 'The DNS record of alder.example is missing', 'still sign in'],
  [
    'domain-ended',
    'alder.example',
    'Single sign-on has ended for alder.example',
    'addresses of this domain have not been able to use single sign-on',
  ],
])('Admins are notified of %s, with the time and the next steps', (event, about, subject, expectedText) => {
  const message = messageOf({ ...due, event, about }, 'https://console.example')
  expect(message.subject).toBe(subject)
  expect(message.text).toContain(expectedText)
  expect(message.text).toContain('22 Nov 2026, 21:00 UTC')
  expect(message.text).toContain('Alder')
  expect(message.text).toContain('It cannot be turned off.')
})
