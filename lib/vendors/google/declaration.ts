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
  },
  settings,
  foresee,
  load: () => import('./connect.ts'),
}
