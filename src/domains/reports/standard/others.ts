import { sql } from 'kysely'
import { readSurveyStatistics } from '../../surveys/figures/aggregate.ts'
import {
  choiceColumn,
  codeColumn,
  decimalColumn,
  instantColumn,
  integerColumn,
  listColumn,
  moneyColumn,
  percentColumn,
  textColumn,
} from './columns.ts'
import { runWithoutReportDbRole } from '../../figures/query/snapshot-role.ts'
import { definePlaceholderReport, defineReport, defineSumEqualsMetricCheck } from './define.ts'
import { readEntityTable } from './query-table.ts'
import { buildEventRowCondition, buildReportRowCondition, buildSameEventCondition } from './conditions.ts'
import type { StandardReport } from './types.ts'

const submissionColumns = [
  codeColumn('number', 'Number'),
  textColumn('title', 'Title'),
  codeColumn('track', 'Track'),
  choiceColumn('status', 'Status'),
  integerColumn('reviews', 'Reviews'),
  decimalColumn('score', 'Mean score'),
]

const submissions = defineReport({
  category: 'program',
  needs: 'sessions.read',
  code: 'speakers-and-submissions',
  name: 'Speakers and submissions',
  description: 'Every proposal with its speakers, track, status, number of reviews and mean score.',
  tables: [
    {
      columns: [...submissionColumns.slice(0, 2), textColumn('speakers', 'Speakers', 'identity'), ...submissionColumns.slice(2)],
      async read(scope) {
        if (scope.isTestData) return { rows: [] }
        const { rows } = await sql<{ number: string; names: string }>`
          select u.number, string_agg(concat_ws(' ', s.first_name, s.last_name), ', ' order by w.position) as names
          from submissions u join submission_speakers w on ${buildSameEventCondition('w', 'u')} and w.submission_id = u.id join speakers s on ${buildSameEventCondition('s', 'w')} and s.id = w.speaker_id
          where ${buildEventRowCondition(scope, 'u')} group by 1`.execute(scope.snapshot.db)
        const speakers = new Map(rows.map(({ number, names }) => [number, names]))
        const { rows: listed } = readEntityTable(scope, submissionColumns, {
          entity: 'submission',
          paths: { number: 'number', title: 'title', track: 'trackCode', status: 'status', reviews: 'reviews', score: 'score' },
          orderBy: ['trackCode', '-score'],
        })
        return { rows: addSpeakers(listed as AsyncIterable<Record<string, never>>, speakers) }
      },
    },
  ],
})

async function* addSpeakers(rows: AsyncIterable<Record<string, never>>, speakers: ReadonlyMap<string, string>) {
  for await (const row of rows) yield { ...row, speakers: speakers.get(String(row['number'])) ?? null }
}

const email = defineReport({
  category: 'email',
  needs: 'email.read',
  code: 'email-performance',
  name: 'Email performance',
  description: 'What was sent, delivered and bounced of each triggered email. Opens and clicks are not recorded yet.',
  tables: [
    {
      columns: [
        codeColumn('email', 'Email'),
        textColumn('name', 'Name'),
        instantColumn('sentAt', 'Sent'),
        integerColumn('sent', 'Sent messages'),
        integerColumn('delivered', 'Delivered'),
        integerColumn('bounced', 'Bounced'),
        percentColumn('openRate', 'Open rate'),
        percentColumn('clickRate', 'Click rate'),
        percentColumn('clickToOpen', 'Click to open'),
        integerColumn('unsubscribed', 'Unsubscribed'),
        integerColumn('complaints', 'Complaints'),
      ],
      totals: ['sent', 'delivered', 'bounced', 'complaints'],
      checks: [
        defineSumEqualsMetricCheck('sent', 'email.sent'),
        defineSumEqualsMetricCheck('delivered', 'email.delivered'),
        defineSumEqualsMetricCheck('bounced', 'email.bounced'),
        defineSumEqualsMetricCheck('complaints', 'email.complaints'),
      ],
      read: (scope) => ({
        statement: sql`
          select g.*, g.sent - g.bounced as delivered
          from (select m.email_code as email, max(m.sent_at) as "sentAt", count(m.sent_at)::int as sent,
              count(m.sent_at) filter (where m.status = 'bounced')::int as bounced, count(*) filter (where m.status = 'complained')::int as complaints
            from messages m where ${buildReportRowCondition(scope, 'm')} and m.category <> 'signin.code' group by 1) g
          order by g."sentAt" desc nulls last, g.email`,
      }),
    },
  ],
})

