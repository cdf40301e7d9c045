import { ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import type { Entity, EntityField } from '../../src/domains/figures/dictionary/types.ts'
import { METRICS } from '../../src/domains/figures/metrics/index.ts'
import type { Metric } from '../../src/domains/figures/metrics/types.ts'

/** The reference of everything that can be queried, generated from the data dictionary and the metrics. */
export function buildDataFiles(folder: string): Map<string, string> {
  const entities = [...ENTITIES.values()]
  const areas = [...Map.groupBy(METRICS.values(), ({ code }) => code.split('.')[0]!)]
  const lines = [
    ...INTRODUCTION,
    '',
    '## Metrics',
    '',
    'Every tool that shows one of these figures computes it by this formula. Percentages have one decimal and are null if the divisor is 0.',
    ...areas.flatMap(([, metrics]) => ['', '| Code | Figure | Formula |', '|---|---|---|', ...metrics.map(toMetricRow)]),
    '',
    '## Entities',
    '',
    `${entities.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(' · ')}`,
    ...entities.flatMap(describeEntity),
  ]
  return new Map([[`${folder}/data.md`, `${lines.join('\n')}\n`]])
}

const INTRODUCTION = [
  '# Data and metrics',
  '',
  '`query_data` answers questions from the entities, fields and metrics on this page. `describe_data` shows them for one event, with the questions of that event, and explains the query language.',
  '',
  'A field has a class, which decides who may read it beside `reports.read` and the read permission of its area:',
  '',
  '| Class | In a result | In a file or email |',
  '|---|---|---|',
  '| open | no further permission | no further permission |',
  '| identity | `registration.read` | `registration.read` |',
  '| personal | `personal.read` | `personal.export` |',
  '| sensitive | `personal.read` | `personal.export` |',
]

const escape = (text: string) => text.replaceAll('|', '\\|')

const toMetricRow = ({ code, label, formula }: Metric) => `| \`${code}\` | ${escape(label)} | ${escape(formula)} |`

function describeEntity({ name, label, rowIs, area, fields, relations, onlyAcrossEvents }: Entity): string[] {
  const links = Object.entries(relations).map(([relation, { to, many }]) => `\`${relation}\` (${many ? 'many' : 'one'} ${to})`)
  return [
    '',
    `### ${name}`,
    '',
    `${label}: one row is ${rowIs}. Needs \`${area}.read\`.${onlyAcrossEvents ? ' A query starts from it in `query_across_events` only.' : ''}`,
    '',
    '| Field | Type | Class | Meaning |',
    '|---|---|---|---|',
    ...Object.entries(fields).map(([path, field]) => toFieldRow(path, field)),
    ...(name === 'participant' ? ['| `custom.<code>` | by question | by question | A question of the event |', '| `sharing.<field>` | enum | open | The choice of the participant to show a field to exhibitors |'] : []),
    '',
    ...(links.length > 0 ? [`Relations: ${links.join(', ')}.`] : []),
  ]
}

const toFieldRow = (path: string, { type, class: of = 'open', label, help, choices }: EntityField) =>
  `| \`${path}\` | ${type} | ${of} | ${escape([label, help, choices && choices.map((one) => `\`${one}\``).join(', ')].filter(Boolean).join('. '))} |`
