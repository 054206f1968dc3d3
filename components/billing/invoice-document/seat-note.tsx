import { Check, History, TriangleAlert } from 'lucide-react'

/** What the seats that we know say of a line. */
export type SeatNote = { tone: 'ok' | 'info' | 'warn'; text: string }

const ICONS = { ok: Check, info: History, warn: TriangleAlert }
const TONES = { ok: 'text-accent', info: 'text-info', warn: 'text-warn' }

export function SeatNoteText({ note }: { note: SeatNote }) {
  const Icon = ICONS[note.tone]
  return (
    <span className={`mt-0.5 flex items-start gap-1.5 text-xs ${TONES[note.tone]}`}>
      <Icon aria-hidden="true" className="mt-0.5 size-3 shrink-0" />
      {note.text}
    </span>
  )
}
