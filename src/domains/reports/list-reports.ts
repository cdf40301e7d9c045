import { z } from 'zod'
import { toOneLine, flag, instant, list, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { createUnknownNameFieldError } from '../../kernel/nearest.ts'
import { paginateSorted } from '../../kernel/page.ts'
import { toCappedTotal } from '../../kernel/totals.ts'
import { formatInstant } from '../../kernel/time.ts'
import { runInSnapshot } from '../figures/query/snapshot.ts'
import { determineReportAccess, type ReportAccess } from './designed/report-access.ts'
import { listReportDeliveries, listVisibleDesignedReports } from './designed/reports.ts'
import { REPORT_DELIVERY_STATES } from './designed/states.ts'
import { toDeliveryResult } from './designed/shapes.ts'
import type { ReportDeliveryRow, DesignedReportRow } from './designed/tables.ts'
import { isPersonalColumn } from './runs/open-report.ts'
import { listLatestRuns } from './runs/runs.ts'
import type { ReportRunRow } from './runs/tables.ts'
import { STANDARD_REPORTS } from './standard/index.ts'
import type { StandardReport } from './standard/types.ts'

/** A report as shown in lists. */
export const ReportSummary = object({
  code: text(),
  name: text(),
  kind: oneOf(['standard', 'designed']),
  category: text().nullable(),
  description: text(1000),
  parameters: list(text()),
  personal: flag(),
  owner: text().optional(),
  visibility: text().optional(),
  lastRun: toOneLine(object({ runId: text(), at: instant(), status: text(), format: text() }), 'runId, at, status, format').optional(),
  delivery: toOneLine(object({ state: oneOf(REPORT_DELIVERY_STATES.all), next: instant().nullable() }), 'state, next').optional(),
  note: text().optional(),
})
type Summary = z.input<typeof ReportSummary>

interface ListRequest {
  kind?: 'standard' | 'designed' | undefined
  category?: string | undefined
  search?: string | undefined
  status: 'active' | 'archived'
  limit: number
  cursor?: string | undefined
}

/** Lists the reports that the caller may run: standard reports in a fixed sequence, then designed reports by name. */
export async function listReportSummaries(ctx: EventContext, { kind, category, search, status, ...paging }: ListRequest) {
  const all = await listVisibleReports(ctx, status)
  const categories = [...new Set(all.flatMap((report) => report.category ?? []))]
  if (category !== undefined && !categories.includes(category))
    throw invalidArguments([{ ...createUnknownNameFieldError('category', category, categories, 'category'), allowed: categories }])
  const words = fold(search ?? '')
    .split(/\s+/)
    .filter(Boolean)
  const found = all.filter(
    (report) =>
      (kind === undefined || report.kind === kind) &&
      (category === undefined || report.category === category) &&
      words.every((word) => fold(`${report.code} ${report.name} ${report.description}`).includes(word)),
  )
  const { items, ...page } = paginateSorted(ctx, paging, { rows: found, keyOf: toSortKey, compare: compareKeys, shape: (report) => report })
  return { reports: items, ...toCappedTotal(found.length), ...page }
}

const STANDARD_CODES = [...STANDARD_REPORTS.keys()]

/** Returns the key that sorts standard reports in their fixed sequence, followed by designed reports by name. */
const toSortKey = ({ kind, code, name }: Summary): string[] => [
  kind === 'standard' ? `0${String(STANDARD_CODES.indexOf(code)).padStart(3, '0')}` : `1${fold(name)}`,
  code,
]

const compareKeys = (a: readonly (string | number)[], b: readonly (string | number)[]) => {
  const at = a.findIndex((part, index) => part !== b[index])
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1
}

const fold = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Lists the standard reports whose data the caller has permission to read, and the designed reports that the caller may see. */
export async function listVisibleReports(ctx: EventContext, status: 'active' | 'archived' = 'active'): Promise<Summary[]> {
  const latest = await listLatestRuns(ctx)
  const designed = await listVisibleDesignedReports(ctx, status)
  const deliveries = new Map(
    (
      await listReportDeliveries(
        ctx,
        designed.map(({ id }) => id),
      )
    ).map((delivery) => [delivery.id, delivery]),
  )
  const access = await readAccess(ctx, designed)
  const now = await getDatabaseTime(ctx)
  const standard = status === 'active' ? [...STANDARD_REPORTS.values()].filter((report) => canRunStandardReport(ctx, report)) : []
  return [
    ...standard.map((report) => toStandardSummary(report, latest.get(report.code))),
    ...designed.flatMap((row) => {
      const { isReadable, isPersonal } = access.get(row.id)!
      // Owners still see their own reports after losing the permission to read the data.
      if (!isReadable && row.owner_id !== ctx.actor.id) return []
      return [toDesignedSummary(ctx, row, { latest: latest.get(row.code), delivery: deliveries.get(row.id), isPersonal, now })]
    }),
  ]
}

const readAccess = async (ctx: EventContext, designed: readonly DesignedReportRow[]): Promise<Map<string, ReportAccess>> =>
  designed.length === 0
    ? new Map()
    : runInSnapshot(ctx, 'list_reports', async (snapshot) => new Map(designed.map((row) => [row.id, determineReportAccess(snapshot, row)])))

export const canRunStandardReport = ({ permissions }: Pick<EventContext, 'permissions'>, { needs }: StandardReport): boolean =>
  needs.every((permission) => permissions.has(permission))

const toLastRun = (run: ReportRunRow | undefined) =>
  run ? { lastRun: { runId: run.id, at: formatInstant(run.created_at), status: run.status, format: run.format } } : {}

const toStandardSummary = (report: StandardReport, latest: ReportRunRow | undefined): Summary => ({
  code: report.code,
  name: report.name,
  kind: 'standard',
  category: report.category,
  description: report.description,
  parameters: report.parameters.map(({ name }) => name),
  personal: report.columns.some(isPersonalColumn),
  ...toLastRun(latest),
  ...(report.note === undefined ? {} : { note: report.note }),
})

interface DesignedFacts {
  latest: ReportRunRow | undefined
  delivery: ReportDeliveryRow | undefined
  isPersonal: boolean
  now: Date
}

function toDesignedSummary(ctx: EventContext, row: DesignedReportRow, { latest, delivery, isPersonal, now }: DesignedFacts): Summary {
  return {
    code: row.code,
    name: row.name,
    kind: 'designed',
    category: row.category,
    description: row.description || row.name,
    parameters: row.parameters.map(({ name }) => name),
    personal: isPersonal,
    owner: row.owner_name,
    visibility: row.visibility,
    ...toLastRun(latest),
    ...(delivery ? { delivery: { state: delivery.state, next: toDeliveryResult(ctx, delivery, now).next[0] ?? null } } : {}),
  }
}
