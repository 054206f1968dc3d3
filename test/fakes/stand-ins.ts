import { google } from './google/stand-in.ts'
import { microsoft } from './microsoft/stand-in.ts'
import type { FakeDeclaration } from './vendors/stand-in.ts'

/** The stand-ins of all vendors. A new one is added here and in its own folder, nowhere else. */
export const vendorFakes: FakeDeclaration[] = [google, microsoft]
