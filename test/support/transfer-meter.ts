import type { BrowserContext, Page, Request } from 'playwright-core'

/** Types of resources whose bytes count. Images and fonts do not; browsers cache fonts for a year. */
const COUNTED_RESOURCE_TYPES = new Set(['document', 'stylesheet', 'script'])

export interface TransferMeter {
  page: Page
  /** Opens the page and returns the bytes transferred with an empty cache. */
  measureBytes: (address: string) => Promise<number>
}

export async function openTransferMeter(context: BrowserContext): Promise<TransferMeter> {
  const page = await context.newPage()
  /** Sizes of cacheable resources by address, requested only once. */
  const kept = new Map<string, number>()
  let finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  return {
    page,
    async measureBytes(address) {
      finished = []
      await page.goto(address)
      let bytes = 0
      for (const request of finished.filter((one) => COUNTED_RESOURCE_TYPES.has(one.resourceType()))) {
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
