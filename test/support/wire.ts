import type { BrowserContext, Page, Request } from 'playwright-core'

/** Pictures aside, and the letters, which browsers keep for a year. */
const COUNTED = new Set(['document', 'stylesheet', 'script'])

export interface Scales {
  page: Page
  /** Opens the page as if nothing of it were there yet, and says how many bytes came over the wire for it. */
  weigh: (address: string) => Promise<number>
}

export async function openScales(context: BrowserContext): Promise<Scales> {
  const page = await context.newPage()
  const network = await context.newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  let finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  return {
    page,
    async weigh(address) {
      finished = []
      await page.goto(address)
      let bytes = 0
      for (const request of finished.filter((one) => COUNTED.has(one.resourceType()))) {
        const { responseHeadersSize, responseBodySize } = await request.sizes()
        bytes += responseHeadersSize + responseBodySize
      }
      return bytes
    },
  }
}
