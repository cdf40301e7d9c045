import type { HousingContext } from '../housing/context.ts'
import type { FileStore } from '../../kernel/ports.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { getDocumentFile } from '../files/documents.ts'
import { openFile } from '../files/files.ts'
import { readDocx } from './docx-read.ts'
import { DOCX_MIME_TYPE } from './docx-write.ts'
import { readPdfText } from './pdf-read.ts'
import type { DocumentText } from './written-text.ts'

const MAX_BYTES = 20 * 1024 * 1024

type FileScope = Pick<HousingContext, 'db' | 'tenantId' | 'client' | 'event'> & { files: FileStore }

/** Reads a stored file of the event or its client as text. */
export async function readContractFile(ctx: FileScope, fileId: string): Promise<DocumentText> {
  const file = await getDocumentFile(ctx, fileId)
  if (file.size > MAX_BYTES) throw preconditionFailed(`${file.name} is larger than ${MAX_BYTES / 1024 / 1024} MB`)
  return readUploadedFile(ctx.files, file)
}

/** Reads stored bytes as text, including an upload that is not saved as a file yet. */
export async function readUploadedFile(
  files: FileStore,
  file: { tenantId: number; id: string; name: string; mime: string },
): Promise<DocumentText> {
  const chunks: Buffer[] = []
  for await (const chunk of await openFile(files, file)) chunks.push(chunk as Buffer)
  return readWrittenFile(Buffer.concat(chunks), file)
}

/** Reads the text of a document, depending on its file type. */
function readWrittenFile(bytes: Buffer, { name, mime }: { name: string; mime: string }): Promise<DocumentText> {
  if (mime === DOCX_MIME_TYPE) return readDocx(bytes)
  if (mime === 'application/pdf') return readPdfText(bytes)
  if (mime === 'text/plain') return Promise.resolve(readPlainText(bytes))
  throw preconditionFailed(`${name} is ${mime}. Redlines and versions are read from .docx, .pdf with text, or .txt files`)
}

function readPlainText(bytes: Buffer): DocumentText {
  const text = new TextDecoder('utf-8').decode(bytes)
  return { paragraphs: text.split(/\r?\n/).map(toParagraph), hasTrackedChanges: false, isWrapped: true }
}

const toParagraph = (line: string) => ({ old: line, now: line, isHeading: false })
