import { describe, expect, test } from 'vitest'
import { replacementOf } from './raw-subscription.ts'
import { observedOf } from './subscription.ts'

const subscription = { id: 's', quantity: 25, status: 'active' }

describe('the body of a write', () => {
  test('keeps the digits of numbers, and all names', () => {
    const text = '"price":1.50,"big":12345678901234567890,"__proto__":{"a":1e2},"quantity":1,'
    const json = JSON.stringify(subscription).replace(/^\{/, `{${text}`)
    const read = observedOf(json, { customerId: 'c', etag: 'abc' })
    const { body } = (read && replacementOf(read, 30)) ?? expect.fail()
    expect(body).toContain('"price":1.50,"big":12345678901234567890,"__proto__":{"a":1e2}')
    expect(body).toContain('"quantity":30')
  })

  test.each([
    ['abc', '"abc"'],
    ['"abc"', '"abc"'],
    ['W/"abc"', 'W/"abc"'],
  ])('sends the ETag %s as %s', (etag, ifMatch) => {
    const read = observedOf(JSON.stringify(subscription), { customerId: 'c', etag })
    expect(read && replacementOf(read, 30)).toMatchObject({ ifMatch })
  })
})
