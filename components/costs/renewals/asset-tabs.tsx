import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/assets', name: 'All assets' },
  { href: '/assets/renewals', name: 'Renewals' },
] as const

/** The sides of the screen Assets: what there is, and when commitments end. */
export function AssetTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Assets" tabs={TABS} current={current} />
}