const upsell = definePlaceholderReport({
  category: 'marketing',
  needs: 'marketing.read',
  code: 'upsell-performance',
  name: 'Upsell performance',
  description: 'How often each upsell was offered, opened, clicked and accepted, and what it brought in.',
  tables: [
    {
      columns: [
        codeColumn('upsell', 'Upsell'),
        textColumn('name', 'Name'),
        integerColumn('offered', 'Offered'),
        integerColumn('opened', 'Opened'),
        integerColumn('clicked', 'Clicked'),
        integerColumn('accepted', 'Accepted'),
        integerColumn('units', 'Units'),
        percentColumn('conversion', 'Conversion'),
        moneyColumn('revenue', 'Revenue'),
      ],
      totals: ['offered', 'opened', 'clicked', 'accepted', 'units', 'revenue'],
      read: () => ({ rows: [] }),
    },
  ],
})

const surveys = defineReport({
  category: 'surveys',
  needs: [],
  code: 'survey-summary',
  name: 'Survey summary',
  description: 'The answers to each question of a survey: how many, the mean or the NPS, and how often each value was chosen.',
  parameters: [{ name: 'surveyCode', type: 'code', label: 'Survey', required: true }],
  tables: [
    {
      columns: [
        codeColumn('question', 'Question'),
        textColumn('name', 'Name'),
        choiceColumn('type', 'Type'),
        integerColumn('answers', 'Answers'),
        decimalColumn('mean', 'Mean'),
        decimalColumn('nps', 'NPS'),
        listColumn('distribution', 'Distribution'),
      ],
      async read({ snapshot, values, isTestData }) {
        if (isTestData) return { rows: [] }
        const { questions } = await runWithoutReportDbRole(snapshot, () => readSurveyStatistics(snapshot, String(values['surveyCode'])))
        return {
          rows: questions.map(({ code: question, name, type, answered, mean, nps, distribution }) => ({
            question,
            name,
            type,
            answers: answered,
            mean: mean ?? null,
            nps: nps ?? null,
            distribution: distribution?.map(({ label, count }) => `${label}: ${count}`) ?? null,
          })),
        }
      },
    },
  ],
})

const auditColumns = [
  instantColumn('at', 'When'),
  textColumn('who', 'Who', 'identity'),
  textColumn('app', 'App'),
  codeColumn('tool', 'Tool'),
  codeColumn('targetKind', 'Kind of record'),
  codeColumn('targetId', 'Id of the record'),
  listColumn('fields', 'Changed fields'),
]

const audit = defineReport({
  category: 'audit',
  needs: 'clients.read',
  code: 'audit-log',
  name: 'Audit log',
  description: 'Every change of the event, the newest first: when, who, with which app and tool, which record and fields.',
  parameters: [
    { name: 'from', type: 'day', label: 'From', required: false },
    { name: 'until', type: 'day', label: 'Until', required: false },
  ],
  tables: [
    {
      columns: auditColumns,
      read: (scope) => {
        const { from, until } = scope.values
        return readEntityTable(scope, auditColumns, {
          entity: 'auditEntry',
          paths: Object.fromEntries(auditColumns.map(({ name }) => [name, name])),
          filter: [
            ...(from === undefined ? [] : [{ field: 'at', op: 'gte', value: from }]),
            ...(until === undefined ? [] : [{ field: 'at', op: 'lte', value: until }]),
          ],
          orderBy: ['-at'],
        })
      },
    },
  ],
})

export const MISCELLANEOUS_REPORTS: readonly StandardReport[] = [submissions, email, upsell, surveys, audit]
