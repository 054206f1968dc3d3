import { escapeInvisible } from '#components/ui/escape-invisible.ts'

/** Returns an actor's display name: the name of a person; keys and vendors are labeled as such. */
export function whoText({ kind, name }: { kind: string; name: string }): string {
  if (kind === 'vendor') return `${escapeInvisible(name)} (vendor)`
  return kind === 'key' ? `Key “${escapeInvisible(name)}”` : escapeInvisible(name)
}
