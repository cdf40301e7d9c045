import type { EventContext } from '../../kernel/context.ts'
import { AppError, invalidArguments, notFound } from '../../kernel/errors.ts'
import type { FileStore } from '../../kernel/ports.ts'
import { type FileRecord, getFile, openFile } from '../files/files.ts'
import { bytesOf } from '../sheets/bytes.ts'
import { openSheets, type Sheet } from '../sheets/sheets.ts'

type Reading = Pick<EventContext, 'tenantId' | 'db' | 'client' | 'event'> & { files: FileStore }

/** A file of the client's library. One that belongs to another event is as unknown as one that never was. */
export async function getLibraryFile({ tenantId, db, client, event }: Omit<Reading, 'files'>, fileId: string): Promise<FileRecord> {
  const file = await getFile({ tenantId, db }, { fileId, clientId: client.id, purpose: 'library' })
  if (file.eventId !== null && file.eventId !== event.id) throw notFound(`No file ${fileId}`)
  return file
}

export const sheetsOfFile = (files: FileStore, file: FileRecord): Promise<Sheet[]> =>
  openSheets({ size: file.size, read: (range) => openFile(files, file, range) }, file.name)

const MAX_TEXT_BYTES = 1024 * 1024

export function sheetsOfText(text: string, name: string): Promise<Sheet[]> {
  const content = Buffer.from(text)
  if (content.length > MAX_TEXT_BYTES) throw new AppError('limit_exceeded', 'text: more than 1 MB; upload it and pass its fileId')
  return openSheets(bytesOf(content), name)
}

/** The one table that a call is about: of a file, or of a text. */
export async function onlySheet(
  ctx: Reading,
  { fileId, text }: { fileId?: string | undefined; text?: string | undefined },
): Promise<Sheet> {
  if ((fileId === undefined) === (text === undefined)) throw invalidArguments([{ path: 'fileId', message: 'pass either fileId or text' }])
  const sheets = fileId === undefined ? await sheetsOfText(text!, 'text') : await sheetsOfFile(ctx.files, await getLibraryFile(ctx, fileId))
  const filled = sheets.filter(({ header }) => header.length > 0)
  if (filled.length === 1) return filled[0]!
  throw invalidArguments([
    {
      path: fileId === undefined ? 'text' : 'fileId',
      message: filled.length === 0 ? 'holds no table' : `has ${filled.length} sheets; save the one that is meant as a file of its own`,
    },
  ])
}
