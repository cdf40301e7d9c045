import type { AccountContext, EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound } from '../../../kernel/errors.ts'
import { decryptCursor } from '../../../kernel/page.ts'
import { isCurrency } from '../../../kernel/money.ts'
import { isCalendarDay } from '../../../kernel/time.ts'
import { PERMISSIONS, type Permissions } from '../../../kernel/permissions.ts'
import { listPermittedEvents, type PermittedEvent } from '../../tenancy/my-events.ts'
import { extractDataQuery } from '../query/arguments.ts'
import { compileGroupQuery } from '../query/compile-groups.ts'
import { compileRowQuery } from '../query/compile-rows.ts'
import type { DataQuery } from '../query/data-query.ts'
import { runWithCrossEventQueryLimit, openQuerySnapshot } from '../query/limit-queries.ts'
import { createInvalidArgumentError, parseAggregate } from '../query/names.ts'
import { type DataDictionary, StatementPlan } from '../query/plan.ts'
import { findMissingQueryPermission, decideGroupQueryAccess } from '../query/rights.ts'
import { parseGroupQuery } from '../query/run-groups.ts'
import { validateRowOrGroupArguments, runDataQuery } from '../query/run-query.ts'
import type { QueryCurrencyConversion, QueryScope } from '../query/scope.ts'
import { readSnapshotTime, type QuerySnapshot } from '../query/snapshot.ts'
import { type CrossEventDataDictionary, readCrossEventDataDictionary } from './across-dictionary.ts'

export const MAX_QUERIED_EVENTS = 2_000
const TOOL = 'query_across_events'
const EVERYTHING: Permissions = new Set(PERMISSIONS)

export interface CrossEventQueryRequest extends DataQuery {
  clientCode?: string | undefined
  eventCodes?: readonly string[] | undefined
  status: readonly PermittedEvent['status'][]
  from?: string | undefined
  until?: string | undefined
  currency: 'per' | 'convert'
  reportingCurrency?: string | undefined
  rateOn: string
}

/** Runs one query over all events that the caller can read, and leaves out events at which a permission is missing. */
export async function queryAcrossEvents(ctx: AccountContext, request: CrossEventQueryRequest) {
  if (request.cursor !== undefined) decryptCursor(ctx, request.cursor)
  const conversion = readConversion(request)
  const query = extractDataQuery(request)
  const named = await findNamedEvents(ctx, request)
  return runWithCrossEventQueryLimit(ctx, () =>
    openQuerySnapshot(ctx, { tenantId: ctx.tenantId, eventId: null, timeoutMs: ctx.queryLimits.timeoutMs, within: ctx.db }, async (db) => {
      const inside = { ...ctx, db }
      const now = await readSnapshotTime(db)
      const readable = named.filter(({ permissions }) => permissions.has('reports.read'))
      const { otherTypes, at } = await readCrossEventDataDictionary(inside, readable, query)
      const fitting = readable.filter(({ id }) => !otherTypes.has(id))
      const scopeOf = (events: readonly PermittedEvent[]): QueryScope => ({
        tenantId: ctx.tenantId,
        eventIds: events.map(({ id }) => id),
        event: null,
        decimals: 2,
        conversion,
        asOf: now,
      })
      const judge = createJudge({ at, scope: scopeOf(fitting), query })
      const judged = fitting.map((event) => ({ event, access: judge(event) }))
      const used = judged.flatMap(({ event, access }) => (access === 'none' ? [] : [event]))
      if (used.length === 0) throw notFound('No event is left: none of the matching events allows this query')
      const dictionary = at(used)
      refuseDistinctContacts({ dictionary, scope: scopeOf(used), query }, used)
      const first = used.at(-1)!
      const snapshot: QuerySnapshot = {
        db,
        ctx: inside as unknown as EventContext,
        scope: scopeOf(used),
        event: { ...first, currency: conversion?.currency ?? first.currency },
        dictionary,
        // Permissions were already checked for each event separately, so the combined query runs without checks.
        reader: {
          permissions: EVERYTHING,
          tool: TOOL,
          across: {
            mergingEvents: judged.flatMap(({ event, access }) => (access === 'merged' ? [event.id] : [])),
            readsPersonal: used.every(({ permissions }) => permissions.has('personal.read')),
          },
        },
      }
      const result = await runDataQuery(snapshot, query)
      const counts = { permission: named.length - otherTypes.size - used.length, fieldType: otherTypes.size }
      return { ...result, events: { used: used.length, leftOut: listLeftOut(counts) } }
    }),
  )
}

const listLeftOut = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([reason, count]) => (count > 0 ? [{ reason, count }] : []))

const NEEDS_CONVERT = 'needs currency convert: without it, each currency has its own rows'

/** Throws if a reporting currency is given although amounts are not converted into one currency. */
export function refuseReportingCurrency({ reportingCurrency }: Pick<CrossEventQueryRequest, 'reportingCurrency'>): void {
  if (reportingCurrency !== undefined) throw createInvalidArgumentError('reportingCurrency', NEEDS_CONVERT)
}

