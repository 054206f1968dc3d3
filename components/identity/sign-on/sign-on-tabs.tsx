import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/sign-on', name: 'Sign-in' },
  { href: '/sign-on/directory', name: 'Directory' },
] as const

/** Tabs of single sign-on: sign-in of members, and the directory that adds and removes them. */
export function SignOnTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Single sign-on" tabs={TABS} current={current} />
}
