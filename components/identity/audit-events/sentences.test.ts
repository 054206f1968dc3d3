import { expect, test } from 'vitest'
import { phraseOf } from './sentences.ts'

const ID = 'cd7cc8d9-c512-4aac-b938-cf7be355eae5'
const actor = { kind: 'member', id: 'M1', name: 'Jonas Weber' }
const NAMES = { 'office-suite-1': 'Business Plus', [ID]: 'Ana Ruiz' }
const phrase = (action: string, subject: string, details = {}) =>
  phraseOf({ action, subject, actor, details }, NAMES)

test.each([
  [
    'export.begun',
    '/billing/v1/invoices/IN-203652/file',
    { call: 'readInvoiceFile' },
    'downloaded invoice IN-203652',
  ],
  [
    'export.begun',
    '/billing/v1/invoices/IN%2F7/charges.xlsx',
    { call: 'exportChargesXlsx' },
    'exported the charges of invoice IN/7',
  ],
  ['export.begun', '/billing/v1/invoices/IN%7/file', { call: 'readInvoiceFile' }, 'downloaded invoice IN%7'],
  [
    'export.begun',
    '/x',
    { call: 'exportInvoicesXlsx', query: 'lines=true&columns=words' },
    'exported line items of invoices',
  ],
  ['export.begun', '/x', { call: 'exportInvoices' }, 'exported invoices'],
  ['export.begun', '/x', { call: 'exportStatementPdf' }, 'exported the statement'],
  ['export.begun', '/x', { call: 'somethingNew' }, 'exported a file'],
  [
    'license-change.applied',
    ID,
    { assetId: 'office-suite-1', from: 240, to: 1195 },
    'changed Business Plus from 240 to 1,195 licenses',
  ],
  ['license-change.rejected', ID, { assetId: 'gone', from: 2, to: 1 }, 'was refused 1 license of gone'],
  ['member.invited', ID, {}, 'invited a member: Ana Ruiz'],
  ['invoices.imported', 'stdin', {}, 'imported invoices'],
  ['invoices.imported', 'costs.csv', {}, 'imported invoices: costs.csv'],
  ['member.removed', 'b6a4ff7a-3bd2-4c09-9c3e-1f7f2c9f9c11', {}, 'removed a member'],
  ['sign-in.failed', 'x', { account: 'Ida Tech' }, 'failed to sign in as Ida Tech'],
  ['session.opened', 'Jonas Weber', {}, 'signed in'],
] as const)('%s of %s is a sentence', (action, subject, details, sentence) => {
  expect(phrase(action, subject, details)).toBe(sentence)
})
