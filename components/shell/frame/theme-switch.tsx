'use client'

import { useState } from 'react'

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const
type Theme = (typeof THEMES)[number][0]

const YEAR_SECONDS = 31_536_000

/**
 * Light, dark, or as the system has it. Kept in a cookie, so that the server paints it right at once; over https it is bound
 * to this host, as the server's own are.
 */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(
    () => (document.documentElement.dataset.theme as Theme) ?? 'system',
  )
  const choose = (next: Theme) => {
    setTheme(next)
    const isSystem = next === 'system'
    if (isSystem) delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    const [name, more] = location.protocol === 'https:' ? ['__Host-theme', '; secure'] : ['theme', '']
    const age = isSystem ? 0 : YEAR_SECONDS
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in some browsers still
    document.cookie = `${name}=${next}; path=/; samesite=lax; max-age=${age}${more}`
  }
  return (
    <fieldset className="px-2.5 pt-1 pb-2">
      <legend className="py-1 text-xs text-ink-3">Theme</legend>
      <div className="flex rounded-control border border-line-2 p-0.5">
        {THEMES.map(([value, name]) => (
          <label
            key={value}
            className="flex-1 cursor-pointer rounded-[5px] px-2 py-1 text-center text-sm text-ink-2 has-checked:bg-accent-tint has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:py-2"
          >
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => choose(value)}
              className="sr-only"
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
