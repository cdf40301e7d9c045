import type { EventContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { loadEventSnapshot } from '../../registration/event-snapshot.ts'
import { previewReportWidget, getDefaultParameterValues } from './preview.ts'
import { runInSnapshot } from '../../figures/query/snapshot.ts'
import type { ReportProblem } from './shapes.ts'
import type { DesignedReportRow } from './tables.ts'
import { isErrorOfSingleWidget } from './widget-errors.ts'
import type { WidgetRunContext } from './widget-query.ts'
import { isQueryOrStandardWidget, type ReportWidget } from './widgets.ts'

/** Lists why parts of a stored report no longer work: removed fields or standard reports, missing permissions, and retired tags. */
export async function findReportProblems(ctx: EventContext, { widgets, filter, parameters }: DesignedReportRow): Promise<ReportProblem[]> {
  const found = await runInSnapshot(ctx, 'get_report', async (snapshot) => {
    const run: WidgetRunContext = { snapshot, values: getDefaultParameterValues(parameters), filter, includeTestData: false }
    const problems: ReportProblem[] = []
    for (const widget of widgets.filter(isQueryOrStandardWidget)) {
      const problem = await findWidgetProblem(run, widget)
      if (problem) problems.push(problem)
    }
    return problems
  })
  return [...found, ...(await findReportTagProblems(ctx, { widgets, filter }))]
}

async function findWidgetProblem(run: WidgetRunContext, widget: ReportWidget): Promise<ReportProblem | null> {
  try {
    await previewReportWidget(run, widget)
    return null
  } catch (error) {
    if (!(error instanceof AppError) || !(await isErrorOfSingleWidget(run.snapshot, error))) throw error
    return { widgetId: widget.id, kind: error.code === 'forbidden' ? 'permission' : 'field', message: error.message }
  }
}

const TAG_FIELDS = ['tags', 'manualTags']

/** Lists tags in conditions that the event no longer offers. */
export async function findReportTagProblems(
  ctx: EventContext,
  { widgets, filter }: Pick<DesignedReportRow, 'widgets' | 'filter'>,
): Promise<ReportProblem[]> {
  const used = [
    ...listTags(filter).map((tag) => ({ tag })),
    ...widgets.flatMap((widget) =>
      listTags('query' in widget ? (widget.query?.filter as ConditionTree | undefined) : null).map((tag) => ({ widgetId: widget.id, tag })),
    ),
  ]
  if (used.length === 0) return []
  const { config } = await loadEventSnapshot(ctx)
  const offered = new Set(config.tags.map(({ code }) => code))
  return used
    .filter(({ tag }) => !offered.has(tag))
    .map(({ tag, ...where }): ReportProblem => ({ ...where, kind: 'tag', message: `The event no longer has the tag ${tag}` }))
}

function listTags(tree: ConditionTree | null | undefined): string[] {
  if (!tree) return []
  if ('all' in tree) return tree.all.flatMap(listTags)
  if ('any' in tree) return tree.any.flatMap(listTags)
  if ('relation' in tree) return listTags(tree.where)
  const isTag = typeof tree.field === 'string' && TAG_FIELDS.includes(tree.field.split('.').at(-1)!)
  return isTag ? [tree.value].flat().filter((value): value is string => typeof value === 'string') : []
}
