import { sql } from 'kysely'
import type { EventContext } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { listMostSimilarNames } from '../../../kernel/nearest.ts'
import { truncatePageToByteLimit } from '../../../kernel/page.ts'
import type { QueryEntity } from '../dictionary/types.ts'
import { METRICS } from '../metrics/index.ts'
import { listBaseMetrics } from '../query/metric-statements.ts'
import { findEntityField, findRelation } from '../query/plan.ts'
import { runInSnapshot, type QuerySnapshot } from '../query/snapshot.ts'
import { describeQueryField, type DescribedField } from './describe-fields.ts'
import { describeMetric, listReadableMetrics } from './describe-metrics.ts'
import { buildExampleQueries } from './examples.ts'
import { readNonNullFields } from './not-null.ts'
import { estimateRows } from './row-estimates.ts'
import { createTextMatcher, listSearchableEntityTexts, listSearchableFieldTexts, listSearchableMetricTexts } from './search.ts'
import { CHART_KIND_NOTES, QUERY_EXAMPLES, QUERY_GRAMMAR, REPORT_TOPIC_NOTES } from './topics.ts'

export const DESCRIBE_DATA_TOPICS = ['entities', 'query', 'metrics', 'charts', 'reports'] as const

interface Request {
  entity?: string | undefined
  field?: string | undefined
  search?: string | undefined
  topic?: (typeof DESCRIBE_DATA_TOPICS)[number] | undefined
}

const MAX_FOUND = 60
const CUT_NOTE = 'The list was cut to stay readable: pass search to find the others.'

/** Describes what can be queried at an event with the caller's permissions. */
export const describeData = (ctx: EventContext, request: Request) =>
  runInSnapshot(ctx, 'describe_data', async (snapshot) => {
    const { entity, field, search, topic } = request
    if (search !== undefined) return findByWords(snapshot, search, entity)
    if (entity !== undefined || field !== undefined) return describeEntity(snapshot, entity, field)
    if (topic === 'query') return { grammar: [...QUERY_GRAMMAR], examples: [...QUERY_EXAMPLES] }
    if (topic === 'charts') return { charts: [...CHART_KIND_NOTES] }
    if (topic === 'reports') return { grammar: [...REPORT_TOPIC_NOTES] }
    if (topic === 'metrics') return { metrics: listReadableMetrics(snapshot).map((metric) => describeMetric(snapshot, metric)) }
    return listEntities(snapshot)
  })

/** Lists the entities that the caller may start a query from. */
export const listReadableEntities = ({ dictionary, reader }: Pick<QuerySnapshot, 'dictionary' | 'reader'>): QueryEntity[] =>
  [...dictionary.values()].filter(({ area, onlyAcrossEvents }) => !onlyAcrossEvents && reader.permissions.has(`${area}.read`))

export function getReadableEntity(snapshot: QuerySnapshot, name: string): QueryEntity {
  const readable = listReadableEntities(snapshot)
  const found = readable.find((one) => one.name === name)
  if (found) return found
  const near = listMostSimilarNames(
    name,
    readable.map((one) => one.name),
    3,
  )
  throw notFound(
    `No entity ${name.slice(0, 60)}. Nearest: ${(near.length > 0 ? near : readable.slice(0, 3).map((one) => one.name)).join(', ')}`,
  )
}

async function listEntities(snapshot: QuerySnapshot) {
  const entities = listReadableEntities(snapshot)
  const rows = await estimateRows(snapshot, entities)
  return {
    entities: entities.map(({ name, label, rowIs, area }, i) => ({ name, label, rowIs, area, rows: rows[i] ?? null, allowed: true })),
    metricCount: listReadableMetrics(snapshot).length,
    note: 'Pass entity for its fields, topic metrics for the metrics, topic query for the query language, or search for words such as turnover.',
  }
}

