import { sql } from 'kysely'
import { getFlowSummary } from '../../registration/flows/flow-summary.ts'
import { codeColumn, dayColumn, instantColumn, integerColumn, moneyColumn, percentColumn, textColumn } from './columns.ts'
import {
  buildReportRowCondition,
  buildFullNameSql,
  buildLocalDaySql,
  buildParticipantCondition,
  buildEventRowCondition,
  buildSameEventCondition,
  buildTodaySql,
} from './conditions.ts'
import { runWithoutReportDbRole } from '../../figures/query/snapshot-role.ts'
import { defineRowCountCheck, defineReport, PERSON_REPORT_PARAMETERS, defineSumEqualsMetricCheck } from './define.ts'
import { buildRegistrationPaceRows } from './pace.ts'
import type { StandardReportParameter, StandardReport } from './types.ts'

const people = { category: 'registration', needs: 'registration.read', parameters: PERSON_REPORT_PARAMETERS } as const
const flowParameter = (required: boolean): StandardReportParameter => ({ name: 'flowSlug', type: 'code', label: 'Flow', required })

const byDay = defineReport({
  ...people,
  code: 'registrations-by-day',
  name: 'Registrations by day',
  description: 'Completed and cancelled registrations of every day from the first completion to today, the net and the running total.',
  tables: [
    {
      columns: [
        dayColumn('day', 'Day'),
        integerColumn('completed', 'Completed'),
        integerColumn('cancelled', 'Cancelled'),
        integerColumn('net', 'Net'),
        integerColumn('cumulative', 'Cumulative'),
      ],
      totals: ['completed', 'cancelled', 'net'],
      checks: [defineSumEqualsMetricCheck('net', 'registrations.complete')],
      read: (scope) => {
        const { from, until, ...others } = scope.values
        // The period is left out of this condition, because the running total includes the days before the period.
        const finished = sql`participants p where ${buildParticipantCondition({ ...scope, values: others }, 'p', sql`p.completed_at`)}
          and p.completed_at is not null and p.status in ('complete', 'cancelled')`
        return {
          statement: sql`
            with changes as (
              select ${buildLocalDaySql(scope, sql`p.completed_at`)} as day, 1 as completed, 0 as cancelled from ${finished}
              union all select ${buildLocalDaySql(scope, sql`p.cancelled_at`)}, 0, 1 from ${finished} and p.status = 'cancelled'),
            counts as (select d.day::date as day, coalesce(sum(c.completed), 0)::int as completed, coalesce(sum(c.cancelled), 0)::int as cancelled
              from generate_series((select min(day) from changes)::timestamp, greatest(${buildTodaySql(scope)}, (select max(day) from changes))::timestamp, interval '1 day') as d (day)
              left join changes c on c.day = d.day::date group by 1)
            select * from (select day, completed, cancelled, completed - cancelled as net, sum(completed - cancelled) over (order by day)::int as cumulative from counts) s
            where s.day >= coalesce(${from ?? null}::date, s.day) and s.day <= coalesce(${until ?? null}::date, s.day) order by s.day`,
        }
      },
    },
  ],
})

const byFlow = defineReport({
  ...people,
  parameters: [],
  code: 'registrations-by-flow',
  name: 'Registrations by flow',
  description: 'Registrations of each flow by status, and how many of the visits that were finished or abandoned were completed.',
  tables: [
    {
      columns: [
        codeColumn('flow', 'Flow'),
        integerColumn('incomplete', 'Incomplete'),
        integerColumn('complete', 'Complete'),
        integerColumn('waitlisted', 'Waitlisted'),
        integerColumn('cancelled', 'Cancelled'),
        percentColumn('conversion', 'Conversion'),
      ],
      totals: ['incomplete', 'complete', 'waitlisted', 'cancelled'],
      checks: ['incomplete', 'complete', 'waitlisted', 'cancelled'].map((status) =>
        defineSumEqualsMetricCheck(status, `registrations.${status}`),
      ),
      read: (scope) => ({
        statement: sql`
          select coalesce(p.flow, v.flow) as flow, coalesce(p.incomplete, 0) as incomplete, coalesce(p.complete, 0) as complete, coalesce(p.waitlisted, 0) as waitlisted,
            coalesce(p.cancelled, 0) as cancelled, round(100.0 * v.completed / nullif(v.ended, 0), 1) as conversion
          from (select p.flow_slug as flow, count(*) filter (where p.status = 'incomplete')::int as incomplete, count(*) filter (where p.status = 'complete')::int as complete,
              count(*) filter (where p.status = 'waitlisted')::int as waitlisted, count(*) filter (where p.status = 'cancelled')::int as cancelled
            from participants p where ${buildReportRowCondition(scope, 'p')} group by 1) p
          full join (select v.flow_slug as flow, count(*) filter (where v.outcome = 'completed') as completed,
              count(*) filter (where v.outcome is not null or v.last_seen_at <= lanyard_now() - interval '24 hours') as ended
            from flow_visits v where ${buildReportRowCondition(scope, 'v')} group by 1) v on v.flow = p.flow
          order by complete desc, flow nulls last`,
      }),
    },
  ],
})

