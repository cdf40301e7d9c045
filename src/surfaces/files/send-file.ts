import { Readable } from 'node:stream'
import { openFile, type FileRecord } from '../../domains/files/files.ts'
import type { FileStore } from '../../kernel/ports.ts'
import type { WebContext } from '../web/web.ts'
import { buildContentDispositionHeaders } from './disposition.ts'

/** Sends a file as a download that neither browsers nor proxies keep, because permissions are checked at every click. */
export async function sendFileAsDownload(files: FileStore, c: WebContext, file: FileRecord): Promise<Response> {
  const headers = new Headers({
    ...buildContentDispositionHeaders(file, true),
    'content-type': file.mime,
    'content-length': String(file.size),
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  if (c.req.method === 'HEAD' || file.size === 0) return new Response(null, { status: 200, headers })
  return new Response(Readable.toWeb(await openFile(files, file)) as ReadableStream<Uint8Array>, { status: 200, headers })
}
