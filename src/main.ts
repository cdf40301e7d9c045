import { enableCodeCache } from './code-cache.ts'

await enableCodeCache()
const { serve } = await import('./serve.ts')
await serve()
