import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/activity', name: 'Licenses' },
  { href: '/activity/events', name: 'Audit log' },
] as const

/** Tabs of the screen Activity: license changes and, for members who may see them, all audit events. */
export function ActivityTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Activity" tabs={TABS} current={current} />
}
