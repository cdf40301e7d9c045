import { sql } from 'kysely'
import { isCategoricalField } from '../../figures/dictionary/classes.ts'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { runDataQuery } from '../../figures/query/run-query.ts'
import { chooseSuppressedGroups } from '../../figures/query/suppress.ts'
import type { ReportRow } from '../../figures/report-table.ts'
import { codeColumn, booleanColumn, integerColumn, percentColumn, textColumn } from './columns.ts'
import { buildFullNameSql, buildParticipantCondition, buildSameEventCondition } from './conditions.ts'
import { defineReport, PERSON_REPORT_PARAMETERS } from './define.ts'
import { buildParticipantFilter } from './participants.ts'
import type { ReportScope, StandardReport } from './types.ts'

const people = { category: 'registration', needs: 'registration.read' } as const
const COMPLETE: ConditionTree = { field: 'status', op: 'equals', value: 'complete' }
const MAX_CHOICES = 1000

const toPercent = (part: number, whole: number) => (whole === 0 ? null : Math.round((part * 1000) / whole) / 10)

/**
 * Counts how many participants with a complete registration selected each choice of the custom fields. Small groups are merged as in
 * queries.
 */
async function* countAnswers(scope: ReportScope): AsyncIterable<ReportRow> {
  const { snapshot, values, isTestData } = scope
  const fields = Object.entries(snapshot.dictionary.get('participant')!.fields).filter(
    ([path, field]) => path.startsWith('custom.') && isCategoricalField(field),
  )
  const wanted = values['fieldCodes'] as readonly string[] | undefined
  const query = {
    entity: 'participant',
    filter: buildParticipantFilter(scope, [COMPLETE]),
    aggregates: ['count'],
    includeTestData: isTestData,
  }
  const { rows: all } = await runDataQuery(snapshot, query)
  for (const [path, { label }] of fields) {
    if (wanted && !wanted.includes(path.slice('custom.'.length))) continue
    const { rows } = await runDataQuery(snapshot, { ...query, groupBy: [path], orderBy: ['-count'], limit: MAX_CHOICES })
    const answered = rows.filter((row) => row[path] !== null || row['suppressed'] === true)
    const unset = rows.find((row) => row[path] === null && row['suppressed'] !== true)
    const total = Number(all[0]?.['count'] ?? 0) - Number(unset?.['count'] ?? 0)
    for (const row of answered)
      yield {
        field: path.slice('custom.'.length),
        label,
        choice: row['suppressed'] === true ? null : String(row[path]),
        count: Number(row['count']),
        percent: toPercent(Number(row['count']), total),
        suppressed: row['suppressed'] === true,
      }
  }
}

const answers = defineReport({
  ...people,
  code: 'answers',
  name: 'Answers',
  description: 'How often each choice of each custom field was chosen by complete participants. Several choices of one person count each.',
  parameters: [...PERSON_REPORT_PARAMETERS, { name: 'fieldCodes', type: 'codes', label: 'Fields', required: false }],
  tables: [
    {
      columns: [
        codeColumn('field', 'Field'),
        textColumn('label', 'Label'),
        codeColumn('choice', 'Choice'),
        integerColumn('count', 'Count'),
        percentColumn('percent', 'Percent'),
        booleanColumn('suppressed', 'Small groups merged'),
      ],
      read: (scope) => ({ rows: countAnswers(scope) }),
    },
  ],
})

const mayReadNeeds = ({ snapshot }: ReportScope) => snapshot.reader.permissions.has('personal.read')

/** Counts the completed registrations with each dietary or accessibility need. Without personal.read, rare needs are merged. */
async function countNeeds(scope: ReportScope): Promise<ReportRow[]> {
  const { rows } = await sql<{ kind: string; need: string; count: number }>`
    select n.kind, n.need, count(*)::int as count from participants p
    cross join lateral (values ('dietary', p.dietary), ('accessibility', p.accessibility)) as n (kind, need)
    where ${buildParticipantCondition(scope, 'p', sql`p.completed_at`)} and p.status = 'complete' and n.need is not null and n.need <> '' group by 1, 2
    order by n.kind desc, count(*) desc, n.need`.execute(scope.snapshot.db)
  const hidden = new Set(
    mayReadNeeds(scope)
      ? []
      : ['dietary', 'accessibility'].flatMap((kind) =>
          chooseSuppressedGroups(rows.filter((row) => row.kind === kind).map((row) => ({ row, persons: row.count, key: row.need }))).map(
            ({ row }) => row,
          ),
        ),
  )
  const merged = [...Map.groupBy(hidden, ({ kind }) => kind)].map(([kind, some]) => ({
    kind,
    need: null,
    count: some.reduce((sum, { count }) => sum + count, 0),
    suppressed: true,
  }))
  // The row of merged dietary and access needs is left out if it still concerns fewer than five people.
  return [
    ...rows.filter((row) => !hidden.has(row)).map((row) => ({ ...row, suppressed: false })),
    ...merged.filter(({ count }) => count >= 5),
  ]
}

const dietary = defineReport({
  ...people,
  parameters: PERSON_REPORT_PARAMETERS,
  code: 'dietary-and-access',
  name: 'Dietary and access needs',
  description: 'How many complete participants stated each dietary and access need, and who they are, with their group.',
  tables: [
    {
      title: 'Needs',
      columns: [
        codeColumn('kind', 'Kind'),
        textColumn('need', 'Need'),
        integerColumn('count', 'Count'),
        booleanColumn('suppressed', 'Small groups merged'),
      ],
      totals: ['count'],
      read: async (scope) => ({ rows: await countNeeds(scope) }),
    },
    {
      title: 'People with needs',
      columns: [
        textColumn('name', 'Name', 'identity'),
        textColumn('dietary', 'Dietary', 'sensitive'),
        textColumn('accessibility', 'Accessibility', 'sensitive'),
        textColumn('group', 'Group'),
      ],
      // Without personal.read the list is empty, because being listed already reveals that a participant has a special need.
      read: (scope) =>
        !mayReadNeeds(scope)
          ? { rows: [] }
          : {
              statement: sql`
                select ${buildFullNameSql('p')} as name, p.dietary, p.accessibility, g.name as "group"
                from participants p left join managed_groups g on ${buildSameEventCondition('g', 'p')} and g.id = p.group_id
                where ${buildParticipantCondition(scope, 'p', sql`p.completed_at`)} and p.status = 'complete' and coalesce(nullif(p.dietary, ''), nullif(p.accessibility, '')) is not null
                order by p.last_name, p.first_name, p.id`,
            },
    },
  ],
})

export const REGISTRATION_ANSWER_REPORTS: readonly StandardReport[] = [answers, dietary]
