import type { BrowserContext, Page } from 'playwright-core'

/**
 * Runs in an open page: replaces the document with another address's HTML and stylesheets. Parsed this way, its scripts do not run, and
 * it is much faster than navigating.
 */
const REPLACE_DOCUMENT = `async (address) => {
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
  /** Shows the given address without scripts and returns differences from what a browser without scripts would show. */
  show: (address: string) => Promise<string[]>
}

/** A page whose own scripts do not run although axe, itself a script, can. */
export async function openPlainPage(context: BrowserContext, address: string): Promise<PlainPage> {
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setBlockedURLs', { urls: ['*.js'] })
  await page.goto(address)
  return { page, show: (other) => page.evaluate<string[]>(`(${REPLACE_DOCUMENT})(${JSON.stringify(other)})`) }
}
