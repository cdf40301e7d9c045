import { Hono } from 'hono'
import { REST_ENTITIES } from '../../domains/entities/catalogue.ts'
import { deletionEntity } from '../../domains/entities/deletions.ts'
import type { RestEntity } from '../../domains/entities/entity.ts'
import {
  findReadableEntityRow,
  type EntityListRequest,
  type KeysetPosition,
  readListWatermarkTime,
  readEntityPage,
  readPageIdsAndRevisions,
  buildEntityJson,
} from '../../domains/entities/list.ts'
import type { EntityKeyRow } from '../../domains/entities/statements.ts'
import { isId } from '../../kernel/ids.ts'
import { chooseReadConnection } from '../../kernel/replica.ts'
import type { AppServices } from '../services.ts'
import { respondJson, isNotModified, respondNotModified } from './respond.ts'
import { computePageEtag, computeRecordEtag } from './etags.ts'
import { createListPageCache, type ListPageCache } from './page-memory.ts'
import { PAGE_SIZE_LIMITS, RECORD_QUERY_PARAMETERS, listEntityParameters } from './parameters.ts'
import { parseQueryInstant, parseQueryParameters } from './query.ts'
import { getScopeCodes, resolveReadScope } from './read-scope.ts'
import { createRecordNotFoundError, ProblemError } from './problem-error.ts'
import type { RestContext, RestEnv } from './site.ts'

/** `/v1/<entities>` and `/v1/<entities>/<id>` for all entities. */
export function createEntityRoutes(services: AppServices): Hono<RestEnv> {
  const routes = new Hono<RestEnv>()
  const pages = createListPageCache()
  for (const entity of REST_ENTITIES) {
    routes.get(`/v1/${entity.path}`, (c) => respondList(services, pages, entity, c))
    routes.get(`/v1/${entity.path}/:id`, (c) => respondRecord(services, entity, c, c.req.param('id')))
  }
  return routes.get(`/v1/${deletionEntity.path}`, (c) => respondList(services, pages, deletionEntity, c))
}

/**
 * Responds with a list, which may be read from a replica. Single records are not: a client that was notified of a change reads the record
 * immediately.
 */
async function respondList({ database, keys }: AppServices, pages: ListPageCache, entity: RestEntity, c: RestContext): Promise<Response> {
  const values = parseQueryParameters(c.req.url, listEntityParameters(entity))
  const account = c.get('account')
  const reading = resolveReadScope(c, values)
  const filters = Object.fromEntries(entity.filters.flatMap(({ name }) => (values.has(name) ? [[name, values.get(name)!]] : [])))
  const asked = [entity.path, getScopeCodes(values), filters, values.get('updatedSince') ?? null, reading.includeTestData]
  const scope = JSON.stringify([account.id, ...asked])
  const limit = Number(values.get('limit') ?? PAGE_SIZE_LIMITS.default)
  const after = values.has('cursor') ? openCursor(keys.open('rest cursor', values.get('cursor')!, scope)) : null
  const updatedSince = values.has('updatedSince') ? parseQueryInstant(values.get('updatedSince')!) : null

  const request: EntityListRequest = { ...reading, filters, after, updatedSince, limit }
  // An incremental read ends at the horizon, the time before which all changes are committed, so that the next read misses none.
  const horizon = updatedSince ? await readListWatermarkTime(database.read) : null
  const read = await chooseReadConnection(database, { tenantId: reading.tenantId, actorId: account.id })
  const tagOf = (rows: readonly EntityKeyRow[]) =>
    computePageEtag([asked, after, limit], reading, rows.slice(0, limit), rows.length > limit)
  // The cache key of the page. It includes the API account, because the cursor in the page is valid only for that account.
  const place = JSON.stringify([scope, after, limit, reading])
  const sent = pages.find(place)
  if (sent || c.req.header('if-none-match') !== undefined) {
    const etag = tagOf(await readPageIdsAndRevisions(read, entity, request, horizon))
    if (isNotModified(c, etag)) return respondNotModified(c, etag)
    if (sent?.etag === etag) return respondJson(c, etag, sent.json)
  }
  const { keys: rows, texts } = await readEntityPage(read, entity, request, horizon)
  const hasMore = rows.length > texts.length
  const nextCursor = hasMore ? keys.seal('rest cursor', JSON.stringify(positionOf(rows[texts.length - 1]!)), scope) : null
  const page = { etag: tagOf(rows), json: `{"data":[${texts.join(',')}],"pageInfo":${JSON.stringify({ nextCursor, hasMore })}}` }
  pages.remember(place, page)
  return respondJson(c, page.etag, page.json)
}

const positionOf = ({ updatedAt, id }: EntityKeyRow): KeysetPosition => ({ updatedAt: updatedAt.toISOString(), id })

async function respondRecord({ database: { read } }: AppServices, entity: RestEntity, c: RestContext, id: string): Promise<Response> {
  const reading = resolveReadScope(c, parseQueryParameters(c.req.url, RECORD_QUERY_PARAMETERS))
  const row = isId(id) ? await findReadableEntityRow(read, entity, reading, id) : null
  if (!row) throw createRecordNotFoundError(entity.name, id)
  const etag = computeRecordEtag(row, reading)
  return isNotModified(c, etag)
    ? respondNotModified(c, etag)
    : respondJson(c, etag, await buildEntityJson(read, entity, reading.tenantId, row))
}

/** Decodes the position in a decrypted cursor. Cursors are bound to the account, the path and all filters. */
function openCursor(opened: Buffer | null): KeysetPosition {
  if (opened) return JSON.parse(opened.toString('utf8')) as KeysetPosition
  const message = 'is not a nextCursor of this list with these filters; start from page one'
  throw new ProblemError({ status: 400, code: 'invalid_cursor', detail: `cursor: ${message}`, errors: [{ parameter: 'cursor', message }] })
}
