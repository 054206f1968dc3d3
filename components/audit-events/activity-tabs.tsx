import Link from 'next/link'

const TABS = [
  { href: '/activity', name: 'Licenses' },
  { href: '/activity/events', name: 'Everything' },
] as const

/** What the screen Activity shows: changes of licenses, or for who may see it all that happened. */
export function ActivityTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return (
    <nav aria-label="Activity" className="mb-4 flex gap-5 border-b border-line print:hidden">
      {TABS.map(({ href, name }) => (
        <Link
          key={href}
          href={href}
          prefetch={false}
          aria-current={href === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-0.5 pb-2 font-medium text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
