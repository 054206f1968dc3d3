import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import { foresee } from './foresee.ts'
import { isSame } from './same.ts'
import { type Config, settings } from './settings.ts'

/** Microsoft, by Partner Center (cloud solution providers, new commerce). */
export const microsoft: VendorDeclaration<Config> = {
  name: 'microsoft-partner-center',
  facts: {
    label: 'Microsoft',
    capsFlexible: false,
    takesLicenses: true,
    locksIncreases: true,
    nextTerm: () => 'total',
  },
  settings,
  foresee,
  isSame,
  setsNextTerm: { isConditional: true },
  load: () => import('./connect.ts'),
}
