import { readFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright-core'

const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const RECORD_FOCUS_SCRIPT = script('record-focus.js')
const FOCUS_ORDER_SCRIPT = script('focus-order-problems.js')
const DISCLOSURE_SCRIPT = script('disclosure-problems.js')

const KEYS = {
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
}

/** Sends key presses without waiting for the page in between: a script in the page records the effect of each key. */
async function press(keyboard: CDPSession, keys: readonly (keyof typeof KEYS)[]): Promise<void> {
  const sent = keys.flatMap((name) => {
    const { text, ...key } = { key: name, text: undefined, ...KEYS[name] }
    const down = keyboard.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...key, ...(text ? { text } : {}) })
    // The keyup of Tab has no effect, and every key event costs a round trip to the browser.
    return name === 'Tab' ? [down] : [down, keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })]
  })
  await Promise.all(sent)
}

async function withKeyboard<T>(page: Page, use: (keyboard: CDPSession) => Promise<T>): Promise<T> {
  const keyboard = await page.context().newCDPSession(page)
  try {
    return await use(keyboard)
  } finally {
    await keyboard.detach()
  }
}

/** More focusable elements than any page has. After the last one the focus leaves the page. */
const MAX_STOPS = 400
/** Keys sent per batch. A frame swallows key events, so pages with frames are polled after each key. */
const KEYS_PER_BATCH = 20

/**
 * Tabs through the page and returns the stops where the focus ring is invisible, clipped or overlaps text, the controls that were never
 * focused, and the ones focused out of document order.
 */
export function findFocusProblems(page: Page): Promise<string[]> {
  return withKeyboard(page, async (keyboard) => {
    await page.evaluate(RECORD_FOCUS_SCRIPT)
    const step = (await loadFrames(page)) ? 1 : KEYS_PER_BATCH
    for (let pressed = 0; pressed < MAX_STOPS; pressed += step) {
      await press(
        keyboard,
        Array.from({ length: step }, () => 'Tab' as const),
      )
      if ((await hasLeft(page)) && (step > 1 || (await hasLeftFrame(page)))) break
    }
    return page.evaluate<string[]>(FOCUS_ORDER_SCRIPT)
  })
}

/** Loads lazy frames first, because a frame that loads while it has the focus loses it. Returns whether the page has frames. */
async function loadFrames(page: Page): Promise<boolean> {
  const frames = page.frames().slice(1)
  for (const frame of frames) {
    await (await frame.frameElement()).scrollIntoViewIfNeeded()
    await frame.waitForURL(({ protocol }) => protocol !== 'about:')
  }
  return frames.length > 0
}

const hasLeft = (page: Page) => page.evaluate<boolean>('focusWalk.note(), focusWalk.left || document.activeElement === document.body')

/** A script expression: whether the focus may be entering or leaving a frame. */
const MAY_BE_AT_FRAME = `!focusWalk.stops.slice(0, -1).some((stop) => stop.matches('iframe'))`

/** A frame is a separate process: while the focus enters or leaves it, no element is focused. */
async function hasLeftFrame(page: Page): Promise<boolean> {
  if (!(await page.evaluate<boolean>(MAY_BE_AT_FRAME))) return true
  await page.waitForFunction('document.activeElement !== document.body', undefined, { timeout: 5_000 }).catch(() => {})
  return hasLeft(page)
}

/** Opens every details element with Space and closes it with Enter. Returns the ones that do not react. */
export function findDisclosureProblems(page: Page): Promise<string[]> {
  return withKeyboard(page, async (keyboard) => {
    const folds = await page.evaluate<number>(DISCLOSURE_SCRIPT)
    await press(keyboard, Array.from({ length: folds }, () => ['Space', 'Enter'] as const).flat())
    return page.evaluate<string[]>('globalThis.disclosureProblems()')
  })
}
