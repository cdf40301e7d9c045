import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { findInstallationCacheFolder } from './platform/private-cache.ts'

/**
 * Caches compiled code between starts, because compiling takes much of the startup time. The folder must be writable only for the account
 * of the service, because the cached code is executed.
 */
export async function enableCodeCache(): Promise<void> {
  const cache = await findInstallationCacheFolder()
  if (cache !== null) enableCompileCache(join(cache, 'compiled'))
}
