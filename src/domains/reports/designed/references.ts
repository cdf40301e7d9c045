import { type FieldError, invalidArguments } from '../../../kernel/errors.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { createUnknownNameFieldError } from '../../../kernel/nearest.ts'
import { TEXT_PLACEHOLDERS } from './open-report.ts'
import { type ReportParameter, createUnknownParameterError, visitParameterReferences } from './parameters.ts'
import { listPlaceholders } from './text-blocks.ts'
import type { ReportWidget } from './widgets.ts'

/** Throws if widgets refer to parameters or placeholders that the report does not have. */
export function requireKnownParameterNames(
  widgets: readonly ReportWidget[],
  filter: ConditionTree | null,
  parameters: readonly ReportParameter[],
): void {
  const names = parameters.map(({ name }) => name)
  const errors: FieldError[] = []
  const check = (path: string, named: string) => {
    if (!names.includes(named)) errors.push(createUnknownParameterError(path, named, names))
  }
  if (filter) visitParameterReferences(filter, 'filter', check)
  for (const widget of widgets) {
    const path = `widgets/${widget.id}`
    if ('query' in widget) visitParameterReferences(widget.query, `${path}/query`, check)
    if (widget.type === 'standard') visitParameterReferences(widget.parameters, `${path}/parameters`, check)
    if (widget.type === 'text') errors.push(...findTokenErrors(widget.markdown, `${path}/markdown`, names))
  }
  if (errors.length > 0) throw invalidArguments(errors)
}

function findTokenErrors(markdown: string, path: string, names: readonly string[]): FieldError[] {
  const known = [...TEXT_PLACEHOLDERS, ...names.map((name) => `param.${name}`)]
  return listPlaceholders(markdown)
    .filter((token) => !known.includes(token))
    .map((token) => createUnknownNameFieldError(path, token, known, 'token'))
}
