import { Readable } from 'node:stream'
import { Hono } from 'hono'
import { openFile } from '../../domains/files/files.ts'
import { openFileLink } from '../../domains/files/links.ts'
import { isId } from '../../kernel/ids.ts'
import { isKnown } from '../http/etag.ts'
import { forPeople, showExpired } from '../web/lost.tsx'
import type { Web, WebEnv } from '../web/web.ts'
import { dispositionOf } from './disposition.ts'
import { rangeOf } from './ranges.ts'

/** Browsers may keep what they were shown, but not longer than the link would have lasted, and never long after it was deleted. */
const MAX_AGE = 3600

/** `/files/<id>/<name>`: opens a file for whoever has a link that we signed. The name is for the eye; the signature says which file. */
export function filePages(web: Web) {
  const { road } = web
  return new Hono<WebEnv>().get('/files/:id/:name', async (c) => {
    const { tenant = '', for: purpose = '', until = '', signature = '', download } = c.req.query()
    const fileId = c.req.param('id')
    if (!isId(fileId) || !/^\d{1,12}$/.test(until)) return c.notFound()
    const link = { tenantCode: tenant, fileId, purpose, until: Number(until) }
    const opened = await openFileLink({ db: road.database.read, keys: road.keys }, link, signature)
    if (opened === null) return c.notFound()
    if (opened === 'expired') return forPeople(c) ? showExpired(web, c) : c.json({ error: 'The link has expired' }, 410)

    const { file, secondsLeft } = opened
    const etag = `"${file.sha256}"`
    const headers = new Headers({
      ...dispositionOf(file, download !== undefined),
      'content-type': file.mime,
      'cache-control': `private, max-age=${Math.floor(Math.min(secondsLeft, MAX_AGE))}`,
      'referrer-policy': 'no-referrer',
      'accept-ranges': 'bytes',
      etag,
    })
    if (isKnown(c.req.header('if-none-match'), etag)) return new Response(null, { status: 304, headers })
    const condition = c.req.header('if-range')
    const range = condition === undefined || condition === etag ? rangeOf(c.req.header('range'), file.size) : null
    if (range === 'outside') {
      headers.set('content-range', `bytes */${file.size}`)
      return new Response(null, { status: 416, headers })
    }
    headers.set('content-length', String(range ? range.end - range.start + 1 : file.size))
    if (range) headers.set('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
    const status = range ? 206 : 200
    if (c.req.method === 'HEAD' || file.size === 0) return new Response(null, { status, headers })
    const content = await openFile(road.files, file, range ?? undefined)
    return new Response(Readable.toWeb(content) as ReadableStream<Uint8Array>, { status, headers })
  })
}
