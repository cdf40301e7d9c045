import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { findInstalledCache } from './platform/private-cache.ts'

/**
 * Caches compiled code between starts, because compiling takes much of the startup time. Only the service's account may be able to write to
 * the folder, because the cached code is executed.
 */
export async function enableCodeCache(): Promise<void> {
  const cache = await findInstalledCache()
  if (cache !== null) enableCompileCache(join(cache, 'compiled'))
}
