import type { AccountContext, EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound } from '../../../kernel/errors.ts'
import { openCursor } from '../../../kernel/page.ts'
import { isCurrency } from '../../../kernel/money.ts'
import { isDay } from '../../../kernel/time.ts'
import { PERMISSIONS, type Permissions } from '../../../kernel/permissions.ts'
import { findReachableEvents, type ReachableEvent } from '../../tenancy/my-events.ts'
import { readQuery } from '../query/arguments.ts'
import { compileGroups } from '../query/compile-groups.ts'
import { compileRows } from '../query/compile-rows.ts'
import type { DataQuery } from '../query/data-query.ts'
import { limitQueries } from '../query/limit-queries.ts'
import { invalidArgumentAt } from '../query/names.ts'
import type { Dictionary, RequiredAccess } from '../query/plan.ts'
import { readGroupQuery } from '../query/run-groups.ts'
import { requireOneMode, runQuery } from '../query/run-query.ts'
import type { Conversion, QueryScope } from '../query/scope.ts'
import { readAsOf, type Snapshot } from '../query/snapshot.ts'
import { readAcrossDictionary } from './across-dictionary.ts'

export const MAX_EVENTS = 2_000
const TOOL = 'query_across_events'
const EVERYTHING: Permissions = new Set(PERMISSIONS)

export interface AcrossRequest extends DataQuery {
  clientCode?: string | undefined
  eventCodes?: readonly string[] | undefined
  status: readonly ReachableEvent['status'][]
  from?: string | undefined
  until?: string | undefined
  currency: 'per' | 'convert'
  reportingCurrency?: string | undefined
  rateOn: string
}

/** Runs one query over all events that the caller can read, and leaves out events at which a permission is missing. */
export async function queryAcrossEvents(ctx: AccountContext, request: AcrossRequest) {
  if (request.cursor !== undefined) openCursor(ctx, request.cursor)
  const conversion = readConversion(request)
  const query = readQuery(request)
  const named = await findNamedEvents(ctx, request)
  return limitQueries({ ...ctx, client: { id: 'several' } }, () =>
    ctx.openSnapshot({ tenantId: ctx.tenantId, eventId: null, timeoutMs: ctx.queryLimits.timeoutMs, within: ctx.db }, async (db) => {
      const inside = { ...ctx, db }
      const now = await readAsOf(db)
      const { dictionary, otherTypes } = await readAcrossDictionary(inside, named, query)
      const fitting = named.filter(({ id }) => !otherTypes.has(id))
      const scopeOf = (events: readonly ReachableEvent[]): QueryScope => ({
        tenantId: ctx.tenantId,
        eventIds: events.map(({ id }) => id),
        event: null,
        decimals: 2,
        conversion,
        asOf: now,
      })
      const needs = listNeeds(dictionary, scopeOf(fitting), query)
      refuseDistinctContacts(query, fitting)
      const used = fitting.filter(
        ({ permissions }) => permissions.has('reports.read') && needs.every(({ permission }) => permissions.has(permission)),
      )
      if (used.length === 0) throw notFound('No event is left: none of the matching events allows this query')
      const first = used.at(-1)!
      const snapshot: Snapshot = {
        db,
        ctx: inside as unknown as EventContext,
        scope: scopeOf(used),
        event: { ...first, currency: conversion?.currency ?? first.currency },
        dictionary,
        reader: { permissions: EVERYTHING, tool: TOOL },
      }
      const result = await runQuery(snapshot, query)
      return {
        ...result,
        events: { used: used.length, leftOut: listLeftOut({ permission: fitting.length - used.length, fieldType: otherTypes.size }) },
      }
    }),
  )
}

const listLeftOut = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([reason, count]) => (count > 0 ? [{ reason, count }] : []))

function readConversion({ currency, reportingCurrency, rateOn }: AcrossRequest): Conversion | null {
  if (currency === 'per') return null
  if (reportingCurrency === undefined) throw invalidArgumentAt('reportingCurrency', 'is missing: name the currency to convert into')
  if (!isCurrency(reportingCurrency)) throw invalidArgumentAt('reportingCurrency', `${reportingCurrency} is not a currency`)
  if (rateOn !== 'row' && !isDay(rateOn)) throw invalidArgumentAt('rateOn', 'must be row or a day such as 2026-10-01')
  return { currency: reportingCurrency, rateOn }
}

async function findNamedEvents(ctx: AccountContext, request: AcrossRequest): Promise<ReachableEvent[]> {
  const { clientCode, status, from, until, eventCodes } = request
  const events = await findReachableEvents(ctx, { clientCode, status, from, until } as never, MAX_EVENTS)
  if (events.length > MAX_EVENTS) throw invalidArguments([{ path: 'from', message: `matches more than ${MAX_EVENTS} events: narrow it` }])
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

/** Lists the permissions that the query needs at each event. */
function listNeeds(dictionary: Dictionary, scope: QueryScope, query: DataQuery): RequiredAccess[] {
  requireOneMode({ dictionary, scope }, query)
  if (query.fields !== undefined) return compileRows(dictionary, scope, query).plan.needs
  return readGroupQuery(query, scope).requests.flatMap((request) => compileGroups(dictionary, scope, request).plan.needs)
}

/** Throws if a query counts distinct contacts over several clients: a person has one contact per client, so they cannot be counted once. */
function refuseDistinctContacts({ aggregates = [] }: DataQuery, events: readonly ReachableEvent[]): void {
  const at = aggregates.findIndex((one) => /countDistinct\(\s*(participant\.)?contact(Id|\.id)\s*\)/.test(one))
  if (at >= 0 && new Set(events.map(({ clientId }) => clientId)).size > 1)
    throw invalidArgumentAt(`aggregates/${at}`, 'people can be counted once only within one client: pass clientCode')
}
