import { QUERY_ENTITIES } from '../../src/domains/figures/dictionary/index.ts'
import type { QueryEntity, QueryEntityField } from '../../src/domains/figures/dictionary/types.ts'
import { METRICS } from '../../src/domains/figures/metrics/index.ts'
import type { Metric } from '../../src/domains/figures/metrics/types.ts'

/** The reference of everything that can be queried, generated from the data dictionary and the metrics. */
export function buildDataFiles(folder: string): Map<string, string> {
  const entities = [...QUERY_ENTITIES.values()]
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
  '',
  'In the lists below, ~ marks identity, \\* personal and ! sensitive fields; the type stands in parentheses unless it is text. `describe_data` explains each field.',
]

const escape = (text: string) => text.replaceAll('|', '\\|')

const toMetricRow = ({ code, label, formula }: Metric) => `| \`${code}\` | ${escape(label)} | ${escape(formula)} |`

/** Signs after the name of a field for its class. */
const SIGNS: Readonly<Record<string, string>> = { identity: '~', personal: '*', sensitive: '!' }
const escapeSign = (sign: string) => (sign === '' ? '' : `\\${sign}`)

/** Text needs no type; other fields have it in parentheses. */
const nameField = ([path, field]: [string, QueryEntityField]) =>
  `${path}${escapeSign(SIGNS[field.class ?? 'open'] ?? '')}${field.type === 'text' || field.type === 'id' ? '' : ` (${field.type})`}`

function describeEntity({ name, rowIs, area, fields, relations, onlyAcrossEvents }: QueryEntity): string[] {
  const links = Object.entries(relations).map(([relation, { to, many }]) => `${relation} (${many ? 'many' : 'one'} ${to})`)
  const names = Object.entries(fields).map(nameField)
  const own = name === 'participant' ? ['custom.<code>', 'sharing.<field> (enum)'] : []
  return [
    '',
    `### ${name}`,
    '',
    `One row is ${rowIs}. Needs \`${area}.read\`.${onlyAcrossEvents ? ' A query starts from it in `query_across_events` only.' : ''}`,
    '',
    `Fields: ${[...names, ...own].map(escape).map((text) => text.replaceAll('<', '&lt;')).join(', ')}.`,
    ...(links.length > 0 ? ['', `Relations: ${links.join(', ')}.`] : []),
  ]
}
