import { keepCompiled } from './keep-compiled.ts'

await keepCompiled()
const { serve } = await import('./serve.ts')
await serve()
