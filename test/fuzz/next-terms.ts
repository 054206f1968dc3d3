import { CANCEL, EXTENDED_TERM } from '#lib/licenses/assets/rules.ts'
import type { Fake } from '../fakes/vendors/fake.ts'
import type { Seed } from './stage.ts'

// The settings of next terms that vendors store.

type Body = { quantity: number } | { renewalType: string } | { action: 'cancel' | 'extended-term' }

/** Settings of next terms at one vendor. `held` is a text: a total, a way to renew, or `none`. */
export type NextTerms = {
  held(fake: Fake, seed: Seed): string
  /** Like `held`, but of the fields that only this vendor has. */
  heldIn(vendorFields: unknown): string
  /** Setting before the first order. */
  base: string
  /** Returns a setting that an order may request. */
  wish(random: () => number): Body
  /** Another party sets something that no order asks for. */
  set(fake: Fake, seed: Seed, number: number): void
  /** Ends the term soon, so that orders can be made and the next term is distinguishable from this one. */
  open(fake: Fake, seed: Seed): void
  /** Begins the next term as set. */
  renew(fake: Fake, seed: Seed): void
}

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
type MicrosoftFields = { fields: Record<string, unknown>; endsAt: string }
type GoogleFields = { renewalType: string }

function change<Fields>(fake: Fake, { id }: Seed, update: (now: Fields) => Partial<Fields>): void {
  fake.change(id, {}, update(fake.subscription(id)?.vendorFields as Fields) as object)
}

const microsoft: NextTerms = {
  held: (fake, { id }) => microsoft.heldIn(fake.subscription(id)?.vendorFields),
  heldIn(vendorFields) {
    const { fields } = vendorFields as MicrosoftFields
    const end = endOf(fields)
    if (fields.autoRenewEnabled === false) return end
    if (end === CANCEL) throw new Error('A Cancel is scheduled next to a renewal.')
    const order = fields.scheduledNextTermInstructions as { quantity?: number } | null | undefined
    return String(order?.quantity ?? 'none')
  },
  base: 'none',
  // Fewer than any writer asks for, and than another party sets.
  wish(random) {
    const kind = random()
    if (kind > 0.85) return { action: 'cancel' }
    return kind > 0.75 ? { action: 'extended-term' } : { quantity: 10 + Math.floor(random() * 8) }
  },
  set: (fake, seed, number) =>
    change<MicrosoftFields>(fake, seed, ({ fields }) => ({
      fields: {
        ...{ ...fields, autoRenewEnabled: true, scheduledActions: undefined },
        scheduledNextTermInstructions: { quantity: 200 + (number % 90) },
      },
    })),
  open: (fake, seed) =>
    change<MicrosoftFields>(fake, seed, () => ({ endsAt: new Date(Date.now() + DAY_MS).toISOString() })),
  renew(fake, seed) {
    const end = microsoft.held(fake, seed)
    if (end === CANCEL) return fake.change(seed.id, { status: 'expired' })
    if (end === EXTENDED_TERM) return fake.change(seed.id, { plan: 'P1M monthly', skuId: `${seed.skuId}EX` })
    const total = Number(end)
    change<MicrosoftFields>(fake, seed, ({ fields: { scheduledNextTermInstructions: _, ...fields } }) => ({
      fields,
      endsAt: new Date(Date.now() + YEAR_MS).toISOString(),
    }))
    if (total > 0) fake.setByVendor(seed.id, total)
  },
}

/** Returns the end of a term that does not renew at Microsoft: without any action, the plan continues, too. */
function endOf({ scheduledActions }: Record<string, unknown>): string {
  const actions = (scheduledActions ?? []) as { actionType: string }[]
  return actions.some(({ actionType }) => actionType === 'Cancel') ? CANCEL : EXTENDED_TERM
}

const google: NextTerms = {
  held: (fake, { id }) => google.heldIn(fake.subscription(id)?.vendorFields),
  heldIn: (vendorFields) => (vendorFields as GoogleFields).renewalType,
  base: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
  wish: (random) => ({ renewalType: random() < 0.7 ? 'AUTO_RENEW_MONTHLY_PAY' : google.base }),
  set: (fake, seed) =>
    change<GoogleFields>(fake, seed, () => ({ renewalType: 'RENEW_CURRENT_USERS_YEARLY_PAY' })),
  open: (fake, { id }) => fake.change(id, { createdAt: Date.now() + DAY_MS - YEAR_MS }),
  renew(fake, seed) {
    const isSame = google.held(fake, seed).startsWith('AUTO_RENEW')
    fake.change(seed.id, { createdAt: Date.now() })
    if (!isSame) fake.setByVendor(seed.id, seed.assigned)
  },
}

/** The books of each vendor by its name. */
export const nextTerms: Record<string, NextTerms> = {
  'microsoft-partner-center': microsoft,
  'google-workspace': google,
}
