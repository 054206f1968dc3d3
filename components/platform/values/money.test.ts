import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { InvoiceTotals } from '#components/billing/invoice-summary/invoice-totals.tsx'
import { costText } from '#components/licenses/assets/cost.ts'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { Money } from './money.tsx'

const textOf = (element: Parameters<typeof renderToStaticMarkup>[0]) =>
  renderToStaticMarkup(element).replace(/<[^>]*>/g, '')

test.each([
  [10.49, 'HUF', '10.49 HUF'],
  [0.45, 'PKR', '0.45 PKR'],
  [1234.56, 'HUF', '1,234.56 HUF'],
  [10.005, 'USD', '10.005 USD'],
  [-85_300, 'JPY', '−85,300 JPY'],
  [999_999_999_999.999, 'KWD', '999,999,999,999.999 KWD'],
])('%d %s is formatted as %s in a list and above it', (amount, currency, text) => {
  expect(textOf(createElement(Money, { amount, currency }))).toBe(text)
  const sums = { currency, totalAmount: amount, balanceAmount: amount, count: 1 } as CurrencySummary
  const summary = { count: 1, today: 0, currencies: [sums] }
  expect(textOf(createElement(InvoiceTotals, { isOwed: true, summary }))).toBe(
    `1 invoice · total ${text} · ${amount < 0 ? text.replace('−', 'credit ') : `balance ${text}`}`,
  )
})

test('price differences of licenses are exact decimals, not floats', () => {
  const last = { price: '0.1', currency: 'USD', months: 1, invoiceId: 'IN-1', invoiceDate: '2026-10-31' }
  expect(costText(3, last)).toContain('About 0.30 USD more')
  expect(costText(-3, { ...last, currency: 'HUF', price: '10.49' })).toContain('About 31.47 HUF less')
})
