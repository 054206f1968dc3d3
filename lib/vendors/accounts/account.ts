import 'server-only'

/** An account of the reseller at a vendor, as rows and imports name it. */
export type Account = { vendor: string; vendorAccount: string }

/** The account of the environment's settings, and that of an asset that names none. */
export const DEFAULT_ACCOUNT = 'default'
