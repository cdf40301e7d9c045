import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const event = ({ home }: Stage) => ({ eventCode: home.eventCode })

/** Client codes are numbered: they must not contain the stage's word, because error messages repeat codes. */
const newCode = (stage: Stage) => `new-${stage.text().split(' ').at(-1)}`

const tag = (stage: Stage) => ({ code: newCode(stage), name: stage.text() })

async function configured(stage: Stage, eventCode: string, sections: object): Promise<void> {
  await stage.admin.call('configure_event', { eventCode, sections })
}

async function endedEvent(stage: Stage): Promise<string> {
  const { eventId: _eventId, eventCode: _eventCode, ...client } = stage.home
  return (await stage.world.event({ at: client, code: newCode(stage), name: stage.text(), startsOn: '2024-05-11' })).eventCode
}

const LANGUAGES = ['de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'sv', 'da', 'fi']
let turns = 0

export const CLIENT_EXAMPLES: Examples = {
  create_event: [
    (stage) => ({
      clientCode: stage.home.clientCode,
      code: newCode(stage),
      name: stage.text(),
      startsOn: '2028-05-09',
      endsOn: '2028-05-11',
    }),
    (stage) => ({
      clientCode: stage.home.clientCode,
      code: newCode(stage),
      name: stage.text(),
      startsOn: '2028-05-09',
      endsOn: '2028-05-09',
      template: 'tradeShow',
      venue: { name: stage.text(), city: stage.word, country: 'FR' },
      timezone: 'Europe/Paris',
      currency: 'CHF',
      locale: 'fr',
    }),
  ],
  configure_event: (stage) => ({ ...event(stage), sections: { tags: [tag(stage)], details: { summary: stage.text() } } }),
  update_event: [
    (stage) => ({ ...event(stage), name: stage.text() }),
    (stage) => ({ ...event(stage), locales: ['en', LANGUAGES[++turns % LANGUAGES.length]] }),
  ],
  clone_event: [
    (stage) => ({ ...event(stage), newCode: newCode(stage), newName: stage.text(), startsOn: '2028-05-09' }),
    (stage) => ({
      ...event(stage),
      newCode: newCode(stage),
      newName: stage.text(),
      startsOn: '2028-05-09',
      toClientCode: stage.home.clientCode.replace('main', 'second'),
      fromVersion: 'draft',
      include: ['details', 'tags'],
      dateShift: 'clear',
    }),
  ],
  copy_event_config: [
    async (stage) => {
      const one = tag(stage)
      await configured(stage, stage.sibling.eventCode, { tags: [one] })
      return { ...event(stage), fromEventCode: stage.sibling.eventCode, items: [{ section: 'tags', code: one.code }] }
    },
    async (stage) => {
      await configured(stage, stage.sibling.eventCode, { tags: [tag(stage)] })
      return {
        ...event(stage),
        fromEventCode: stage.sibling.eventCode,
        fromClientCode: stage.home.clientCode,
        sections: ['tags'],
        onConflict: 'replace',
      }
    },
  ],
  list_event_config_items: async (stage) => {
    await configured(stage, stage.home.eventCode, { tags: [tag(stage), tag(stage), tag(stage)] })
    return event(stage)
  },
  archive_event: async (stage) => ({ eventCode: await endedEvent(stage), reason: stage.text() }),
}
