import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/assets', name: 'All assets' },
  { href: '/assets/renewals', name: 'Renewals' },
] as const

/** Tabs of the screen Assets: the list, and the renewals. */
export function AssetTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Assets" tabs={TABS} current={current} />
}
