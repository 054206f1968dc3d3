import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import type { Observed, ObservedSeats, PredictedOutcome } from '../vendor.ts'
import { type Config, settings } from './settings.ts'

const TRIAL_MAXIMUM = 10

/** What Google publishes of changeSeats, besides the rule on commitments which is ours too. */
function predictOutcome({ planName, seats }: Observed, total: number): PredictedOutcome<ObservedSeats> {
  const { assigned = 0, purchased } = seats
  if (total < assigned) {
    const advice = `Remove ${users(assigned - total)} there first, or choose ${assigned} or more.`
    return rejected(`Google counts ${users(assigned)} with a license. ${advice}`)
  }
  if (planName === 'TRIAL' && total > TRIAL_MAXIMUM) {
    return rejected(`A trial has ${TRIAL_MAXIMUM} licenses at most at Google. Choose a paid plan for more.`)
  }
  // A cap that Google stated apart is Google's to move.
  const maximum = seats.maximum === purchased ? total : Math.max(seats.maximum, total)
  return { kind: 'applied', seats: { ...seats, purchased: total, maximum } }
}

function rejected(reason: string): PredictedOutcome<ObservedSeats> {
  return { kind: 'rejected', code: 'vendor_rejected', reason }
}

function users(count: number): string {
  return count === 1 ? '1 user' : `${count} users`
}

/** Google Workspace, by the Workspace Reseller API v1. */
export const google: VendorDeclaration<Config> = {
  name: 'google-workspace',
  info: {
    label: 'Google Workspace',
    capsFlexible: true,
    takesLicenses: false,
    locksIncreases: false,
    endActions: ['cancel'],
    // It takes no total for the next term: only whether to renew with the same licenses, or with those in use.
    nextTerm: (planName) => {
      const pay = /^ANNUAL_(MONTHLY|YEARLY)_PAY$/.exec(planName)?.[1]
      if (pay === undefined) return undefined
      return { renewalTypes: [`AUTO_RENEW_${pay}_PAY`, `RENEW_CURRENT_USERS_${pay}_PAY`] }
    },
  },
  settings,
  predictOutcome,
  setsNextTerm: true,
  load: () => import('./connect.ts'),
}
