import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { type FileRecord, getFile } from './files.ts'
import type { FilePurpose } from './purposes.ts'

/**
 * Purposes of files that may be read as contracts or sent to suppliers. Files of participants, such as their answers, are not among them.
 */
const DOCUMENT_PURPOSES: readonly FilePurpose[] = ['contract', 'library']

type DocumentScope = Pick<Context, 'tenantId' | 'db'> & { client: { id: string }; event: { id: string } }

/** Returns a document of the event or its client. Documents of all other events and clients are reported as not found. */
export async function getDocumentFile(ctx: DocumentScope, fileId: string): Promise<FileRecord> {
  const file = await getFile(ctx, { fileId, clientId: ctx.client.id })
  const isOfOtherEvent = file.eventId !== null && file.eventId !== ctx.event.id
  if (isOfOtherEvent || !DOCUMENT_PURPOSES.includes(file.purpose)) throw notFound(`No file ${fileId}`)
  return file
}