const pace = defineReport({
  ...people,
  parameters: [{ name: 'compareWith', type: 'code', label: 'Event to compare with', required: true }],
  code: 'registration-pace',
  name: 'Registration pace',
  description:
    'Complete registrations as many days before the start as at another event of the client, and what the final number would be.',
  tables: [
    {
      columns: [
        integerColumn('daysBefore', 'Days before start'),
        integerColumn('this', 'This event'),
        integerColumn('other', 'Other event'),
        integerColumn('difference', 'Difference'),
        integerColumn('projected', 'Projected'),
      ],
      read: buildRegistrationPaceRows,
    },
  ],
})

const incomplete = defineReport({
  ...people,
  code: 'incomplete-registrations',
  name: 'Incomplete registrations',
  description:
    'People who began to register and did not finish: when they began, the last page they saw and for how many days they are idle.',
  tables: [
    {
      columns: [
        textColumn('name', 'Name', 'identity'),
        textColumn('email', 'Email', 'identity'),
        instantColumn('startedAt', 'Started'),
        codeColumn('lastPage', 'Last page'),
        integerColumn('daysIdle', 'Days idle'),
      ],
      checks: [defineRowCountCheck('registrations.incomplete')],
      read: (scope) => ({
        statement: sql`
          select ${buildFullNameSql('p')} as name, p.email, coalesce(v.started_at, p.created_at) as "startedAt",
            (select x.page ->> 'code' from jsonb_array_elements(v.pages) with ordinality as x (page, place) where not coalesce((x.page ->> 'skipped')::boolean, false)
              order by x.page ->> 'leftAt' desc nulls first, x.place desc limit 1) as "lastPage",
            ${buildTodaySql(scope)} - ${buildLocalDaySql(scope, sql`greatest(p.updated_at, v.last_seen_at)`)} as "daysIdle"
          from participants p
          left join lateral (select f.started_at, f.last_seen_at, f.pages from flow_visits f where ${buildSameEventCondition('f', 'p')} and f.participant_id = p.id order by f.last_seen_at desc, f.id limit 1) v on true
          where ${buildParticipantCondition(scope, 'p', sql`p.created_at`)} and p.status = 'incomplete'
          order by "daysIdle" desc, p.last_name, p.first_name, p.id`,
      }),
    },
  ],
})

const cancellations = defineReport({
  ...people,
  code: 'cancellations',
  name: 'Cancellations',
  description: 'Cancelled registrations with their reason, what was credited and refunded on their order, and who took their place.',
  tables: [
    {
      columns: [
        textColumn('name', 'Name', 'identity'),
        instantColumn('cancelledAt', 'Cancelled'),
        textColumn('reason', 'Reason'),
        moneyColumn('credited', 'Credited'),
        moneyColumn('refunded', 'Refunded'),
        textColumn('substitutedBy', 'Substituted by', 'identity'),
      ],
      totals: ['credited', 'refunded'],
      checks: [defineRowCountCheck('registrations.cancelled')],
      read: (scope) => ({
        statement: sql`
          select ${buildFullNameSql('p')} as name, p.cancelled_at as "cancelledAt", p.cancel_reason as reason, coalesce(m.credited, 0) as credited,
            coalesce(m.refunded, 0) as refunded, (select ${buildFullNameSql('s')} from participants s where ${buildSameEventCondition('s', 'p')} and s.id = p.substituted_by_id) as "substitutedBy"
          from participants p left join orders o on ${buildSameEventCondition('o', 'p')} and o.participant_id = p.id
          left join lateral (select -sum(e.amount) filter (where e.kind = 'credit_note')::bigint as credited, sum(e.amount) filter (where e.kind = 'refund')::bigint as refunded
            from ledger_entries e where ${buildEventRowCondition(scope, 'e')} and e.order_id = o.id) m on true
          where ${buildParticipantCondition(scope, 'p', sql`p.cancelled_at`)} and p.status = 'cancelled' order by p.cancelled_at, p.id`,
      }),
    },
  ],
})

const funnel = defineReport({
  ...people,
  parameters: [flowParameter(true), ...PERSON_REPORT_PARAMETERS.slice(0, 2)],
  code: 'flow-funnel',
  name: 'Flow funnel',
  description: 'How many visits entered each page of a flow, skipped it, went on or stopped there.',
  tables: [
    {
      columns: [
        codeColumn('page', 'Page'),
        textColumn('title', 'Title'),
        integerColumn('entered', 'Entered'),
        integerColumn('skipped', 'Skipped'),
        integerColumn('advanced', 'Advanced'),
        integerColumn('stoppedHere', 'Stopped here'),
        percentColumn('dropRate', 'Drop rate'),
      ],
      totals: ['stoppedHere'],
      async read({ snapshot, values, isTestData }) {
        if (isTestData) return { rows: [] }
        const { flowSlug, from, until } = values as Record<string, string | undefined>
        const { pages } = await runWithoutReportDbRole(snapshot, () =>
          getFlowSummary(snapshot.ctx, { flowSlug: flowSlug!, from, until, includeTestData: false }),
        )
        return {
          rows: pages.map(({ code: page, title, entered, skipped, advanced, stoppedHere, dropRate }) => ({
            page,
            title,
            entered,
            skipped,
            advanced,
            stoppedHere,
            dropRate,
          })),
        }
      },
    },
  ],
})

export const REGISTRATION_REPORTS: readonly StandardReport[] = [byDay, byFlow, pace, incomplete, cancellations, funnel]
