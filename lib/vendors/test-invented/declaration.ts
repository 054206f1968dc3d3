import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import { foresee } from './foresee.ts'
import { type Config, settings } from './settings.ts'

// A vendor that there is not. It was added by the steps of docs/vendors.md, to see that they lead there.

/** Paperclip, by its Licence API. */
export const paperclip: VendorDeclaration<Config> = {
  name: 'paperclip',
  facts: {
    label: 'Paperclip',
    capsFlexible: false,
    takesLicenses: false,
    locksIncreases: true,
    nextTerm: () => undefined,
  },
  settings,
  foresee,
  looksUp: true,
  load: () => import('./connect.ts'),
}
