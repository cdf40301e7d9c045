// Serves the door page and its files from a cache while there is no connection. Scans themselves are never cached.
const CACHE = 'lanyard-door'

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add('/door')))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  const isCached = request.method === 'GET' && origin === self.location.origin && (pathname === '/door' || pathname.startsWith('/assets/'))
  if (isCached) event.respondWith(answer(request))
})

async function answer(request) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok && !response.redirected) await cache.put(request, response.clone())
    return response
  } catch {
    return (await cache.match(request)) ?? Response.error()
  }
}
