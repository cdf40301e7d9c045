import { expect, it } from 'vitest'
import { EventConfig } from '../schema/event-config.ts'
import { translateConfig } from '../translate-config.ts'

it('translateConfig replaces texts that have a translation and returns the paths of the others', () => {
  const translation = (text: string) => ({ text, sourceHash: '0'.repeat(16), state: 'machine' as const })
  const config = EventConfig.parse({
    details: { name: 'Summit', startsOn: '2027-03-01', endsOn: '2027-03-03' },
    emails: [
      {
        code: 'welcome',
        name: 'Welcome',
        trigger: 'none',
        subject: 'Hello',
        blocks: [
          { id: 'h', type: 'heading', text: 'Hi {{participant.firstName}}' },
          { id: 'd', type: 'heading', text: '2027' },
        ],
      },
    ],
    translations: {
      de: {
        '/emails/welcome/subject': translation('Hallo'),
        '/emails/welcome/blocks/h/text': translation('Hallo {{participant.firstName}}'),
      },
    },
  })
  const german = translateConfig(config, 'de')
  expect(german.config.emails[0]).toEqual({
    ...config.emails[0],
    subject: 'Hallo',
    blocks: [{ ...config.emails[0]!.blocks[0], text: 'Hallo {{participant.firstName}}' }, config.emails[0]!.blocks[1]],
  })
  expect(german.config.emails[0]!.name).toBe('Welcome')
  expect(german.untranslated).toContain('/details/name')
  expect(german.untranslated.filter((path) => path.startsWith('/emails'))).toEqual([])
  const french = translateConfig(config, 'fr')
  expect(french.config).toEqual(config)
  expect(french.untranslated).toContain('/emails/welcome/subject')
})
