import { afterAll, beforeAll, expect, test } from 'vitest'
import { planEnd } from '#components/licenses/assets/labels.ts'
import { atRenewalText } from '#components/licenses/renewal-orders/labels.ts'
import { calendarOf } from '#lib/costs/renewal-feeds/calendar.ts'
import { happensText, nextCostText } from '#lib/costs/renewals/format.ts'
import { listRenewals } from '#lib/costs/renewals/operations.ts'
import { readAsset } from '#lib/licenses/assets/operations.ts'
import { atEndText, type Outcome, outcomeOf } from '#lib/licenses/assets/rules.ts'
import { type TestVendor, testVendor } from '#lib/licenses/license-changes/test-vendor.ts'
import { readOne } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { readRenewal } from '#lib/licenses/renewal-orders/operations.ts'
import { whyNoOrder } from '#lib/licenses/renewal-orders/rules.ts'
import { describeNeed } from '#lib/notifications/needs/messages.ts'
import { listNeeds } from '#lib/notifications/needs/operations.ts'
import { digestOf } from '#lib/notifications/notices/digest.ts'
import { messageOf } from '#lib/notifications/notices/message.ts'
import { addInvoice, callerOf } from '#lib/platform/db/test-rows.ts'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { microsoft } from './fuzz/scenarios.ts'
import { CUSTOMER, type Seed } from './fuzz/stage.ts'

// The end of a term at Microsoft in each screen, mail, calendar and field of the API: only a visible Cancel ends a plan.

const origin = { requestId: 'test' }
const END = Date.now() + 30 * DAY_MS
const SKU = 'CFQ7TTC0LCHC:0002'
const termEnd = (actionType: string) => [{ scheduleType: 'TermEnd', actionType }]

type Case = [
  name: string,
  vendor: {
    autoRenewEnabled?: boolean | undefined
    scheduledActions?: object[]
    skuId?: string
    plan?: string
  },
  expected: { outcome?: Outcome; verb?: string },
]
const RENEWS = { outcome: 'renews', verb: 'Renews' } as const
const CONTINUES = { outcome: 'extended-term', verb: 'Continues as a paid Extended Service Term' } as const
const CASES: Case[] = [
  ['automatic renewal', { autoRenewEnabled: true }, RENEWS],
  [
    'a renewal that is scheduled, after an upgrade',
    { autoRenewEnabled: true, scheduledActions: termEnd('RenewToNewTerm'), skuId: SKU },
    RENEWS,
  ],
  [
    'a Cancel next to automatic renewal',
    { autoRenewEnabled: true, scheduledActions: termEnd('Cancel') },
    RENEWS,
  ],
  [
    'a Cancel',
    { autoRenewEnabled: false, scheduledActions: termEnd('Cancel') },
    { outcome: 'ends', verb: 'Ends' },
  ],
  [
    'an Extended Service Term that is scheduled',
    { autoRenewEnabled: false, scheduledActions: termEnd('RenewToExtendedServiceTerm') },
    CONTINUES,
  ],
  ['no automatic renewal, after an upgrade', { autoRenewEnabled: false, skuId: SKU }, CONTINUES],
  ['nothing at all', { autoRenewEnabled: undefined }, { verb: 'Commitment ends' }],
  [
    'an Extended Service Term that has begun, under another SKU',
    { autoRenewEnabled: false, skuId: SKU, plan: 'P1M monthly' },
    {},
  ],
]

let vendor: TestVendor
let caller: Awaited<ReturnType<typeof callerOf>>
let texts: Map<string, { outcomes: (Outcome | undefined)[]; texts: string[]; costs: (string | undefined)[] }>

beforeAll(async () => {
  vendor = await testVendor(microsoft, { assets: 2 * CASES.length, times: { VENDOR_WRITE_MS: '1500' } })
  caller = await callerOf(CUSTOMER, 'admin')
  const plans = vendor.stage.seeds.filter(({ isCommitmentPlan }) => isCommitmentPlan)
  for (const [n, [, { autoRenewEnabled, scheduledActions, ...patch }]] of CASES.entries()) {
    const seed = plans[n] as Seed
    const endsAt = new Date(END).toISOString()
    const fields = { autoRenewEnabled, scheduledActions }
    vendor.fake.change(seed.id, patch, { fields, endsAt } as object)
    await readOne(caller.customerId, vendor.assetId(seed), 'test')
  }
  await addInvoice(CUSTOMER, 'IN-1', { platform: 'workspace-suite' }, [
    { description: 'Business Plus', price: '10', qty: '20', details: '1 Oct – 31 Oct 2026' },
  ])
  texts = new Map()
  // One after the other: all reads at the same time wait too long for their connections on a busy machine.
  for (const [n, [name]] of CASES.entries()) texts.set(name, await textsOf(vendor.assetId(plans[n] as Seed)))
})
afterAll(() => vendor.close())

