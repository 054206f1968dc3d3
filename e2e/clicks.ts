import type { Page } from '@playwright/test'

/**
 * Counts clicks in the browser, from now on and across navigations, as docs/evidence/clicks.md defines them: each press of a
 * mouse or a finger, including into a field; on the keyboard each Enter or Space that is not part of typing, and each
 * shortcut. Tab, arrow keys and typing do not count.
 */
export async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    // Tests that share a page add this script again.
    const here = window as { countsClicks?: true }
    if (here.countsClicks) return
    here.countsClicks = true
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

/** Returns the number of clicks until now. */
export function clicksOf(page: Page): Promise<number> {
  return page.evaluate(() => Number(sessionStorage.getItem('clicks')))
}
