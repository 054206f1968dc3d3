import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { may } from '#lib/platform/caller/rules.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { commandLine } from './test-command.ts'
import type { Ended } from './test-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-admin-'))
let db: TestDatabase
const { start, admin } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
  await admin('customers add --name Sunbird --domain Sunbird.Example --contact-email it@sunbird.example')
  await admin('customers add --name Other --domain other.example --contact-email it@other.example')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

const PASSWORD = 'a good long password'
const addMember = (email: string, role = 'it-manager') =>
  admin(`members add --customer sunbird --email ${email} --name Ana --role ${role}`)
const accept = ({ out }: Ended, password = PASSWORD) =>
  redeemLink({ secret: out.trim().split('/').at(-1) ?? '', password, isNew: true })
const audits = (action: string) =>
  db.sql('sunbird', 'SELECT actor_kind, details FROM audit_events WHERE action = $1 ORDER BY id', [action])

describe('customers', () => {
  test('are listed in order of creation, each with its billing profile', async () => {
    const { out, code } = await admin('customers list --json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual([
      { id: 'sunbird', domain: 'sunbird.example', name: 'Sunbird' },
      { id: 'other', domain: 'other.example', name: 'Other' },
    ])
    expect(await db.sql('sunbird', 'SELECT id, name FROM billing_profiles')).toEqual([
      { id: 'default', name: 'Sunbird' },
    ])
    expect(await audits('customer.added')).toMatchObject([{ actor_kind: 'operator' }])
    expect((await admin('customers list')).out).toMatch(
      /^id +domain +name\nsunbird +sunbird\.example +Sunbird\n/,
    )
  })

  test.each([
    [
      '--name A --domain sunbird.example --contact-email a@b.example --id new',
      'domain sunbird.example already',
    ],
    ['--name A --domain a.example --contact-email a@b.example --id sunbird', 'customer "sunbird" already'],
    ['--name A --domain a.example --contact-email a@b.example --id A/B', 'not an id', 2],
  ])('are refused with %s', async (args, reason, code = 1) => {
    expectError(await admin(`customers add ${args}`), reason, code)
  })
})