/** Returns the texts of the rule, the API, screens, mail and calendar about an asset. */
async function textsOf(assetId: string) {
  const asset = { params: { asset_id: assetId }, query: {}, headers: {}, body: undefined }
  const input = { params: {}, query: {}, headers: {}, body: undefined } as never
  const [{ body: item }, { body: renewal }, { body: list }, { body: needs }] = await Promise.all([
    readAsset(caller, asset as never, origin),
    readRenewal(caller, asset, origin),
    listRenewals(caller, input, origin),
    listNeeds(caller, input, origin),
  ])
  const listed = list.renewals.find((one) => one.asset.id === assetId)
  const need = needs.needs.find((one) => one.renewal && one.asset?.id === assetId)
  const { subscription } = (item as { properties: { subscription: Parameters<typeof planEnd>[0] } })
    .properties
  const digest = need && digestOf({ invoices: [], changes: [], needs: [need] }, DIGEST as never)
  const { title = '', headline = '', details = [] } = need ? describeNeed(need) : {}
  const feed = {
    customerId: caller.customerId,
    customerName: 'X',
    baseUrl: 'https://x.example',
    today: list.today,
  }
  const type = subscription.RenewalSettings?.renewalType
  return {
    // Of the rule, the API of the asset, of renewals and of needs.
    outcomes: [outcomeOf(type), renewal.outcome, listed?.outcome, need?.renewal?.outcome],
    texts: [
      ...(type ? [atEndText(type)] : []),
      atRenewalText(renewal),
      planEnd(subscription) ?? '',
      ...(listed ? [happensText(listed), calendarOf([listed], feed).replaceAll('\r\n ', '')] : []),
      ...(need ? [[title, headline, ...details].join('\n')] : []),
      ...(digest ? [messageOf(digest, TO as never, 'https://x.example').text] : []),
    ],
    costs: [listed && nextCostText(listed), ...details],
  }
}
const DIGEST = { customer: 'X', baseUrl: 'https://x.example', today: '2026-11-25', profiles: new Map() }
const TO = { customerId: CUSTOMER, recipientId: 'r1' }

const textOf = (name: string) => texts.get(name) ?? { outcomes: [], texts: [], costs: [] }

test.each(CASES)('Of %s, all of them state the same outcome', (name, _, { outcome, verb }) => {
  const { outcomes, texts } = textOf(name)
  const isRunning = verb !== undefined
  expect(outcomes).toEqual(Array.from({ length: 4 }, () => outcome))
  // Those of the rule, the asset's page twice, the list, the calendar, home and the mail.
  expect(texts).toHaveLength(isRunning ? (outcome ? 7 : 6) : 2)
  if (outcome) for (const text of texts.filter((one) => one)) expect(text).toContain(verb?.split(' ')[0])
  for (const text of texts)
    if (outcome === 'ends') expect(text).toMatch(/\bEnds\b/)
    else expect(text).not.toMatch(/\bEnds\b/)
})

test('Costs after the end are none, those of the same licenses, or have the published surcharge', () => {
  const [renews] = textOf('automatic renewal').costs
  const [continues] = textOf('an Extended Service Term that is scheduled').costs
  const [ends] = textOf('a Cancel').costs
  const [unknown] = textOf('nothing at all').costs
  expect([renews, continues, ends, unknown]).toEqual([
    'Then 200.00 USD a month',
    'Then 206.00 USD a month, with a surcharge of 3 % (the vendor’s published figure)',
    'No charges after that',
    undefined,
  ])
  const decide = `Decide by ${dayText(END - DAY_MS)}`
  for (const [name, , { outcome }] of CASES) if (outcome) expect(textOf(name).costs).toContain(decide)
  expect(textOf('a Cancel').costs).toContain('No charges after that')
})

test.each(CASES)(
  'Of %s, orders are taken where the charges continue',
  async (name, vendorFields, { outcome }) => {
    const plan = {
      ...{
        status: 'ACTIVE',
        isCommitmentPlan: vendorFields.plan === undefined,
        commitmentEnd: END,
        hasNextTerm: true,
      },
      ...({ choice: 'total', endActions: ['cancel', 'extended-term'], hasOrder: false } as const),
      renewalType: TYPES[outcome ?? 'none'],
    }
    const expected = vendorFields.plan ? 'no_commitment' : outcome === 'ends' ? 'ends' : undefined
    expect(whyNoOrder(plan, Date.now()), name).toBe(expected)
  },
)
const TYPES: Record<string, string | undefined> = {
  renews: 'AUTO_RENEW_MONTHLY_PAY',
  'extended-term': 'EXTENDED_SERVICE_TERM',
  ends: 'CANCEL',
}
