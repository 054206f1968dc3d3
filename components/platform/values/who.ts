import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Who did something: a person's name; a key and a vendor are named as what they are. */
export function whoText({ kind, name }: { kind: string; name: string }): string {
  if (kind === 'vendor') return `${escapeInvisible(name)} (vendor)`
  return kind === 'key' ? `Key “${escapeInvisible(name)}”` : escapeInvisible(name)
}
