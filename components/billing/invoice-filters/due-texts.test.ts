import { expect, test } from 'vitest'
import type { View } from '#components/billing/invoices/view.ts'
import { dueTexts } from './due-texts.ts'

const at = (day: string) => Date.parse(`${day}T00:00:00Z`)

test.each<[View, string[]]>([
  [{}, []],
  [{ maxDueDate: at('2026-12-20') }, ['Due until 20 Dec 2026']],
  [
    { minDueDate: at('2026-11-20'), filter: { dueDate: [String(at('2026-11-30'))] } },
    ['Due from 20 Nov 2026', 'Due 30 Nov 2026'],
  ],
])('describes the due dates of %j as %j', (view, expected) => {
  expect(dueTexts(view)).toEqual(expected)
})
