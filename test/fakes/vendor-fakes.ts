import { google } from './google/fake.ts'
import { microsoft } from './microsoft/fake.ts'
import type { FakeDeclaration } from './vendors/declaration.ts'

/** Fakes of all vendors. A new fake is added here and in its own folder, nowhere else. */
export const vendorFakes: FakeDeclaration[] = [google, microsoft]
