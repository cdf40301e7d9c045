import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

const WIDGETS = [
  { type: 'figure', title: 'Complete', metrics: ['registrations.complete'] },
  { type: 'table', query: { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] }, totals: ['people'] },
]

async function designed(stage: Stage): Promise<string> {
  return (await stage.admin.call('design_report', { ...event(stage), name: stage.text(), widgets: WIDGETS })).report.code
}

/** A day within the year after the database's clock. */
async function lastDay({ world }: Stage): Promise<string> {
  const { rows } = await world.database.pool.query<{ day: string }>(`select (lanyard_now() + interval '90 days')::date::text as day`)
  return rows[0]!.day
}

export const DESIGNED_REPORTS_EXAMPLES: Examples = {
  design_report: [
    async (stage) => ({ ...event(stage), name: stage.text(), widgets: WIDGETS }),
    async (stage) => ({
      ...event(stage),
      name: stage.text(),
      widgets: WIDGETS,
      delivery: { recipients: [stage.admin.email], format: 'csv', every: 'week', weekday: 1, at: '08:00', until: await lastDay(stage) },
    }),
    async (stage) => ({ ...event(stage), report: await designed(stage), description: stage.text(), theme: 'dark' }),
  ],
  update_report_widgets: [
    async (stage) => ({
      ...event(stage),
      report: await designed(stage),
      operations: [
        { op: 'add', widget: { type: 'text', markdown: '# Registrations' } },
        { op: 'move', widgetId: 'w1', x: 6 },
      ],
    }),
  ],
}
