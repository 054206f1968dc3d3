import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import { foresee } from './foresee.ts'
import { type Config, settings } from './settings.ts'

/** Google Workspace, by the Workspace Reseller API v1. */
export const google: VendorDeclaration<Config> = {
  name: 'google-workspace',
  facts: {
    label: 'Google Workspace',
    capsFlexible: true,
    takesLicenses: false,
    locksIncreases: false,
    // It takes no total for the next term: only whether to renew with the same licenses, or with those in use.
    nextTerm: (planName) => {
      const pay = /^ANNUAL_(MONTHLY|YEARLY)_PAY$/.exec(planName)?.[1]
      if (pay === undefined) return undefined
      return { renewalTypes: [`AUTO_RENEW_${pay}_PAY`, `RENEW_CURRENT_USERS_${pay}_PAY`] }
    },
  },
  settings,
  foresee,
  setsNextTerm: { isConditional: false },
  load: () => import('./connect.ts'),
}
