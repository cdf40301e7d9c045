import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { findFileOfRecords } from '../../domains/entities/files.ts'
import { openFile } from '../../domains/files/files.ts'
import { isId } from '../../kernel/ids.ts'
import { dispositionOf } from '../files/disposition.ts'
import type { Road } from '../road.ts'
import { hasAlready, readHeaders, unchanged } from './answer.ts'
import { ONE } from './parameters.ts'
import { readQuery } from './query.ts'
import { readingOf } from './reading.ts'
import { noRecord } from './refusal.ts'
import type { RestEnv } from './site.ts'

/** The bytes that records name as `/v1/files/<id>`. They never change. */
export function fileRoutes({ database, files }: Road): Hono<RestEnv> {
  return new Hono<RestEnv>().get('/v1/files/:id', async (c) => {
    const id = c.req.param('id')
    const reading = readingOf(c, readQuery(c.req.url, ONE))
    const file = isId(id) ? await findFileOfRecords(database.read, reading, id) : null
    if (!file) throw noRecord('file', id)
    const etag = `W/"${file.sha256.slice(0, 32)}"`
    if (hasAlready(c, etag)) return unchanged(c, etag)
    const headers = { ...readHeaders(etag), ...dispositionOf(file, true), 'content-type': file.mime, 'content-length': String(file.size) }
    if (c.req.method === 'HEAD' || file.size === 0) return c.body(null, 200, headers)
    const content = await openFile(files, file)
    return c.body(Readable.toWeb(content) as ReadableStream<Uint8Array>, 200, headers)
  })
}
