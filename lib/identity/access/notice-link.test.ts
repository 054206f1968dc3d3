import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { noticeLink, readNoticeLink } from './notice-link.ts'

const link = { customerId: newCustomerId('northwind'), recipientId: '0b0e', notice: 'past-due' }

it('returns the signed values and fits into an address', () => {
  expect(readNoticeLink(noticeLink(link))).toEqual(link)
  expect(noticeLink(link)).toMatch(/^[\w.-]+$/)
  const odd = { ...link, customerId: newCustomerId('ü"\\.'), recipientId: '' }
  expect(readNoticeLink(noticeLink(odd))).toEqual(odd)
})

it('names no address, and is another one for each recipient, customer and kind', () => {
  const links = [
    link,
    { ...link, notice: 'all' },
    { ...link, recipientId: '1' },
    { ...link, customerId: newCustomerId('x') },
  ]
  expect(new Set(links.map(noticeLink)).size).toBe(4)
})

it('a link with any character changed, left out or added is rejected', () => {
  const text = noticeLink(link)
  const position = fc.nat({ max: text.length - 1 })
  fc.assert(
    fc.property(position, fc.constantFrom('', 'A', 'b', '.', '=', '\0', 'é'), (at, char) => {
      fc.pre(text[at] !== char)
      expect(readNoticeLink(text.slice(0, at) + char + text.slice(at + 1))).toBeUndefined()
    }),
  )
})

it('a combination of the parts of two links is rejected', () => {
  const [content] = noticeLink({ ...link, recipientId: 'other' }).split('.')
  const [, signature] = noticeLink(link).split('.')
  expect(readNoticeLink(`${content}.${signature}`)).toBeUndefined()
})

it.each(['', '.', 'x', 'x.y.z', `${noticeLink(link)}.`, `${noticeLink(link)}=`, 'a'.repeat(5000)])(
  '%j is rejected',
  (text) => {
    expect(readNoticeLink(text)).toBeUndefined()
  },
)

it('a link signed with another secret is rejected', async () => {
  vi.stubEnv('SESSION_SECRET', 'another secret than that of the tests')
  vi.resetModules()
  const other = await import('./notice-link.ts')
  const foreign = other.noticeLink(link)
  expect(other.readNoticeLink(foreign)).toEqual(link)
  expect(readNoticeLink(foreign)).toBeUndefined()
  vi.unstubAllEnvs()
})
