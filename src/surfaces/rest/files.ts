import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { findReadableFile } from '../../domains/entities/files.ts'
import { openFile } from '../../domains/files/files.ts'
import { isId } from '../../kernel/ids.ts'
import { buildContentDispositionHeaders } from '../files/disposition.ts'
import type { AppServices } from '../services.ts'
import { isNotModified, buildCacheHeaders, respondNotModified } from './respond.ts'
import { RECORD_QUERY_PARAMETERS } from './parameters.ts'
import { parseQueryParameters } from './query.ts'
import { resolveReadScope } from './read-scope.ts'
import { createRecordNotFoundError } from './problem-error.ts'
import type { RestEnv } from './site.ts'

/** Serves the bytes of files that records reference as `/v1/files/<id>`. The bytes of a file never change. */
export function createFileRoutes({ database, files }: AppServices): Hono<RestEnv> {
  return new Hono<RestEnv>().get('/v1/files/:id', async (c) => {
    const id = c.req.param('id')
    const reading = resolveReadScope(c, parseQueryParameters(c.req.url, RECORD_QUERY_PARAMETERS))
    const file = isId(id) ? await findReadableFile(database.read, reading, id) : null
    if (!file) throw createRecordNotFoundError('file', id)
    const etag = `W/"${file.sha256.slice(0, 32)}"`
    if (isNotModified(c, etag)) return respondNotModified(c, etag)
    const headers = {
      ...buildCacheHeaders(etag),
      ...buildContentDispositionHeaders(file, true),
      'content-type': file.mime,
      'content-length': String(file.size),
    }
    if (c.req.method === 'HEAD' || file.size === 0) return c.body(null, 200, headers)
    const content = await openFile(files, file)
    return c.body(Readable.toWeb(content) as ReadableStream<Uint8Array>, 200, headers)
  })
}
