import { sql } from 'kysely'
import type { ConditionTree } from '../../figures/query/data-query.ts'
import { streamAllQueryRows } from '../../figures/query/stream-fields.ts'
import type { ReportColumn } from '../../figures/report-table.ts'
import { choiceColumn, codeColumn, instantColumn, listColumn, moneyColumn, textColumn } from './columns.ts'
import { buildFullNameSql, buildParticipantCondition, buildSameEventCondition } from './conditions.ts'
import { readEventConfig } from './configuration.ts'
import { defineRowCountCheck, defineReport, PERSON_REPORT_PARAMETERS } from './define.ts'
import { listReadableColumns } from './query-table.ts'
import type { ReportScope, StandardReport, ReportTableSource } from './types.ts'

const people = { category: 'registration', needs: 'registration.read', parameters: PERSON_REPORT_PARAMETERS } as const

/** Builds the condition on participants from the parameters of a report about people. */
export function buildParticipantFilter({ values, isTestData }: ReportScope, conditions: readonly ConditionTree[] = []): ConditionTree {
  const { from, until, flowSlug, tags } = values
  const bound = (op: string, value: unknown): ConditionTree[] => (value === undefined ? [] : [{ field: 'completedAt', op, value }])
  return {
    all: [
      ...conditions,
      ...bound('gte', from),
      ...bound('lte', until),
      ...(flowSlug === undefined ? [] : [{ field: 'flowSlug', op: 'equals', value: flowSlug }]),
      ...(Array.isArray(tags) && tags.length > 0
        ? [{ any: tags.map((tag: string): ConditionTree => ({ field: 'tags', op: 'contains', value: tag })) }]
        : []),
      ...(isTestData ? [{ field: 'isTestData', op: 'equals', value: true }] : []),
    ],
  }
}

const LIST_COLUMNS: readonly ReportColumn[] = [
  codeColumn('confirmationNumber', 'Confirmation number', 'identity'),
  textColumn('name', 'Name', 'identity'),
  textColumn('email', 'Email', 'identity'),
  textColumn('company', 'Company', 'identity'),
  textColumn('jobTitle', 'Job title', 'identity'),
  choiceColumn('status', 'Status'),
  codeColumn('flowSlug', 'Flow'),
  listColumn('tags', 'Tags'),
  instantColumn('completedAt', 'Completed'),
  moneyColumn('balance', 'Balance'),
]

/** Returns the custom fields of the event as columns of a list of participants. */
const customColumns = ({ snapshot }: ReportScope): ReportColumn[] =>
  Object.entries(snapshot.dictionary.get('participant')?.fields ?? {})
    .filter(([path]) => path.startsWith('custom.'))
    .map(([path, { label, type, class: of = 'open' }]) => ({ name: path, label, type, class: of }))

/** Lists participants by last name, first name and id, with the fields that the caller may see. */
function listParticipants(
  scope: ReportScope,
  columns: readonly ReportColumn[],
  conditions: readonly ConditionTree[] = [],
): ReportTableSource {
  const query = {
    entity: 'participant',
    fields: listReadableColumns(scope, columns).map(({ name }) => name),
    filter: buildParticipantFilter(scope, conditions),
    orderBy: ['lastName', 'firstName'],
    includeTestData: scope.isTestData,
  }
  const { rows } = streamAllQueryRows(scope.snapshot, query, { withId: false })
  // Rows of test data have the field isTestData as well.
  return { columns, rows, ...(scope.isTestData ? {} : { hasShownColumns: true }) }
}

const participantList = defineReport({
  ...people,
  code: 'participant-list',
  name: 'Participant list',
  description: 'Every registration with contact, status, tags, balance and the answers to all custom fields.',
  tables: [
    {
      columns: LIST_COLUMNS,
      totals: ['balance'],
      checks: [defineRowCountCheck('registrations.total')],
      read: (scope) => listParticipants(scope, [...LIST_COLUMNS, ...customColumns(scope)]),
    },
  ],
})

