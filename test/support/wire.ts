import type { BrowserContext, Page, Request } from 'playwright-core'

/** Images and fonts are excluded; browsers cache fonts for a year. */
const COUNTED = new Set(['document', 'stylesheet', 'script'])

export interface Scales {
  page: Page
  /** Opens the page and returns the bytes transferred with an empty cache. */
  weigh: (address: string) => Promise<number>
}

export async function openScales(context: BrowserContext): Promise<Scales> {
  const page = await context.newPage()
  /** Sizes of cacheable resources by address, requested only once. */
  const kept = new Map<string, number>()
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
        const size = responseHeadersSize + responseBodySize
        const isPage = request.resourceType() === 'document'
        if (!isPage) kept.set(request.url(), Math.max(size, kept.get(request.url()) ?? 0))
        bytes += isPage ? size : kept.get(request.url())!
      }
      return bytes
    },
  }
}
