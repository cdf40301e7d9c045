import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })
const set = (path: string, value: unknown) => ({ op: 'set', path, valueJson: JSON.stringify(value) })

/** Publishes the event's draft, whichever examples edited the draft before. */
async function publish(stage: Stage): Promise<void> {
  const operations = [set('/details/contactEmail', 'team@example.org'), set('/details/summary', stage.text())]
  await stage.admin.call('config_set', { ...event(stage), operations })
  await stage.admin.call('publish_event', event(stage))
}

export const AUTHORING_EXAMPLES: Examples = {
  get_setup_tasks: event,
  config_set: [
    (stage) => ({ ...event(stage), operations: [set('/details/summary', stage.text())], note: stage.text() }),
    (stage) => ({ ...event(stage), operations: [set('/onsite/gates', [{ code: 'main', name: stage.text() }])] }),
  ],
  validate_schema: (stage) => ({
    ...event(stage),
    path: '/products',
    candidateJson: JSON.stringify(
      ['one', 'two', 'three'].map((code) => ({
        code,
        name: stage.text(),
        category: 'meal',
        prices: [{ amount: '1.00' }],
        requires: ['gone'],
      })),
    ),
    withSchema: true,
  }),
  publish_event: async (stage) => {
    await publish(stage)
    await stage.admin.call('config_set', { ...event(stage), operations: [set('/details/summary', stage.text())] })
    return { ...event(stage), note: stage.text() }
  },
  reset_to_version: async (stage) => {
    await publish(stage)
    await stage.admin.call('config_set', { ...event(stage), operations: [set('/details/summary', stage.text())] })
    return { ...event(stage), version: 1 }
  },
}
