import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { openFile } from '../../domains/files/files.ts'
import { resolveFileLink } from '../../domains/files/links.ts'
import { isId } from '../../kernel/ids.ts'
import { matchesEtag } from '../http/etag.ts'
import { acceptsHtml, sendExpiredPage } from '../web/error-pages.tsx'
import type { WebServices, WebEnv } from '../web/web.ts'
import { buildContentDispositionHeaders } from './disposition.ts'
import { parseRangeHeader } from './ranges.ts'

/** Browsers may cache a file, but not longer than its link is valid, and at most an hour, so that deleted files disappear. */
const MAX_AGE = 3600

/** `/files/<id>/<name>`: a file for anyone with a signed link. The name in the path is not checked; the signature covers the id. */
export function createFilePages(web: WebServices) {
  const { services } = web
  return new Hono<WebEnv>().get('/files/:id/:name', async (c) => {
    const { tenant = '', for: purpose = '', until = '', signature = '', download } = c.req.query()
    const fileId = c.req.param('id')
    if (!isId(fileId) || !/^\d{1,12}$/.test(until)) return c.notFound()
    const link = { tenantCode: tenant, fileId, purpose, until: Number(until) }
    const opened = await resolveFileLink({ db: services.database.read, keys: services.keys }, link, signature)
    if (opened === null) return c.notFound()
    if (opened === 'expired') return acceptsHtml(c) ? sendExpiredPage(web, c) : c.json({ error: 'The link has expired' }, 410)

    const { file, secondsLeft } = opened
    const etag = `"${file.sha256}"`
    const headers = new Headers({
      ...buildContentDispositionHeaders(file, download !== undefined),
      'content-type': file.mime,
      'cache-control': `private, max-age=${Math.floor(Math.min(secondsLeft, MAX_AGE))}`,
      'referrer-policy': 'no-referrer',
      'accept-ranges': 'bytes',
      etag,
    })
    if (matchesEtag(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers })
    const condition = c.req.header('if-range')
    const range = condition === undefined || condition === etag ? parseRangeHeader(c.req.header('range'), file.size) : null
    if (range === 'outside') {
      headers.set('content-range', `bytes */${file.size}`)
      return new Response(null, { status: 416, headers })
    }
    headers.set('content-length', String(range ? range.end - range.start + 1 : file.size))
    if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
    const status = range ? 206 : 200
    if (c.req.method === 'HEAD' || file.size === 0) return new Response(null, { status, headers })
    const content = await openFile(services.files, file, range ?? undefined)
    return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, { status, headers })
  })
}
