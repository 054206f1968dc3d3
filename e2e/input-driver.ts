import type { Locator, Page } from '@playwright/test'

/** Input device that operates a page. Elements are found by role and name, as for a screen reader. */
export type InputDriver = {
  /** Presses a button or a link, or selects a checkbox, a switch or an option. */
  press(control: Locator): Promise<void>
  /** Replaces the content of a field. */
  type(field: Locator, text: string): Promise<void>
  /** Opens a screen of the navigation. */
  go(screen: 'Assets' | 'Invoices'): Promise<void>
  /** Opens the command palette. */
  find(): Promise<void>
}

/** Largest number of tab stops on a page. */
const MAX_STOPS = 120

const paletteInput = (page: Page) => page.getByRole('combobox', { name: 'Search assets' })
const entry = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true })

/** Mouse, with a keyboard only for typing. */
export function byMouse(page: Page): InputDriver {
  const press = async (control: Locator) => {
    await isReady(control)
    await control.click()
  }
  return byPointer(page, press)
}

/** Keyboard only: Tab reaches each control, and no element is focused, clicked or filled by script. */
export function byKeyboard(page: Page): InputDriver {
  const tabTo = async (control: Locator, isThere: (element: Element) => boolean = isFocused) => {
    await control.waitFor()
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      if (await control.evaluate(isThere)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`Tab does not lead to ${control}.`)
  }
  return {
    async press(control) {
      await isReady(control)
      const kind = await control.evaluate((element) => element.getAttribute('type'))
      if (kind === 'radio') {
        // Tab reaches the group, the arrow keys each of its members.
        await tabTo(control, isGroupFocused)
        for (let steps = 0; steps < 9 && !(await control.isChecked()); steps++)
          await page.keyboard.press('ArrowDown')
        return
      }
      await tabTo(control)
      const isBox = kind === 'checkbox' || (await control.getAttribute('role')) === 'switch'
      await page.keyboard.press(isBox ? 'Space' : 'Enter')
    },
    async type(field, text) {
      await tabTo(field)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    async go(screen) {
      await page.keyboard.press('g')
      await page.keyboard.press(screen[0]?.toLowerCase() as string)
    },
    async find() {
      await page.keyboard.press('ControlOrMeta+k')
      await paletteInput(page).waitFor()
    },
  }
}

/** Touch on a screen with only an on-screen keyboard. */
export function byTouch(page: Page): InputDriver {
  const press = async (control: Locator) => {
    await isReady(control)
    await control.tap()
  }
  return byPointer(page, press)
}

/** Types into the focused field; any other field is pressed first. */
function byPointer(page: Page, press: InputDriver['press']): InputDriver {
  return {
    press,
    async type(field, text) {
      if (!(await field.evaluate(isFocused))) await press(field)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(text)
    },
    go: (screen) => press(entry(page, screen)),
    async find() {
      await press(page.getByRole('button', { name: /^Search/ }))
      await paletteInput(page).waitFor()
    },
  }
}

/** Waits for hydration of a button, which would do nothing before. */
async function isReady(control: Locator): Promise<void> {
  await control.waitFor()
  await control.and(control.page().locator(':enabled, a')).waitFor()
}

function isFocused(element: Element): boolean {
  return document.activeElement === element
}

function isGroupFocused(element: Element): boolean {
  const [one, other] = [element as HTMLInputElement, document.activeElement as HTMLInputElement | null]
  return other?.type === 'radio' && other.name === one.name
}
