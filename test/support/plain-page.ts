import type { BrowserContext, Page } from 'playwright-core'

/**
 * Runs in a page that is open: shows what another address holds in its place, with the sheets of that one. What was parsed so runs no
 * scripts, and takes a part of the time of opening it.
 */
const SHOW = `async (address) => {
  const shown = new DOMParser().parseFromString(await (await fetch(address, { headers: { accept: 'text/html' } })).text(), 'text/html')
  document.replaceChild(document.adoptNode(shown.documentElement), document.documentElement)
  const isThere = (link) => link.sheet || new Promise((done) => (link.onload = link.onerror = done))
  const sheets = [...document.querySelectorAll('link[rel=stylesheet]')]
  await Promise.all(sheets.map(isThere))
  scrollTo(0, 0)
  return [
    ...(sheets.length > 0 && sheets.every((link) => link.sheet) ? [] : ['is without its sheets']),
    ...(document.querySelector('html.scripted') ? ['ran a script'] : []),
  ]
}`

export interface PlainPage {
  page: Page
  /** Shows this address, and says what keeps it from being what a browser without scripts shows. */
  show: (address: string) => Promise<string[]>
}

/** A page in which nothing of ours runs, but axe can: it is a script itself. */
export async function openPlain(context: BrowserContext, address: string): Promise<PlainPage> {
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setBlockedURLs', { urls: ['*.js'] })
  await page.goto(address)
  return { page, show: (other) => page.evaluate<string[]>(`(${SHOW})(${JSON.stringify(other)})`) }
}
