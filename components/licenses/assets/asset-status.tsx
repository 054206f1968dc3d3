import { Badge, type BadgeTone } from '#components/ui/badge.tsx'
import { statusText } from './labels.ts'

const TONES: Record<string, BadgeTone> = { ACTIVE: 'ok', SUSPENDED: 'warn', PENDING: 'info' }

/** Status of a subscription. */
export function AssetStatus({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'mute'}>{statusText(status)}</Badge>
}
