import { Tabs } from '#components/ui/tabs.tsx'

const TABS = [
  { href: '/sign-on', name: 'Sign-in' },
  { href: '/sign-on/directory', name: 'Directory' },
] as const

/** The two sides of single sign-on: how members sign in, and how a directory adds them and takes them away. */
export function SignOnTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return <Tabs label="Single sign-on" tabs={TABS} current={current} />
}
