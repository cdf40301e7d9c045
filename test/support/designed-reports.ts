import type { World } from './world.ts'

type Call = (tool: string, args: Record<string, unknown>) => Promise<any>

/** Creates a report with a text, a figure and a table that is sent by email every day, and returns its code. */
export async function createDeliveredReport(world: World, call: Call, recipient: string, name = 'Daily figures'): Promise<string> {
  const until = new Date((await world.clock.now()).getTime() + 90 * 86_400_000).toISOString().slice(0, 10)
  const args = {
    name,
    description: 'For the team',
    parameters: [{ name: 'status', type: 'text', label: 'Status' }],
    widgets: [
      { type: 'text', title: 'About', markdown: '# {{event.name}}' },
      { type: 'figure', title: 'Complete', metrics: ['registrations.complete'] },
      {
        type: 'table',
        title: 'People',
        query: {
          entity: 'participant',
          fields: ['name', 'email', 'company'],
          filter: { field: 'status', op: 'equals', value: { param: 'status' } },
        },
      },
    ],
    delivery: { recipients: [recipient], format: 'csv', every: 'day', at: '08:00', until },
  }
  const { confirmToken } = await call('design_report', { ...args, dryRun: true })
  return (await call('design_report', { ...args, confirmToken })).report.code
}
