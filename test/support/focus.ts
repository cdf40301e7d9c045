import { readFileSync } from 'node:fs'
import type { CDPSession, Page } from 'playwright-core'

const script = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const FAULTS_AT_STOPS = script('focus-faults.js')
const FAULTS_OF_THE_WAY = script('focus-way.js')
const FAULTS_OF_FOLDS = script('folding-faults.js')

const KEYS = {
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
}

/** One after the other, without waiting for the page between them: it notes by itself what each of them does. */
async function press(keyboard: CDPSession, keys: readonly (keyof typeof KEYS)[]): Promise<void> {
  const sent = keys.flatMap((name) => {
    const { text, ...key } = { key: name, text: undefined, ...KEYS[name] }
    const down = keyboard.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...key, ...(text ? { text } : {}) })
    // That Tab comes up means nothing to anybody, and every key is a message to the browser and one from it.
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

/** More stops than any page has; after the last one the focus leaves the page. */
const MAX_STOPS = 400
/** Keys that are sent at a time. A frame takes them from the page, which then has to be asked after each. */
const AT_ONCE = 20

/**
 * Goes through the page by Tab and says where the focus is not seen, is cut off or lies on words, which controls it does not come to, and
 * to which it comes out of turn.
 */
export function focusFaults(page: Page): Promise<string[]> {
  return withKeyboard(page, async (keyboard) => {
    await page.evaluate(FAULTS_AT_STOPS)
    const step = (await showFrames(page)) ? 1 : AT_ONCE
    for (let pressed = 0; pressed < MAX_STOPS; pressed += step) {
      await press(
        keyboard,
        Array.from({ length: step }, () => 'Tab' as const),
      )
      if ((await hasLeft(page)) && (step > 1 || (await hasLeftFrame(page)))) break
    }
    return page.evaluate<string[]>(FAULTS_OF_THE_WAY)
  })
}

/** A frame that is loaded when somebody comes to it takes the focus away while it is. Says whether there is one. */
async function showFrames(page: Page): Promise<boolean> {
  const frames = page.frames().slice(1)
  for (const frame of frames) {
    await (await frame.frameElement()).scrollIntoViewIfNeeded()
    await frame.waitForURL(({ protocol }) => protocol !== 'about:')
  }
  return frames.length > 0
}

const hasLeft = (page: Page) => page.evaluate<boolean>('focusWalk.note(), focusWalk.left || document.activeElement === document.body')

/** On the way to a frame, or from it. */
const MAY_BE_AT_FRAME = `!focusWalk.stops.slice(0, -1).some((stop) => stop.matches('iframe'))`

/** A frame is a process of its own: whoever enters or leaves it is for a moment nowhere. */
async function hasLeftFrame(page: Page): Promise<boolean> {
  if (!(await page.evaluate<boolean>(MAY_BE_AT_FRAME))) return true
  await page.waitForFunction('document.activeElement !== document.body', undefined, { timeout: 5_000 }).catch(() => {})
  return hasLeft(page)
}

/** What unfolds, by Space and back by Enter. */
export function foldingFaults(page: Page): Promise<string[]> {
  return withKeyboard(page, async (keyboard) => {
    const folds = await page.evaluate<number>(FAULTS_OF_FOLDS)
    await press(keyboard, Array.from({ length: folds }, () => ['Space', 'Enter'] as const).flat())
    return page.evaluate<string[]>('globalThis.foldingFaults()')
  })
}
