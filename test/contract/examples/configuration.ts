import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

async function draftAt(stage: Stage): Promise<void> {
  const tracks = ['gold', 'silver', 'bronze'].map((code) => ({ code, name: stage.text() }))
  const operations = [{ op: 'set', path: '/sessions/tracks', valueJson: JSON.stringify(tracks) }]
  await stage.admin.call('config_set', { ...event(stage), operations })
}

export const CONFIGURATION_EXAMPLES: Examples = {
  config_explore: [
    async (stage) => {
      await draftAt(stage)
      return { ...event(stage), path: '/sessions/tracks', depth: 2, source: 'draft', include: ['values', 'schema', 'issues', 'usage'] }
    },
    async (stage) => {
      await draftAt(stage)
      return event(stage)
    },
  ],
  config_find: [
    async (stage) => {
      await draftAt(stage)
      return { ...event(stage), text: stage.word, in: '/sessions/tracks', source: 'draft', keysOnly: false }
    },
    async (stage) => {
      await draftAt(stage)
      return { ...event(stage), regex: 'gold|silver|bronze' }
    },
  ],
}
