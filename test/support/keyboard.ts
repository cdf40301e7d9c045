import type { Page } from 'playwright-core'

const MOST_TABS = 150

/** Moves the focus with the Tab key until it reaches an element that matches the selector. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < MOST_TABS; pressed++) {
    if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not reach ${selector} on ${page.url()}`)
}

export async function pressAt(page: Page, selector: string, key = 'Enter'): Promise<void> {
  await tabTo(page, selector)
  await page.keyboard.press(key)
}

/** Presses Enter on a link or button, and waits for the page that it opens. */
export async function followLink(page: Page, selector: string): Promise<void> {
  await tabTo(page, selector)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
}

export async function typeInto(page: Page, selector: string, text: string): Promise<void> {
  await tabTo(page, selector)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}
