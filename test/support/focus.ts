import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const FAULTS_HERE = readFileSync(new URL('focus-faults.js', import.meta.url), 'utf8')

/** More stops than any page has; after the last one the focus leaves the page. */
const MAX_STOPS = 120

/** Goes through the page by Tab and says where the focus is not seen, is cut off, or lies on words. */
export async function focusFaults(page: Page): Promise<string[]> {
  await page.evaluate('document.activeElement?.blur()')
  const faults = new Set<string>()
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate<string[] | null>(FAULTS_HERE)
    if (found === null) break
    for (const fault of found) faults.add(fault)
  }
  return [...faults]
}
