import { Hono } from 'hono'
import { ENTITIES } from '../../domains/entities/catalogue.ts'
import { deletions } from '../../domains/entities/deletions.ts'
import type { Entity } from '../../domains/entities/entity.ts'
import { findRecord, type ListRequest, type Position, readHorizon, readPage, readPageKeys, textOf } from '../../domains/entities/list.ts'
import type { KeyRow } from '../../domains/entities/statements.ts'
import { isId } from '../../kernel/ids.ts'
import type { Road } from '../road.ts'
import { answer, hasAlready, unchanged } from './answer.ts'
import { pageTag, recordTag } from './etags.ts'
import { LISTED, ONE, parametersOf } from './parameters.ts'
import { instantOf, readQuery } from './query.ts'
import { placeOf, readingOf } from './reading.ts'
import { noRecord, Refused } from './refusal.ts'
import type { RestContext, RestEnv } from './site.ts'

/** `/v1/<entities>` and `/v1/<entities>/<id>`, of every kind. */
export function entityRoutes(road: Road): Hono<RestEnv> {
  const routes = new Hono<RestEnv>()
  for (const entity of ENTITIES) {
    routes.get(`/v1/${entity.path}`, (c) => listOf(road, entity, c))
    routes.get(`/v1/${entity.path}/:id`, (c) => oneOf(road, entity, c, c.req.param('id')))
  }
  return routes.get(`/v1/${deletions.path}`, (c) => listOf(road, deletions, c))
}

async function listOf({ database: { read }, keys }: Road, entity: Entity, c: RestContext): Promise<Response> {
  const values = readQuery(c.req.url, parametersOf(entity))
  const account = c.get('account')
  const reading = readingOf(c, values)
  const filters = Object.fromEntries(entity.filters.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)!]] : [])))
  const asked = [entity.path, placeOf(values), filters, values.get('updatedSince') ?? null, reading.includeTestData]
  const scope = JSON.stringify([account.id, ...asked])
  const limit = Number(values.get('limit') ?? LISTED.default)
  const after = values.has('cursor') ? openCursor(keys.open('rest cursor', values.get('cursor')!, scope)) : null
  const updatedSince = values.has('updatedSince') ? instantOf(values.get('updatedSince')!) : null

  const request: ListRequest = { ...reading, filters, after, updatedSince, limit }
  // Nothing is held back from whoever reads all of it: only from those who will ask for what came after.
  const horizon = updatedSince ? await readHorizon(read) : null
  const tagOf = (rows: readonly KeyRow[]) => pageTag([asked, after, limit], reading, rows.slice(0, limit), rows.length > limit)
  if (c.req.header('if-none-match') !== undefined) {
    const etag = tagOf(await readPageKeys(read, entity, request, horizon))
    if (hasAlready(c, etag)) return unchanged(c, etag)
  }
  const { keys: rows, texts } = await readPage(read, entity, request, horizon)
  const hasMore = rows.length > texts.length
  const nextCursor = hasMore ? keys.seal('rest cursor', JSON.stringify(positionOf(rows[texts.length - 1]!)), scope) : null
  return answer(c, tagOf(rows), `{"data":[${texts.join(',')}],"pageInfo":${JSON.stringify({ nextCursor, hasMore })}}`)
}

const positionOf = ({ updatedAt, id }: KeyRow): Position => ({ updatedAt: updatedAt.toISOString(), id })

async function oneOf({ database: { read } }: Road, entity: Entity, c: RestContext, id: string): Promise<Response> {
  const reading = readingOf(c, readQuery(c.req.url, ONE))
  const row = isId(id) ? await findRecord(read, entity, reading, id) : null
  if (!row) throw noRecord(entity.name, id)
  const etag = recordTag(row, reading)
  return hasAlready(c, etag) ? unchanged(c, etag) : answer(c, etag, await textOf(read, entity, reading.tenantId, row))
}

/** Sealed to the account, the path and all filters: elsewhere, or altered, it does not open. */
function openCursor(opened: Buffer | null): Position {
  if (opened) return JSON.parse(opened.toString('utf8')) as Position
  const message = 'is not a nextCursor of this list with these filters; start from page one'
  throw new Refused({ status: 400, code: 'invalid_cursor', detail: `cursor: ${message}`, errors: [{ parameter: 'cursor', message }] })
}
