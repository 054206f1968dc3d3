import 'server-only'
import type { VendorDeclaration } from './declaration.ts'
import { google } from './google/declaration.ts'
import { microsoft } from './microsoft/declaration.ts'

/** The vendors that are reached over the network. A new one is added here and in its own folder, nowhere else. */
export const knownVendors: VendorDeclaration[] = [google, microsoft]