function readConversion({ currency, reportingCurrency, rateOn }: CrossEventQueryRequest): QueryCurrencyConversion | null {
  if (currency === 'per') {
    refuseReportingCurrency({ reportingCurrency })
    if (rateOn !== 'row') throw createInvalidArgumentError('rateOn', NEEDS_CONVERT)
    return null
  }
  if (reportingCurrency === undefined)
    throw createInvalidArgumentError('reportingCurrency', 'is missing: name the currency to convert into')
  if (!isCurrency(reportingCurrency)) throw createInvalidArgumentError('reportingCurrency', `${reportingCurrency} is not a currency`)
  if (rateOn !== 'row' && !isCalendarDay(rateOn)) throw createInvalidArgumentError('rateOn', 'must be row or a day such as 2026-10-01')
  return { currency: reportingCurrency, rateOn }
}

async function findNamedEvents(ctx: AccountContext, request: CrossEventQueryRequest): Promise<PermittedEvent[]> {
  const { clientCode, status, from, until, eventCodes } = request
  const events = await listPermittedEvents(ctx, { clientCode, status, from, until } as never, MAX_QUERIED_EVENTS)
  if (events.length > MAX_QUERIED_EVENTS)
    throw invalidArguments([{ path: 'from', message: `matches more than ${MAX_QUERIED_EVENTS} events: narrow it` }])
  if (!eventCodes) return events
  const byCode = Map.groupBy(events, ({ code }) => code)
  return [
    ...new Set(
      eventCodes.flatMap((written, i) => {
        const [client, code] = written.includes('/') ? (written.split('/', 2) as [string, string]) : [null, written]
        const found = (byCode.get(code) ?? []).filter(({ clientCode: own }) => client === null || own === client)
        if (found.length === 0)
          throw notFound(`No event ${written.slice(0, 80)} that matches. Use list_my_events to see your events`, {
            fields: [{ path: `eventCodes/${i}`, message: 'is unknown' }],
          })
        return found
      }),
    ),
  ]
}

interface Compiled {
  dictionary: DataDictionary
  scope: QueryScope
  query: DataQuery
}

/** What the caller may see of an event in the query result: all groups, small groups only merged with others, or no group. */
type EventAccess = 'all' | 'merged' | 'none'

/** Creates a function that decides which groups of the result the caller may see of an event: all, only merged ones, or none. */
function createJudge({
  at,
  ...compiled
}: { at: CrossEventDataDictionary['at'] } & Omit<Compiled, 'dictionary'>): (event: PermittedEvent) => EventAccess {
  const judges = new Map<DataDictionary, (permissions: Permissions) => EventAccess>()
  const judgeOf = (dictionary: DataDictionary) => {
    // Many events have the same queryable fields and permissions, so access is decided once for each combination.
    const judge = judges.get(dictionary) ?? rememberByPermissions(compileJudge({ ...compiled, dictionary }))
    judges.set(dictionary, judge)
    return judge
  }
  // Compiles the query without any event, so that an invalid query is rejected even if the caller has no event to query.
  judgeOf(at([]))
  return (event) => judgeOf(at([event]))(event.permissions)
}

function rememberByPermissions(judge: (permissions: Permissions) => EventAccess): (permissions: Permissions) => EventAccess {
  const known = new Map<Permissions, EventAccess>()
  return (permissions) => {
    const access = known.get(permissions) ?? judge(permissions)
    known.set(permissions, access)
    return access
  }
}

function compileJudge({ dictionary, scope, query }: Compiled): (permissions: Permissions) => EventAccess {
  validateRowOrGroupArguments({ dictionary, scope }, query)
  if (query.fields !== undefined) {
    const { plan } = compileRowQuery(dictionary, scope, query)
    return (permissions) => (findMissingQueryPermission(plan, permissions) ? 'none' : 'all')
  }
  const statements = parseGroupQuery(query, { scope }).requests.map((request) => compileGroupQuery(dictionary, scope, request))
  return (permissions) => {
    const judged = statements.map((statement) => decideGroupQueryAccess(statement, permissions))
    if (judged.some(({ missing }) => missing)) return 'none'
    return judged.some(({ mergesSmallGroups }) => mergesSmallGroups) ? 'merged' : 'all'
  }
}

/** Throws if a query counts distinct contacts over several clients: a person has one contact per client, so they cannot be counted once. */
function refuseDistinctContacts({ dictionary, scope, query }: Compiled, events: readonly PermittedEvent[]): void {
  const { entity, aggregates = [] } = query
  if (entity === undefined || new Set(events.map(({ clientId }) => clientId)).size < 2) return
  const plan = new StatementPlan(dictionary, scope, dictionary.get(entity)!)
  for (const [i, written] of aggregates.entries()) {
    const at = `aggregates/${i}`
    const { fn, path } = parseAggregate(written, at)
    if (fn !== 'countDistinct' || path === null) continue
    const used = plan.field(path, at, 'column')
    const name = used.path.split('.').at(-1)
    if (name === 'contactId' || (used.entity.name === 'contact' && name === 'id'))
      throw createInvalidArgumentError(at, 'people can be counted once only within one client: pass clientCode')
  }
}
