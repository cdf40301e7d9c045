import { enableCodeCache } from './code-cache.ts'

await enableCodeCache()
const { serveUntilStopped } = await import('./serve.ts')
await serveUntilStopped()
