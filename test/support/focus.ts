import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const FAULTS_HERE = script('focus-faults.js')
const FAULTS_OF_THE_WAY = script('focus-way.js')

/** The keyboard goes on from where the focus was last, were it of itself: from a place before everything that is gone again it begins anew. */
const FROM_THE_TOP = `
  globalThis.focusStops = [];
  const top = Object.assign(document.createElement('span'), { tabIndex: -1 });
  document.body.prepend(top);
  top.focus();
  top.remove();`

/** More stops than any page has; after the last one the focus leaves the page. */
const MAX_STOPS = 400

/**
 * Goes through the page by Tab and says where the focus is not seen, is cut off or lies on words, which controls it does not come to, and
 * to which it comes out of turn.
 */
export async function focusFaults(page: Page, { rings = true }: { rings?: boolean } = {}): Promise<string[]> {
  await page.evaluate(FROM_THE_TOP)
  const faults = new Set<string>()
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab')
    const found = (await page.evaluate<string[] | null>(FAULTS_HERE)) ?? (await afterFrame(page))
    if (found === null) break
    if (rings) for (const fault of found) faults.add(fault)
  }
  for (const fault of await page.evaluate<string[]>(FAULTS_OF_THE_WAY)) faults.add(fault)
  return [...faults]
}

const LEFT_FRAME = `globalThis.focusStops.at(-1)?.matches('iframe')`
const IS_SOMEWHERE = 'document.activeElement !== document.body'

/** A frame is a process of its own: whoever leaves it is for a moment nowhere. */
async function afterFrame(page: Page): Promise<string[] | null> {
  if (!(await page.evaluate<boolean>(LEFT_FRAME))) return null
  await page.waitForFunction(IS_SOMEWHERE, undefined, { timeout: 5_000 }).catch(() => {})
  return page.evaluate<string[] | null>(FAULTS_HERE)
}

/** What unfolds, by Space and back by Enter. */
export async function foldingFaults(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const summary of await page.$$('summary')) {
    if (!(await summary.isVisible())) continue
    const isOpen = () => summary.evaluate((it) => it.parentElement!.hasAttribute('open'))
    const before = await isOpen()
    await summary.focus()
    await page.keyboard.press('Space')
    if ((await isOpen()) === before) faults.push(`Space does nothing at ${await summary.innerText()}`)
    await page.keyboard.press('Enter')
    if ((await isOpen()) !== before) faults.push(`Enter does nothing at ${await summary.innerText()}`)
  }
  return faults
}
