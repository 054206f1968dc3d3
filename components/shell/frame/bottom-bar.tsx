import { Search } from 'lucide-react'
import Link from 'next/link'
import { ICONS, type Screen, useHere } from './nav-links.tsx'

/** Their names fit side by side on the narrowest phone. */
const ENTRIES: readonly string[] = ['/', '/assets', '/invoices'] satisfies Screen['href'][]

const ENTRY =
  'grid h-14 flex-1 place-content-center justify-items-center gap-0.5 rounded-md text-xs text-ink-2 focus-visible:-outline-offset-2 aria-[current]:font-semibold aria-[current]:text-accent'

/** Where a thumb reaches it: the screens that people come for, and Find. On a low screen the bar on top has all of it. */
export function BottomBar({ screens, onFind }: { screens: readonly Screen[]; onFind: () => void }) {
  const { path, holding } = useHere(screens)
  return (
    <nav
      aria-label="Shortcuts"
      data-bar=""
      className="fixed inset-x-0 bottom-0 z-20 hidden border-t border-line bg-surface p-0.5 pb-[calc(0.125rem+env(safe-area-inset-bottom))] bar:flex"
    >
      {screens
        .filter(({ href }) => ENTRIES.includes(href))
        .map(({ href, name }) => {
          const Icon = ICONS[href]
          return (
            <Link
              key={href}
              href={href}
              prefetch={false}
              aria-current={path === href ? 'page' : href === holding ? 'true' : undefined}
              className={ENTRY}
            >
              <Icon aria-hidden="true" className="size-5" strokeWidth={1.75} />
              {name}
            </Link>
          )
        })}
      <button type="button" onClick={onFind} className={ENTRY}>
        <Search aria-hidden="true" className="size-5" strokeWidth={1.75} />
        Find
      </button>
    </nav>
  )
}
