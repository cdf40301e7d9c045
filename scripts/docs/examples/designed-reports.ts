import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

const WIDGETS = [
  { type: 'figure', title: 'Complete registrations', metrics: ['registrations.complete'] },
  {
    type: 'table',
    title: 'By flow',
    query: { entity: 'participant', groupBy: ['flowSlug'], aggregates: ['count as people'], orderBy: ['-people'] },
    totals: ['people'],
  },
]

const designed = async (stage: DemoScenario): Promise<string> =>
  (await stage.call('design_report', { ...SUMMIT_SCOPE, name: 'Registrations by flow', widgets: WIDGETS })).report.code

export const DESIGNED_REPORTS_EXAMPLES: Examples = {
  design_report: () => ({ ...SUMMIT_SCOPE, name: 'Registrations this week', widgets: WIDGETS }),
  update_report_widgets: async (stage) => ({
    ...SUMMIT_SCOPE,
    report: await designed(stage),
    operations: [{ op: 'add', widget: { type: 'text', markdown: '# {{event.name}}' }, after: 'w1' }],
  }),
}
