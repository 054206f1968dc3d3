import type { ReactNode } from 'react'

/** Meaning of a badge's color, which is never decoration: settled, open, caution, refused or late, neutral. */
export type BadgeTone = 'ok' | 'info' | 'warn' | 'danger' | 'mute'

const TONES: Record<BadgeTone, string> = {
  ok: 'bg-accent-tint text-accent',
  info: 'bg-info-tint text-info',
  warn: 'bg-warn-tint text-warn',
  danger: 'bg-danger-tint text-danger',
  mute: 'bg-sunken text-ink-2',
}

export function Badge({ tone = 'mute', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex h-5.5 items-center gap-1.5 rounded-full px-2 text-xs font-[550] whitespace-nowrap forced-colors:border ${TONES[tone]}`}
    >
      {children}
    </span>
  )
}
