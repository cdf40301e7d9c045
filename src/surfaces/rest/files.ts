import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { findFileOfRecords } from '../../domains/entities/files.ts'
import { openFile } from '../../domains/files/files.ts'
import { isId } from '../../kernel/ids.ts'
import { buildDisposition } from '../files/disposition.ts'
import type { AppServices } from '../services.ts'
import { isNotModified, buildReadHeaders, respondNotModified } from './respond.ts'
import { RECORD_PARAMETERS } from './parameters.ts'
import { parseQueryParameters } from './query.ts'
import { resolveReadScope } from './read-scope.ts'
import { recordNotFound } from './problem-error.ts'
import type { RestEnv } from './site.ts'

/** Serves the bytes of files that records reference as `/v1/files/<id>`. The bytes of a file never change. */
export function fileRoutes({ database, files }: AppServices): Hono<RestEnv> {
  return new Hono<RestEnv>().get('/v1/files/:id', async (c) => {
    const id = c.req.param('id')
    const reading = resolveReadScope(c, parseQueryParameters(c.req.url, RECORD_PARAMETERS))
    const file = isId(id) ? await findFileOfRecords(database.read, reading, id) : null
    if (!file) throw recordNotFound('file', id)
    const etag = `W/"${file.sha256.slice(0, 32)}"`
    if (isNotModified(c, etag)) return respondNotModified(c, etag)
    const headers = {
      ...buildReadHeaders(etag),
      ...buildDisposition(file, true),
      'content-type': file.mime,
      'content-length': String(file.size),
    }
    if (c.req.method === 'HEAD' || file.size === 0) return c.body(null, 200, headers)
    const content = await openFile(files, file)
    return c.body(Readable.toWeb(content) as ReadableStream<Uint8Array>, 200, headers)
  })
}