describe('members', () => {
  test('accept by the printed link, sign in, and set a new password by another link', async () => {
    const added = await addMember('ana@sunbird.example')
    expect(added).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^http:\/\/\S+\/invitation\/[\w-]{43}\n$/),
      err: expect.stringMatching(/works once, until \d{4}-\d\d-\d\d \d\d:\d\d UTC/),
    })
    const [waiting] = JSON.parse((await admin('members list --customer sunbird --json')).out)
    expect(waiting).toMatchObject({ email: 'ana@sunbird.example', invitedAt: expect.any(String) })
    const who = '--customer sunbird --email ANA@sunbird.example'
    // Who has not come yet gets another invitation.
    const again = await admin(`members reset ${who}`)
    expect(again.out).toContain('/invitation/')
    await expect(accept(added)).rejects.toThrow('no longer valid')
    await accept(again)
    const session = await signInFrom({ email: 'ANA@sunbird.example', password: PASSWORD }, '192.0.2.1')
    expect(session).not.toBeNull()
    const reset = await admin(`members reset ${who}`)
    expect(reset.out).toMatch(/\/reset\/[\w-]{43}\n$/)
    expect(await findSessionCaller(digestOf(session ?? ''))).toBeDefined()
    await accept(reset, 'another good password')
    expect(await findSessionCaller(digestOf(session ?? ''))).toBeUndefined()
    expect(await signInFrom({ email: 'ana@sunbird.example', password: PASSWORD }, '192.0.2.1')).toBeNull()
    expect(
      await signInFrom({ email: 'ana@sunbird.example', password: 'another good password' }, '192.0.2.1'),
    ).not.toBeNull()
    for (const action of ['member.invited', 'invitation.made', 'reset.made'])
      expect(await audits(action)).toHaveLength(1)
    const all = await db.sql('sunbird', 'SELECT details FROM audit_events')
    expect(JSON.stringify(all)).not.toMatch(/argon2|[\w-]{43}/)
  })

  test('of one customer are added to another, and neither customer learns of the other', async () => {
    const args = '--customer other --email ana@SUNBIRD.example --name A --role admin'
    expect(await admin(`members add ${args}`)).toMatchObject({ code: 0 })
    expectError(await admin(`members add ${args}`), 'There is a member with the address')
    const { out } = await admin('members list --customer other --json')
    expect(JSON.parse(out)).toMatchObject([{ email: 'ana@SUNBIRD.example', name: 'A', roles: ['admin'] }])
  })

  test('receive the link by mail where a mail server is configured, and it is displayed nowhere', async () => {
    const args = 'members add --customer sunbird --email mia@sunbird.example --name Mia --role admin --mail'
    expectError(await admin(args), 'No mail server')
    vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
    vi.stubEnv('MAIL_FROM', 'billing@reseller.example')
    vi.stubEnv('BASE_URL', 'https://console.example')
    const { code, out, err } = await admin(args)
    vi.unstubAllEnvs()
    expect([code, out, err]).toEqual([0, 'mia@sunbird.example\n', expect.stringContaining('within a minute')])
    expect(
      await db.sql('sunbird', 'SELECT kind, state, made_by FROM account_links WHERE state IS NOT NULL'),
    ).toEqual([{ kind: 'invitation', state: 'WAITING', made_by: 'operator' }])
  })

  test('are locked out immediately when disabled, and change roles immediately', async () => {
    await accept(await addMember('ben@sunbird.example'))
    const who = '--customer sunbird.example --email Ben@Sunbird.Example'
    const session = digestOf(
      (await signInFrom({ email: 'ben@sunbird.example', password: PASSWORD }, '192.0.2.1')) ?? '',
    )
    expect(await admin(`members set-roles ${who} --role`, '', ['Finance User'])).toMatchObject({ code: 0 })
    expect(may((await findSessionCaller(session)) ?? { roles: [] }, 'licenses-manager')).toBe(false)
    expect(may((await findSessionCaller(session)) ?? { roles: [] }, 'invoice-viewer')).toBe(true)
    expect(await admin(`members disable ${who}`)).toMatchObject({ code: 0 })
    expect(await findSessionCaller(session)).toBeUndefined()
    expect(await signInFrom({ email: 'ben@sunbird.example', password: PASSWORD }, '192.0.2.1')).toBeNull()
    expectError(await admin(`members reset ${who}`), 'is disabled')
    expect(await admin(`members enable ${who}`)).toMatchObject({ code: 0 })
    expect(await findSessionCaller(session)).toBeUndefined()
    expect(await signInFrom({ email: 'ben@sunbird.example', password: PASSWORD }, '192.0.2.1')).not.toBeNull()
    expect(await audits('member.changed')).toMatchObject([
      { details: { from: ['it-manager'], to: ['finance-user'] } },
    ])
    const listed = JSON.parse((await admin('members list --customer sunbird --json')).out)
    expect(listed).toContainEqual(
      expect.objectContaining({ email: 'ben@sunbird.example', roles: ['finance-user'] }),
    )
  })

  test.each([
    ['add --customer sunbird --email c@d.example --name A --role boss', 'finance-user', 2],
    ['add --customer sunbird --email nowhere --name A --role admin', 'is not an email address', 2],
    ['add --customer nobody --email c@d.example --name A --role admin', 'no customer "nobody"'],
    ['reset --customer other --email ben@sunbird.example', 'no member'],
    ['disable --customer other --email ben@sunbird.example', 'no member'],
  ])('refuse %s', async (args, reason, code = 1) => {
    expectError(await admin(`members ${args}`), reason, code)
  })
})

