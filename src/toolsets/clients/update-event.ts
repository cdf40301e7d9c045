import { toOneLine, count, currency, day, flag, ifRevision, list, locale, name, object, text, ianaTimeZone } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { EventRecord } from '../../domains/authoring/event-records.ts'
import { updateEvent } from '../../domains/authoring/update-event.ts'

export default eventTool({
  name: 'update_event',
  title: 'Change an event',
  description:
    'Reschedule or postpone an event (move by a week, shift deadlines along with moveDates), or change name, time zone, languages, currency; switch test mode off so real sign-ups count. Name and days go live with publish_event. Not for forms or tickets (use configure_event). Returns event, changed fields, effects.',
  effect: 'change',
  permission: 'clients.write',
  idempotent: true,
  dryRun: true,
  input: {
    name: name().optional(),
    startsOn: day().optional(),
    endsOn: day().optional(),
    moveDates: flag().default(false),
    timezone: ianaTimeZone().optional(),
    confirmTimezone: flag().default(false),
    currency: currency().optional(),
    locale: locale().optional(),
    locales: list(locale(), 50).optional(),
    testMode: flag().optional(),
    ifRevision: ifRevision(),
  },
  output: {
    event: toOneLine(EventRecord, 'as create_event returns it'),
    changed: list(text()),
    effects: list(object({ what: text(), count: count() })),
  },
  run: updateEvent,
})
