import 'server-only'

/** What people should know of a vendor's ways before they change a number of licenses. */
export type VendorFacts = {
  /** Its name for people. */
  label: string
  /** On a plan without a commitment the number is a cap: what is billed is the use below it. */
  capsFlexible: boolean
  /** A total below the assigned users is not refused: some of them lose their licenses. */
  takesLicenses: boolean
  /** Without a commitment, too, an increase can be taken back for a few days only. */
  locksIncreases: boolean
}

const ORDINARY = { capsFlexible: false, takesLicenses: false, locksIncreases: false }

const FACTS: Record<string, VendorFacts> = {
  'built-in': { ...ORDINARY, label: 'The vendor' },
  'google-workspace': { ...ORDINARY, label: 'Google Workspace', capsFlexible: true },
  'microsoft-partner-center': {
    ...ORDINARY,
    label: 'Microsoft',
    takesLicenses: true,
    locksIncreases: true,
  },
}

/** The facts of a vendor by its name, as stored with an asset. */
export function vendorFacts(name: string): VendorFacts {
  return FACTS[name] ?? { ...ORDINARY, label: name }
}
