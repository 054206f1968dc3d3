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
  },
  settings,
  foresee,
  isSame,
  load: () => import('./connect.ts'),
}
