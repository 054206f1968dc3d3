import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/activity', name: 'Licenses' },
  { href: '/activity/events', name: 'Everything' },
] as const

/** What the screen Activity shows: changes of licenses, or for who may see it all that happened. */
export function ActivityTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Activity" tabs={TABS} current={current} />
}
