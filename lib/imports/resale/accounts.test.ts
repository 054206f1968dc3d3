import { describe, expect, test } from 'vitest'
import type { ImportError } from '../import-error.ts'
import { readAccounts } from './accounts.ts'

async function* textOf(text: string) {
  yield text
}
const read = (text: string) => readAccounts(textOf(text), 'accounts.csv')
const importErrorOf = async (text: string) =>
  ((await read(text).catch((error: unknown) => error)) as ImportError).problems

describe('a map of accounts', () => {
  test('maps accounts to customers, a sub-account before its billing account', async () => {
    const { ownerOf, owners } = await read(
      'Customer,ACCOUNT,BillingProfile\nsunbird,B-1,\nheron, S-1 ,emea\nsunbird,S-2,default\nheron,S-3,emea\n',
    )
    expect(ownerOf('B-1')).toEqual({ customer: 'sunbird' })
    expect(ownerOf('B-1', 'S-9')).toEqual({ customer: 'sunbird' })
    expect(ownerOf('B-1', 'S-1')).toEqual({ customer: 'heron', billingProfile: 'emea' })
    // Stating the default profile makes no difference.
    expect(ownerOf('B-9', 'S-2')).toEqual({ customer: 'sunbird' })
    expect(ownerOf('B-9', 'S-9')).toBeUndefined()
    expect(owners()).toEqual([
      { owner: { customer: 'sunbird' }, line: 2 },
      { owner: { customer: 'heron', billingProfile: 'emea' }, line: 3 },
    ])
  })

  test.each([
    ['a row without customer', 'account,customer\nA,x\nB,\n', { line: 3, reason: 'has no customer' }],
    ['a row without account', 'account,customer\n,x\n', { line: 2, reason: 'has no account' }],
    ['an empty row', 'account,customer\n,\n', { line: 2, reason: 'has no account' }],
    ['an account twice', 'account,customer\nA,x\nA,x\n', { line: 3, reason: 'account A is in line 2, too' }],
    ['no customers', 'account\nA\n', { line: 1, column: 'customer', reason: 'there is no such column' }],
    [
      'a misspelt column',
      'account,customer,profile\n',
      { line: 1, reason: expect.stringContaining('"profile"') },
    ],
    [
      'a column twice',
      'account,customer,Account\n',
      { line: 1, column: 'account', reason: 'there are two such columns' },
    ],
    ['too few columns', 'account,customer\nA\n', { line: 2, reason: 'has 1 columns, not 2' }],
    [
      'a control character',
      'account,customer\nA,x\u0007y\n',
      { line: 2, reason: 'has a control character in it' },
    ],
    ['semicolons', 'account;customer\nA;x\n', { reason: expect.stringContaining('separated by semicolons') }],
    ['nothing', '', { reason: 'is empty' }],
  ])('is refused with %s', async (_what, text, problem) => {
    expect(await importErrorOf(text)).toEqual([{ file: 'accounts.csv', ...problem }])
  })
})
