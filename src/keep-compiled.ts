import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { installedCache } from './platform/own-cache.ts'

/** Compiling is a good part of a start; what an earlier one compiled is used again. Never from a folder that others can write to: it is the program. */
export async function keepCompiled(): Promise<void> {
  const cache = await installedCache()
  if (cache !== null) enableCompileCache(join(cache, 'compiled'))
}
