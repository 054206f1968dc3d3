import { google } from './google/fake.ts'
import { microsoft } from './microsoft/fake.ts'
import type { FakeDeclaration } from './vendors/declaration.ts'

/** The stand-ins of all vendors. A new one is added here and in its own folder, nowhere else. */
export const vendorFakes: FakeDeclaration[] = [google, microsoft]
