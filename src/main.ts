import { enableCompileCache } from 'node:module'

// Compiling takes as long as all else of a start; what an earlier one compiled is used again.
enableCompileCache()
const { serve } = await import('./serve.ts')
await serve()