describe('keys', () => {
  test('are printed without other text, work immediately, and end when revoked', async () => {
    const { code, out, err } = await admin(
      'keys issue --customer sunbird --role it-manager --role finance-user --name ERP --expires 90d',
    )
    expect([code, out]).toEqual([0, expect.stringMatching(/^lic_[0-9A-Za-z]{36}\n$/)])
    const caller = await findKeyCaller(digestOf(out.trim()))
    expect(caller).toMatchObject({
      name: 'ERP',
      email: 'it@sunbird.example',
      roles: ['it-manager', 'finance-user'],
    })
    expect(err).toContain(caller?.id)

    const list = await admin('keys list --customer sunbird --json')
    expect(list.out).not.toContain(out.trim())
    const [listed] = JSON.parse(list.out)
    const days = (Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)) / 86_400_000
    expect([listed.id, days]).toEqual([caller?.id, 90])
    const query = "SELECT issued_by, digest FROM api_keys WHERE customer_id = 'sunbird'"
    expect((await db.opened.keys.query(query)).rows).toEqual([
      { issued_by: null, digest: digestOf(out.trim()) },
    ])

    expectError(await admin(`keys revoke --customer other ${caller?.id}`), 'no key')
    expect(await findKeyCaller(digestOf(out.trim()))).toBeDefined()
    expect(await admin(`keys revoke --customer sunbird ${caller?.id}`)).toMatchObject({ code: 0, out: '' })
    expect(await findKeyCaller(digestOf(out.trim()))).toBeUndefined()
    expect(await admin(`keys revoke --customer sunbird ${caller?.id}`)).toMatchObject({ code: 0 })
    expect(await audits('key.revoked')).toHaveLength(1)
  })

  test.each([
    ['issue --customer nobody --role admin --name x', 1],
    ['issue --customer sunbird --role boss --name x', 2],
    ['issue --customer sunbird --role admin,boss --name x', 2],
  ])('refuse %s', async (args, code) => {
    expectError(await admin(`keys ${args}`), 'There is no', code)
  })
})

const FOCUS =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost\n' +
  'Resale,A-1,2026-09-01,2026-10-01,USD,Hoster,Compute,Usage,1.25\n'

describe('import', () => {
  test('reads a file relative to the working directory, or stdin, and reports the result', async () => {
    writeFileSync(join(folder, 'costs.csv'), FOCUS)
    const args = '--customer sunbird --due-days 14 --paid --platform'
    const { code, out, err } = await admin(`import focus costs.csv ${args}`, '', ['Hoster=web-services'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^Invoices +1 +1 new$/m)
    expect(out).toMatch(/\nStored as import \d{8}-[0-9a-f]{8}\.\n$/)
    const sql = 'SELECT platform, due_date::text, balance_amount FROM invoices'
    const expected = [{ platform: 'web-services', due_date: '2026-10-14', balance_amount: '0' }]
    expect(await db.sql('sunbird', sql)).toEqual(expected)
    const other = await admin('import focus - --customer sunbird', FOCUS)
    expectError(other, 'platform: stored web-services, given hoster')
    expect(other.err).toContain('--correct')
    expect(await db.sql('sunbird', sql)).toEqual(expected)
    expect((await admin('import focus - --customer sunbird --correct', FOCUS)).out).toContain('1 corrected')
  })

  test('lists bad rows by line and column', async () => {
    const { code, err, out } = await admin(
      'import focus - --customer sunbird',
      FOCUS.replace('1.25', '1e999999'),
    )
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^Refused, and nothing was stored:\n {2}line 2, BilledCost: .*out of range.*\n$/)
  })

  test.each([
    ['assets', '{"id":"x"}', 'line 1, type: is missing'],
    ['invoices', '[{]\n', 'not JSON'],
    ['invoices', '', 'is empty'],
  ])('refuses %s of %j', async (what, input, reason) => {
    expectError(await admin(`import ${what} - --customer sunbird`, input), reason)
  })
})