const BADGE_COLUMNS: readonly ReportColumn[] = [
  codeColumn('badgeId', 'Badge id', 'identity'),
  textColumn('preferredName', 'Preferred name', 'identity'),
  textColumn('firstName', 'First name', 'identity'),
  textColumn('lastName', 'Last name', 'identity'),
  textColumn('company', 'Company', 'identity'),
  textColumn('jobTitle', 'Job title', 'identity'),
  listColumn('tags', 'Tags'),
]

/** Lists the participant fields on badges that are not already columns of the report. Products on badges are not participant fields. */
async function badgeFields(scope: ReportScope): Promise<ReportColumn[]> {
  const { badge } = await readEventConfig(scope)
  const fields = scope.snapshot.dictionary.get('participant')?.fields ?? {}
  const paths = badge.fields.map((binding) => binding.replace(/^@participant\./, '').replace(/^@/, ''))
  return [...new Set(paths)].flatMap((path) => {
    const field = fields[path]
    return field && !BADGE_COLUMNS.some(({ name }) => name === path)
      ? [{ name: path, label: field.label, type: field.type, class: field.class ?? 'open' }]
      : []
  })
}

const badgeList = defineReport({
  ...people,
  code: 'badge-list',
  name: 'Badge list',
  description:
    'What is printed on the badges of complete participants: badge id, names, company, job title, tags and the fields of the badge.',
  tables: [
    {
      columns: [
        codeColumn('badgeId', 'Badge id', 'identity'),
        textColumn('shownName', 'Name on badge', 'identity'),
        ...BADGE_COLUMNS.slice(3),
      ],
      checks: [defineRowCountCheck('registrations.complete')],
      async read(scope) {
        const source = listParticipants(
          scope,
          [...BADGE_COLUMNS, ...(await badgeFields(scope))],
          [{ field: 'status', op: 'equals', value: 'complete' }],
        )
        const [badgeId, , , ...others] = source.columns!
        const name = textColumn('shownName', 'Name on badge', 'identity')
        return { columns: [badgeId!, name, ...others], rows: nameBadges(source.rows as AsyncIterable<Record<string, never>>) }
      },
    },
  ],
})

async function* nameBadges<Row extends Record<string, unknown>>(rows: AsyncIterable<Row>) {
  for await (const { preferredName, firstName, ...row } of rows) yield { shownName: preferredName ?? firstName ?? null, ...row } as never
}

const noShows = defineReport({
  ...people,
  category: 'onsite',
  needs: ['registration.read', 'onsite.read'],
  code: 'no-shows',
  name: 'No-shows',
  description: 'Complete participants who were never seen, with their products and what they paid. Empty until the event is over.',
  tables: [
    {
      columns: [
        textColumn('name', 'Name', 'identity'),
        textColumn('email', 'Email', 'identity'),
        textColumn('company', 'Company', 'identity'),
        listColumn('products', 'Products'),
        moneyColumn('netPaid', 'Net paid'),
      ],
      totals: ['netPaid'],
      checks: [defineRowCountCheck('attendance.noShow')],
      read: (scope) => ({
        statement: sql`
          select ${buildFullNameSql('p')} as name, p.email, p.company, coalesce(h.products, '{}') as products, coalesce(o.paid, 0) as "netPaid"
          from participants p join events v on v.tenant_id = p.tenant_id and v.id = p.event_id
          left join orders o on ${buildSameEventCondition('o', 'p')} and o.participant_id = p.id
          left join lateral (select array_agg(b.code order by b.code) as products from (select l.product_code as code from order_lines l
            where ${buildSameEventCondition('l', 'p')} and l.participant_id = p.id and l.product_code is not null group by 1 having sum(l.quantity) > 0) b) h on true
          where ${buildParticipantCondition(scope, 'p', sql`p.completed_at`)} and p.status = 'complete' and (lanyard_now() at time zone v.timezone)::date > v.ends_on
            and not exists (select from attendance_scans s where ${buildSameEventCondition('s', 'p')} and s.participant_id = p.id and s.result = 'accepted' and s.direction = 'in')
          order by p.last_name, p.first_name, p.id`,
      }),
    },
  ],
})

export const PARTICIPANT_REPORTS: readonly StandardReport[] = [participantList, badgeList, noShows]
