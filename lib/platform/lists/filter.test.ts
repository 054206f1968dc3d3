import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { filterText } from './filter.ts'
import { formatFilter } from './format-filter.ts'

const filter = filterText(['platform', 'status'])
const closed = filterText(['platform', 'status'], { status: ['OPEN', 'PAST DUE'] })
const read = (text: string) => z.safeDecode(filter, text)

describe('the filter grammar (spec 4.1, 4.3)', () => {
  it.each([
    ['platform:a', { platform: ['a'] }],
    ['platform:a|b', { platform: ['a', 'b'] }],
    ['platform:a|platform:b', { platform: ['a', 'b'] }],
    ['platform:a|status:OPEN|PAST DUE|platform:b', { platform: ['a', 'b'], status: ['OPEN', 'PAST DUE'] }],
    ['platform:[a]', { platform: ['a'] }],
    ['platform:[a|b]|status:OPEN', { platform: ['a', 'b'], status: ['OPEN'] }],
    ['platform:[a]|[b]', { platform: ['a', 'b'] }],
    [' platform : a | b ', { platform: ['a', 'b'] }],
    ['platform:a:b', { platform: ['a:b'] }],
  ])('reads %s', (text, expected) => {
    expect(read(text).data).toEqual(expected)
  })

  it.each([
    '',
    'a',
    '|',
    'platform:',
    'platform:a|',
    'platform:a||b',
    'type:a',
    'platform:a|constructor:b',
    '__proto__:a',
    'platform:[a',
    'platform:a]',
    'platform:[a|[b]]',
    'platform:[]',
    `platform:${'a'.repeat(1000)}`,
    `platform:${Array(51).fill('a').join('|')}`,
  ])('refuses %s', (text) => {
    expect(read(text).success).toBe(false)
  })

  it('lists the known keys in the error', () => {
    expect(read('type:a').error?.issues[0]?.message).toContain('platform, status')
  })

  it('takes the values of a closed set case-insensitively, and no others', () => {
    expect(z.decode(closed, 'status:[past due|Open]|platform:Open')).toEqual({
      status: ['PAST DUE', 'OPEN'],
      platform: ['Open'],
    })
    for (const text of ['status:LOST', 'status:OPEN|LATE', 'status:OPE', 'status:constructor']) {
      const { error } = z.safeDecode(closed, text)
      expect(error?.issues[0]?.message).toBe('knows these values of status only: OPEN, PAST DUE')
    }
  })

  it('writes the text that it parses', () => {
    const value = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9 -]{0,10}[a-z0-9]$/)
    const values = fc.array(value, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.record({ platform: values, status: values }, { requiredKeys: [] }), (written) => {
        fc.pre(Object.keys(written).length > 0)
        expect(read(formatFilter(written)).data).toEqual(written)
      }),
    )
  })

  it('never throws for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof read(text).success === 'boolean'))
  })
})
