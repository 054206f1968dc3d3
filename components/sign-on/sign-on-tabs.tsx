import Link from 'next/link'

const TABS = [
  { href: '/sign-on', name: 'Sign-in' },
  { href: '/sign-on/directory', name: 'Directory' },
] as const

/** The two sides of single sign-on: how members sign in, and how a directory adds them and takes them away. */
export function SignOnTabs({ current }: { current: (typeof TABS)[number]['href'] }) {
  return (
    <nav aria-label="Single sign-on" className="mb-4 flex gap-5 border-b border-line print:hidden">
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
