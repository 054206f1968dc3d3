import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { qrCodeOf } from '#lib/platform/values/qr-code.ts'
import { epcContent, MAX_EPC_VERSION, remittanceOf, type Transfer } from './epc.ts'

const transfer: Transfer = {
  name: 'Fernhill Cloud GmbH',
  iban: 'DE02120300000000202051',
  bic: 'BYLADEM1001',
  amount: '1250.5',
  remittance: 'R-2026-0815',
}
const content = (changes: Partial<Transfer> = {}) => epcContent({ ...transfer, ...changes })
const lines = (changes: Partial<Transfer> = {}) => content(changes)?.split('\n')

describe('the content of an EPC QR code', () => {
  it('has the fields of EPC069-12 in their order', () => {
    expect(lines()).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'BYLADEM1001',
      'Fernhill Cloud GmbH',
      'DE02120300000000202051',
      'EUR1250.50',
      '',
      '',
      'R-2026-0815',
    ])
  })

  it.each([
    ['a wrong check digit', { iban: 'DE03120300000000202051' }],
    ['an IBAN with spaces', { iban: 'DE02 1203 0000 0000 2020 51' }],
    ['an IBAN outside of SEPA', { iban: 'TR330006100519786457841326', bic: 'AKBKTRIS' }],
    ['no BIC outside of the EEA', { iban: 'CH9300762011623852957', bic: null }],
    ['a wrong BIC', { bic: 'NO' }],
    ['no name', { name: '\u200b ' }],
    ['nothing to pay', { amount: '0' }],
    ['less than a cent', { amount: '0.001' }],
    ['a part of a cent', { amount: '1.005' }],
    ['a credit', { amount: '-1' }],
    ['too large an amount', { amount: '1000000000' }],
    ['no number as its amount', { amount: 'NaN' }],
    ['too long a reference', { remittance: 'x'.repeat(141) }],
    ['more than 331 bytes', { name: '会'.repeat(70), remittance: '社'.repeat(100) }],
  ])('does not exist for %s', (_, changes) => {
    expect(content(changes)).toBeUndefined()
  })

  it('exists at each limit', () => {
    expect(lines({ amount: '0.01' })?.[7]).toBe('EUR0.01')
    expect(lines({ amount: '999999999.99' })?.[7]).toBe('EUR999999999.99')
    expect(lines({ remittance: 'x'.repeat(140) })?.[10]).toHaveLength(140)
    expect(lines({ bic: null })?.[4]).toBe('')
    expect(lines({ iban: 'CH9300762011623852957', bic: 'POFICHBEXXX' })?.[6]).toBe('CH9300762011623852957')
  })

  it('has a name of 70 characters at most, and never half a character', () => {
    expect(lines({ name: 'n'.repeat(71) })?.[5]).toBe('n'.repeat(70))
    expect(lines({ name: `${'n'.repeat(69)}💶x` })?.[5]).toBe(`${'n'.repeat(69)}💶`)
  })

  it('cannot be extended by a name or a reference with line breaks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, remittance) => {
        const text = content({ name: `a${name}`, remittance })
        if (text === undefined) return
        expect(text.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(11)
        expect(text.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(331)
      }),
    )
  })

  it('always fits into the largest QR code that the standard allows', () => {
    const name = 'Ä'.repeat(70)
    const longest = 'ß'.repeat(140)
    const text = Array.from({ length: 140 }, (_, cut) =>
      content({ name, remittance: longest.slice(cut) }),
    ).find((one) => one !== undefined)
    expect(Buffer.byteLength(text ?? '')).toBeGreaterThan(328)
    expect(qrCodeOf(text ?? '', MAX_EPC_VERSION).size).toBeLessThanOrEqual(69 + 8)
  })
})

describe('the reference of several invoices', () => {
  it('names all of them while they fit, and else counts the others', () => {
    expect(remittanceOf(['A-1', 'A-2'])).toBe('A-1, A-2')
    const numbers = Array.from({ length: 30 }, (_, index) => `2026-${1000 + index}`)
    const reference = remittanceOf(numbers)
    expect(reference.length).toBeLessThanOrEqual(140)
    const [named, others] = reference.split(' +')
    expect((named?.split(', ').length ?? 0) + Number(others)).toBe(30)
    expect(remittanceOf([])).toBe('')
  })
})
