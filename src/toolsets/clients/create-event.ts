import { z } from 'zod'
import { toOneLine, code, currency, day, list, locale, name, object, oneOf, text, ianaTimeZone } from '../../kernel/args.ts'
import { clientTool } from '../../kernel/tool.ts'
import { createEvent } from '../../domains/authoring/create-event.ts'
import { EventRecord } from '../../domains/authoring/event-records.ts'
import { TEMPLATES } from '../../domains/authoring/templates/templates.ts'

export default clientTool({
  name: 'create_event',
  title: 'Create an event',
  description:
    'Create a brand-new event (conference, trade show, meeting; blank or virtual) with no earlier edition, from a template: a draft in test mode with form and mails. Not for repeating one (use clone_event). Returns the event, setup tasks and links.',
  effect: 'change',
  permission: 'clients.write',
  keyed: true,
  input: {
    name: name(),
    startsOn: day(),
    endsOn: day(),
    code: code().optional(),
    timezone: ianaTimeZone().optional(),
    currency: currency().optional(),
    locale: locale().optional(),
    venue: toOneLine(z.looseObject({}), 'name, address, city, country, latitude, longitude').optional(),
    template: oneOf(TEMPLATES).default('conference'),
  },
  output: {
    event: EventRecord,
    setupTasks: list(object({ code: text(), title: text(), state: text(), why: z.string() })),
    links: object({ console: text(), memory: text(), settings: text() }),
  },
  run: createEvent,
})