describe('issuers and billing profiles', () => {
  test('an issuer is set part by part, and a part is taken away by an empty text', async () => {
    const set = (...more: string[]) => admin('issuers set --customer sunbird', '', ['Cloud Resale', ...more])
    await set('--address', '1 Quay Road', '--address', 'Dublin', '--iban', 'ie64 irce 9205 0112 3456 78')
    expect(await set('--terms', '30 days', '--tax-id', '')).toMatchObject({ code: 0, out: '' })
    const { out } = await admin('issuers list --customer sunbird --json')
    const issuer = { name: 'Cloud Resale', address: '1 Quay Road\nDublin', taxId: null, terms: '30 days' }
    expect(JSON.parse(out)).toMatchObject([{ ...issuer, iban: 'IE64IRCE92050112345678', bank: null }])
    expect(await audits('issuer.set')).toMatchObject([
      { actor_kind: 'operator', details: { iban: 'IE64IRCE92050112345678' } },
      { details: { terms: '30 days', taxId: null } },
    ])
  })

  test('an issuer with a slip of the pen is refused', async () => {
    const set = (...more: string[]) => admin('issuers set --customer sunbird', '', ['Other', ...more])
    expectError(await set('--iban', 'IE64IRCE92050112345679'), 'is no IBAN', 2)
    expectError(await set('--bic', 'x'), 'is no BIC', 2)
    expectError(await set('--country', 'UK'), '"UK" is no country code of two letters (ISO 3166-1)', 2)
    expect((await admin('issuers list --customer other --json')).out).toBe('[]\n')
  })

  test('A billing profile is changed, or added with its first name', async () => {
    const set = (...more: string[]) => admin('billing-profiles set --customer sunbird', '', more)
    expectError(
      await set('emea', '--tax-id', 'DE1'),
      'There is no billing profile "emea" yet. Give its --name.',
    )
    await set('emea', '--name', 'Sunbird GmbH', '--tax-id', 'DE1')
    expect(
      await set('default', '--address', 'Main Street 1', '--city', 'Zurich', '--country', 'ch'),
    ).toMatchObject({
      code: 0,
    })
    await set('emea', '--tax-id', '')
    const address = { postcode: null, taxId: null, registration: null }
    const { out } = await admin('billing-profiles list --customer sunbird --json')
    expect(JSON.parse(out)).toEqual([
      { ...address, id: 'default', name: 'Sunbird', address: 'Main Street 1', city: 'Zurich', country: 'CH' },
      { ...address, id: 'emea', name: 'Sunbird GmbH', address: null, city: null, country: null },
    ])
    expect(await audits('billing-profile.set')).toHaveLength(3)
  })
})

describe('a program in a shell', () => {
  test('reports an unreachable database in one line', async () => {
    expectError(await admin('customers list', '', [], 'postgres://127.0.0.1:1/x'), 'ECONNREFUSED')
  })

  test("exits with the result's code and prints the reason to standard error while its input stays open", async () => {
    const { child, ended } = start('keys list --customer nobody')
    expect(await ended).toEqual({ code: 1, out: '', err: 'There is no customer "nobody".\n' })
    child.stdin.end()
  })

  test('exits with 2 where a required option is missing', async () => {
    const { code, out, err } = await admin('customers add --id x')
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain("required option '--name <name>' not specified")
  })
})

test.each([
  'customers limits sunbird',
  'customers prices sunbird',
  'billing-profiles list --customer sunbird',
  'issuers list --customer sunbird',
  'sign-on show --customer sunbird',
  'sign-on domains list --customer sunbird',
  'scim token list --customer sunbird',
  'scim group list --customer sunbird',
  'import list',
  'invoices duplicates --customer sunbird',
  'payments list --customer sunbird',
  'notices list --customer sunbird',
  'changes list',
  'renewal-orders list',
  'status',
  'sums verify',
  'audit list --customer sunbird',
  'audit verify',
  'database status',
])('%s --json prints one document', async (command) => {
  const { code, out } = await admin(`${command} --json`)
  expect([code, typeof JSON.parse(out)]).toEqual([0, 'object'])
})

test('a role may be followed by others after commas', async () => {
  const { out } = await admin('keys issue --customer sunbird --name Both --role it-manager,finance-user')
  expect((await findKeyCaller(digestOf(out.trim())))?.roles).toEqual(['it-manager', 'finance-user'])
})

function expectError({ code, out, err }: Ended, reason: string, expected = 1) {
  expect([code, out]).toEqual([expected, ''])
  expect(err).toContain(reason)
  expect(err).not.toMatch(/^\s+at /m)
}
