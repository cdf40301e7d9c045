import { z } from 'zod'
import { code, count, flag, ifRevision, list, name, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { configureGuests } from '../../domains/authoring/registration-guests.ts'

const types = () => list(object({ code: code(), name: name(120), productCode: code() }), 20)
const fields = () => list(object({ binding: text(200), required: flag().default(false) }), 50)

export default eventTool({
  name: 'configure_registration_guests',
  title: 'Configure guests',
  description:
    'Let attendees of a form take along (bring) a plus-one, partner, spouse or child: how many at most, which kinds at which price (products of category guest), what is asked of them. Writes the draft and adds the question. Not for registering one guest (use add_participant). Returns the settings.',
  effect: 'change',
  permission: 'registration.write',
  dryRun: true,
  idempotent: true,
  input: {
    flowSlug: code(),
    enabled: flag().default(true),
    max: count(1, 20).default(5),
    types: types().default([]),
    fields: fields().default([]),
    countsTowardCapacity: flag().default(true),
    ifRevision: ifRevision(),
  },
  output: {
    guests: z.looseObject({}),
    draftRevision: count(),
    changed: list(text()),
    needsPublish: z.literal(true),
    warnings: list(z.string()),
  },
  run: configureGuests,
})
