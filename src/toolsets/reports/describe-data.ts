import { z } from 'zod'
import { toOneLine, count, list, object, oneOf, searchArgument, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { describeData, DESCRIBE_DATA_TOPICS } from '../../domains/figures/describe/describe-data.ts'
import { DescribedEntityShape, DescribedFieldShape, DescribedMetricShape } from '../../domains/figures/describe/shapes.ts'

export default eventTool({
  name: 'describe_data',
  title: 'Describe data',
  description:
    'Explain which data an event has before you ask for numbers: entities, fields with type, meaning and who may read them, custom questions, relations, metrics with their formula, and the query language with examples. Not for the numbers themselves (use query_data). Returns what can be queried.',
  effect: 'read',
  toleratesLag: true,
  permission: 'reports.read',
  input: {
    entity: toOneLine(text(40).optional(), 'Name, such as participant: shows its fields.'),
    field: toOneLine(text(120).optional(), 'Path, such as participant.city or @custom.diet.'),
    search: searchArgument().optional(),
    topic: oneOf(DESCRIBE_DATA_TOPICS).optional(),
  },
  output: {
    entities: toOneLine(list(DescribedEntityShape).optional(), 'name, label, rowIs, area, rows, allowed'),
    fields: toOneLine(list(DescribedFieldShape).optional(), 'path, label, type, class, category, choices, allowed, needs, binding ...'),
    relations: toOneLine(list(object({ name: text(), to: text(), many: z.boolean() })).optional(), 'name, to, many'),
    metrics: toOneLine(list(DescribedMetricShape).optional(), 'code, label, formula, dateField, dimensions'),
    metricCount: count().optional(),
    examples: toOneLine(list(z.record(z.string(), z.unknown())).optional(), 'arguments of query_data'),
    grammar: list(z.string()).optional(),
    charts: toOneLine(list(object({ kind: text(), needs: z.string() })).optional(), 'kind, needs'),
    note: z.string().optional(),
  },
  findArgumentErrors: (sent) => {
    const isSent = (name: string) => sent[name] !== undefined
    const other = ['entity', 'field', 'search'].find(isSent)
    if (isSent('topic') && other) return [{ path: 'topic', message: `cannot be combined with ${other}: leave one of them out` }]
    return isSent('field') && isSent('search') ? [{ path: 'search', message: 'cannot be combined with field: leave one of them out' }] : []
  },
  run: describeData,
})
