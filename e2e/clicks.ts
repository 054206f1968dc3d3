import type { Page } from '@playwright/test'

/**
 * Has the browser count, from now on and over navigations, what docs/usability.md calls a click: each press of a mouse or a
 * finger, be it into a field; by keyboard each Enter or Space that does not end or is part of what is typed, and each shortcut.
 * Tab, arrow keys and typing are none.
 */
export async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const add = () => sessionStorage.setItem('clicks', String(1 + Number(sessionStorage.getItem('clicks'))))
    let before = ''
    addEventListener('pointerdown', add, true)
    addEventListener(
      'keydown',
      ({ key, ctrlKey, metaKey, target }) => {
        const isField = (target as Element).matches('input:not([type=checkbox], [type=radio]), textarea')
        const isTyped = isField && !((ctrlKey || metaKey) && key === 'k')
        // `g` and a letter are one shortcut.
        if (!isTyped && before !== 'g' && (key.length === 1 || key === 'Enter')) add()
        before = isTyped || before === 'g' ? '' : key
      },
      true,
    )
  })
}

/** How many clicks it took until now. */
export function clicksOf(page: Page): Promise<number> {
  return page.evaluate(() => Number(sessionStorage.getItem('clicks')))
}
