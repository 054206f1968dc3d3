import { expect, test } from 'vitest'
import { contentDigest, GENESIS, linkDigest } from './audit.ts'

const entry = {
  customerId: 'northwind',
  action: 'key.revoked',
  subject: 'k-1',
  actorKind: 'member',
  actorId: 'm-1',
  actorName: 'Ana Ruiz',
  requestId: 'r-1',
  session: null,
  address: '192.0.2.7',
  agent: null,
  details: { to: 5, from: 3, changes: ['a', 'b'] },
}

test("an event's content has one digest, regardless of the order of its details", () => {
  const again = { ...entry, details: { changes: ['a', 'b'], from: 3, to: 5 } }
  expect(contentDigest(again)).toEqual(contentDigest(entry))
  const others = [
    ...Object.keys(entry).map((name) => ({ ...entry, [name]: name === 'details' ? {} : 'other' })),
    { ...entry, details: { ...entry.details, changes: ['b', 'a'] } },
    { ...entry, details: { ...entry.details, to: '5' } },
    { ...entry, subject: 'k', actorKind: '-1member' },
  ]
  const digests = [entry, ...others].map((one) => contentDigest(one).toString('hex'))
  expect(new Set(digests).size).toBe(digests.length)
})

test("a link's digest depends on the previous digest and on its place", () => {
  const position = { seq: 2, eventId: '31', micros: '17' }
  const content = contentDigest(entry)
  const links = [
    linkDigest(GENESIS, content, position),
    linkDigest(content, content, position),
    linkDigest(GENESIS, GENESIS, position),
    linkDigest(GENESIS, content, { ...position, seq: 3 }),
    linkDigest(GENESIS, content, { ...position, eventId: '32' }),
    linkDigest(GENESIS, content, { ...position, micros: '18' }),
  ]
  expect(new Set(links.map((link) => link.toString('hex'))).size).toBe(links.length)
})