async function describeEntity(snapshot: QuerySnapshot, name: string | undefined, field: string | undefined) {
  const [first = '', ...rest] = (field ?? '').replace(/^@/, '').split('.')
  const entity = getReadableEntity(snapshot, name ?? first)
  const path = name === undefined || first === name ? rest.join('.') : (field ?? '').replace(/^@/, '')
  const notNull = await readNonNullFields(snapshot, entity)
  if (field !== undefined) return { fields: [describePath(snapshot, entity, path, notNull)] }
  const silent = await listUnansweredFields(snapshot, entity)
  const fields = Object.entries(entity.fields)
    .filter(([one]) => !silent.has(one))
    .map(([one, definition]) => describeQueryField(snapshot, entity, one, definition, notNull.has(one)))
  const shown = truncatePageToByteLimit(fields, fields.length)
  const metrics = listReadableMetrics(snapshot).filter((metric) => listBaseMetrics(metric).some((base) => base.entity === entity.name))
  return {
    fields: shown,
    relations: Object.entries(entity.relations)
      .filter(([, { to }]) => snapshot.reader.permissions.has(`${snapshot.dictionary.get(to)!.area}.read`))
      .map(([relation, { to, many }]) => ({ name: relation, to, many })),
    metrics: metrics.map((metric) => describeMetric(snapshot, metric)),
    examples: buildExampleQueries(snapshot, entity),
    ...(shown.length < fields.length ? { note: CUT_NOTE } : {}),
  }
}

/** Describes one field by its path, which can go through relations to a field of another entity. */
function describePath(snapshot: QuerySnapshot, entity: QueryEntity, path: string, notNull: ReadonlySet<string>): DescribedField {
  let of = entity
  const parts = path.split('.')
  while (parts.length > 1 && findRelation(of, parts[0]!) && !findEntityField(of, parts.join('.')))
    of = snapshot.dictionary.get(findRelation(of, parts.shift()!)!.to)!
  const name = parts.join('.')
  const definition = findEntityField(of, name)
  if (!definition) {
    const near = listMostSimilarNames(name, [...Object.keys(of.fields), ...Object.keys(of.relations)], 3)
    throw notFound(
      `${of.name} has no field ${name.slice(0, 80)}. Nearest: ${(near.length > 0 ? near : Object.keys(of.fields).slice(0, 3)).join(', ')}`,
    )
  }
  return describeQueryField(snapshot, entity, path, definition, of === entity && notNull.has(name))
}

/** Lists the custom fields that the live configuration no longer asks and that no participant has answered. */
async function listUnansweredFields({ db, scope, event }: QuerySnapshot, { name, fields }: QueryEntity): Promise<ReadonlySet<string>> {
  const retired = Object.entries(fields).flatMap(([path, { isRetired }]) => (isRetired ? [path.slice('custom.'.length)] : []))
  if (name !== 'participant' || retired.length === 0) return new Set()
  const { rows } = await sql<{ code: string }>`
    select c.code from unnest(${retired}::text[]) as c(code) where not exists (
      select from participants p where p.tenant_id = ${scope.tenantId} and p.event_id = ${event.id} and p.custom_field_responses ? c.code)`.execute(
    db,
  )
  return new Set(rows.map(({ code }) => `custom.${code}`))
}

/** Finds entities, fields and metrics by words in their names, labels, help and synonyms. */
function findByWords(snapshot: QuerySnapshot, search: string, within: string | undefined) {
  const matches = createTextMatcher(search)
  const entities = within === undefined ? listReadableEntities(snapshot) : [getReadableEntity(snapshot, within)]
  const fields = entities.flatMap((entity) =>
    Object.entries(entity.fields)
      .filter(([name, field]) => matches(listSearchableFieldTexts(entity, name, field)))
      .map(([name, field]) => ({ ...describeQueryField(snapshot, entity, name, field), path: `${entity.name}.${name}` })),
  )
  const metrics = listReadableMetrics(snapshot).filter((metric) => matches(listSearchableMetricTexts(metric)))
  const found = entities.filter((entity) => matches(listSearchableEntityTexts(entity)))
  const shown = truncatePageToByteLimit(fields.slice(0, MAX_FOUND), MAX_FOUND)
  return {
    entities: found.map(({ name, label, rowIs, area }) => ({ name, label, rowIs, area, rows: null, allowed: true })),
    metrics: metrics.map((metric) => describeMetric(snapshot, metric)),
    fields: shown,
    ...(shown.length < fields.length ? { note: CUT_NOTE } : {}),
    ...(fields.length + metrics.length + found.length === 0
      ? {
          note: `Nothing found. There are ${METRICS.size} metrics and ${snapshot.dictionary.size} entities; leave search out to list them.`,
        }
      : {}),
  }
}
