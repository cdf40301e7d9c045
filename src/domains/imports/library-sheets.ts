import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import type { FileStore } from '../../kernel/ports.ts'
import { type FileRecord, getFile, openFile } from '../files/files.ts'
import { toRandomAccessFile } from '../sheets/random-access-file.ts'
import { openSheets, type Sheet } from '../sheets/sheets.ts'
import { requireNoRunningImport } from './claim.ts'

type LibraryContext = Pick<EventContext, 'tenantId' | 'db' | 'client' | 'event'> & { files: FileStore }

/** Returns a file in the client's file library. A file of another event is reported as not found. */
export async function getLibraryFile({ tenantId, db, client, event }: Omit<LibraryContext, 'files'>, fileId: string): Promise<FileRecord> {
  const file = await getFile({ tenantId, db }, { fileId, clientId: client.id, purpose: 'library' })
  if (file.eventId !== null && file.eventId !== event.id) throw notFound(`No file ${fileId}`)
  return file
}

export const openUploadedFileSheets = (files: FileStore, file: FileRecord): Promise<Sheet[]> =>
  openSheets({ size: file.size, read: (range) => openFile(files, file, range) }, file.name)

const MAX_TEXT_BYTES = 1024 * 1024

export function openPastedTextSheets(text: string, name: string): Promise<Sheet[]> {
  const content = Buffer.from(text)
  if (content.length > MAX_TEXT_BYTES) throw new AppError('limit_exceeded', 'text: more than 1 MB; upload it and pass its fileId')
  return openSheets(toRandomAccessFile(content), name)
}

/**
 * Opens the table of a file or pasted text, which must contain exactly one. Throws while a background job of another import of the client
 * is running.
 */
export async function openSingleSheet(
  ctx: LibraryContext,
  { fileId, text }: { fileId?: string | undefined; text?: string | undefined },
): Promise<Sheet> {
  if ((fileId === undefined) === (text === undefined)) throw invalidArguments([{ path: 'fileId', message: 'pass either fileId or text' }])
  await requireNoRunningImport(ctx)
  const sheets =
    fileId === undefined
      ? await openPastedTextSheets(text!, 'text')
      : await openUploadedFileSheets(ctx.files, await getLibraryFile(ctx, fileId))
  const filled = sheets.filter(({ header }) => header.length > 0)
  if (filled.length === 1) return filled[0]!
  throw invalidArguments([
    {
      path: fileId === undefined ? 'text' : 'fileId',
      message: filled.length === 0 ? 'contains no table' : `has ${filled.length} sheets; save the one to import as a separate file`,
    },
  ])
}
