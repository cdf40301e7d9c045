import { join } from 'node:path'
import type { FileStore } from '../kernel/ports.ts'
import { createDiskFileStore } from './disk-file-store.ts'
import type { Environment } from './environment.ts'

/** Opens the configured file store. The S3 client is a large package, so it is loaded only if used. */
export async function openFileStore({ s3, dataDir }: Pick<Environment, 's3' | 'dataDir'>): Promise<FileStore> {
  if (!s3) return createDiskFileStore(join(dataDir, 'files'))
  const { createS3FileStore } = await import('./s3-file-store.ts')
  return createS3FileStore(s3)
}
