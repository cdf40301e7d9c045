/** The cached JSON of a list response, with its ETag. */
interface SentPage {
  etag: string
  json: string
}

/** Maximum memory in bytes for the cached pages of a process. Every character is counted as two bytes, the most that it can take. */
const MAX_BYTES = 16 * 1024 * 1024
/** Larger pages are not cached, because a few of them would displace all others. */
const MAX_PAGE_BYTES = 1024 * 1024

export type ListPageCache = ReturnType<typeof createListPageCache>

/**
 * Caches the latest page of each list request, for clients that read the same list again without If-None-Match. A cached page is sent
 * only if its ETag equals the one calculated from the current rows, so it is never older than a 304 response would be. The least
 * recently used pages are evicted first.
 */
export function createListPageCache(maxBytes = MAX_BYTES) {
  const pages = new Map<string, SentPage>()
  let bytes = 0

  function forget(request: string): void {
    const page = pages.get(request)
    if (!page) return
    pages.delete(request)
    bytes -= sizeOf(request, page)
  }

  return {
    bytes: () => bytes,
    /** Returns the cached page of the request, which may be outdated; null if none is cached. */
    find(request: string): SentPage | null {
      const page = pages.get(request)
      if (!page) return null
      // Maps iterate in insertion order: reinserting the entry moves it to the most recently used end.
      pages.delete(request)
      pages.set(request, page)
      return page
    },
    remember(request: string, page: SentPage): void {
      forget(request)
      const size = sizeOf(request, page)
      if (size > Math.min(MAX_PAGE_BYTES, maxBytes)) return
      pages.set(request, page)
      bytes += size
      for (const oldest of pages.keys()) {
        if (bytes <= maxBytes) break
        forget(oldest)
      }
    },
  }
}

const sizeOf = (request: string, { etag, json }: SentPage) => 2 * (request.length + etag.length + json.length)
