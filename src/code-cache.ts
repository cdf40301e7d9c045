import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { findInstalledCache } from './platform/private-cache.ts'

/**
 * Caches compiled code between starts, because compiling takes much of the startup time. Only in a folder that no other account can write
 * to, because the cache is executed.
 */
export async function enableCodeCache(): Promise<void> {
  const cache = await findInstalledCache()
  if (cache !== null) enableCompileCache(join(cache, 'compiled'))
}
