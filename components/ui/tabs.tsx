import Link from 'next/link'

/**
 * Tabs of one screen, each with its own address.
 * @param name of the screen
 * @param current address of the open tab
 */
export function Tabs<Href extends string>({
  label,
  tabs,
  current,
}: {
  label: string
  tabs: readonly { href: Href; name: string }[]
  current: Href
}) {
  return (
    <nav aria-label={label} className="mb-3 flex gap-5 border-b border-line print:hidden">
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={tab.href}
          prefetch={false}
          aria-current={tab.href === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-0.5 pb-2 font-medium text-ink-2 hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
        >
          {tab.name}
        </Link>
      ))}
    </nav>
  )
}
