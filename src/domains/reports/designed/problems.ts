import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { QueryTree } from '../../figures/query/data-query.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { previewReport } from './preview.ts'
import type { Problem } from './shapes.ts'
import type { ReportRow } from './tables.ts'
import { hasQuery, type Widget } from './widgets.ts'

/** What keeps a stored report from showing all it should: fields and standard reports that are gone, missing permissions, retired tags. */
export async function findProblems(ctx: EventContext, report: ReportRow): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const widget of report.widgets.filter(hasQuery)) {
    const problem = await findWidgetProblem(ctx, report, widget)
    if (problem) problems.push(problem)
  }
  return [...problems, ...(await findTagProblems(ctx, report))]
}

async function findWidgetProblem(ctx: EventContext, report: ReportRow, widget: Widget): Promise<Problem | null> {
  try {
    await previewReport(ctx, 'get_report', { ...report, widgets: [widget] })
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error
    const kind = error.code === 'forbidden' ? 'permission' : error.code === 'limit_exceeded' ? 'report' : 'field'
    return { widgetId: widget.id, kind, message: error.message }
  }
}

const TAG_FIELDS = ['tags', 'manualTags']

/** Tags in conditions that the event no longer offers. */
async function findTagProblems(ctx: EventContext, { widgets, filter }: ReportRow): Promise<Problem[]> {
  const used = [
    ...listTags(filter).map((tag) => ({ tag })),
    ...widgets.flatMap((widget) =>
      listTags('query' in widget ? (widget.query?.filter as QueryTree | undefined) : null).map((tag) => ({ widgetId: widget.id, tag })),
    ),
  ]
  if (used.length === 0) return []
  const { config } = await loadEventSnapshot(ctx)
  const offered = new Set(config.tags.map(({ code }) => code))
  return used
    .filter(({ tag }) => !offered.has(tag))
    .map(({ tag, ...where }): Problem => ({ ...where, kind: 'tag', message: `The event no longer has the tag ${tag}` }))
}

function listTags(tree: QueryTree | null | undefined): string[] {
  if (!tree) return []
  if ('all' in tree) return tree.all.flatMap(listTags)
  if ('any' in tree) return tree.any.flatMap(listTags)
  if ('relation' in tree) return listTags(tree.where)
  const isTag = typeof tree.field === 'string' && TAG_FIELDS.includes(tree.field.split('.').at(-1)!)
  return isTag ? [tree.value].flat().filter((value): value is string => typeof value === 'string') : []
}
