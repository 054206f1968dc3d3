import { visible } from '#components/ui/visible.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'

/** Who did something: a person's name; a key and a vendor are named as what they are. */
export function whoText({ kind, name }: LicenseChange['actor']): string {
  if (kind === 'vendor') return `${visible(name)} (vendor)`
  return kind === 'key' ? `Key “${visible(name)}”` : visible(name)
}
