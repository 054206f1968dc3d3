import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paymentUrlError, paymentUrlOf } from './payment-url.ts'

const values = { number: 'R 1/2', amount: '1250.50', currency: 'EUR', dueDate: '2026-12-01' }

describe('a template of payment addresses', () => {
  it.each([
    'https://pay.example',
    'https://pay.example:8443/i/{number}?a={amount}&c={currency}#{dueDate}',
    'https://pay.example?n={number}',
  ])('may be %s', (template) => {
    expect(paymentUrlError(template)).toBeUndefined()
  })

  it.each([
    ['http://pay.example/{number}', 'https'],
    ['javascript:alert(1)//https://pay.example', 'https'],
    ['//pay.example/{number}', 'https'],
    ['HTTPS://pay.example', 'https'],
    ['https://{number}.example/', 'host'],
    ['https://pay.example{number}/', 'host'],
    ['https://user:secret@pay.example/', 'host'],
    ['https://pay.example\\@evil.example/', 'ASCII'],
    ['https://pay.example/{number}\n', 'ASCII'],
    ['https://päy.example/', 'ASCII'],
    ['https://pay.example/{iban}', 'placeholders'],
    ['https://pay.example/{number', 'placeholders'],
    ['https://pay.example/{{number}}', 'placeholders'],
    ['https:///{number}', 'https'],
    ['https://pay.example:99999/', 'address'],
    [`https://pay.example/${'x'.repeat(500)}`, 'characters'],
  ])('may not be %j', (template, reason) => {
    expect(paymentUrlError(template)).toContain(reason)
    expect(paymentUrlOf(template, values)).toBeUndefined()
  })

  it('is filled with percent-encoded values', () => {
    expect(paymentUrlOf('https://pay.example/i/{number}?a={amount}&c={currency}#{dueDate}', values)).toBe(
      'https://pay.example/i/R%201%2F2?a=1250.50&c=EUR#2026-12-01',
    )
  })

  it.each(['..', '.'])('leads nowhere for a number %j that would change its path', (number) => {
    expect(paymentUrlOf('https://pay.example/i/{number}/pay', { ...values, number })).toBeUndefined()
    expect(paymentUrlOf('https://pay.example/i?n={number}', { ...values, number })).toBe(
      `https://pay.example/i?n=${number}`,
    )
  })

  it('keeps its host, path and query parameters, whatever the number is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (number) => {
        const filled = paymentUrlOf('https://pay.example/i/{number}/pay?n={number}&c=1', {
          ...values,
          number,
        })
        if (filled === undefined) return expect(['.', '..']).toContain(number)
        const url = new URL(filled)
        expect([url.host, url.hash, [...url.searchParams.keys()]]).toEqual(['pay.example', '', ['n', 'c']])
        expect(url.pathname).toMatch(/^\/i\/[^/]+\/pay$/)
        expect(url.searchParams.get('n')).toBe(number.toWellFormed())
        expect(filled).not.toMatch(/["'<>\s]/)
      }),
    )
  })
})
