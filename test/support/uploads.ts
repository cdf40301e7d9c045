import { Readable } from 'node:stream'
import { createFile, deleteFile, type FileOwner, type FileRecord } from '../../src/domains/files/files.ts'
import { type StoredUpload, storeUpload, type NewUpload } from '../../src/domains/files/upload.ts'
import { createPendingAuditEntry } from '../../src/kernel/audit.ts'
import type { Actor } from '../../src/kernel/context.ts'
import type { Db } from '../../src/kernel/columns.ts'
import type { FileStore } from '../../src/kernel/ports.ts'
import type { World } from './world.ts'

const ACTOR: Actor = { kind: 'organizer', id: 'olga', name: 'Olga', app: { id: null, name: 'Test' } }

/** Uploads and files of one tenant, as a page or a tool would create them. */
export function createUploadFixtures(world: World, { tenantId }: { tenantId: number }, files: FileStore = world.services.files) {
  const place = { db: world.database.write, files, log: world.services.log }
  const on = (db: Db) => ({ tenantId, actor: ACTOR, db, audit: createPendingAuditEntry() })
  const store = (content: Buffer | Readable, upload: Partial<Omit<NewUpload, 'content'>> = {}) =>
    storeUpload(place, {
      tenantId,
      purpose: 'library',
      name: 'file.png',
      content: Buffer.isBuffer(content) ? Readable.from([content]) : content,
      ...upload,
    })
  const create = (stored: StoredUpload, at: FileOwner = {}): Promise<FileRecord> =>
    world.database.transact((db) => createFile(on(db), stored, at))
  return {
    place,
    on,
    store,
    create,
    file: async (content: Buffer, upload: Partial<Omit<NewUpload, 'content'>> = {}, at: FileOwner = {}) =>
      create(await store(content, upload), at),
    remove: (fileId: string) => world.database.transact((db) => deleteFile(on(db), { fileId })),
  }
}
